"""Threads: starting, joining and leaving them, their own data, functions that run once.

POSIX says that these calls synchronise memory: each is a full fence under every model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.accesses import FULL_FENCE
from treville.programs.c.body import Frame
from treville.programs.c.control import blocks_in_loops
from treville.programs.c.library.calls import (
    LOCKING,
    ONE,
    SYNCHRONISING,
    WORD,
    ZERO,
    Call,
    Handler,
    call_with,
    candidates,
    each_function,
    library_candidates,
)
from treville.programs.c.library.static_locks import is_apples
from treville.programs.c.llvm import Block, Function, GlobalName, LocalName, Module, Number, Value, VoidType
from treville.programs.c.private import is_read, private_variables
from treville.programs.grids import Cell
from treville.relations.graphs import reachable

if TYPE_CHECKING:
    from treville.programs.c.body import Body


RESULT = "thread result"
_RESULTS = "results of threads"
_NUMBERS = "threads whose numbers are told"
_ENDS = "threads that have ended"
_STARTED = "threads that this one started"
_GONE = "threads that were joined or detached"
_OWN_ACCESS = frozenset({"NA"})  # of the implementation, which does not race
_SPECIFIC = "thread-specific data"
_KEYS_MADE = "keys of thread-specific data"
_KEYS_OF_A_CALL = 4
_MOST_ROUNDS = 4  # of destructors, PTHREAD_DESTRUCTOR_ITERATIONS
_SETTERS = ("pthread_setspecific", "tss_set")
_MOST_THREADS = 256
_KEYS = {"pthread_key_create": 1, "tss_create": 1}
_JOINS = ("pthread_join", "thrd_join")
_CREATES = ("pthread_create", "thrd_create")
_LEAVES = (*_JOINS, "pthread_detach", "thrd_detach")
_SET_DETACHED = "pthread_attr_setdetachstate"
_DETACHED, _DETACHED_FOR_APPLE = ir.Const(1), ir.Const(2)
_ASK_FOR_THREADS = (*_LEAVES, "pthread_equal", "thrd_equal")


class ThreadData:
    """What the functions of a module say of data of threads: the calls that make keys, with the destructors
    of their values (and how often these may be due), whether anybody asks what a thread returned, and whether
    threads that others started ask for numbers of threads, or join them. `chosen`: joins whose thread memory
    tells. `only_first`: all threads are started by the first one; `only_first_leaves`: threads are
    joined and detached by it alone. `attributes`: some of them may say that a thread is detached."""

    def __init__(self, module: Module, taken: set[str]) -> None:
        self.keys: dict[int, tuple[int, Value]] = {}  # by call: number and destructor
        self.results = self.attributes = False
        self.chosen: set[int] = set()
        for function in module.functions.values():
            for instruction in (i for block in function.blocks for i in block.instructions):
                callee = instruction.operands[0][1] if instruction.opcode == "call" else None
                if isinstance(callee, GlobalName) and callee.name in _KEYS:
                    self.keys[id(instruction)] = (len(self.keys), instruction.operands[2][1])
                elif isinstance(callee, GlobalName) and callee.name == _SET_DETACHED:
                    self.attributes = True
                elif isinstance(callee, GlobalName) and callee.name in _JOINS:
                    self.results = self.results or _asks(function, instruction.operands[2][1])
                    if _is_chosen(function, instruction.operands[1][1]):
                        self.chosen.add(id(instruction))
        destructors = {value.name for _, value in self.keys.values() if isinstance(value, GlobalName)}
        sets_again = not _reached(module, destructors, taken).isdisjoint(_SETTERS)
        self.rounds = _MOST_ROUNDS if sets_again else 1
        reached = _reached(module, taken, taken)
        self.only_first = reached.isdisjoint(_CREATES) and "pthread_create" not in taken
        self.only_first_leaves = reached.isdisjoint(_LEAVES)
        self.numbers = not reached.isdisjoint(_ASK_FOR_THREADS)
        self.ends = bool(self.chosen) or not reached.isdisjoint(_JOINS)
        self._module, self._taken = module, taken

    @cached_property
    def in_loops(self) -> set[int]:
        """The instructions in loops, and in what is called there."""
        looping = [
            block for function in self._module.functions.values() for block in blocks_in_loops(function)
        ]
        called = {name for block in looping for name in _called_in(block, self._taken)}
        for name in _reached(self._module, called, self._taken) & self._module.functions.keys():
            looping += self._module.functions[name].blocks
        return {id(instruction) for block in looping for instruction in block.instructions}


def _asks(function: Function, pointer: Value) -> bool:
    """Is what a join writes through its second argument ever read?"""
    if pointer == Number(0):
        return False
    private = private_variables(function)
    if not isinstance(pointer, LocalName) or pointer.name not in private:
        return True
    return is_read(function, private, private[pointer.name].variable)


def _is_chosen(function: Function, number: Value) -> bool:
    """Is the number of a thread at a place that shared memory tells, `threads[i]` for a global `i`?"""
    definitions = {i.result: i for block in function.blocks for i in block.instructions if i.result}
    private = private_variables(function)
    load = definitions.get(number.name) if isinstance(number, LocalName) else None
    pending = [value for _, value in load.operands] if load is not None and load.opcode == "load" else []
    seen: set[str] = set()
    while pending:
        value = pending.pop()
        if isinstance(value, LocalName) and value.name not in seen and value.name in definitions:
            seen.add(value.name)
            found = definitions[value.name]
            if found.opcode == "load" and getattr(found.operands[0][1], "name", "") not in private:
                return True
            pending += [operand for _, operand in found.operands] + [case for case, _ in found.cases]
    return False


def _reached(module: Module, names: set[str], taken: set[str]) -> set[str]:
    """The functions that these functions may call, by name or through a pointer."""

    def called(name: str) -> Iterator[str]:
        for block in module.functions[name].blocks if name in module.functions else ():
            yield from _called_in(block, taken)

    return reachable(names, called)


def _called_in(block: Block, taken: set[str]) -> Iterator[str]:
    for instruction in block.instructions:
        callee = instruction.operands[0][1] if instruction.opcode == "call" else None
        if isinstance(callee, GlobalName):
            yield callee.name
        elif isinstance(callee, LocalName):
            yield from taken


def start_thread(body: Body) -> None:
    """A thread has no value for any key."""
    for number in range(_KEYS_OF_A_CALL * len(body.translation.threads.keys)):
        body.emit(ir.WritePrivate(_SPECIFIC, ir.Const(8 * number), ZERO, 64))


def await_number(body: Body) -> None:
    """A thread starts when its number is where its creator wants it, as in the common implementations: other
    threads that it tells of itself may ask for it."""
    if body.translation.threads.numbers:
        _wait_until_set(body, _cell_of(body, _NUMBERS, ir.Reg(ir.OWN_NUMBER)))


def end_thread(body: Body) -> None:
    """Destructors run on the thread's values; then its result is there for those who join it."""
    _run_destructors(body)
    if body.translation.threads.results:
        place = _cell_of(body, _RESULTS, ir.Reg(ir.OWN_NUMBER))
        body.emit(ir.Store(place, ir.Reg(RESULT), _OWN_ACCESS, 64))
    if body.translation.threads.ends:
        body.emit(ir.Fence(FULL_FENCE))
        body.emit(ir.Store(_cell_of(body, _ENDS, ir.Reg(ir.OWN_NUMBER)), ONE, SYNCHRONISING, 64))


