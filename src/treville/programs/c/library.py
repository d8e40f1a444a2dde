"""Calls in C programs: library functions as IR, other functions inlined.

POSIX threads synchronise memory: each such call is a full fence under every model. A mutex is an atomic
read-modify-write on its word; a thread that waits for one simply does not go on in the runs where it is taken
(`Assume`). `pthread_cond_wait` may wake up at any time, as POSIX allows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.body import FULL_FENCE, PLAIN, bits_of
from treville.programs.c.llvm import (
    GlobalName,
    InlineAsm,
    IntType,
    LlvmInstruction,
    LocalName,
    Type,
    VoidType,
)

if TYPE_CHECKING:
    from treville.programs.c.body import Body, Frame

LOCKING = frozenset({"SC", "A", "RMW"})
WORD = 32
ZERO, ONE = ir.Const(0), ir.Const(1)
UNLOCKED, LOCKED = ZERO, ONE

_FENCES = {
    "mfence": "MFENCE", "sync": "SYNC", "hwsync": "SYNC", "lwsync": "LWSYNC", "isync": "ISYNC",
    "eieio": "EIEIO", "sfence": "SFENCE", "lfence": "LFENCE", "dmb": "DMB", "dmb sy": "DMB.SY",
    "dmb ish": "DMB.ISH",
    "dmb st": "DMB.ST", "dmb ishst": "DMB.ISHST", "dmb ld": "DMB.LD", "dmb ishld": "DMB.ISHLD", "dsb": "DSB",
    "dsb sy": "DSB.SY", "dsb ish": "DSB.ISH", "isb": "ISB", "fence rw,rw": "Fence.rw.rw",
    "fence r,rw": "Fence.r.rw", "fence rw,w": "Fence.rw.w", "fence w,w": "Fence.w.w",
    "fence r,r": "Fence.r.r",
}  # fmt: skip


class Call:
    """One call being translated: its arguments as expressions, and where its result goes."""

    def __init__(self, body: Body, frame: Frame, instruction: LlvmInstruction, name: str) -> None:
        self.body, self.frame, self.instruction, self.name = body, frame, instruction, name
        self.operands = instruction.operands[1:]

    def argument(self, number: int) -> ir.Expr:
        """An argument as a value."""
        return self.body.value(self.frame, *self.operands[number])

    def returns(self, value: ir.Expr) -> None:
        """The call's result."""
        if self.instruction.result is not None:
            self.body.set(self.body.name(self.frame, self.instruction), value)

    def write(self, number: int, value: ir.Expr, bits: int) -> None:
        """Store through a pointer argument, which may be private."""
        place = self.body.place_of(self.frame, *self.operands[number])
        if place is not None:
            self.body.emit(ir.WritePrivate(*place, value, bits))
        else:
            self.body.emit(ir.Store(self.argument(number), value, PLAIN, bits))

    def fence(self) -> None:
        """A full fence."""
        self.body.emit(ir.Fence(FULL_FENCE))

    def update(
        self, address: ir.Expr, new: Callable[[ir.Reg], ir.Expr], wait: Callable[[ir.Reg], ir.Expr]
    ) -> ir.Reg:
        """Atomically replace a word once `wait` holds of its value; the old value."""
        old = self.load(address)
        self.body.emit(ir.Assume(wait(old)))
        self.body.emit(ir.Store(address, new(old), LOCKING, WORD, link=True))
        return old

    def load(self, address: ir.Expr, link: bool = True) -> ir.Reg:
        """Read a synchronisation word."""
        old = ir.Reg(self.body.fresh("word"))
        tags = LOCKING if link else frozenset({"SC", "A"})
        self.body.emit(ir.Load(old.name, address, tags, WORD, link=link))
        return old

    def store(self, address: ir.Expr, value: ir.Expr) -> None:
        """Write a synchronisation word."""
        self.body.emit(ir.Store(address, value, frozenset({"SC", "A"}), WORD))


