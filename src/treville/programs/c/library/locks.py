"""Spin locks, read-write locks, condition variables, barriers, semaphores; mutexes are in `mutexes`.

A lock is an atomic read-modify-write on its word; a thread that waits for one simply does not go on in the
runs where it is taken (`Assume`). Each call is a full fence, as POSIX says, unless it fails or only asks
(`sem_getvalue`). `pthread_cond_wait` may wake up at any time, as POSIX allows; where programs are checked for
deadlocks, it needs a signal.
"""

from __future__ import annotations

from collections.abc import Callable

from treville.programs import ir
from treville.programs.c.library import mutexes
from treville.programs.c.library.calls import LOCKING, ONE, RELAXED, TRYING, WORD, ZERO, Call, Handler
from treville.programs.c.library.lock_states import (
    destroy_barrier,
    destroy_lock,
    destroy_semaphore,
    held_times,
    note_condition,
    note_held,
    require_alive,
    require_barrier,
    require_condition,
    require_held,
    require_no_barrier,
)
from treville.programs.c.library.mutexes import (
    BUSY,
    C11_TIMED_OUT,
    LOCKED,
    TIMED_OUT,
    UNLOCKED,
    locked,
    require_mine_for_wait,
)
from treville.programs.c.library.static_locks import is_apples

MINUS_ONE = ir.Const(-1)
_LATE_FOR_APPLE = 60
_SLEEPERS = 8  # of so many threads that wait, any one may be woken


def _update(
    here: Call,
    new: Callable[[ir.Reg], ir.Expr],
    wait: Callable[[ir.Reg], ir.Expr],
    check: Callable[[Call, ir.Expr], None] | None = None,
) -> None:
    """The word of a lock becomes `new` of itself as soon as `wait` of it holds, between full fences."""
    here.fence()
    here.update(here.argument(0), new, wait, check)
    here.fence()
    here.returns(ZERO)


def _lock(here: Call) -> None:
    _update(here, lambda _: LOCKED, lambda old: ir.Op("eq", (old, UNLOCKED), WORD), require_alive)
    note_held(here, ONE)


def _try(
    free: Callable[[ir.Reg], ir.Expr], new: Callable[[ir.Reg], ir.Expr], busy: ir.Const, owned: bool = True
) -> Handler:
    """The word becomes `new` of itself if `free` of it holds at once; else the call returns `busy`. `owned`:
    who did so holds the lock."""

    def handle(here: Call) -> None:
        address = here.argument(0)
        old = here.load(address, tags=TRYING)
        require_alive(here, old)
        here.update_if(address, new(old), free(old))
        if owned:
            held = held_times(here)
            note_held(here, ir.Select(free(old), _plus_one(held), held))
        here.returns(ir.Select(free(old), ZERO, busy))

    return handle


def _unlock(here: Call) -> None:
    require_held(here)
    here.fence()
    here.store(here.argument(0), UNLOCKED)
    here.fence()
    here.returns(ZERO)


def _reset(here: Call) -> None:
    here.store(here.argument(0), ZERO, RELAXED)
    here.returns(ZERO)


def _cond_wait(here: Call) -> None:
    _require_mutex(here)
    if here.body.translation.signals:
        _await_signal(here)
    else:
        _wait(here)
        here.returns(ZERO)


def _timed_wait(late: ir.Const) -> Handler:
    """Wait until woken, or until it is too late, which the result tells: at any time either may be."""

    def handle(here: Call) -> None:
        _require_mutex(here)
        _wait(here)
        outcome = ir.Reg(here.body.fresh("outcome"))
        apples = late == TIMED_OUT and is_apples(here.body.translation.module)
        here.body.emit(ir.Havoc(outcome.name, (0, _LATE_FOR_APPLE if apples else late.value)))
        here.returns(outcome)

    return handle


def _require_mutex(here: Call) -> None:
    require_condition(here)
    require_mine_for_wait(here)


def _wait(here: Call) -> None:
    """Waits for as long as it likes. The tag tells `events.idle_iterations` that nothing else happens."""
    mutex = here.argument(1)
    here.fence()
    here.body.emit(ir.Store(mutex, UNLOCKED, frozenset({"SC", "A", "COND"}), WORD))
    here.fence()
    old = ir.Reg(here.body.fresh("word"))
    here.body.emit(ir.Load(old.name, mutex, LOCKING, WORD, link=True))
    here.body.emit(ir.Assume(ir.Op("eq", (old, UNLOCKED), WORD), waits=True))
    here.body.emit(ir.Store(mutex, locked(here), LOCKING | {"COND"}, WORD, link=True))
    here.fence()


