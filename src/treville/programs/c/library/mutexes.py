"""Mutexes: a word that is 0 while nobody holds them.

Most programs have ordinary mutexes only, whose word is 1 while somebody does. In a program with mutexes that
are recursive or check for errors, the word has the number of the thread that holds it, plus 1, in its lowest
byte, and above that how often it was locked again; the kind of a mutex is a second word, behind those that
the C library may use itself, and that of attributes their first.
"""

from __future__ import annotations

from collections.abc import Callable

from treville.programs import ir
from treville.programs.c.library.calls import ONE, RELAXED, TRYING, WORD, ZERO, Call, Handler
from treville.programs.c.library.lock_states import (
    destroy_mutex,
    held_or,
    note_held,
    require_alive,
    require_first_init,
    require_held,
    require_held_for_wait,
    require_mine,
)
from treville.programs.c.library.static_locks import has_kind, is_apples
from treville.programs.c.llvm import GlobalName, Module, Number
from treville.programs.grids import Cell
from treville.programs.ir import plus

UNLOCKED = ZERO
LOCKED = ONE
BUSY, NOT_OWNED, DEADLOCK, TIMED_OUT = ir.Const(16), ir.Const(1), ir.Const(35), ir.Const(110)
C11_BUSY, C11_TIMED_OUT = ir.Const(1), ir.Const(4)
_RECURSIVE, _CHECKING = ONE, ir.Const(2)
_KIND_OFFSET = 16
_OWNER, _AGAIN = ir.Const(255), ir.Const(256)
# Who makes mutexes that are not ordinary, with which argument.
_KINDS = {"pthread_mutexattr_settype": 1, "mtx_init": 1}


def has_owned_mutexes(module: Module) -> bool:
    """Does the program make mutexes that are recursive or check for errors?"""
    if any(has_kind(variable.type, variable.initial) for variable in module.globals.values()):
        return True
    for function in module.functions.values():
        for instruction in (i for block in function.blocks for i in block.instructions):
            callee = instruction.operands[0][1] if instruction.opcode == "call" else None
            if isinstance(callee, GlobalName) and callee.name in _KINDS:
                kind = instruction.operands[1 + _KINDS[callee.name]][1]
                ordinary = (Number(0),) if callee.name != "mtx_init" else (Number(0), Number(2))
                if kind not in ordinary:
                    return True
    return False


def _owned(here: Call) -> bool:
    return here.body.translation.owned_mutexes


def locked(here: Call) -> ir.Expr:
    """The word of a mutex that this thread has just locked."""
    return _mine() if _owned(here) else LOCKED


def _mine() -> ir.Expr:
    return ir.Op("add", (ir.Reg(ir.OWN_NUMBER), ONE), WORD)


def _equal(one: ir.Expr, other: ir.Expr) -> ir.Expr:
    return ir.Op("eq", (one, other), WORD)


def _is_free(old: ir.Expr) -> ir.Expr:
    return _equal(old, UNLOCKED)


def _held_by_me(old: ir.Expr) -> ir.Expr:
    return _equal(ir.Op("and", (old, _OWNER), WORD), _mine())


def _kind(here: Call) -> ir.Reg:
    """The kind of the mutex, which does not change while it is in use."""
    kind = ir.Reg(here.body.fresh("kind"))
    here.body.emit(ir.Load(kind.name, plus(here.argument(0), _KIND_OFFSET), frozenset({"NA"}), WORD))
    other = ir.Op("gt", (kind, _CHECKING), WORD)  # one that only behaves otherwise under load
    return here.body.set(here.body.fresh("kind"), ir.Select(other, ZERO, kind))


def _again(kind: ir.Expr, old: ir.Expr) -> ir.Expr:
    """The word after the thread that holds the mutex locks it."""
    return ir.Select(_equal(kind, _RECURSIVE), ir.Op("add", (old, _AGAIN), WORD), old)


def lock(here: Call) -> None:
    """Wait until nobody holds the mutex; but the thread that does hold it may lock a recursive one again, and
    is told about it by one that checks."""
    here.fence()
    if not _owned(here):
        here.update(here.argument(0), lambda _: LOCKED, _is_free, require_alive)
        here.fence()
        note_held(here, ONE)
        here.returns(ZERO)
        return
    kind = _kind(here)
    mine = here.body.fresh("held already")

    def may_pass(old: ir.Reg) -> ir.Expr:
        held = here.body.set(mine, ir.Select(kind, _held_by_me(old), ZERO))
        return ir.Select(_is_free(old), ONE, held)

    def new(old: ir.Reg) -> ir.Expr:
        return ir.Select(_is_free(old), _mine(), _again(kind, old))

    here.update(here.argument(0), new, may_pass, require_alive)
    here.fence()
    checked = ir.Select(_equal(kind, _CHECKING), ir.Reg(mine), ZERO)
    here.returns(ir.Select(checked, DEADLOCK, ZERO))


