"""The end of a program: `exit`, and what runs then (`atexit`, destructors).

Calls of `atexit` (of `__cxa_atexit`, with an object, in C++) are numbered as they stand in the code of the
first thread, which is the order in which they are reached; a private cell for each says whether it was. The
first thread runs the functions, last one first, when `main` returns or calls `exit`. What another thread
would have to run is refused, not left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.library.calls import ONE, ZERO, Call, Handler, candidates, each_function
from treville.programs.c.llvm import Module

if TYPE_CHECKING:
    from treville.programs.c.body import Body

_EXIT = "exit of the program"
_REGISTERED = "functions to run at exit"
_REGISTERING = ("atexit", "__cxa_atexit")
_BITS = 8


def runs_at_exit(module: Module) -> bool:
    """Is there anything to run when the program ends?"""
    called = any(name in module.declared and name not in module.functions for name in _REGISTERING)
    return called or "llvm.global_dtors" in module.globals


def _at_exit(here: Call) -> None:
    body = here.body
    if body.thread.parameter:
        raise body.unsupported("atexit in a thread that was started")
    number = len(body.translation.registered)
    kept = [_kept(here, position) for position in range(min(2, len(here.operands)))]  # a function, an object
    body.translation.registered.append(kept)
    registered, once = _read(body, number), body.fresh("registered once")
    body.emit(ir.Branch(once, ir.Op("eq", (registered, ZERO), _BITS)))
    body.emit(ir.Stop(cut=True, reason="a second call of atexit at the same place"))
    body.label(once)
    body.emit(ir.WritePrivate(_REGISTERED, ir.Const(number), ONE, _BITS))
    here.returns(ZERO)


def _kept(here: Call, position: int) -> ir.Expr:
    """An argument as it is now: a register may be another one's by the end of the program."""
    value = here.argument(position)
    if isinstance(value, ir.Const):
        return value
    kept = ir.Reg(here.body.fresh("at exit"))
    here.body.set(kept.name, value)
    return kept


def _read(body: Body, number: int) -> ir.Reg:
    registered = ir.Reg(body.fresh("registered"))
    body.emit(ir.ReadPrivate(registered.name, _REGISTERED, ir.Const(number), _BITS))
    return registered


def run_at_exit(body: Body, destructors: list[str]) -> None:
    """The code behind `main`."""
    body.label(_EXIT)
    for number, (pointer, *arguments) in reversed(list(enumerate(body.translation.registered))):
        done = body.fresh("not registered")
        body.emit(ir.Branch(done, ir.Op("eq", (_read(body, number), ZERO), _BITS)))
        each_function(body, pointer, candidates(body, len(arguments)), _run(body, arguments))
        body.label(done)
    for name in destructors:
        _run(body, [])(name)


def _run(body: Body, arguments: list[ir.Expr]) -> Callable[[str], None]:
    def run(name: str) -> None:
        body.inline(body.translation.module.functions[name], arguments, {})

    return run


def _exit(here: Call) -> None:
    if not here.body.translation.runs_at_exit:
        here.body.emit(ir.Stop(reason=here.name))
    elif here.body.thread.parameter:
        raise here.body.unsupported("exit by a thread that was started, where functions run at exit")
    else:
        here.body.thread.labels.setdefault(_EXIT, -1)
        here.body.emit(ir.Branch(_EXIT))


def _stop(here: Call) -> None:
    here.body.emit(ir.Stop(reason=here.name))


FUNCTIONS: dict[str, Handler] = {
    "exit": _exit, **dict.fromkeys(_REGISTERING, _at_exit),
    **dict.fromkeys(("abort", "_exit", "_Exit", "quick_exit"), _stop),
}  # fmt: skip
