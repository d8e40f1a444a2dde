"""Does a model understand a program's fences and ordered accesses? Refuses the first that it does not.

A fence or an ordered access (acquire, release) that a model does not know is an error, not a no-op. Full
fences of any architecture are full fences to every model, and a model that speaks of no fence, such as
`sc`, takes all of them. Partial fences of other architectures order what they order at home under models that
include `partialfences.cat`, as those of hardware do; fences of the instruction stream order no accesses, so
a model that does not mention them takes them as well. A fence of a kind that no model could mention is a bug
of a front end.
"""

from __future__ import annotations

from treville.fences import FULL_FENCES, INSTRUCTION_FENCES, PARTIAL_FENCES, PLACE
from treville.models.base import FENCES, SAME_SETS, SETS
from treville.models.library import accepted_fences
from treville.models.model import Model
from treville.programs.ir import Fence, Load, Program, Store, StoreExclusive
from treville.programs.litmus import DIALECTS
from treville.programs.verify import MalformedProgram
from treville.results import Unsupported

# Accesses that order others, by the architecture that has them.
_ORDERED = frozenset({"A", "Q", "L", "Acq", "Rel", "AcqRel", "Acquire", "Release"})
# What fences can be to some model, or to nobody.
_KINDS = SETS.keys() | SAME_SETS.keys() | {PLACE}


def refuse_unknown_fences(program: Program, dialect: str, model: Model) -> None:
    """Raise `Unsupported` at the first fence or ordered access that the model does not understand. `dialect`
    is that of a litmus test, empty for a program that was compiled for the model."""
    if dialect not in ("", "C", "PTS") and DIALECTS.get(dialect) != model.shipped:
        _refuse_unknown_orders(program, model)
    _refuse_unknown_fences(program, model)


def _refuse_unknown_orders(program: Program, model: Model) -> None:
    if accepted_fences(model) is None:
        return  # such as `sc`, under which all accesses are ordered
    unknown = _ORDERED - model.base_names()
    for instruction in program.instructions():
        if isinstance(instruction, (Load, Store, StoreExclusive)) and instruction.tags & unknown:
            kinds = ", ".join(sorted(instruction.tags & unknown))
            raise Unsupported(
                f"the order of '{instruction.text or kinds}' has no meaning under the model {model.name}",
                instruction.span,
                "acquire and release accesses are only understood by models of their own architecture",
            )


def _refuse_unknown_fences(program: Program, model: Model) -> None:
    for instruction in program.instructions():
        if isinstance(instruction, Fence) and instruction.tags.isdisjoint(_KINDS):
            raise MalformedProgram(f"models/base.py has no fence '{', '.join(sorted(instruction.tags))}'")
    mentioned = accepted_fences(model)
    if mentioned is None:
        return
    own_families = {SETS[name] for name in _told_apart(mentioned)}
    known = mentioned | INSTRUCTION_FENCES if mentioned >= FULL_FENCES else mentioned
    for instruction in program.instructions():
        if isinstance(instruction, Fence):
            kinds = instruction.tags & FENCES
            if kinds and not kinds & known and not any(SETS[kind] in own_families for kind in kinds):
                raise _refusal(instruction, kinds, model)


def _told_apart(mentioned: frozenset[str]) -> frozenset[str]:
    """Of the fences that a model mentions those that tell its architecture: all full ones do not, nor
    do all partial ones."""
    for everywhere in (FULL_FENCES, frozenset(PARTIAL_FENCES)):
        if mentioned >= everywhere:
            mentioned -= everywhere
    return mentioned


def _refusal(fence: Fence, kinds: frozenset[str], model: Model) -> Unsupported:
    return Unsupported(
        f"the fence '{fence.text or ', '.join(sorted(kinds))}' has no meaning under the model {model.name}",
        fence.span,
        "models of hardware know the fences of every architecture; your own does if it uses what "
        "fullfences.cat and partialfences.cat define",
    )
