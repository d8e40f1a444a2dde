"""Architectures as data for the encodings of papers 000 (sections 3 and 5) and 003 (section 2.1).

An architecture says which pairs in program order it keeps (by direction, by location, by dependency),
whether reads-from between threads is safe, and what its fences order. Fences are lists of parts "what comes
before x what comes after"; each part has a clock of its own, so that `lwsync` orders all but write-read pairs
with two clocks (paper 000, Figure 6).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from treville.events.symbolic import StaticEvent
from treville.fences import FULL_FENCES
from treville.models.base import FENCES
from treville.models.identity import added_axioms
from treville.models.library import load_model
from treville.models.model import Model
from treville.models.recognise import order_of_blocks
from treville.results import Unsupported

ALL_PAIRS = frozenset({"RR", "RW", "WR", "WW"})
NO_PAIRS: frozenset[str] = frozenset()


class FencePart(NamedTuple):
    """One clock of a fence: the directions of the accesses that it orders, before and after it, and whether
    it also orders what was read before it and what is read after it, where stores are not atomic."""

    name: str
    before: str
    after: str
    cumulative: bool = True


class FenceRule(NamedTuple):
    """What fences with one of the tags order."""

    tags: frozenset[str]
    parts: tuple[FencePart, ...]


@dataclass(frozen=True, slots=True)
class Architecture:
    """What a memory model keeps.

    `preserved`: directions of pairs in program order. `same_location`: directions that are kept for accesses
    to one location, beyond write-write and read-write pairs, which coherence orders on every architecture.
    `locked`: tags of accesses that keep their order with every other. `depends`: for each kind of dependency
    the directions of targets that it orders. `through_writes`: dependencies go on through a write and a later
    read of its location. `external_reads`: reads-from between threads is safe (stores are atomic); internal
    reads-from is safe exactly if write-read pairs are preserved. `hazards`: two reads of one location may
    disagree with coherence. `uniproc` and `thin_air`: these checks have clocks of their own; without, the
    preserved order implies them. `blocks`: an atomic block happens at one time; `updates`: so do the halves
    of a read-modify-write.
    """

    name: str
    preserved: frozenset[str]
    same_location: frozenset[str] = NO_PAIRS
    locked: frozenset[str] = frozenset()
    depends: dict[str, str] = field(default_factory=dict)
    through_writes: bool = False
    external_reads: bool = True
    hazards: bool = False
    fences: tuple[FenceRule, ...] = ()
    ignored_fences: frozenset[str] | None = frozenset()
    uniproc: bool = True
    thin_air: bool = False
    blocks: bool = False
    updates: bool = False


def _fence(before: str, after: str, *tags: str) -> FenceRule:
    return FenceRule(frozenset(tags), (FencePart("", before, after),))


FULL = _fence("RW", "RW", *FULL_FENCES)
LWSYNC = FenceRule(frozenset({"LWSYNC"}), (FencePart("r", "R", "RW"), FencePart("w", "W", "W")))
EIEIO = FenceRule(frozenset({"EIEIO"}), (FencePart("", "W", "W", cumulative=False),))
STORE_STORE = _fence("W", "W", "MEMBAR.SS")
MEMBARS = (
    _fence("R", "R", "MEMBAR.LL"),
    _fence("R", "W", "MEMBAR.LS"),
    _fence("W", "R", "MEMBAR.SL"),
    STORE_STORE,
)
CONTROL_FENCE = "ISYNC"
WEAK_X86 = frozenset({"SFENCE", "LFENCE"})

SC = Architecture("sc", ALL_PAIRS, ignored_fences=None, uniproc=False)
ATOMIC_SC = Architecture("svcomp", ALL_PAIRS, ignored_fences=None, uniproc=False, blocks=True, updates=True)
TSO = Architecture(
    "tso",
    ALL_PAIRS - {"WR"},
    locked=frozenset({"X"}),
    fences=(FULL,),
    ignored_fences=WEAK_X86,
)
PSO = Architecture("pso", frozenset({"RR", "RW"}), fences=(FULL, STORE_STORE))
RMO = Architecture(
    "rmo",
    NO_PAIRS,
    depends={"addr": "RW", "data": "RW", "ctrl": "W"},
    through_writes=True,
    hazards=True,
    fences=(FULL, *MEMBARS),
)
ALPHA = Architecture(
    "alpha",
    NO_PAIRS,
    same_location=frozenset({"RR"}),
    depends={"addr": "W", "data": "W", "ctrl": "W"},
    fences=(FULL, _fence("W", "W", "WMB")),
)
POWER = Architecture(
    "power2012",
    NO_PAIRS,
    depends={"addr": "RW", "data": "RW", "ctrl": "W", "ctrlisync": "RW"},
    external_reads=False,
    fences=(FULL, LWSYNC, EIEIO),
    ignored_fences=frozenset({CONTROL_FENCE}),
    thin_air=True,
)

ARCHITECTURES = {each.name: each for each in (SC, ATOMIC_SC, TSO, PSO, RMO, ALPHA, POWER)}


def architecture_of(model: Model, known: dict[str, Architecture] | None = None) -> Architecture:
    """The architecture that a shipped model is about; a model with other content has none. The answers of an
    encoding are those of the model, whichever encoding it is."""
    known = ARCHITECTURES if known is None else known
    found = None if model.shipped is None else known.get(model.shipped)
    if found is None or model.shipped is None:
        raise Unsupported(
            f"this encoding has its memory models built in and does not know {model.name}",
            hint=f"use --encoding acyclicity, or one of the shipped models {', '.join(known)}",
        )
    added = added_axioms(model, load_model(model.shipped))
    for axiom in added:
        if order_of_blocks(model, axiom.node) is None or not found.external_reads:
            raise Unsupported(f"this encoding does not know the axiom '{axiom.name}' of {model.name}")
    return replace(found, blocks=True) if added else found


def parts_of(architecture: Architecture, fence: StaticEvent) -> tuple[FencePart, ...]:
    """What a fence orders; a fence that the architecture does not know is refused."""
    for rule in architecture.fences:
        if fence.tags & rule.tags:
            return rule.parts
    kinds = fence.tags & FENCES
    if architecture.ignored_fences is not None and kinds - architecture.ignored_fences:
        shown = fence.instruction.text or ", ".join(sorted(kinds))
        raise Unsupported(
            f"this encoding does not know the fence '{shown}' on {architecture.name}",
            fence.instruction.span,
            "use --encoding acyclicity",
        )
    return ()