def call(body: Body, frame: Frame, instruction: LlvmInstruction) -> None:
    """Translate a call instruction."""
    callee = instruction.operands[0][1]
    if isinstance(callee, InlineAsm):
        _assembly(body, callee)
        return
    if isinstance(callee, LocalName):
        _through_pointer(body, frame, instruction)
        return
    if not isinstance(callee, GlobalName):
        raise body.unsupported("a call of a computed address")
    name = callee.name
    here = Call(body, frame, instruction, name)
    if name in _FUNCTIONS:
        _FUNCTIONS[name](here)
    elif name.startswith("llvm."):
        _intrinsic(here)
    elif name.startswith("__VERIFIER_nondet_"):
        _nondet(here)
    elif name in body.translation.module.functions:
        _defined(here)
    else:
        span = body.translation.place(instruction)[0]
        body.translation.unknown.setdefault(name, span)


# -- calls of functions with a body -------------------------------------------------------------------


def _defined(here: Call, name: str | None = None) -> None:
    body = here.body
    function = body.translation.module.functions[name or here.name]
    atomic = function.name.startswith("__VERIFIER_atomic_")
    arguments = [here.argument(number) for number in range(len(here.operands))]
    instruction = body.here
    if atomic:
        body.emit(ir.AtomicBegin())
    result = body.inline(function, arguments, here.frame.depth)
    body.here = instruction
    if atomic:
        body.emit(ir.AtomicEnd())
    here.returns(result)


def _candidates(body: Body, parameters: int) -> list[str]:
    """The functions that a pointer may mean: those of that many parameters."""
    functions = body.translation.module.functions
    return [
        name
        for name, function in functions.items()
        if len(function.parameters) == parameters and name != "main"
    ]


def _each_function(body: Body, pointer: ir.Expr, names: list[str], then: Callable[[str], None]) -> None:
    """Code that does `then` for the function that a pointer means."""
    if isinstance(pointer, ir.Const):
        meant = [name for name in names if body.translation.functions[name] == pointer.value]
        if meant:
            then(meant[0])
            return
    done = body.fresh("called")
    for name in names:
        following = body.fresh("not called")
        address = ir.Const(body.translation.functions[name])
        body.emit(ir.Branch(following, ir.Op("ne", (pointer, address), 64)))
        then(name)
        body.emit(ir.Branch(done))
        body.label(following)
    body.emit(ir.Stop(reason="a call through a pointer that is no function"))
    body.label(done)


def _through_pointer(body: Body, frame: Frame, instruction: LlvmInstruction) -> None:
    pointer = body.value(frame, *instruction.operands[0])
    here = Call(body, frame, instruction, "")
    _each_function(body, pointer, _candidates(body, len(here.operands)), lambda name: _defined(here, name))


# -- threads ------------------------------------------------------------------------------------------


def _create(here: Call, function: int, argument: int) -> None:
    body = here.body
    thread = ir.Reg(body.fresh("thread"))
    value = here.argument(argument)

    def start(name: str) -> None:
        body.translation.thread_function(name)
        body.emit(ir.Spawn(thread.name, name, value))

    here.fence()
    _each_function(body, here.argument(function), _candidates(body, 1), start)
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


# -- mutexes and the like -------------------------------------------------------------------------------


def _lock(here: Call) -> None:
    here.fence()
    here.update(here.argument(0), lambda _: LOCKED, lambda old: ir.Op("eq", (old, UNLOCKED), WORD))
    here.fence()
    here.returns(ZERO)


def _trylock(here: Call) -> None:
    here.fence()
    address = here.argument(0)
    old = here.load(address)
    free = ir.Op("eq", (old, UNLOCKED), WORD)
    here.body.emit(ir.Store(address, LOCKED, LOCKING, WORD, link=True, when=free))
    here.fence()
    here.returns(ir.Op("ne", (old, UNLOCKED), WORD))


def _unlock(here: Call) -> None:
    here.fence()
    here.store(here.argument(0), UNLOCKED)
    here.fence()
    here.returns(ZERO)


def _reset(here: Call) -> None:
    here.store(here.argument(0), ZERO)
    here.returns(ZERO)


