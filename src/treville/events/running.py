"""Runs one thread of IR concretely, branching where a read or a choice has several values.

Each register carries the reads it depends on, which gives `addr`, `data` and `ctrl` as herd7 defines
them (paper 004, section 2.2), and the weaker pick dependencies of AArch64's conditional selects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treville.events.evaluation import ZERO, decided, evaluate, written
from treville.events.idle_iterations import all_registers, opens_late
from treville.events.kinds import FENCE, READ, WRITE
from treville.events.trace import NO_PAIR, Effort, Memory, Shape, Trace, Value
from treville.programs.ir import (
    CODE_BASE,
    LOCATION_BASE,
    LOCATION_STRIDE,
    Assume,
    Branch,
    Fence,
    Havoc,
    IndirectBranch,
    Instruction,
    Load,
    Local,
    Store,
    StoreExclusive,
    Thread,
)
from treville.programs.live import live_names
from treville.programs.operators import wrap
from treville.results import Budget, BudgetExceeded, TooLarge, Unsupported

MAX_TRACES = 20_000
MAX_STEPS_PER_RUN = 5_000


class Run:
    """The state of one run of a thread; `fork` copies it where the run branches."""

    __slots__ = (
        "behind",
        "choices",
        "control",
        "events",
        "instance",
        "iterations",
        "jumps",
        "last",
        "own",
        "pair",
        "pick",
        "position",
        "registers",
        "reservation",
        "scopes",
        "steps",
    )

    def __init__(self, registers: dict[str, Value]) -> None:
        self.registers = registers
        self.events: list[tuple[Shape, int | None, int, int]] = []
        self.position = 0
        self.steps = 0
        self.choices = 0  # values picked freely so far, such as whether a store conditional succeeds
        self.control = 0  # reads that an open branch depends on
        self.pick = 0  # likewise by pick dependencies
        self.behind = 0  # reads that a branch depended on, open or not (see `ir.Branch`)
        self.scopes: list[tuple[int, int, int]] = []  # (where a scope ends, control and pick before it)
        self.pair = NO_PAIR  # the last linked load
        self.reservation: tuple[int, int, int] | None = (
            None  # (event, address, bits) of the open exclusive load
        )
        self.instance = 0  # executed source instructions that have events, counted
        self.last = (-1, -1)  # index and position of the last event's instruction
        self.jumps: dict[int, int] = {}  # backward jumps taken, by target
        # by target: what there was after the last backward jump
        self.iterations: dict[int, tuple[dict[str, Value], int]] = {}
        self.own: dict[int, int] = {}  # address -> value of the thread's last write there

    def fork(self) -> Run:
        """An independent copy."""
        twin = Run(self.registers.copy())
        twin.events = self.events.copy()
        twin.position = self.position
        twin.steps = self.steps
        twin.choices = self.choices
        twin.control = self.control
        twin.pick = self.pick
        twin.behind = self.behind
        twin.scopes = self.scopes.copy()
        twin.pair = self.pair
        twin.reservation = self.reservation
        twin.instance = self.instance
        twin.last = self.last
        twin.jumps = self.jumps.copy()
        twin.iterations = self.iterations.copy()
        twin.own = self.own.copy()
        return twin

    def count(self, instruction: Instruction) -> int:
        """The number of the source instruction being executed; the same for all its events."""
        if self.last[0] != instruction.index or self.last[1] > self.position:
            self.instance += 1
        self.last = (instruction.index, self.position)
        return self.instance

    def trace(self) -> Trace:
        """The finished run."""
        if not self.events:
            return Trace((), (), self.registers, (), ())
        shapes, values, origins, positions = zip(*self.events, strict=True)
        return Trace(shapes, values, self.registers, origins, positions)


class ThreadRunner:
    """Enumerates the traces of one thread against the current contents of `memory`."""

    def __init__(
        self,
        thread: Thread,
        index: int,
        memory: Memory,
        bound: int,
        budget: Budget,
        coherent: bool,
        effort: Effort,
    ) -> None:
        self.thread = thread
        self.index = index
        self.memory = memory
        self.bound = bound
        self.budget = budget
        self.coherent = coherent
        self.effort = effort
        self.addresses_read: set[int] = set()
        self.bound_reached = False
        self.was_cut = False
        self._live: list[frozenset[str]] | None = None
        # Positions of structured branches that memory decides, with the ways they went so far.
        self.decisions: dict[int, set[bool]] = {}

    def traces(self) -> list[Trace]:
        """All traces; raises `BudgetExceeded` when there are too many to list."""
        self.bound_reached = self.was_cut = False
        first = Run({name: Value(value) for name, value in self.thread.registers.items()})
        pending, done = [first], []
        while pending:
            run = pending.pop()
            self.effort.spend()
            branches = self._advance(run)
            if branches is None:
                done.append(run.trace())
                if len(done) > MAX_TRACES:
                    raise TooLarge("too many traces to list", "use --engine eager")
            else:
                pending.extend(branches)
            self.budget.check()
        return done

    def _advance(self, run: Run) -> list[Run] | None:
        """Run until the end (None) or until the run branches (its continuations, possibly none)."""
        instructions = self.thread.instructions
        end = len(instructions)
        while run.position < end:
            if run.scopes and run.scopes[-1][0] == run.position:
                self._close_scopes(run)
            instruction = instructions[run.position]
            branches = _STEPS[type(instruction)](self, run, instruction)
            if branches is not None:
                return branches
            run.position += 1
            run.steps += 1
            if run.steps > MAX_STEPS_PER_RUN:
                raise BudgetExceeded("a thread runs too many instructions", "lower --bound")
        return None

    def _close_scopes(self, run: Run) -> None:
        while run.scopes and run.scopes[-1][0] == run.position:
            _, run.control, run.pick = run.scopes.pop()

    # -- one method per instruction: None to go on, or the runs to go on with --------------------------

    def _local(self, run: Run, instruction: Local) -> None:
        run.registers[instruction.register] = evaluate(instruction.value, run.registers)

    def _havoc(self, run: Run, instruction: Havoc) -> list[Run]:
        branches = []
        run.position += 1
        run.choices += 1
        for number in instruction.values:
            twin = run.fork()
            twin.registers[instruction.register] = Value(number)
            branches.append(twin)
        return branches

    def _assume(self, run: Run, instruction: Assume) -> list[Run] | None:
        condition = evaluate(instruction.condition, run.registers)
        return None if condition.number else []

    def _fence(self, run: Run, instruction: Fence) -> None:
        where = ZERO if instruction.address is None else evaluate(instruction.address, run.registers)
        shape = Shape(
            FENCE, instruction.tags, where.number or None, run.count(instruction), where.data, 0, run.control,
            where.pick, 0, run.pick, NO_PAIR, False, instruction.parallel, run.behind,
        )  # fmt: skip
        run.events.append((shape, None, 0, run.position))

    def _is_cell(self, address: int, instruction: Load | Store | StoreExclusive) -> bool:
        """Is there a memory cell at the address? A run that goes elsewhere is dropped, as herd7 does."""
        if address in self.memory.initial:
            if self.memory.widths.get(address, instruction.bits) < instruction.bits:
                raise Unsupported("an access to several memory cells at once (mixed-size)", instruction.span)
            return True
        if LOCATION_BASE <= address < self.memory.end and address % LOCATION_STRIDE < self.memory.size_at(
            address
        ):
            raise Unsupported("an access to a part of a memory cell (mixed-size)", instruction.span)
        if CODE_BASE <= address < LOCATION_BASE:
            raise Unsupported("an access to instructions (self-modifying code)", instruction.span)
        return False

    def _load(self, run: Run, instruction: Load) -> list[Run] | None:
        address = evaluate(instruction.address, run.registers)
        number = len(run.events)
        where = address.number
        if not self._is_cell(where, instruction):
            return []
        self.addresses_read.add(where)
        shape = Shape(
            READ, instruction.tags, where, run.count(instruction),
            address.data, 0, run.control, address.pick, 0, run.pick, NO_PAIR, instruction.exclusive,
            instruction.parallel, run.behind,
        )  # fmt: skip
        if instruction.link:
            run.pair = number
        if instruction.exclusive:
            run.reservation = (number, where, instruction.bits)
        if self.coherent:
            values = self.memory.readable_coherently(self.index, where, run.own.get(where))
        else:
            values = self.memory.readable(where)
        bit, origin, register = 1 << number, address.origin, instruction.register
        position = run.position
        run.position += 1
        branches = []
        for value in values:
            twin = run.fork() if value != values[-1] else run
            twin.events.append((shape, value, origin, position))
            if register is not None:
                twin.registers[register] = Value(value, bit, 0, bit)
            branches.append(twin)
        return branches

    def _store(self, run: Run, instruction: Store) -> list[Run] | None:
        when = ZERO
        if instruction.when is not None:
            when = evaluate(instruction.when, run.registers)
            if not when.number:
                return None
        pair = run.pair if instruction.link else NO_PAIR
        return None if self._write(run, instruction, pair, when, exclusive=False) else []

    def _write(
        self, run: Run, instruction: Store | StoreExclusive, pair: int, when: Value, exclusive: bool
    ) -> bool:
        """Add the write event; False if the address is no memory cell."""
        address = evaluate(instruction.address, run.registers)
        if not self._is_cell(address.number, instruction):
            return False
        value = evaluate(instruction.value, run.registers)
        stored = wrap(value.number, instruction.bits)
        address, data, pick = written(self.thread, address, value, when)
        shape = Shape(
            WRITE, instruction.tags, address.number, run.count(instruction), address.data, data,
            run.control, address.pick, pick, run.pick, pair, exclusive, instruction.parallel,
            run.behind,
        )  # fmt: skip
        run.events.append((shape, stored, address.origin | value.origin, run.position))
        run.own[address.number] = stored
        return True

    def _store_exclusive(self, run: Run, instruction: StoreExclusive) -> list[Run]:
        reservation, run.reservation = run.reservation, None
        run.choices += 1
        failed = run.fork()
        failed.registers[instruction.status] = Value(instruction.failure)
        failed.position += 1
        address = evaluate(instruction.address, run.registers)
        if reservation is None or reservation[1:] != (address.number, instruction.bits):
            return [failed]
        if not self._write(run, instruction, reservation[0], ZERO, exclusive=True):
            return [failed]
        run.registers[instruction.status] = self._status(run, instruction, reservation[0])
        run.position += 1
        return [failed, run]

    def _status(self, run: Run, instruction: StoreExclusive, load: int) -> Value:
        """The status of a success, with what it depends on."""
        data = pick = 0
        write = run.events[-1][0]
        if "write" in instruction.status_depends:
            data |= 1 << (len(run.events) - 1)
        if "address" in instruction.status_depends:
            paired = run.events[load][0]
            data |= write.addr | paired.addr
            pick |= write.pick_addr | paired.pick_addr
        if "data" in instruction.status_depends:
            data |= write.data
            pick |= write.pick_data
        return Value(instruction.success, data, pick)

    def _branch(self, run: Run, instruction: Branch) -> list[Run] | None:
        if instruction.condition is not None:
            condition = decided(self.thread, evaluate(instruction.condition, run.registers))
            if instruction.until is not None:
                run.scopes.append((self.thread.labels[instruction.until], run.control, run.pick))
                if condition.origin:
                    self.decisions.setdefault(run.position, set()).add(bool(condition.number))
            run.control |= condition.data
            run.pick |= condition.pick
            if instruction.behind:
                run.behind |= condition.data
            if not condition.number:
                return None
            if not (condition.origin or condition.data or condition.pick or run.choices):
                # Decided without memory: such a loop ends by itself, as in herd7.
                return self._jump(run, self.thread.labels[instruction.target], counted=False)
        return self._jump(run, self.thread.labels[instruction.target])

    def _indirect_branch(self, run: Run, instruction: IndirectBranch) -> list[Run] | None:
        target = decided(self.thread, evaluate(instruction.target, run.registers))
        run.control |= target.data
        run.pick |= target.pick
        label = self.thread.code_addresses.get(target.number)
        if label is None:
            raise Unsupported("a jump to a computed address that is no label", instruction.span)
        return self._jump(run, self.thread.labels[label])

    def _jump(self, run: Run, target: int, counted: bool = True) -> list[Run] | None:
        if counted and target <= run.position:
            taken = run.jumps.get(target, 0) + 1
            if taken > self.bound:
                self.bound_reached = True
                self.was_cut = self.was_cut or not self._is_idle(run, target)
                return []
            run.jumps[target] = taken
            run.iterations[target] = (run.registers.copy(), len(run.events))
        # Scopes that the jump leaves end here; the loop in _advance adds one to the position.
        while run.scopes and not run.position < run.scopes[-1][0]:
            _, run.control, run.pick = run.scopes.pop()
        run.position = target - 1
        return None

    def _is_idle(self, run: Run, head: int) -> bool:
        """Did the last iteration of a loop change nothing (`events.idle_iterations`)? Without such ones a run
        ends in the same state, so that to repeat them tells nothing new. All registers count in the end."""
        if head not in run.iterations or opens_late(self.thread, head, run.position):
            return False
        before, events = run.iterations[head]
        if any(not _writes_back(run, event) for event in run.events[events:]):
            return False
        names = before.keys() | run.registers.keys()
        if self._live is None:
            self._live = live_names(self.thread, all_registers(self.thread))
        changed = (name for name in names if before.get(name, ZERO) != run.registers.get(name, ZERO))
        return not any(name in self._live[head] for name in changed)


def _writes_back(run: Run, event: tuple[Shape, int | None, int, int]) -> bool:
    """Is an event no write, or that of a read-modify-write which writes what it read?"""
    shape, value, _, _ = event
    if shape.kind is not WRITE:
        return True
    return shape.pair != NO_PAIR and run.events[shape.pair][1] == value


_STEPS: dict[type[Instruction], Callable[[ThreadRunner, Run, Any], list[Run] | None]] = {
    Local: ThreadRunner._local,
    Havoc: ThreadRunner._havoc,
    Assume: ThreadRunner._assume,
    Fence: ThreadRunner._fence,
    Load: ThreadRunner._load,
    Store: ThreadRunner._store,
    StoreExclusive: ThreadRunner._store_exclusive,
    Branch: ThreadRunner._branch,
    IndirectBranch: ThreadRunner._indirect_branch,
}
