"""Calls on mutexes, read-write locks and barriers -> the code that notices when POSIX leaves them undefined.

An ordinary mutex, a spin lock and a read-write lock are unlocked by who holds them: each thread notes in a
private object what it holds, by its address, which costs no event. What was destroyed holds a number of its
own (a barrier: the number 0 of threads, as one that was never initialised does). Whether something was
initialised before is noted in its own memory, which is asked whether anybody wrote there. Programs without
calls of `*_destroy` and `*_init` pay nothing for these.
"""

from __future__ import annotations

from collections.abc import Iterator

from treville.programs import ir
from treville.programs.c.library.calls import ONE, SYNCHRONISING, WORD, ZERO, Call
from treville.programs.c.llvm import GlobalName, LlvmInstruction, LocalName, Module
from treville.programs.c.unset_values import UNSET_FLAG

DESTROYED = ir.Const(-77)
INITIALISED = ir.Const(0x1317)
_HELD = "mutexes that are held"
_MARK = 8  # where a mutex or a condition variable notes that it was initialised by a call, or destroyed
_OWN_ACCESS = frozenset({"NA"})  # of the implementation, which does not race
_CONDITIONS_END = ("pthread_cond_destroy", "cnd_destroy")
_DESTROYING = (
    "pthread_mutex_destroy", "mtx_destroy", "pthread_spin_destroy", "pthread_rwlock_destroy", "sem_destroy",
)  # fmt: skip
_LOCKING = ("pthread_mutex_", "mtx_", "pthread_spin_", "pthread_rwlock_", "pthread_cond_", "cnd_")


def _called(module: Module) -> Iterator[tuple[str, LlvmInstruction]]:
    for function in module.functions.values():
        for instruction in (i for block in function.blocks for i in block.instructions):
            callee = instruction.operands[0][1] if instruction.opcode == "call" else None
            if isinstance(callee, GlobalName):
                yield callee.name, instruction


def destroys_locks(module: Module) -> bool:
    """Does the program destroy locks?"""
    return any(name in _DESTROYING for name, _ in _called(module))


def destroys_conditions(module: Module) -> bool:
    """Does the program destroy condition variables?"""
    return any(name in _CONDITIONS_END for name, _ in _called(module))


def computes_locks(module: Module) -> bool:
    """Are there locks at addresses that are not known before the program runs?"""
    return any(
        name.startswith(_LOCKING) and any(isinstance(value, LocalName) for _, value in call.operands[1:3])
        for name, call in _called(module)
    )


def _require(here: Call, condition: ir.Expr, what: str, fatal: bool = True) -> None:
    here.body.emit(ir.Assert(condition, f"{what} is reached", undefined=True, fatal=fatal))


def is_global(here: Call) -> bool:
    """Is the place of the first argument known, and its first contents too?"""
    return isinstance(here.argument(0), ir.Const)


def require_alive(here: Call, word: ir.Expr) -> None:
    """The word is not that of a lock that was destroyed."""
    if here.body.translation.destroys_locks:
        _require(here, ir.Op("ne", (word, DESTROYED), WORD), f"a {_kind(here)} that was destroyed")


def _kind(here: Call) -> str:
    """What the call is about."""
    kinds = {"pthread_spin": "spin lock", "pthread_rwlock": "read-write lock"}
    found = next((kind for start, kind in kinds.items() if here.name.startswith(start)), "mutex")
    return "semaphore" if "sem_" in here.name else found


def note_held(here: Call, held: ir.Expr) -> None:
    """The thread holds the lock if the number is not 0, a read-write lock so many times."""
    here.body.emit(ir.WritePrivate(_HELD, _noted_at(here), held))


def require_held(here: Call) -> ir.Reg:
    """Only who holds a lock may unlock it. How often it was held."""
    held = held_times(here)
    require_mine(here, ir.Op("ne", (held, ZERO), WORD))
    note_held(here, ZERO)
    return held


def require_held_for_wait(here: Call) -> None:
    """Only who holds an ordinary mutex may wait with it for a condition variable."""
    require_mine(here, ir.Op("ne", (held_times(here, 1), ZERO), WORD))


def require_mine(here: Call, mine: ir.Expr) -> None:
    """The thread holds the lock that it unlocks or waits with."""
    what = f"an unlock of a {_kind(here)}" if "unlock" in here.name else f"a call of {here.name} with a mutex"
    _require(here, mine, f"{what} that the thread does not hold", fatal=False)


def held_or(here: Call, locked: ir.Expr) -> ir.Expr:
    """Does the thread hold the lock by now, if it was locked under a condition?"""
    return ir.Select(locked, ONE, held_times(here))


def held_times(here: Call, argument: int = 0) -> ir.Reg:
    """How often the thread holds the lock that an argument is."""
    held = ir.Reg(here.body.fresh("held"))
    here.body.emit(ir.ReadPrivate(held.name, _HELD, _noted_at(here, argument)))
    return held