def _run_destructors(body: Body) -> None:
    """Each value that is not null is taken away and given to its key's destructor, who may set others."""
    destructors = [
        (_KEYS_OF_A_CALL * number + made, destructor.name)
        for number, destructor in body.translation.threads.keys.values()
        if isinstance(destructor, GlobalName)
        for made in range(_KEYS_OF_A_CALL)
    ]
    frame = Frame(Function("destructors", [], VoidType()), f"{body.fresh('destructors')}.", "", "", {})
    for number, name in destructors * body.translation.threads.rounds:
        place, done = ir.Const(8 * number), body.fresh("no destructor")
        value = ir.Reg(body.fresh("specific"))
        body.emit(ir.ReadPrivate(value.name, _SPECIFIC, place, 64))
        body.emit(ir.Branch(done, ir.Op("eq", (value, ZERO), 64)))
        body.emit(ir.WritePrivate(_SPECIFIC, place, ZERO, 64))
        call_with(body, frame, name, [value])
        body.label(done)


def _wait_until_set(body: Body, place: ir.Expr) -> None:
    """Wait for another thread to set a cell."""
    seen = ir.Reg(body.fresh("seen"))
    body.emit(ir.Fence(FULL_FENCE))
    body.emit(ir.Load(seen.name, place, SYNCHRONISING, 64))
    body.emit(ir.Assume(ir.Op("ne", (seen, ZERO), 64), waits=True))
    body.emit(ir.Fence(FULL_FENCE))