def _cond_wait(here: Call) -> None:
    mutex = here.argument(1)
    here.fence()
    here.store(mutex, UNLOCKED)
    here.fence()
    here.update(mutex, lambda _: LOCKED, lambda old: ir.Op("eq", (old, UNLOCKED), WORD))
    here.fence()
    here.returns(ZERO)


def _read_lock(here: Call) -> None:
    """A read-write lock counts its readers; -1 is a writer."""
    here.fence()
    here.update(
        here.argument(0),
        lambda old: ir.Op("add", (old, ONE), WORD),
        lambda old: ir.Op("ge", (old, ZERO), WORD),
    )
    here.fence()
    here.returns(ZERO)


def _write_lock(here: Call) -> None:
    here.fence()
    here.update(here.argument(0), lambda _: ir.Const(-1), lambda old: ir.Op("eq", (old, ZERO), WORD))
    here.fence()
    here.returns(ZERO)


def _rw_unlock(here: Call) -> None:
    here.fence()
    here.update(
        here.argument(0),
        lambda old: ir.Select(ir.Op("lt", (old, ZERO), WORD), ZERO, ir.Op("sub", (old, ONE), WORD)),
        lambda _: ONE,
    )
    here.fence()
    here.returns(ZERO)


def _barrier_init(here: Call) -> None:
    """A barrier is two words: how many threads it needs, and how many have come so far."""
    address = here.argument(0)
    here.store(address, here.argument(2))
    here.store(ir.Op("add", (address, ir.Const(8)), 64), ZERO)
    here.returns(ZERO)


def _barrier_wait(here: Call) -> None:
    body, address = here.body, here.argument(0)
    here.fence()
    needed = here.load(address, link=False)
    counter = ir.Op("add", (address, ir.Const(8)), 64)
    old = here.update(counter, lambda before: ir.Op("add", (before, ONE), WORD), lambda _: ONE)
    rounds = ir.Op("add", (ir.Op("sdiv", (old, needed), WORD), ONE), WORD)
    goal = body.set(body.fresh("goal"), ir.Op("mul", (rounds, needed), WORD))
    arrived = here.load(counter, link=False)
    body.emit(ir.Assume(ir.Op("ge", (arrived, goal), WORD)))
    here.fence()
    last = ir.Op("eq", (ir.Op("add", (old, ONE), WORD), goal), WORD)
    here.returns(ir.Select(last, ir.Const(-1), ZERO))


def _once(here: Call) -> None:
    """0: not yet, 1: running, 2: done. The one who finds 0 runs it, the others wait for 2."""
    body, word = here.body, here.argument(0)
    done, wait = body.fresh("once.done"), body.fresh("once.wait")
    here.fence()
    old = here.load(word)
    first = ir.Op("eq", (old, ZERO), WORD)
    body.emit(ir.Store(word, ONE, LOCKING, WORD, link=True, when=first))
    body.emit(ir.Branch(wait, ir.Op("lnot", (first,))))
    _each_function(body, here.argument(1), _candidates(body, 0), lambda name: _run_once(here, name))
    here.store(word, ir.Const(2))
    body.emit(ir.Branch(done))
    body.label(wait)
    seen = here.load(word, link=False)
    body.emit(ir.Assume(ir.Op("eq", (seen, ir.Const(2)), WORD)))
    body.label(done)
    here.fence()
    here.returns(ZERO)


def _run_once(here: Call, name: str) -> None:
    here.body.inline(here.body.translation.module.functions[name], [], here.frame.depth)


# -- verification and process control -------------------------------------------------------------------


def _fail(here: Call) -> None:
    here.body.emit(ir.Assert(ZERO, f"{here.name} is reached"))


def _assert(here: Call) -> None:
    here.body.emit(ir.Assert(here.argument(0), "assertion"))


def _assume(here: Call) -> None:
    here.body.emit(ir.Assume(here.argument(0)))


def _stop(here: Call) -> None:
    here.body.emit(ir.Stop(reason=here.name))


