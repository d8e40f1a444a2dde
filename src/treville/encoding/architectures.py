"""Architectures as data for the encodings of papers 000 (sections 3 and 5) and 003 (section 2.1).

An architecture says which pairs in program order it keeps (by direction, by location, by dependency),
whether reads-from between threads is safe, and what its fences order. Fences are lists of parts "what comes
before x what comes after"; each part has a clock of its own, so that `lwsync` orders all but write-read pairs
with two clocks (paper 000, Figure 6).
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from treville.events.symbolic import StaticEvent
from treville.fences import FULL_FENCES, INSTRUCTION_FENCES, PARTIAL_FENCES, Pairs
from treville.models.base import FENCES
from treville.models.identity import added_axioms
from treville.models.library import load_model
from treville.models.model import Model
from treville.models.recognise import order_of_blocks
from treville.records import NamedTuple, dataclass, replace
from treville.results import Unsupported

ALL_PAIRS = frozenset({"RR", "RW", "WR", "WW"})
NO_PAIRS: frozenset[str] = frozenset()


class FencePart(NamedTuple):
    """One clock of a fence: the directions of the accesses that it orders, before and after it, and whether
    it also orders what was read before it and what is read after it, where stores are not atomic.
    `returning`: of the reads before it only those whose value a register gets."""

    name: str
    before: str
    after: str
    cumulative: bool = True
    returning: bool = False


class FenceRule(NamedTuple):
    """What fences with one of the tags order."""

    tags: frozenset[str]
    parts: tuple[FencePart, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Dependencies:
    """Paths of dependencies that start at a read: steps that go on, then one step of either kind. A step is a
    relation inside program order (`addr`, `data`, `ctrl`, `ctrlisync`, `po-loc`) with the directions of the
    pairs that count, such as `RW`; paths that end in other directions than `ends` do not count."""

    carried: dict[str, frozenset[str]]
    last: dict[str, frozenset[str]]
    ends: str = "RW"


class ThinAir(NamedTuple):
    """What causes what, beside reads-from: dependencies, accesses to one location by their directions, and
    fences (without cumulativity)."""

    dependencies: Dependencies
    same_location: frozenset[str]
    fences: bool


@dataclass(frozen=True, slots=True)
class Architecture:
    """What a memory model keeps.

    `preserved`: directions of pairs in program order. `same_location`: directions that are kept for accesses
    to one location, beyond write-write and read-write pairs, which coherence orders on every architecture.
    `locked`: tags of accesses that keep their order with every other. `depends`: the dependencies that are
    kept. `external_reads`: reads-from between threads is safe (stores are atomic); internal
    reads-from is safe exactly if write-read pairs are preserved. `hazards`: two reads of one location may
    disagree with coherence. `uniproc` and `thin`: these checks have clocks of their own; without, the
    preserved order implies them. `blocks`: an atomic block happens at one time; `updates`: so do the halves
    of a read-modify-write. An architecture without `fences`, which orders everything, takes all of them.
    """

    name: str
    preserved: frozenset[str]
    same_location: frozenset[str] = NO_PAIRS
    locked: frozenset[str] = frozenset()
    depends: Dependencies | None = None
    external_reads: bool = True
    hazards: bool = False
    fences: tuple[FenceRule, ...] = ()
    uniproc: bool = True
    thin: ThinAir | None = None
    blocks: bool = False
    updates: bool = False


def _fence(before: str, after: str, *tags: str) -> FenceRule:
    return FenceRule(frozenset(tags), (FencePart("", before, after),))


def _partial(tag: str, ordered: tuple[Pairs, ...], cumulative: AbstractSet[str]) -> FenceRule:
    """One clock for each product of directions, so that `lwsync` has two (paper 000, Figure 6)."""
    names = [""] if len(ordered) == 1 else [pairs.before.lower() for pairs in ordered]
    parts = (
        FencePart(name, pairs.before, pairs.after, tag in cumulative, pairs.returning)
        for name, pairs in zip(names, ordered, strict=True)
    )
    return FenceRule(frozenset({tag}), tuple(parts))


def _fences(*own: FenceRule, cumulative: AbstractSet[str] = frozenset()) -> tuple[FenceRule, ...]:
    """Full and partial fences of every architecture and an architecture's own."""
    partial = [_partial(tag, ordered, cumulative) for tag, ordered in PARTIAL_FENCES.items()]
    return (_fence("RW", "RW", *FULL_FENCES), *partial, *own)


STORE_STORE = _fence("W", "W", "MEMBAR.SS")
MEMBARS = (
    _fence("R", "R", "MEMBAR.LL"),
    _fence("R", "W", "MEMBAR.LS"),
    _fence("W", "R", "MEMBAR.SL"),
    STORE_STORE,
)
CONTROL_FENCE = "ISYNC"

_ADDRESS = {"addr": frozenset({"RR", "RW"})}
_DATA = {"data": frozenset({"RW"})}
_CONTROL = {"ctrl": frozenset({"RW"})}
_LATER_READS = {"po-loc": frozenset({"WR"})}
_OF_RMO = _ADDRESS | _DATA | _CONTROL | _LATER_READS
_OF_ALPHA = Dependencies(_ADDRESS, _ADDRESS | _DATA | _CONTROL | {"po-loc": frozenset({"RW"})}, ends="W")
_OF_POWER = Dependencies(_ADDRESS | _DATA | _LATER_READS, _CONTROL | {"ctrlisync": frozenset({"RR", "RW"})})

SC = Architecture("sc", ALL_PAIRS, uniproc=False)
ATOMIC_SC = Architecture("svcomp", ALL_PAIRS, uniproc=False, blocks=True, updates=True)
TSO = Architecture(
    "tso",
    ALL_PAIRS - {"WR"},
    locked=frozenset({"X"}),
    fences=_fences(),
)
PSO = Architecture("pso", frozenset({"RR", "RW"}), fences=_fences(STORE_STORE))
RMO = Architecture(
    "rmo",
    NO_PAIRS,
    depends=Dependencies(_OF_RMO, {}),
    hazards=True,
    fences=_fences(*MEMBARS),
)
ALPHA = Architecture(
    "alpha",
    NO_PAIRS,
    same_location=frozenset({"RR"}),
    fences=_fences(_fence("W", "W", "WMB")),
    thin=ThinAir(_OF_ALPHA, frozenset({"RR", "WW"}), fences=False),
)
POWER = Architecture(
    "power2012",
    NO_PAIRS,
    depends=_OF_POWER,
    external_reads=False,
    fences=_fences(cumulative={"LWSYNC"}),
    thin=ThinAir(_OF_POWER, frozenset({"RW", "WW"}), fences=True),
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
    """What a fence orders, by all of its tags; a fence that the architecture does not know is refused."""
    found = [rule for rule in architecture.fences if fence.tags & rule.tags]
    if len(found) == 1:
        return found[0].parts
    if found:
        return tuple(
            part._replace(name=f"{number}{part.name}")
            for number, rule in enumerate(found)
            for part in rule.parts
        )
    kinds = fence.tags & FENCES
    if architecture.fences and kinds - INSTRUCTION_FENCES:
        shown = fence.instruction.text or ", ".join(sorted(kinds))
        raise Unsupported(
            f"this encoding does not know the fence '{shown}' on {architecture.name}",
            fence.instruction.span,
            "use --encoding acyclicity",
        )
    return ()