def _await_signal(here: Call) -> None:
    """A condition variable is a word with a bit for each thread that waits; who signals clears one."""
    condition, mutex = here.argument(0), here.argument(1)
    _refuse_large_numbers(here)
    bit = ir.Op("shl", (ONE, ir.Reg(ir.OWN_NUMBER)), WORD)
    here.fence()
    here.update(condition, lambda old: ir.Op("or", (old, bit), WORD), lambda _: ONE)
    here.store(mutex, UNLOCKED)
    here.fence()
    waiting = here.load(condition, link=False)
    here.body.emit(ir.Assume(ir.Op("lnot", (ir.Op("and", (waiting, bit), WORD),)), waits=True))
    here.update(mutex, lambda _: locked(here), lambda old: ir.Op("eq", (old, UNLOCKED), WORD))
    here.fence()
    here.returns(ZERO)


def _refuse_large_numbers(here: Call) -> None:
    """Threads beyond the bits of a word are beyond the bound of the analysis."""
    fits = here.body.fresh("has a bit")
    here.body.emit(ir.Branch(fits, ir.Op("lt", (ir.Reg(ir.OWN_NUMBER), ir.Const(WORD)), WORD)))
    here.body.emit(ir.Stop(cut=True, reason=f"{here.name} by more than {WORD} threads"))
    here.body.label(fits)


def _signal(here: Call) -> None:
    """Wakes any one of the threads that wait, the first up to eighth of them, or nobody."""
    require_condition(here)
    if not here.body.translation.signals:
        here.nothing()
        return
    body, condition = here.body, here.argument(0)
    passed_over = ir.Reg(body.fresh("passed over"))
    here.fence()
    body.emit(ir.Havoc(passed_over.name, tuple(range(_SLEEPERS))))
    old = here.load(condition)
    rest: ir.Expr = old
    for number in range(_SLEEPERS - 1):
        others = body.set(body.fresh("others"), ir.Op("and", (rest, _minus_one(rest)), WORD))
        further = ir.Select(ir.Op("gt", (passed_over, ir.Const(number)), WORD), others, ZERO)
        rest = body.set(body.fresh("rest"), ir.Select(further, others, rest))
    woken = ir.Op("and", (rest, ir.Op("sub", (ZERO, rest), WORD)), WORD)
    body.emit(ir.Store(condition, ir.Op("sub", (old, woken), WORD), LOCKING, WORD, link=True))
    here.fence()
    here.returns(ZERO)


def _minus_one(value: ir.Expr) -> ir.Expr:
    return ir.Op("sub", (value, ONE), WORD)


def _broadcast(here: Call) -> None:
    """Wakes all threads that wait."""
    require_condition(here)
    if not here.body.translation.signals:
        here.nothing()
        return
    _update(here, lambda _: ZERO, lambda _: ONE)


def _read_lock(here: Call) -> None:
    """A read-write lock counts its readers; -1 is a writer."""
    _update(here, _plus_one, lambda old: ir.Op("ge", (old, ZERO), WORD), require_alive)
    note_held(here, _plus_one(held_times(here)))


def _plus_one(value: ir.Expr) -> ir.Expr:
    return ir.Op("add", (value, ONE), WORD)


def _write_lock(here: Call) -> None:
    _update(here, lambda _: MINUS_ONE, lambda old: ir.Op("eq", (old, ZERO), WORD), require_alive)
    note_held(here, ONE)


def _rw_unlock(here: Call) -> None:
    held = require_held(here)
    note_held(here, _minus_one(held))
    _update(
        here,
        lambda old: ir.Select(ir.Op("lt", (old, ZERO), WORD), ZERO, _minus_one(old)),
        lambda _: ONE,
        require_alive,
    )


def _barrier_init(here: Call) -> None:
    """A barrier is two words: how many threads it needs, and how many have come so far."""
    address = here.argument(0)
    require_no_barrier(here)
    here.store(address, here.argument(2), RELAXED)
    here.store(ir.Op("add", (address, ir.Const(8)), 64), ZERO, RELAXED)
    here.returns(ZERO)


def _barrier_wait(here: Call) -> None:
    body, address = here.body, here.argument(0)
    here.fence()
    needed = here.load(address, link=False)
    require_barrier(here, needed)
    counter = ir.Op("add", (address, ir.Const(8)), 64)
    old = here.update(counter, lambda before: ir.Op("add", (before, ONE), WORD), lambda _: ONE)
    rounds = ir.Op("add", (ir.Op("sdiv", (old, needed), WORD), ONE), WORD)
    goal = body.set(body.fresh("goal"), ir.Op("mul", (rounds, needed), WORD))
    arrived = here.load(counter, link=False)
    body.emit(ir.Assume(ir.Op("ge", (arrived, goal), WORD), waits=True))
    here.fence()
    last = ir.Op("eq", (ir.Op("add", (old, ONE), WORD), goal), WORD)
    here.returns(ir.Select(last, MINUS_ONE, ZERO))


