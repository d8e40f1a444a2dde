"""The threads of a small test -> every run of each, with values that some write can have produced.

The oracle's own interpreter: it shares nothing with the engines that it checks but the program. A run is a
sequence of steps, each with the earlier steps that its address, its value and its being reached depend on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from treville.events.kinds import FENCE, READ, WRITE, EventKind
from treville.programs import ir
from treville.programs.operators import OPERATORS, wrap
from treville.results import Budget

Reads = frozenset[int]
NONE: Reads = frozenset()


@dataclass(frozen=True)
class Content:
    """A register: its number, and which of the thread's events it depends on, by kind of dependency."""

    number: int = 0
    data: Reads = NONE
    pick: Reads = NONE
    source: Reads = NONE  # without what cancels, as in `r xor r`


@dataclass(frozen=True)
class Step:
    """An event of a run, with dependencies on earlier events of the run (by index)."""

    kind: EventKind
    tags: frozenset[str]
    address: int | None
    value: int | None
    where: int
    instance: tuple[int, int]
    parallel: bool
    addr: Content = Content()
    data: Content = Content()
    ctrl: Reads = NONE
    pick_ctrl: Reads = NONE
    came_from: Reads = NONE
    partner: int | None = None
    exclusive: bool = False


@dataclass(frozen=True)
class State:
    """Where a run stands."""

    at: int = 0
    registers: dict[str, Content] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    control: tuple[tuple[int | None, Reads, Reads], ...] = ()  # (end of scope, data, pick)
    linked: int | None = None
    reserved: tuple[int, int, int] | None = None
    backward: tuple[int, ...] = ()

    def open_control(self) -> tuple[Reads, Reads]:
        """The reads on which the next event is control-dependent, by data and by pick."""
        data: Reads = NONE
        pick: Reads = NONE
        for end, by_data, by_pick in self.control:
            if end is None or self.at < end:
                data |= by_data
                pick |= by_pick
        return data, pick

    def put(self, register: str | None, content: Content) -> State:
        """The state after writing a register."""
        if register is None:
            return self
        return replace(self, registers={**self.registers, register: content})