def _nondet(here: Call) -> None:
    kind = here.instruction.type
    register = here.body.name(here.frame, here.instruction)
    if here.name.endswith("_bool"):
        here.body.emit(ir.Havoc(register, (0, 1)))
    elif isinstance(kind, IntType):
        here.body.emit(ir.Nondet(register, kind.bits))
    else:
        raise here.body.unsupported(f"{here.name}: values that are no integers")


def _atomic_begin(here: Call) -> None:
    here.body.emit(ir.AtomicBegin())


def _atomic_end(here: Call) -> None:
    here.body.emit(ir.AtomicEnd())


def _nothing(here: Call) -> None:
    here.returns(ZERO)


def _ignored(here: Call) -> None:
    """Output and the like: no effect; the result is anything."""
    if here.instruction.result is not None:
        kind: Type = here.instruction.type
        if not isinstance(kind, VoidType):
            here.body.emit(ir.Nondet(here.body.name(here.frame, here.instruction), bits_of(kind)))


# -- memory ---------------------------------------------------------------------------------------------


def _malloc(here: Call) -> None:
    register = here.body.name(here.frame, here.instruction)
    here.body.emit(ir.Allocate(register, here.argument(0), f"malloc in line {here.instruction.line}"))


def _calloc(here: Call) -> None:
    register = here.body.name(here.frame, here.instruction)
    size = ir.Op("mul", (here.argument(0), here.argument(1)), 64)
    name = f"calloc in line {here.instruction.line}"
    here.body.emit(ir.Allocate(register, size, name, zeroed=True))


def _free(here: Call) -> None:
    del here


def _intrinsic(here: Call) -> None:
    name = here.name
    if name.startswith(
        ("llvm.dbg", "llvm.lifetime", "llvm.stack", "llvm.va_", "llvm.prefetch", "llvm.assume")
    ):
        return
    if name.startswith("llvm.expect"):
        here.returns(here.argument(0))
    elif name.startswith(("llvm.umin", "llvm.umax", "llvm.smin", "llvm.smax")):
        operator = {"umin": "ult", "umax": "ugt", "smin": "lt", "smax": "gt"}[name[5:9]]
        left, right = here.argument(0), here.argument(1)
        here.returns(ir.Select(ir.Op(operator, (left, right), bits_of(here.instruction.type)), left, right))
    elif name.startswith("llvm.threadlocal.address"):
        here.body.point_to_thread_local(here.frame, here.instruction)
    elif name.startswith("llvm.memset"):
        _set_bytes(here)
    elif name.startswith(("llvm.memcpy", "llvm.memmove")):
        _copy_bytes(here)
    elif name.startswith(("llvm.trap", "llvm.debugtrap")):
        _stop(here)
    else:
        raise here.body.unsupported(f"the LLVM intrinsic {name}")