def _cell_of(body: Body, name: str, thread: ir.Expr) -> ir.Expr:
    """Where something of a thread is kept."""
    location = body.translation.program.location(name)
    if len(location.parts) != _MOST_THREADS:
        location.parts = tuple((8 * number, 64, 0) for number in range(_MOST_THREADS))
    return ir.Op("add", (ir.Const(location.address), ir.Op("mul", (thread, ir.Const(8)), 64)), 64)


def _create(here: Call, function: int, argument: int) -> None:
    body = here.body
    thread = ir.Reg(body.fresh("thread"))
    value = here.argument(argument)

    def start(name: str) -> None:
        body.translation.thread_function(name)
        body.emit(ir.Spawn(thread.name, name, value))

    here.fence()
    each_function(body, here.argument(function), candidates(body, 1), start)
    body.emit(ir.WritePrivate(_STARTED, _noted_at(thread), ONE))
    if body.translation.threads.attributes and here.name == "pthread_create":
        _begin_detached(here, thread)
    if here.operands[0][1] == Number(0):
        told = "a null pointer instead of a place for the thread's number is reached"
        body.emit(ir.Assert(ZERO, told, memory=True, fatal=False))
    else:
        here.write(0, thread, 64)
    here.fence()
    if body.translation.threads.numbers:
        body.emit(ir.Store(_cell_of(body, _NUMBERS, thread), ONE, SYNCHRONISING, 64))
    here.returns(ZERO)


def _begin_detached(here: Call, thread: ir.Reg) -> None:
    """A thread is detached from the beginning if its attributes say so."""
    if here.operands[1][1] == Number(0):
        return
    state = here.body.memory.read_cell(here.frame, here.operands[1], Cell(0, WORD))
    detached = ir.Op("eq", (state, _detached(here)), WORD)
    if here.body.translation.threads.only_first_leaves:
        here.body.emit(ir.WritePrivate(_GONE, _noted_at(thread), detached))
    else:
        place = _cell_of(here.body, _GONE, thread)
        here.body.emit(ir.Store(place, ONE, SYNCHRONISING, 64, when=detached))


def _detached(here: Call) -> ir.Const:
    return _DETACHED_FOR_APPLE if is_apples(here.body.translation.module) else _DETACHED


def _attributes(value: Callable[[Call], ir.Expr]) -> Handler:
    """What attributes say of detached threads is their first word."""

    def handle(here: Call) -> None:
        if here.body.translation.threads.attributes:
            here.write(0, value(here), WORD)
        here.returns(ZERO)

    return handle


