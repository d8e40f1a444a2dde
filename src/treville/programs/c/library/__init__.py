"""Calls in C programs: library functions as IR, other functions inlined.

Each module has a table from names to what a call of that name becomes; a new function is one line there. What
a program defines itself is inlined, unless its name has a meaning for verification (`__VERIFIER_assert`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treville.programs.c.library import (
    awaiting,
    clocks,
    heap,
    intrinsics,
    locks,
    printing,
    threads,
    unset,
    verification,
)
from treville.programs.c.library import copying as memory
from treville.programs.c.library.calls import Call, Handler, call_defined, call_through_pointer
from treville.programs.c.library.effects import is_refused
from treville.programs.c.llvm import GlobalName, InlineAsm, LlvmInstruction, LocalName
from treville.programs.c.marks import KEEP, KNOWN

if TYPE_CHECKING:
    from treville.programs.c.body import Body, Frame

_ALWAYS: dict[str, Handler] = verification.FUNCTIONS
_EXTERNAL: dict[str, Handler] = (
    threads.FUNCTIONS
    | locks.FUNCTIONS
    | clocks.FUNCTIONS
    | heap.FUNCTIONS
    | memory.FUNCTIONS
    | verification.OTHERS
    | printing.FUNCTIONS
    | intrinsics.FUNCTIONS
)


def call(body: Body, frame: Frame, instruction: LlvmInstruction) -> None:
    """Translate a call instruction."""
    callee = instruction.operands[0][1]
    if isinstance(callee, InlineAsm):
        from treville.programs.c.library.assembly import assembly

        assembly(Call(body, frame, instruction, "inline assembly"), callee)
    elif isinstance(callee, LocalName):
        call_through_pointer(body, frame, instruction)
    elif isinstance(callee, GlobalName):
        _named(Call(body, frame, instruction, callee.name))
    else:
        raise body.unsupported("a call of a computed address")


def _named(here: Call) -> None:
    name, translation = here.name, here.body.translation
    if name in _ALWAYS:
        _ALWAYS[name](here)
    elif name in translation.module.functions:
        call_defined(here)
    elif (mark := unset.handler(name)) is not None:
        mark(here)
    elif name in (KEEP, KNOWN):
        return
    elif name in _EXTERNAL:
        _EXTERNAL[name](here)
    elif name.startswith("_pthread_") and name[1:] in _EXTERNAL:  # as the headers of a Mac have it
        _EXTERNAL[name[1:]](here)
    elif name.startswith("llvm."):
        memory.llvm_function(here)
    elif name.startswith("__VERIFIER_nondet_"):
        verification.nondet(here)
    elif (found := awaiting.handler(name) or _of_the_kernel(name)) is not None:
        found(here)
    elif name in translation.module.globals:
        verification.call_of_data(here)
    elif is_refused(name):
        raise here.body.unsupported(f"the library function {name}")
    else:
        verification.undefined(here)


def _of_the_kernel(name: str) -> Handler | None:
    from treville.programs.c.library import kernel

    return kernel.handler(name)


def known_functions() -> frozenset[str]:
    """The library functions that have a meaning here."""
    return frozenset(_ALWAYS) | frozenset(_EXTERNAL)