def _try_read_lock(busy: ir.Const) -> Handler:
    return _try(lambda old: ir.Op("ge", (old, ZERO), WORD), lambda old: ir.Op("add", (old, ONE), WORD), busy)


def _try_write_lock(busy: ir.Const) -> Handler:
    return _try(lambda old: ir.Op("eq", (old, ZERO), WORD), lambda _: MINUS_ONE, busy)


def _semaphore_init(here: Call) -> None:
    here.store(here.argument(0), here.argument(2), RELAXED)
    here.returns(ZERO)


def _semaphore_wait(here: Call) -> None:
    _update(here, _minus_one, lambda old: ir.Op("gt", (old, ZERO), WORD), require_alive)


_semaphore_try_wait = _try(lambda old: ir.Op("gt", (old, ZERO), WORD), _minus_one, MINUS_ONE, owned=False)


def _semaphore_post(here: Call) -> None:
    _update(here, _plus_one, lambda _: ONE, require_alive)


def _semaphore_value(here: Call) -> None:
    value = here.load(here.argument(0), link=False, tags=RELAXED)
    require_alive(here, value)
    here.write(1, value, WORD)
    here.returns(ZERO)


def _condition_init(here: Call) -> None:
    """The word of a condition variable matters only where signals do."""
    note_condition(here, destroyed=False)
    if here.body.translation.signals:
        _reset(here)
    else:
        here.nothing()


def _condition_destroy(here: Call) -> None:
    require_condition(here)
    note_condition(here, destroyed=True)
    here.returns(ZERO)


FUNCTIONS: dict[str, Handler] = {
    **mutexes.FUNCTIONS,
    "pthread_spin_lock": _lock, "pthread_spin_unlock": _unlock, "pthread_spin_init": _reset,
    "pthread_spin_trylock": _try(lambda old: ir.Op("eq", (old, UNLOCKED), WORD), lambda _: LOCKED, BUSY),
    "pthread_rwlock_init": _reset, "pthread_cond_init": _condition_init, "cnd_init": _condition_init,
    "pthread_cond_wait": _cond_wait, "cnd_wait": _cond_wait, "pthread_cond_timedwait": _timed_wait(TIMED_OUT),
    "pthread_cond_clockwait": _timed_wait(TIMED_OUT), "cnd_timedwait": _timed_wait(C11_TIMED_OUT),
    "pthread_cond_signal": _signal, "cnd_signal": _signal,
    "pthread_cond_broadcast": _broadcast, "cnd_broadcast": _broadcast,
    "pthread_rwlock_rdlock": _read_lock, "pthread_rwlock_wrlock": _write_lock,
    "pthread_rwlock_tryrdlock": _try_read_lock(BUSY), "pthread_rwlock_trywrlock": _try_write_lock(BUSY),
    "pthread_rwlock_timedrdlock": _try_read_lock(TIMED_OUT),
    "pthread_rwlock_timedwrlock": _try_write_lock(TIMED_OUT),
    "pthread_rwlock_unlock": _rw_unlock,
    "pthread_barrier_init": _barrier_init, "pthread_barrier_wait": _barrier_wait,
    "pthread_barrier_destroy": destroy_barrier,
    "sem_init": _semaphore_init, "sem_wait": _semaphore_wait, "sem_trywait": _semaphore_try_wait,
    "sem_timedwait": _semaphore_try_wait, "sem_clockwait": _semaphore_try_wait,
    **dict.fromkeys(
        ("treville_sem_trywait", "treville_sem_timedwait", "treville_sem_clockwait"), _semaphore_try_wait
    ),
    "pthread_cond_destroy": _condition_destroy, "cnd_destroy": _condition_destroy,
    "pthread_spin_destroy": destroy_lock, "pthread_rwlock_destroy": destroy_lock,
    "sem_destroy": destroy_semaphore, "sem_post": _semaphore_post, "sem_getvalue": _semaphore_value,
    **dict.fromkeys(
        ("pthread_mutexattr_destroy", "pthread_mutexattr_setpshared",
         "pthread_rwlockattr_init", "pthread_rwlockattr_destroy", "pthread_condattr_init",
         "pthread_condattr_destroy", "pthread_condattr_setclock"),
        Call.nothing,
    ),
}  # fmt: skip