def _set_bytes(here: Call) -> None:
    """memset of a variable whose cells are known, with a repeated byte."""
    byte, length = here.argument(1), here.argument(2)
    cells = here.body.cells_of(here.frame, here.operands[0][1])
    if not isinstance(byte, ir.Const) or not isinstance(length, ir.Const) or cells is None:
        raise here.body.unsupported("memset of memory whose layout is not known")
    for offset, bits in cells:
        if offset + bits // 8 <= length.value:
            value = int.from_bytes(bytes([byte.value & 255]) * (bits // 8), "little")
            here.body.store_cell(here.frame, here.operands[0], offset, ir.Const(value), bits)


def _copy_bytes(here: Call) -> None:
    """memcpy between variables whose cells are known, cell by cell."""
    length = here.argument(2)
    cells = here.body.cells_of(here.frame, here.operands[0][1]) or here.body.cells_of(
        here.frame, here.operands[1][1]
    )
    if cells is None or not isinstance(length, ir.Const):
        raise here.body.unsupported("memcpy of memory whose layout is not known")
    for offset, bits in cells:
        if offset + bits // 8 <= length.value:
            value = here.body.load_cell(here.frame, here.operands[1], offset, bits)
            here.body.store_cell(here.frame, here.operands[0], offset, value, bits)


# -- inline assembly ------------------------------------------------------------------------------------


def _assembly(body: Body, code: InlineAsm) -> None:
    """Fences; an empty template is a compiler barrier, which orders nothing here."""
    for part in code.template.replace("\\0A", ";").replace("\\09", " ").split(";"):
        text = " ".join(part.split()).lower()
        if not text or text in ("nop", "pause", "rep nop", "yield"):
            continue
        if text.startswith("lock") and "add" in text:
            text = "mfence"  # a locked instruction on the stack, the old idiom for a full fence
        tag = _FENCES.get(text.replace(", ", ","))
        if tag is None:
            raise body.unsupported(f'inline assembly "{text}"')
        body.emit(ir.Fence(frozenset({tag})))


_Handler = Callable[[Call], None]
_FUNCTIONS: dict[str, _Handler] = {
    "pthread_create": lambda here: _create(here, 2, 3),
    "thrd_create": lambda here: _create(here, 1, 2),
    "pthread_join": _join, "thrd_join": _join,
    "pthread_exit": _exit_thread, "thrd_exit": _exit_thread,
    "pthread_mutex_lock": _lock, "mtx_lock": _lock, "pthread_spin_lock": _lock,
    "pthread_mutex_trylock": _trylock, "mtx_trylock": _trylock, "pthread_spin_trylock": _trylock,
    "pthread_mutex_unlock": _unlock, "mtx_unlock": _unlock, "pthread_spin_unlock": _unlock,
    "pthread_mutex_init": _reset, "mtx_init": _reset, "pthread_spin_init": _reset,
    "pthread_rwlock_init": _reset,
    "pthread_cond_wait": _cond_wait, "cnd_wait": _cond_wait, "pthread_cond_timedwait": _cond_wait,
    "pthread_rwlock_rdlock": _read_lock, "pthread_rwlock_wrlock": _write_lock,
    "pthread_rwlock_unlock": _rw_unlock,
    "pthread_barrier_init": _barrier_init, "pthread_barrier_wait": _barrier_wait,
    "pthread_once": _once, "call_once": _once,
    "__VERIFIER_assert": _assert, "__VERIFIER_assume": _assume, "assume_abort_if_not": _assume,
    "__VERIFIER_atomic_begin": _atomic_begin, "__VERIFIER_atomic_end": _atomic_end,
    **dict.fromkeys(("__assert_fail", "__assert", "__assert_rtn", "reach_error", "__VERIFIER_error"), _fail),
    **dict.fromkeys(("abort", "exit", "_exit", "_Exit", "quick_exit"), _stop),
    **dict.fromkeys(
        ("pthread_mutex_destroy", "pthread_cond_init", "pthread_cond_destroy", "pthread_cond_signal",
         "pthread_cond_broadcast", "pthread_attr_init", "pthread_attr_destroy", "pthread_attr_setdetachstate",
         "pthread_detach", "pthread_barrier_destroy", "pthread_mutexattr_init", "pthread_mutexattr_destroy",
         "pthread_mutexattr_settype", "pthread_rwlock_destroy", "pthread_spin_destroy", "mtx_destroy",
         "cnd_init", "cnd_signal", "cnd_broadcast", "cnd_destroy", "sched_yield", "thrd_yield", "usleep",
         "sleep",
         "pthread_yield", "thrd_detach", "pthread_setconcurrency", "srand", "fflush", "nanosleep",
         "thrd_sleep"),
        _nothing,
    ),
    **dict.fromkeys(
        ("printf", "puts", "putchar", "fprintf", "perror", "fputs", "rand", "getpid", "time"),
        _ignored,
    ),
    "malloc": _malloc, "aligned_alloc": lambda here: _malloc_at(here, 1), "alloca": _malloc,
    "calloc": _calloc,    "free": _free,
}  # fmt: skip


def _malloc_at(here: Call, size: int) -> None:
    register = here.body.name(here.frame, here.instruction)
    here.body.emit(ir.Allocate(register, here.argument(size), f"allocated in line {here.instruction.line}"))


def known_functions() -> frozenset[str]:
    """The library functions that have a meaning here."""
    return frozenset(_FUNCTIONS)