def try_lock(busy: ir.Const) -> Handler:
    """Lock the mutex if that is possible at once, else return `busy`."""

    def handle(here: Call) -> None:
        address = here.argument(0)
        kind = _kind(here) if _owned(here) else None
        old = here.load(address, tags=TRYING)
        free, new = _is_free(old), locked(here)
        if kind is not None:
            held = ir.Select(_equal(kind, _RECURSIVE), _held_by_me(old), ZERO)
            new = ir.Select(free, new, _again(kind, old))
            free = ir.Select(free, ONE, held)
        require_alive(here, old)
        here.update_if(address, new, free)
        if kind is None:
            note_held(here, held_or(here, free))
        here.returns(ir.Select(free, ZERO, busy))

    return handle


def unlock(here: Call) -> None:
    """Let go of the mutex, or of its last lock; only the thread that holds it can do so where that is
    checked."""
    if not _owned(here):
        require_held(here)
    here.fence()
    if not _owned(here):
        here.store(here.argument(0), UNLOCKED)
        here.fence()
        here.returns(ZERO)
        return
    kind = _kind(here)

    def after(old: ir.Reg) -> ir.Expr:
        less = ir.Select(ir.Op("ge", (old, _AGAIN), WORD), ir.Op("sub", (old, _AGAIN), WORD), UNLOCKED)
        return ir.Select(kind, ir.Select(_held_by_me(old), less, old), UNLOCKED)

    def check(here: Call, old: ir.Expr) -> None:
        require_alive(here, old)
        told = ir.Const(0) if here.name.startswith("mtx_") else kind  # POSIX's kinds return that they are not
        require_mine(here, ir.Select(told, ONE, _held_by_me(old)))

    old = here.update(here.argument(0), after, lambda _: ONE, check)
    here.fence()
    here.returns(ir.Select(kind, ir.Select(_held_by_me(old), ZERO, NOT_OWNED), ZERO))


def require_mine_for_wait(here: Call) -> None:
    """Only who holds a mutex may wait with it for a condition variable."""
    if _owned(here):
        require_mine(here, _held_by_me(here.load(here.argument(1), link=False)))
    else:
        require_held_for_wait(here)


def init(here: Call) -> None:
    """A mutex of the kind that the attributes say, an ordinary one without them."""
    kind: ir.Expr = ZERO
    if _owned(here) and here.operands[1][1] != Number(0):
        kind = here.body.memory.read_cell(here.frame, here.operands[1], Cell(0, WORD))
    _fresh(here, kind)


def c11_init(here: Call) -> None:
    """As above; one bit of the second argument says that it is recursive."""
    _fresh(here, ir.Op("and", (here.argument(1), ONE), WORD) if _owned(here) else ZERO)


def _fresh(here: Call, kind: ir.Expr) -> None:
    require_first_init(here)
    here.store(here.argument(0), UNLOCKED, RELAXED)
    if _owned(here):
        here.body.emit(ir.Store(plus(here.argument(0), _KIND_OFFSET), kind, frozenset({"NA"}), WORD))
    here.returns(ZERO)


def _set_kind(here: Call) -> None:
    if is_apples(here.body.translation.module) and here.operands[1][1] != Number(0):
        raise here.body.unsupported(f"{here.name}: kinds of mutexes as macOS numbers them")
    _attributes(lambda here: here.argument(1))(here)


def _attributes(value: Callable[[Call], ir.Expr]) -> Handler:
    def handle(here: Call) -> None:
        if _owned(here):
            here.write(0, value(here), WORD)
        here.returns(ZERO)

    return handle


FUNCTIONS: dict[str, Handler] = {
    "pthread_mutex_lock": lock, "mtx_lock": lock,
    "pthread_mutex_trylock": try_lock(BUSY), "mtx_trylock": try_lock(C11_BUSY),
    "pthread_mutex_timedlock": try_lock(TIMED_OUT), "pthread_mutex_clocklock": try_lock(TIMED_OUT),
    "mtx_timedlock": try_lock(C11_TIMED_OUT),
    "pthread_mutex_unlock": unlock, "mtx_unlock": unlock,
    "pthread_mutex_init": init, "mtx_init": c11_init,
    "pthread_mutex_destroy": destroy_mutex, "mtx_destroy": destroy_mutex,
    "pthread_mutexattr_init": _attributes(lambda _: ZERO),
    "pthread_mutexattr_settype": _set_kind,
}  # fmt: skip
