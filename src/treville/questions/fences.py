"""A test as a model sees it: C11 compiled for hardware, and nothing in it that the model does not understand.

A fence or an ordered access (acquire, release) that a model does not know is an error, not a no-op. Full
fences of any architecture are full fences to every model, and a model that speaks of no fence, such as
`sc`, takes all of them. A partial fence of another architecture has no meaning that could be assumed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from treville.fences import FULL_FENCES
from treville.models.base import FENCES, SETS
from treville.models.library import accepted_fences
from treville.models.model import Model
from treville.programs.compile_to import LANGUAGES, compile_program, target_of
from treville.programs.ir import Fence, Load, Store, StoreExclusive, Thread
from treville.programs.litmus import DIALECTS
from treville.programs.litmus.test import LitmusTest
from treville.results import Unsupported

# Accesses that order others, by the architecture that has them.
_ORDERED = frozenset({"A", "Q", "L", "Acq", "Rel", "AcqRel", "Acquire", "Release"})


def seen_by(model: Model, test: LitmusTest) -> LitmusTest:
    """The test to run under the model: C11 tests are compiled where the model is of hardware. Raises
    `Unsupported` at the first fence or ordered access that the model does not understand."""
    if test.dialect == "C":
        target = target_of(model.shipped, model.base_names())
        if target not in LANGUAGES:
            test = replace(test, program=compile_program(test.program, target))
    refuse_unknown_fences(test, model)
    return test


def refuse_unknown_fences(test: LitmusTest, model: Model) -> None:
    """Raise `Unsupported` at the first fence or ordered access that the model does not understand."""
    if test.dialect != "C" and DIALECTS.get(test.dialect) != model.shipped:
        _refuse_unknown_orders(test.program.threads, model)
    refuse_unknown_fences_of(test.program.threads, model)


def _refuse_unknown_orders(threads: Iterable[Thread], model: Model) -> None:
    if accepted_fences(model) is None:
        return  # such as `sc`, under which all accesses are ordered
    unknown = _ORDERED - model.base_names()
    for thread in threads:
        for instruction in thread.instructions:
            if isinstance(instruction, (Load, Store, StoreExclusive)) and instruction.tags & unknown:
                kinds = ", ".join(sorted(instruction.tags & unknown))
                raise Unsupported(
                    f"the order of '{instruction.text or kinds}' has no meaning under the model {model.name}",
                    instruction.span,
                    "acquire and release accesses are only understood by models of their own architecture",
                )


def refuse_unknown_fences_of(threads: Iterable[Thread], model: Model) -> None:
    """Raise `Unsupported` at the first fence that the model does not understand."""
    mentioned = accepted_fences(model)
    if mentioned is None:
        return
    partial = mentioned - FULL_FENCES
    own = partial or (frozenset() if mentioned >= FULL_FENCES else mentioned)
    own_families = {SETS[name] for name in own}
    for thread in threads:
        for instruction in thread.instructions:
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