def _join(here: Call, bits: int) -> None:
    """The first thread joins what was started before; others may join what is started later."""
    body, thread = here.body, here.argument(0)
    another = ir.Op("ne", (thread, ir.Reg(ir.OWN_NUMBER)), 64)
    told = "a thread that joins itself, or no thread, is reached"
    body.emit(ir.Assert(another, told, undefined=True, fatal=False))
    _take_leave(here)
    if body.thread.parameter or id(here.instruction) in body.translation.threads.chosen:
        _wait_until_set(body, _cell_of(body, _ENDS, thread))
    else:
        here.fence()
        body.emit(ir.Join(thread))
        here.fence()
    if body.translation.threads.results and here.operands[1][1] != Number(0):
        result = ir.Reg(body.fresh("result"))
        body.emit(ir.Load(result.name, _cell_of(body, _RESULTS, thread), _OWN_ACCESS, 64))
        here.write(1, result, bits)
    here.returns(ZERO)


def _take_leave(here: Call) -> None:
    """A thread is joined or detached once, and has to be one that was started, which is known if the first
    one alone starts threads."""
    body, place = here.body, _noted_at(here.argument(0))
    if not body.thread.parameter and body.translation.threads.only_first:
        started = ir.Reg(body.fresh("started"))
        body.emit(ir.ReadPrivate(started.name, _STARTED, place))
        told = f"{here.name} of what is no thread is reached"
        body.emit(ir.Assert(ir.Op("ne", (started, ZERO), WORD), told, undefined=True, fatal=False))
    gone = ir.Reg(body.fresh("gone"))
    is_first = ir.Op("eq", (gone, ZERO), 64)
    told = f"{here.name} of a thread that was joined or detached is reached"
    once = ir.Assert(is_first, told, undefined=True, fatal=False)
    if body.translation.threads.only_first_leaves:
        body.emit(ir.ReadPrivate(gone.name, _GONE, place))
        body.emit(once)
        body.emit(ir.WritePrivate(_GONE, place, ONE))
    else:
        shared = _cell_of(body, _GONE, here.argument(0))
        here.fence()
        body.emit(ir.Load(gone.name, shared, LOCKING, 64, link=True))
        body.emit(once)
        body.emit(ir.Store(shared, ONE, LOCKING, 64, link=True))
        here.fence()


def _noted_at(thread: ir.Expr) -> ir.Expr:
    return ir.Op("mul", (thread, ir.Const(8)), 64)


def _detach(here: Call) -> None:
    _take_leave(here)
    here.returns(ZERO)


def _self(here: Call) -> None:
    here.returns(ir.Reg(ir.OWN_NUMBER))


def _cancellation(here: Call) -> None:
    """Nobody cancels threads; what was set before is one of two numbers."""
    if here.operands[1][1] != Number(0):
        before = ir.Reg(here.body.fresh("before"))
        here.body.emit(ir.Havoc(before.name, (0, 1)))
        here.write(1, before, WORD)
    here.returns(ZERO)


def _equal(here: Call) -> None:
    here.returns(ir.Op("eq", (here.argument(0), here.argument(1)), 64))