def _noted_at(here: Call, argument: int = 0) -> ir.Expr:
    """Where a thread notes that it holds a lock. Where some addresses are computed, none is a constant: any
    note may be about any lock then, which `programs.live` sees from that."""
    address = here.argument(argument)
    if here.body.translation.computes_locks and isinstance(address, ir.Const):
        return ir.Op("add", (address, ZERO), 64)
    return address


def require_first_init(here: Call) -> None:
    """A mutex is initialised once, until it is destroyed."""
    marked = _asked(here, _mark_of(here), _OWN_ACCESS)
    is_first = ir.Op("ne", (marked, INITIALISED), WORD)
    _require(here, is_first, "a second initialisation of a mutex", fatal=False)
    _store_mark(here, INITIALISED)


def _asked(here: Call, address: ir.Expr, tags: frozenset[str]) -> ir.Expr:
    """What somebody wrote at an address, 0 if nobody did."""
    found = ir.Reg(here.body.fresh("mark"))
    if is_global(here):
        here.body.emit(ir.Load(found.name, address, tags, WORD))
        return found
    unset = here.body.set(found.name + UNSET_FLAG, ZERO)
    here.body.emit(ir.Load(found.name, address, tags, WORD, blind=True, unset=unset.name, zeroed=True))
    return ir.Select(unset, ZERO, found)


def destroy_mutex(here: Call) -> None:
    """Who destroys a mutex must know that nobody holds it."""
    here.fence()
    word = here.load(here.argument(0), link=False)
    _require(here, ir.Op("ne", (word, DESTROYED), WORD), "a mutex that was destroyed")
    _require(here, ir.Op("eq", (word, ZERO), WORD), "the destruction of a mutex that is locked")
    _store_mark(here, ZERO)
    here.store(here.argument(0), DESTROYED)
    here.fence()
    here.returns(ZERO)


def _mark(here: Call) -> ir.Reg:
    mark = ir.Reg(here.body.fresh("mark"))
    here.body.emit(ir.Load(mark.name, _mark_of(here), _OWN_ACCESS, WORD))
    return mark


def _store_mark(here: Call, value: ir.Expr) -> None:
    here.body.emit(ir.Store(_mark_of(here), value, _OWN_ACCESS, WORD))


def _mark_of(here: Call) -> ir.Expr:
    return ir.Op("add", (here.argument(0), ir.Const(_MARK)), 64)


def destroy_lock(here: Call) -> None:
    """Who destroys a spin lock or a read-write lock must know that nobody holds it."""
    here.fence()
    word = here.load(here.argument(0), link=False)
    require_alive(here, word)
    _require(here, ir.Op("eq", (word, ZERO), WORD), f"the destruction of a {_kind(here)} that is locked")
    here.store(here.argument(0), DESTROYED)
    here.fence()
    here.returns(ZERO)


def destroy_semaphore(here: Call) -> None:
    """Who destroyed a semaphore does not use it again."""
    here.fence()
    require_alive(here, here.load(here.argument(0), link=False))
    here.store(here.argument(0), DESTROYED)
    here.fence()
    here.returns(ZERO)


def note_condition(here: Call, destroyed: bool) -> None:
    """A condition variable was destroyed, or initialised."""
    if _has_state(here):
        here.fence()
        _store_mark(here, DESTROYED if destroyed else INITIALISED)
        here.fence()


def require_condition(here: Call) -> None:
    """A condition variable that is used was initialised, and not destroyed. A global one is zero at first,
    which is what static initialisers say."""
    if _has_state(here):
        alive = ir.Op("ne", (_mark(here), DESTROYED), WORD)
        _require(here, alive, "a condition variable that was destroyed")


def _has_state(here: Call) -> bool:
    return here.body.translation.destroys_conditions or not is_global(here)


def require_barrier(here: Call, needed: ir.Expr) -> None:
    """A barrier that was not initialised, or was destroyed, needs no threads."""
    _require(here, ir.Op("gt", (needed, ZERO), WORD), "a barrier that is not initialised")


def require_no_barrier(here: Call) -> None:
    """A barrier is initialised once, until it is destroyed."""
    needed = _asked(here, here.argument(0), SYNCHRONISING)
    told = "a second initialisation of a barrier"
    _require(here, ir.Op("eq", (needed, ZERO), WORD), told, fatal=False)


def destroy_barrier(here: Call) -> None:
    """Nobody may wait at a barrier that is destroyed."""
    here.fence()
    needed = here.load(here.argument(0), link=False)
    require_barrier(here, needed)
    here.fence()
    come = here.load(ir.Op("add", (here.argument(0), ir.Const(8)), 64), link=False)
    all_gone = ir.Op("eq", (ir.Op("srem", (come, needed), WORD), ZERO), WORD)
    _require(here, all_gone, "the destruction of a barrier where threads wait")
    here.store(here.argument(0), ZERO)
    here.fence()
    here.returns(ZERO)