class Interpreter:
    """Runs the threads of one test; loops are repeated up to the bound."""

    def __init__(self, program: ir.Program, bound: int, budget: Budget) -> None:
        self.program, self.bound, self.budget = program, bound, budget
        self.cells = {
            location.address + i * location.cell_bytes: value
            for location in program.locations.values()
            for i, value in enumerate(location.initial)
        }

    def runs(self) -> list[list[State]]:
        """Every run of every thread with values that some write can have produced."""
        pool = {address: {value} for address, value in self.cells.items()}
        threads = self.program.threads
        rounds = sum(isinstance(i, (ir.Store, ir.StoreExclusive)) for t in threads for i in t.instructions)
        for _ in range(rounds * self.bound + 1):
            found = [list(self._finish(thread, self._start(thread), pool)) for thread in threads]
            before = {address: set(values) for address, values in pool.items()}
            for step in (s for runs in found for run in runs for s in run.steps):
                if step.kind is WRITE and step.address is not None and step.value is not None:
                    pool[step.address].add(step.value)
            if pool == before:
                break
        return found

    def _start(self, thread: ir.Thread) -> State:
        return State(registers={name: Content(value) for name, value in thread.registers.items()})

    def _finish(self, thread: ir.Thread, state: State, pool: dict[int, set[int]]) -> Iterator[State]:
        self.budget.check()
        if state.at >= len(thread.instructions):
            yield state
            return
        for following in self._step(thread, thread.instructions[state.at], state, pool):
            yield from self._finish(thread, following, pool)

    def _step(
        self, thread: ir.Thread, code: ir.Instruction, state: State, pool: dict[int, set[int]]
    ) -> Iterator[State]:
        after = replace(state, at=state.at + 1)
        if isinstance(code, ir.Local):
            yield after.put(code.register, value_of(code.value, state.registers))
        elif isinstance(code, ir.Havoc):
            for number in code.values:
                yield after.put(code.register, Content(number))
        elif isinstance(code, ir.Assume):
            condition = value_of(code.condition, state.registers)
            if condition.number:
                yield after
        elif isinstance(code, ir.Fence):
            address = value_of(code.address, state.registers) if code.address is not None else Content()
            yield self._add(after, state, code, FENCE, address, None, tags=code.tags)
        elif isinstance(code, ir.Load):
            yield from self._load(code, state, after, pool)
        elif isinstance(code, ir.Store):
            yield from self._store(code, state, after)
        elif isinstance(code, ir.StoreExclusive):
            yield from self._store_exclusive(code, state, after)
        elif isinstance(code, ir.Branch):
            yield from self._branch(thread, code, state, after)
        elif isinstance(code, ir.IndirectBranch):
            target = value_of(code.target, state.registers)
            moved = replace(state, control=(*state.control, (None, target.data, target.pick)))
            yield from self._jump(thread, moved, thread.code_addresses[target.number], counted=True)

    def _add(
        self, after: State, state: State, code: ir.Instruction, kind: EventKind, address: Content,
        value: Content | None,
        tags: frozenset[str], partner: int | None = None, exclusive: bool = False, number: int | None = None,
    ) -> State:  # fmt: skip
        control, pick = state.open_control()
        step = Step(
            kind, tags, address.number or None, number, state.at, (code.index, len(state.backward)),
            code.parallel, address, value or Content(), control, pick,
            address.source | (value.source if value else NONE), partner, exclusive,
        )  # fmt: skip
        return replace(after, steps=(*state.steps, step))

    def _load(self, code: ir.Load, state: State, after: State, pool: dict[int, set[int]]) -> Iterator[State]:
        address = value_of(code.address, state.registers)
        here = frozenset({len(state.steps)})
        for number in sorted(pool.get(address.number, ())):
            done = self._add(after, state, code, READ, address, None, code.tags, number=number)
            done = done.put(code.register, Content(number, here, NONE, here))
            if code.link:
                done = replace(done, linked=len(state.steps))
            if code.exclusive:
                done = replace(done, reserved=(len(state.steps), address.number, code.bits))
            yield done

    def _store(self, code: ir.Store, state: State, after: State) -> Iterator[State]:
        address, value = value_of(code.address, state.registers), value_of(code.value, state.registers)
        if code.when is not None:
            condition = value_of(code.when, state.registers)
            if not condition.number:
                yield after
                return
            value = replace(value, pick=value.pick | condition.data | condition.pick)
        if address.number in self.cells:
            number = wrap(value.number, code.bits)
            partner = state.linked if code.link else None
            yield self._add(after, state, code, WRITE, address, value, code.tags, partner, number=number)

    def _store_exclusive(self, code: ir.StoreExclusive, state: State, after: State) -> Iterator[State]:
        address, value = value_of(code.address, state.registers), value_of(code.value, state.registers)
        after = replace(after, reserved=None)
        yield after.put(code.status, Content(code.failure))
        if state.reserved is None or state.reserved[1:] != (address.number, code.bits):
            return
        load = state.reserved[0]
        number = wrap(value.number, code.bits)
        done = self._add(after, state, code, WRITE, address, value, code.tags, load, True, number)
        opened = state.steps[load].addr
        data: Reads = NONE
        pick: Reads = NONE
        if "write" in code.status_depends:
            data |= {len(state.steps)}
        if "address" in code.status_depends:
            data |= address.data | opened.data
            pick |= address.pick | opened.pick
        if "data" in code.status_depends:
            data |= value.data
            pick |= value.pick
        yield done.put(code.status, Content(code.success, data, pick))

    def _branch(self, thread: ir.Thread, code: ir.Branch, state: State, after: State) -> Iterator[State]:
        if code.condition is None:
            yield from self._jump(thread, state, code.target, counted=True)
            return
        condition = value_of(code.condition, state.registers)
        end = thread.labels[code.until] if code.until is not None else None
        control = (*state.control, (end, condition.data, condition.pick))
        if condition.number:
            moved = replace(state, control=control)
            yield from self._jump(thread, moved, code.target, counted=bool(condition.source))
        else:
            yield replace(after, control=control)

    def _jump(self, thread: ir.Thread, state: State, label: str, counted: bool) -> Iterator[State]:
        target = thread.labels[label]
        if target <= state.at:
            # A new pass through a loop starts outside the control scopes inside it.
            kept = tuple(scope for scope in state.control if scope[0] is None or scope[0] > state.at)
            state = replace(state, control=kept)
            if counted:
                if state.backward.count(target) >= self.bound:
                    return
                state = replace(state, backward=(*state.backward, target))
        yield replace(state, at=target)


def value_of(expression: ir.Expr, registers: dict[str, Content]) -> Content:
    """The content that an expression evaluates to."""
    if isinstance(expression, ir.Const):
        return Content(expression.value)
    if isinstance(expression, ir.Reg):
        return registers.get(expression.name, Content())
    if isinstance(expression, ir.Select):
        condition = value_of(expression.condition, registers)
        chosen = value_of(expression.then if condition.number else expression.otherwise, registers)
        pick = chosen.pick | condition.data | condition.pick
        return Content(chosen.number, chosen.data, pick, chosen.source | condition.source)
    args = [value_of(arg, registers) for arg in expression.args]
    number = OPERATORS[expression.name](tuple(a.number for a in args), expression.bits)
    constant = (
        expression.name in ("xor", "sub", "eq", "ne") and expression.args[0] == expression.args[1]
    ) or (expression.name in ("and", "mul") and ir.Const(0) in expression.args)
    return Content(
        number,
        frozenset().union(*(a.data for a in args)),
        frozenset().union(*(a.pick for a in args)),
        NONE if constant else frozenset().union(*(a.source for a in args)),
    )