def _key_create(here: Call) -> None:
    """A number for each key: a few are kept for every call, which may be in a loop or in many threads."""
    body, keys = here.body, here.body.translation.threads.keys
    number, destructor = keys.get(id(here.instruction), (0, LocalName("")))
    if isinstance(destructor, LocalName):
        raise body.unsupported(f"{here.name} through a pointer, or with a destructor that is not named")
    location = body.translation.program.location(_KEYS_MADE)
    location.parts = tuple((WORD // 8 * call, WORD, 0) for call in range(len(keys)))
    counter = ir.Const(location.address + WORD // 8 * number)
    made = here.update(counter, lambda old: ir.Op("add", (old, ONE), WORD), lambda _: ONE)
    few = body.fresh("few keys")
    body.emit(ir.Branch(few, ir.Op("lt", (made, ir.Const(_KEYS_OF_A_CALL)), WORD)))
    body.emit(ir.Stop(cut=True, reason=f"{here.name} more than {_KEYS_OF_A_CALL} times at one place"))
    body.label(few)
    here.write(0, ir.Op("add", (made, ir.Const(_KEYS_OF_A_CALL * number)), WORD), WORD)
    here.returns(ZERO)


def _specific_offset(here: Call) -> ir.Expr:
    return ir.Op("mul", (here.argument(0), ir.Const(8)), 64)


def _set_specific(here: Call) -> None:
    here.body.emit(ir.WritePrivate(_SPECIFIC, _specific_offset(here), here.argument(1), 64))
    here.returns(ZERO)


def _get_specific(here: Call) -> None:
    value = ir.Reg(here.body.fresh("specific"))
    here.body.emit(ir.ReadPrivate(value.name, _SPECIFIC, _specific_offset(here), 64))
    here.returns(value)


def _async(here: Call) -> None:
    """A thread that runs a function with at most one argument, and that nobody waits for."""
    body = here.body
    if len(here.operands) > 2:
        raise body.unsupported("a thread with more than one argument")
    thread = body.fresh("thread")
    value = here.argument(1) if len(here.operands) == 2 else ZERO

    def start(name: str) -> None:
        body.translation.thread_function(name)
        body.emit(ir.Spawn(thread, name, value))

    here.fence()
    each_function(body, here.argument(0), candidates(body, 1), start)
    here.fence()


def _push_cleanup(here: Call) -> None:
    """What is to be called when the thread leaves, or when the matching end of the block is reached."""
    here.body.cleanups.append((here.argument(1), here.argument(2)))


def _pop_cleanup(here: Call) -> None:
    if not here.body.cleanups:
        raise here.body.unsupported("pthread_cleanup_pop without pthread_cleanup_push")
    handler = here.body.cleanups.pop()
    wanted = here.argument(1)
    done = here.body.fresh("no cleanup")
    here.body.emit(ir.Branch(done, ir.Op("eq", (wanted, ZERO), WORD)))
    _clean_up(here, handler)
    here.body.label(done)


def _clean_up(here: Call, handler: tuple[ir.Expr, ir.Expr]) -> None:
    body = here.body
    names = candidates(body, 1) + library_candidates(body, 1)
    each_function(body, handler[0], names, lambda name: call_with(body, here.frame, name, [handler[1]]))


def _exit_thread(here: Call) -> None:
    if here.body.translation.runs_at_exit and not here.body.thread.parameter:
        raise here.body.unsupported(f"{here.name} in main, where functions run at exit")
    for handler in reversed(here.body.cleanups):
        _clean_up(here, handler)
    if not here.body.thread.parameter:
        _run_destructors(here.body)
        here.body.end_locals(here.frame.ending)
    here.body.set(RESULT, here.argument(0))
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
    "pthread_join": lambda here: _join(here, 64), "thrd_join": lambda here: _join(here, 32),
    "pthread_detach": _detach, "thrd_detach": _detach,
    "pthread_self": _self, "thrd_current": _self, "pthread_equal": _equal, "thrd_equal": _equal,
    "pthread_key_create": _key_create, "tss_create": _key_create,
    "pthread_setspecific": _set_specific, "tss_set": _set_specific,
    "pthread_getspecific": _get_specific, "tss_get": _get_specific,
    "pthread_key_delete": Call.nothing, "tss_delete": Call.nothing,
    "_pthread_cleanup_push": _push_cleanup, "_pthread_cleanup_pop": _pop_cleanup,
    "treville_async": _async, "__VERIFIER_tid": _self,
    "pthread_exit": _exit_thread, "thrd_exit": _exit_thread,
    "pthread_once": _once, "call_once": _once,
    **dict.fromkeys(
        (
            "sched_yield", "thrd_yield", "pthread_yield", "pthread_setconcurrency",
            "pthread_attr_destroy", "pthread_attr_setstacksize", "pthread_attr_setscope",
            "pthread_attr_setschedpolicy", "pthread_setname_np", "pthread_testcancel",
        ),
        Call.nothing,
    ),
    "pthread_attr_init": _attributes(lambda _: ZERO),
    _SET_DETACHED: _attributes(lambda here: here.argument(1)),
    "pthread_setcancelstate": _cancellation, "pthread_setcanceltype": _cancellation,
}  # fmt: skip
