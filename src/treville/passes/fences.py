"""Does a model understand a program's fences and ordered accesses? Refuses the first that it does not.

A fence or an ordered access (acquire, release) that a model does not know is an error, not a no-op. Full
fences of any architecture are full fences to every model, and a model that speaks of no fence, such as
`sc`, takes all of them. A partial fence of another architecture has no meaning that could be assumed.
"""

from __future__ import annotations

from treville.fences import FULL_FENCES
from treville.models.base import FENCES, SETS
from treville.models.library import accepted_fences
from treville.models.model import Model
from treville.programs.ir import Fence, Load, Program, Store, StoreExclusive
from treville.programs.litmus import DIALECTS
from treville.results import Unsupported

# Accesses that order others, by the architecture that has them.
_ORDERED = frozenset({"A", "Q", "L", "Acq", "Rel", "AcqRel", "Acquire", "Release"})


def refuse_unknown_fences(program: Program, dialect: str, model: Model) -> None:
    """Raise `Unsupported` at the first fence or ordered access that the model does not understand. `dialect`
    is that of a litmus test, empty for a program that was compiled for the model."""
    if dialect not in ("", "C") and DIALECTS.get(dialect) != model.shipped:
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
    mentioned = accepted_fences(model)
    if mentioned is None:
        return
    partial = mentioned - FULL_FENCES
    own = partial or (frozenset() if mentioned >= FULL_FENCES else mentioned)
    own_families = {SETS[name] for name in own}
    for instruction in program.instructions():
        if isinstance(instruction, Fence):
            kinds = instruction.tags & FENCES
            if kinds and not kinds & mentioned and not any(SETS[kind] in own_families for kind in kinds):
                raise _refusal(instruction, kinds, model)


def _refusal(fence: Fence, kinds: frozenset[str], model: Model) -> Unsupported:
    return Unsupported(
        f"the fence '{fence.text or ', '.join(sorted(kinds))}' has no meaning under the model {model.name}",
        fence.span,
        "full fences (mfence, sync, dmb sy, fence rw,rw) are understood by every hardware model",
    )
