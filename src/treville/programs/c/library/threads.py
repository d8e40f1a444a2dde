"""Threads: starting, joining and leaving them, their own data, functions that run once.

POSIX says that these calls synchronise memory: each is a full fence under every model.
"""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.library.calls import (
    LOCKING,
    ONE,
    WORD,
    ZERO,
    Call,
    Handler,
    candidates,
    each_function,
)


def _create(here: Call, function: int, argument: int) -> None:
    body = here.body
    thread = ir.Reg(body.fresh("thread"))
    value = here.argument(argument)

    def start(name: str) -> None:
        body.translation.thread_function(name)
        body.emit(ir.Spawn(thread.name, name, value))

    here.fence()
    each_function(body, here.argument(function), candidates(body, 1), start)
    here.write(0, thread, 64)
    here.fence()
    here.returns(ZERO)


def _join(here: Call) -> None:
    here.fence()
    here.body.emit(ir.Join(here.argument(0)))
    here.fence()
    here.returns(ZERO)


def _exit_thread(here: Call) -> None:
    here.body.emit(ir.Branch(_outermost_exit(here)))


def _outermost_exit(here: Call) -> str:
    """The label at the end of the thread; defined where its code ends."""
    labels = here.body.thread.labels
    labels.setdefault("end of thread", -1)
    return "end of thread"


def _once(here: Call) -> None:
    """0: not yet, 1: running, 2: done. The one who finds 0 runs it, the others wait for 2."""
    body, word = here.body, here.argument(0)
    done, wait = body.fresh("once.done"), body.fresh("once.wait")
    here.fence()
    old = here.load(word)
    first = ir.Op("eq", (old, ZERO), WORD)
    body.emit(ir.Store(word, ONE, LOCKING, WORD, link=True, when=first))
    body.emit(ir.Branch(wait, ir.Op("lnot", (first,))))
    each_function(body, here.argument(1), candidates(body, 0), lambda name: _run_once(here, name))
    here.store(word, ir.Const(2))
    body.emit(ir.Branch(done))
    body.label(wait)
    seen = here.load(word, link=False)
    body.emit(ir.Assume(ir.Op("eq", (seen, ir.Const(2)), WORD), waits=True))
    body.label(done)
    here.fence()
    here.returns(ZERO)


def _run_once(here: Call, name: str) -> None:
    here.body.inline(here.body.translation.module.functions[name], [], here.frame.depth)


FUNCTIONS: dict[str, Handler] = {
    "pthread_create": lambda here: _create(here, 2, 3),
    "thrd_create": lambda here: _create(here, 1, 2),
    "pthread_join": _join, "thrd_join": _join,
    "pthread_exit": _exit_thread, "thrd_exit": _exit_thread,
    "pthread_once": _once, "call_once": _once,
    **dict.fromkeys(
        ("pthread_detach", "thrd_detach", "sched_yield", "thrd_yield", "pthread_yield", "thrd_sleep",
         "pthread_setconcurrency", "pthread_attr_init", "pthread_attr_destroy", "pthread_attr_setdetachstate",
         "pthread_attr_setstacksize", "pthread_attr_setscope", "pthread_attr_setschedpolicy",
         "pthread_setname_np", "pthread_setcancelstate", "pthread_setcanceltype", "pthread_testcancel"),
        Call.nothing,
    ),
}  # fmt: skip
