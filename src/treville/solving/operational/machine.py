"""A program -> every state of a machine with store buffers: an answer without bounds, or too many states.

SC has no buffers, TSO one first-in first-out buffer for each thread, PSO one for each thread and location (a
store-store fence keeps what is before it in front). Fences, atomic instructions and atomic blocks wait for
the thread's own buffer to be empty (S. Owens, S. Sarkar, P. Sewell, TPHOLs 2009; paper 001, section 2). It
shares nothing with the axiomatic engines but the program IR and the operators, so agreement of the two means
something.

Loops need no bound where the program has finitely many states: a state that was seen is not explored again.
What the machine cannot do exactly (any number as a value, uninitialised memory, accesses of mixed sizes or
outside of objects) it leaves to the other engines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from treville.programs import ir
from treville.programs.compile_to import FULL_FENCES
from treville.programs.operators import OPERATORS, wrap
from treville.results import Budget

Pairs: TypeAlias = tuple[tuple[str, int], ...]
Memory: TypeAlias = dict[int, int]
RUNS, ENDED, BLOCKED, CUT = "runs", "ended", "blocked", "cut"
DEFAULT_STATES = 400_000
_LOCAL_STEPS = 100_000
_LONGEST_BUFFER = 40
_SHORT_BUFFER = 12


class Log(NamedTuple):
    """What happened in a step, for witnesses: `R`, `W` (to the buffer), `D` (directly to memory), `F`, `C`
    (entry `address` of the buffer gets to memory), `S` and `J` (thread `address` is started or joined).
    Events in a `block` belong to one atomic block as long as no other thread's come between."""

    kind: str
    thread: int
    address: int = 0
    value: int = 0
    instruction: ir.Instruction | None = None
    block: bool = False


class TooManyStates(Exception):
    """The program has too many states, or does something that the machine cannot do exactly."""


class Failed(Exception):
    """An assertion does not hold; `log` is the last transition up to there."""

    def __init__(self, instruction: ir.Instruction) -> None:
        super().__init__()
        self.instruction = instruction
        self.log: list[Log] = []


class _Disabled(Exception):
    """The thread cannot take this step now: a lock is taken, an atomic block cannot be passed."""


class Entry(NamedTuple):
    """A store that waits in a buffer; entries of a later epoch stay behind those of an earlier one."""

    address: int
    value: int
    epoch: int


class ThreadState(NamedTuple):
    """Where a thread is, with what in its registers, private cells, loop counters and buffer."""

    body: str
    position: int
    registers: Pairs
    cells: tuple[tuple[tuple[str, int], int], ...] = ()
    buffer: tuple[Entry, ...] = ()
    epoch: int = 0
    status: str = RUNS
    counts: tuple[tuple[int, int], ...] = ()


class State(NamedTuple):
    """All threads, memory, and how many objects were allocated."""

    threads: tuple[ThreadState, ...]
    memory: tuple[tuple[int, int], ...]
    objects: int


@dataclass
class Answer:
    """PASS, FAIL or UNKNOWN (some run was cut), how many states were seen, and for FAIL what happened."""

    verdict: str
    states: int
    failed: ir.Instruction | None = None
    log: list[Log] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)  # what each thread of the failing run executes


