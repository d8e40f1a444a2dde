"""Does a model understand the fences of a test? A fence that it does not know is an error, not a no-op.

Full fences of any architecture are full fences to every model, and a model that speaks of no fence, such as
`sc`, takes all of them. A partial fence of another architecture has no meaning that could be assumed.
"""

from __future__ import annotations

from collections.abc import Iterable

from treville.models.base import FENCES, SETS
from treville.models.library import accepted_fences
from treville.models.model import Model
from treville.programs.ir import Fence, Thread
from treville.programs.litmus.test import LitmusTest
from treville.results import Unsupported

# What `fullfences.cat` mentions for the sake of other architectures.
_FULL = frozenset(
    {"MFENCE", "SYNC", "MEMBAR", "Mb", "Fence.rw.rw"}
    | {f"{kind}{option}" for kind in ("DMB", "DSB") for option in ("", ".SY", ".ISH", ".OSH")}
)


def refuse_unknown_fences(test: LitmusTest, model: Model) -> None:
    """Raise `Unsupported` at the first fence of the test that the model does not understand."""
    refuse_unknown_fences_of(test.program.threads, model)


def refuse_unknown_fences_of(threads: Iterable[Thread], model: Model) -> None:
    """Raise `Unsupported` at the first fence that the model does not understand."""
    mentioned = accepted_fences(model)
    if mentioned is None:
        return
    partial = mentioned - _FULL
    own = partial or (frozenset() if mentioned >= _FULL else mentioned)
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
        "full fences (mfence, sync, dmb sy, fence rw,rw) are understood by every model",
    )