@dataclass
class Machine:
    """Explores a compiled program under `sc`, `tso` or `pso`. `bound` limits loops as the engines do."""

    program: ir.Program
    model: str
    bound: int | None = None
    limit: int = DEFAULT_STATES
    budget: Budget = field(default_factory=Budget)
    bodies: dict[str, ir.Thread] = field(default_factory=dict)
    live: dict[str, list[frozenset[str]]] = field(default_factory=dict)
    waits: dict[str, list[bool]] = field(default_factory=dict)  # is the instruction there a visible one?
    widths: dict[int, int] = field(default_factory=dict)
    was_cut: bool = False

    def __post_init__(self) -> None:
        self.bodies = {"": self.program.threads[0], **self.program.functions}
        self.live = {name: live_registers(thread) for name, thread in self.bodies.items()}
        for name, thread in self.bodies.items():
            self.waits[name] = [*(self._is_seen(i) for i in thread.instructions), False]

    def _is_seen(self, instruction: ir.Instruction) -> bool:
        """Can others see the instruction's effect, whatever the state is?"""
        if isinstance(instruction, ir.Load) or (isinstance(instruction, ir.Store) and self.model == "sc"):
            return instruction.link or isinstance(instruction.address, ir.Const)
        return isinstance(instruction, ir.AtomicBegin)

    # -- the search ------------------------------------------------------------------------------------

    def explore(self) -> Answer:
        """Depth-first over all states."""
        start = State((ThreadState("", 0, ()),), initial_memory(self.program), 0)
        before: dict[State, State | None] = {}
        current: State | None = None
        try:
            stack: list[tuple[State, State | None]] = [(s, None) for s, _ in self.settle(start)]
            while stack:
                current, origin = stack.pop()
                if current in before:
                    continue
                before[current] = origin
                if len(before) > self.limit:
                    raise TooManyStates
                self.budget.check()
                stack.extend((following, current) for following, _ in self.successors(current))
        except Failed as failed:
            return self._failure(failed, start, current, before)
        return Answer("UNKNOWN" if self.was_cut else "PASS", len(before))

    def _failure(
        self, failed: Failed, start: State, last: State | None, before: dict[State, State | None]
    ) -> Answer:
        """The run that failed, again from its start."""
        path = []
        at = last
        while at is not None:
            path.append(at)
            at = before[at]
        log: list[Log] = []
        for number, state in enumerate(reversed(path)):
            source = self.settle(start) if number == 0 else self.successors(path[len(path) - number])
            log += next(steps for following, steps in _until_failure(source) if following == state)
        bodies = [thread.body or "main" for thread in (path[0] if path else start).threads]
        started = [entry.address for entry in failed.log if entry.kind == "S"]
        bodies += ["" for number in started if number >= len(bodies)]
        return Answer("FAIL", len(before), failed.instruction, log + failed.log, bodies)

    def successors(self, state: State) -> Iterator[tuple[State, list[Log]]]:
        """All states after one visible step, each with what happened."""
        for number, thread in enumerate(state.threads):
            for place in self._flushable(thread):
                entry = Log("C", number, place)
                yield from self.settle(_flushed(state, number, place), [entry])
            if thread.status == RUNS:
                step = _Step(self, state, number)
                try:
                    following = list(step.visible())
                except _Disabled:
                    continue
                except Failed as failed:
                    failed.log = step.log
                    raise
                for after, log in following:
                    yield from self.settle(after, log)

    def _flushable(self, thread: ThreadState) -> list[int]:
        if self.model == "tso":
            return [0] if thread.buffer else []
        found = []
        for place, entry in enumerate(thread.buffer):
            ahead = thread.buffer[:place]
            if all(e.address != entry.address and e.epoch == entry.epoch for e in ahead):
                found.append(place)
        return found

    def settle(self, state: State, log: list[Log] | None = None) -> Iterator[tuple[State, list[Log]]]:
        """Let every thread run up to its next visible instruction; free choices give several states."""
        pending = [(state, log or [])]
        while pending:
            current, happened = pending.pop()
            for number, thread in enumerate(current.threads):
                if thread.status == RUNS and not self.waits[thread.body][thread.position]:
                    step = _Step(self, current, number)
                    try:
                        following = step.local()
                    except Failed as failed:
                        failed.log = happened + step.log
                        raise
                    if following is not None:
                        pending.extend((after, happened + step.log) for after in following)
                        break
            else:
                yield current, happened

    def width(self, address: int, bits: int) -> None:
        """Note how wide an access is; different widths at one place are too much for the machine."""
        known = self.widths.get(address)
        if known == bits:
            return
        if known is not None or any(
            near in self.widths and near + self.widths[near] // 8 > address
            for near in range(address - 7, address)
        ):
            raise TooManyStates("accesses of mixed sizes")
        if any(near in self.widths for near in range(address + 1, address + bits // 8)):
            raise TooManyStates("accesses of mixed sizes")
        self.widths[address] = bits


def _until_failure(
    source: Iterator[tuple[State, list[Log]]],
) -> Iterator[tuple[State, list[Log]]]:
    """The same states; a failure behind the one that is looked for does not matter."""
    try:
        yield from source
    except Failed:
        return


def _flushed(state: State, number: int, place: int) -> State:
    thread = state.threads[number]
    entry = thread.buffer[place]
    rest = thread.buffer[:place] + thread.buffer[place + 1 :]
    memory = dict(state.memory)
    memory[entry.address] = entry.value
    least = min((e.epoch for e in rest), default=0)
    rest = tuple(Entry(e.address, e.value, e.epoch - least) for e in rest)
    changed = thread._replace(buffer=rest, epoch=thread.epoch - least if rest else 0)
    threads = (*state.threads[:number], changed, *state.threads[number + 1 :])
    return State(threads, tuple(sorted(memory.items())), state.objects)


class _Step:
    """One step of one thread, on a mutable copy of the state."""

    def __init__(self, machine: Machine, state: State, number: int) -> None:
        self.machine, self.state, self.number = machine, state, number
        thread = state.threads[number]
        self.thread = thread
        self.body = machine.bodies[thread.body]
        self.position = thread.position
        self.registers = dict(thread.registers)
        self.cells = dict(thread.cells)
        self.counts = dict(thread.counts)
        self.buffer = list(thread.buffer)
        self.epoch = thread.epoch
        self.status = thread.status
        self.memory_now: Memory | None = None
        self.wrote = False
        self.objects = state.objects
        self.started: list[ThreadState] = []
        self.in_block = False
        self.log: list[Log] = []

    @property
    def memory(self) -> Memory:
        """Memory, copied when it is first looked at; whoever changes it sets `wrote`."""
        if self.memory_now is None:
            self.memory_now = dict(self.state.memory)
        return self.memory_now

    def result(self) -> State:
        """The state after the step, with dead registers forgotten."""
        live = self.machine.live[self.thread.body][self.position] if self.status == RUNS else frozenset()
        registers = tuple(sorted((n, v) for n, v in self.registers.items() if n in live))
        running = self.status == RUNS
        cells = tuple(sorted(self.cells.items())) if running else ()
        counts = tuple(sorted(self.counts.items())) if running else ()
        changed = ThreadState(
            self.thread.body, self.position, registers, cells, tuple(self.buffer), self.epoch,
            self.status, counts,
        )  # fmt: skip
        before = self.state.threads
        threads = (*before[: self.number], changed, *before[self.number + 1 :], *self.started)
        memory = tuple(sorted(self.memory.items())) if self.wrote else self.state.memory
        return State(threads, memory, self.objects)

    def evaluate(self, expression: ir.Expr) -> int:
        """The value of an expression; registers that were never written hold 0."""
        if isinstance(expression, ir.Reg):
            return self.registers.get(expression.name, 0)
        if isinstance(expression, ir.Const):
            return expression.value
        if isinstance(expression, ir.Select):
            chosen = expression.then if self.evaluate(expression.condition) else expression.otherwise
            return self.evaluate(chosen)
        arguments = tuple(self.evaluate(argument) for argument in expression.args)
        return OPERATORS[expression.name](arguments, expression.bits)

    # -- steps that nobody else sees -------------------------------------------------------------------

    def local(self) -> list[State] | None:
        """Run local instructions; None if the thread already waits in front of a visible one."""
        for steps in range(_LOCAL_STEPS):
            if self.position >= len(self.body.instructions):
                self.status = ENDED
                return [self.result()]
            instruction = self.body.instructions[self.position]
            if isinstance(instruction, ir.Havoc) or not self._execute_local(instruction):
                if isinstance(instruction, ir.Havoc):
                    return self._choices(instruction.register, instruction.values)
                return [self.result()] if steps else None
            if self.status != RUNS:
                return [self.result()]
        raise TooManyStates

    def _choices(self, register: str, values: tuple[int, ...]) -> list[State]:
        self.position += 1
        found = []
        for value in values:
            self.registers[register] = value
            found.append(self.result())
        return found

    def _execute_local(self, instruction: ir.Instruction) -> bool:
        """Execute one instruction if it is local (or a fence or join that can be passed)."""
        if isinstance(instruction, ir.Branch):
            if instruction.condition is None or self.evaluate(instruction.condition):
                self._jump(self.body.labels[instruction.target])
            else:
                self.position += 1
            return True
        if not self._compute(instruction):
            return False
        self.position += 1
        return True

    def _compute(self, instruction: ir.Instruction) -> bool:
        if isinstance(instruction, ir.Local):
            self.registers[instruction.register] = self.evaluate(instruction.value)
        elif isinstance(instruction, ir.Assume):
            if not self.evaluate(instruction.condition):
                self.status = BLOCKED
        elif isinstance(instruction, ir.Assert):
            if not self.evaluate(instruction.condition):
                raise Failed(instruction)
        elif isinstance(instruction, ir.Stop):
            self.status = CUT if instruction.cut else BLOCKED
            self.machine.was_cut = self.machine.was_cut or instruction.cut
        elif isinstance(instruction, ir.ReadPrivate):
            value = self.cells.get((instruction.object, self.evaluate(instruction.offset)), 0)
            self.registers[instruction.register] = wrap(value, instruction.bits)
        elif isinstance(instruction, ir.WritePrivate):
            place = (instruction.object, self.evaluate(instruction.offset))
            self.cells[place] = self.evaluate(instruction.value)
        elif isinstance(instruction, ir.Allocate):
            self._allocate(instruction)
        elif isinstance(instruction, ir.Fence):
            return self._fence(instruction)
        elif isinstance(instruction, ir.Store) and self._buffers(instruction):
            self._store(instruction)
        elif isinstance(instruction, ir.Load) and self._is_private(instruction):
            self._load(instruction)
        elif isinstance(instruction, ir.Store) and self._is_private(instruction):
            self._store(instruction)
        elif isinstance(instruction, ir.Spawn):
            return self._spawn(instruction)
        elif isinstance(instruction, ir.Join):
            return self._can_join(instruction)
        else:
            return False
        return True

    def _buffers(self, instruction: ir.Store) -> bool:
        """Nobody sees a store that goes to the buffer; it is visible when it gets to memory."""
        return self.machine.model != "sc" and not instruction.link and len(self.buffer) < _SHORT_BUFFER

    def _is_private(self, instruction: ir.Load | ir.Store) -> bool:
        """Is it an access to an allocated object whose address no other thread has? Nobody sees it then."""
        address = self.evaluate(instruction.address)
        slot = (address - ir.LOCATION_BASE) // ir.LOCATION_STRIDE
        if instruction.link or slot < len(self.machine.program.locations) or self.started:
            return False
        first = ir.LOCATION_BASE + slot * ir.LOCATION_STRIDE
        inside = range(first, first + ir.LOCATION_STRIDE)
        if any(value in inside for value in self.memory.values()):
            return False
        if any(entry.value in inside for entry in self.buffer):
            return False
        others = (thread for number, thread in enumerate(self.state.threads) if number != self.number)
        return not any(
            value in inside
            for t in others
            for value in (
                *(v for _, v in t.registers),
                *(v for _, v in t.cells),
                *(e.value for e in t.buffer),
            )
        )

    def _jump(self, target: int) -> None:
        bound = self.machine.bound
        if target <= self.position and bound is not None:
            self.counts = {t: n for t, n in self.counts.items() if not target < t <= self.position}
            self.counts[target] = self.counts.get(target, 0) + 1
            if self.counts[target] > bound:
                self.status = CUT
                self.machine.was_cut = True
        self.position = target

    def _allocate(self, instruction: ir.Allocate) -> None:
        slot = len(self.machine.program.locations) + self.objects
        size = self.evaluate(instruction.size)
        if not 0 <= size < ir.LOCATION_STRIDE:
            raise TooManyStates("an allocation that is too large")
        self.objects += 1
        start = ir.LOCATION_BASE + slot * ir.LOCATION_STRIDE
        self.registers[instruction.register] = start
        if instruction.zeroed:
            self.wrote = True
            self.memory[-start] = 0  # the whole object is known to be 0 where nothing was written

    def _fence(self, instruction: ir.Fence) -> bool:
        full = bool(instruction.tags & FULL_FENCES)
        if self.buffer and full and not self.in_block:
            return False
        if self.buffer and not full and "MEMBAR.SS" in instruction.tags:
            self.epoch += 1
        self.note("F", instruction)
        return True

    def note(self, kind: str, instruction: ir.Instruction, address: int = 0, value: int = 0) -> None:
        """Remember what happens."""
        self.log.append(Log(kind, self.number, address, value, instruction, self.in_block))

    def _spawn(self, instruction: ir.Spawn) -> bool:
        if self.buffer:
            return False
        body = self.machine.bodies[instruction.function]
        registers = ((body.parameter, self.evaluate(instruction.argument)),) if body.parameter else ()
        self.registers[instruction.register] = len(self.state.threads) + len(self.started)
        self.note("S", instruction, len(self.state.threads) + len(self.started))
        self.started.append(ThreadState(instruction.function, 0, registers))
        return True

    def _can_join(self, instruction: ir.Join) -> bool:
        number = self.evaluate(instruction.thread)
        if not 0 <= number < len(self.state.threads):
            return False
        other = self.state.threads[number]
        if other.status != ENDED or other.buffer:
            return False
        self.note("J", instruction, number)
        return True

    # -- visible steps ---------------------------------------------------------------------------------

    def visible(self) -> Iterator[tuple[State, list[Log]]]:
        """Execute the visible instruction that the thread waits in front of."""
        instruction = self.body.instructions[self.position]
        if isinstance(instruction, ir.AtomicBegin):
            yield from self._block()
        elif isinstance(instruction, ir.Load) and instruction.link:
            self._update(instruction)
            yield self.result(), self.log
        elif isinstance(instruction, ir.Load):
            self._load(instruction)
            self.position += 1
            yield self.result(), self.log
        elif isinstance(instruction, ir.Store):
            self._store(instruction)
            self.position += 1
            yield self.result(), self.log
        elif isinstance(instruction, ir.Fence | ir.Join | ir.Spawn):
            return
        else:
            raise TooManyStates(f"the oracle does not know {type(instruction).__name__}")

    def _load(self, instruction: ir.Load) -> None:
        address = self.evaluate(instruction.address)
        self.machine.width(address, instruction.bits)
        own = [entry.value for entry in self.buffer if entry.address == address]
        found = own[-1] if own else self.memory.get(address)
        if found is None:
            found = self.memory.get(-(address - (address - ir.LOCATION_BASE) % ir.LOCATION_STRIDE))
        if found is None:
            raise TooManyStates("a read of memory that was not written")
        value = wrap(found, instruction.bits)
        self.note("R", instruction, address, value)
        if instruction.register is not None:
            self.registers[instruction.register] = wrap(value, instruction.bits)

    def _store(self, instruction: ir.Store, direct: bool = False) -> None:
        if instruction.when is not None and not self.evaluate(instruction.when):
            return
        address = self.evaluate(instruction.address)
        value = wrap(self.evaluate(instruction.value), instruction.bits)
        self.machine.width(address, instruction.bits)
        if not self._inside_an_object(address):
            raise TooManyStates("a write outside of all objects")
        memory = direct or self.in_block or self.machine.model == "sc"
        self.note("D" if memory else "W", instruction, address, value)
        if direct or self.in_block or self.machine.model == "sc":
            self.wrote = True
            self.memory[address] = value
        elif len(self.buffer) >= _LONGEST_BUFFER:
            raise TooManyStates("a buffer that grows and grows")
        else:
            self.buffer.append(Entry(address, value, self.epoch))

    def _inside_an_object(self, address: int) -> bool:
        slot = (address - ir.LOCATION_BASE) // ir.LOCATION_STRIDE
        globals_ = len(self.machine.program.locations)
        return address in self.memory if slot < globals_ else slot < globals_ + self.objects

    def _update(self, load: ir.Load) -> None:
        """A read-modify-write in one step, with whatever stands between its halves."""
        if self.buffer:
            raise _Disabled
        self._load(load)
        self.position += 1
        while True:
            instruction = self.body.instructions[self.position]
            if isinstance(instruction, ir.Store) and instruction.link:
                self._store(instruction, direct=True)
                self.position += 1
                return
            if not self._execute_local(instruction):
                raise TooManyStates(f"{type(instruction).__name__} inside a read-modify-write")
            if self.status != RUNS:
                raise _Disabled

    def _block(self) -> Iterator[tuple[State, list[Log]]]:
        """A whole atomic block as one step; free choices inside it give several."""
        if self.buffer:
            raise _Disabled
        self.in_block = True
        self.position += 1
        pending: list[_Step] = [self]
        while pending:
            step = pending.pop()
            try:
                if step._in_block(pending):
                    yield step.result(), step.log
            except _Disabled:
                continue

    def _in_block(self, pending: list[_Step]) -> bool:
        """Run to the end of the block; False if it branched into the steps that are now pending."""
        for _ in range(_LOCAL_STEPS):
            instruction = self.body.instructions[self.position]
            if isinstance(instruction, ir.AtomicEnd):
                self.position += 1
                return True
            if isinstance(instruction, ir.Havoc):
                for value in instruction.values:
                    other = _Step(self.machine, self.result(), self.number)
                    other.in_block, other.position = True, self.position + 1
                    other.log = list(self.log)
                    other.registers[instruction.register] = value
                    pending.append(other)
                return False
            if isinstance(instruction, ir.Load):
                self._load(instruction)
                self.position += 1
            elif isinstance(instruction, ir.Store):
                self._store(instruction)
                self.position += 1
            elif not self._execute_local(instruction):
                raise _Disabled
            if self.status != RUNS:
                raise _Disabled
        raise TooManyStates


# -- facts about the program --------------------------------------------------------------------------


def initial_memory(program: ir.Program) -> tuple[tuple[int, int], ...]:
    """Address and value of every cell of every global."""
    memory: Memory = {}
    for location in program.locations.values():
        for number, value in enumerate(location.initial):
            memory[location.address + number * location.cell_bytes] = value
        for offset, _, value in location.parts:
            memory[location.address + offset] = value
    return tuple(sorted(memory.items()))


def live_registers(thread: ir.Thread) -> list[frozenset[str]]:
    """For each position the registers whose value can still matter."""
    count = len(thread.instructions)
    live: list[frozenset[str]] = [frozenset() for _ in range(count + 1)]
    changed = True
    while changed:
        changed = False
        for position in reversed(range(count)):
            instruction = thread.instructions[position]
            after: frozenset[str] = frozenset()
            for following in _successors(thread, position):
                after |= live[following]
            found = after - {getattr(instruction, "register", None) or ""} | _used(instruction)
            if found != live[position]:
                live[position] = found
                changed = True
    return live


def _successors(thread: ir.Thread, position: int) -> list[int]:
    instruction = thread.instructions[position]
    if isinstance(instruction, ir.Branch):
        target = thread.labels[instruction.target]
        return [target] if instruction.condition is None else [target, position + 1]
    return [position + 1]


def _used(instruction: ir.Instruction) -> frozenset[str]:
    names: set[str] = set()
    for part in ("value", "address", "condition", "when", "argument", "thread", "size", "offset"):
        expression = getattr(instruction, part, None)
        if expression is not None:
            _registers(expression, names)
    return frozenset(names)


def _registers(expression: ir.Expr, names: set[str]) -> None:
    if isinstance(expression, ir.Reg):
        names.add(expression.name)
    elif isinstance(expression, ir.Op):
        for argument in expression.args:
            _registers(argument, names)
    elif isinstance(expression, ir.Select):
        for argument in expression:
            _registers(argument, names)
