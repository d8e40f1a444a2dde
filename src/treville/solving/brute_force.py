"""The oracle: every execution of a small test by definition, judged by the relation algebra. Slow on purpose.

It takes nothing from the engines that it checks: threads are run by its own interpreter, every read may take
any write of the right address and value, every permutation of a location's writes is tried, and the model is
evaluated by `models.evaluate`. Tests compare its states and numbers of executions with the engines'.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import permutations, product

from treville.events.execution import INIT_THREAD, Event, Execution
from treville.models.evaluate import evaluate
from treville.models.model import Model
from treville.programs import ir
from treville.programs.litmus.states import FinalValue, satisfied
from treville.programs.litmus.test import ArrayOf, CellOf, LitmusTest, Observable
from treville.programs.operators import OPERATORS, wrap
from treville.relations import Relation, mask_of
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

    kind: str
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


class Oracle:
    """All executions of one test under one model."""

    def __init__(self, test: LitmusTest, model: Model, bound: int = 2, budget: Budget | None = None) -> None:
        self.test, self.model, self.bound = test, model, bound
        self.budget = budget or Budget()
        self.cells = {
            location.address + i * location.cell_bytes: value
            for location in test.program.locations.values()
            for i, value in enumerate(location.initial)
        }

    # -- running threads ---------------------------------------------------------------------------

    def runs(self) -> list[list[State]]:
        """Every run of every thread with values that some write can have produced."""
        pool = {address: {value} for address, value in self.cells.items()}
        threads = self.test.program.threads
        rounds = sum(isinstance(i, (ir.Store, ir.StoreExclusive)) for t in threads for i in t.instructions)
        for _ in range(rounds * self.bound + 1):
            found = [list(self._finish(thread, self._start(thread), pool)) for thread in threads]
            before = {address: set(values) for address, values in pool.items()}
            for step in (s for runs in found for run in runs for s in run.steps):
                if step.kind == "W":
                    pool[step.address or 0].add(step.value or 0)
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
            yield self._add(after, state, code, "F", address, None, tags=code.tags)
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
        self, after: State, state: State, code: ir.Instruction, kind: str, address: Content,
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
            done = self._add(after, state, code, "R", address, None, code.tags, number=number)
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
            yield self._add(after, state, code, "W", address, value, code.tags, partner, number=number)

    def _store_exclusive(self, code: ir.StoreExclusive, state: State, after: State) -> Iterator[State]:
        address, value = value_of(code.address, state.registers), value_of(code.value, state.registers)
        after = replace(after, reserved=None)
        yield after.put(code.status, Content(code.failure))
        if state.reserved is None or state.reserved[1:] != (address.number, code.bits):
            return
        load = state.reserved[0]
        number = wrap(value.number, code.bits)
        done = self._add(after, state, code, "W", address, value, code.tags, load, True, number)
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

    # -- executions ---------------------------------------------------------------------------------

    def executions(self) -> Iterator[Execution]:
        """Every consistent execution."""
        for runs in product(*self.runs()):
            for execution in self._candidates(runs):
                self.budget.check()
                if not evaluate(
                    self.model, len(execution.events), execution.sets, execution.relations
                ).violated:
                    yield execution

    def outcomes(self) -> dict[tuple[FinalValue, ...], int]:
        """Final states with their numbers of consistent executions."""
        out: dict[tuple[FinalValue, ...], int] = {}
        for execution in self.executions():
            out[execution.final] = out.get(execution.final, 0) + 1
        return out

    def _candidates(self, runs: tuple[State, ...]) -> Iterator[Execution]:
        events, steps = self._events(runs)
        static = _static_relations(events, steps)
        sets = _sets(events)
        reads = [e for e in events if e.kind == "R"]
        options = [
            [w.number for w in events if w.kind == "W" and (w.address, w.value) == (r.address, r.value)]
            for r in reads
        ]
        n = len(events)
        derived = Relation.of(n, [(r, e) for e, step in steps.items() for r in step[1] if r != e])
        for sources in product(*options):
            rf = Relation.of(n, [(w, r.number) for w, r in zip(sources, reads, strict=True)])
            if not (rf | derived).is_acyclic():
                continue
            for co in _coherence_orders(events):
                final = self._final(runs, events, co)
                if self.test.filter is not None and not satisfied(self.test.filter, final):
                    continue
                relations = {**static, "rf": rf, "co": co, "fr": rf.inverse() @ co}
                last = self._observed_writes(events) & ~co.domain()
                yield Execution(
                    events, {**sets, "FW": last}, relations, tuple(final(o) for o in self.test.observed)
                )

    def _events(self, runs: tuple[State, ...]) -> tuple[list[Event], dict[int, tuple[Step, list[int], int]]]:
        used = sorted({s.address for run in runs for s in run.steps if s.address is not None})
        events = [
            Event(i, INIT_THREAD, "W", frozenset({"IW"}), a, self.cells.get(a, 0)) for i, a in enumerate(used)
        ]
        steps: dict[int, tuple[Step, list[int], int]] = {}
        for thread, run in enumerate(runs):
            start = len(events)
            for step in run.steps:
                number = len(events)
                steps[number] = (step, [start + r for r in step.came_from], start)
                events.append(Event(number, thread, step.kind, step.tags, step.address, step.value))
        return events, steps

    def _observed_writes(self, events: list[Event]) -> int:
        watched = {o.address for o in self.test.observed if isinstance(o, CellOf)}
        watched |= {a for o in self.test.observed if isinstance(o, ArrayOf) for a in o.addresses}
        return mask_of(e.number for e in events if e.kind == "W" and e.address in watched)

    def _final(self, runs: tuple[State, ...], events: list[Event], co: Relation):  # type: ignore[no-untyped-def]
        memory = dict(self.cells)
        for event in events:
            if event.kind == "W" and not co.rows[event.number]:
                memory[event.address or 0] = event.value or 0

        def final(observable: Observable) -> FinalValue:
            if isinstance(observable, CellOf):
                return memory.get(observable.address, 0)
            if isinstance(observable, ArrayOf):
                return tuple(memory.get(address, 0) for address in observable.addresses)
            return runs[observable.thread].registers.get(observable.register, Content()).number

        return final


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


def _sets(events: list[Event]) -> dict[str, int]:
    out = {kind: mask_of(e.number for e in events if e.kind == kind) for kind in ("R", "W", "F")}
    out["M"] = out["R"] | out["W"]
    for tag in {tag for e in events for tag in e.tags}:
        out[tag] = mask_of(e.number for e in events if tag in e.tags)
    return out


def _static_relations(
    events: list[Event], steps: dict[int, tuple[Step, list[int], int]]
) -> dict[str, Relation]:
    n = len(events)

    def relation(holds) -> Relation:  # type: ignore[no-untyped-def]
        return Relation.of(n, [(a.number, b.number) for a in events for b in events if holds(a, b)])

    def same_thread(a: Event, b: Event) -> bool:
        return a.number == b.number if a.thread == INIT_THREAD else a.thread == b.thread

    def same_instruction(a: Event, b: Event) -> bool:
        if a.thread == INIT_THREAD:
            return a.number == b.number
        return same_thread(a, b) and steps[a.number][0].instance == steps[b.number][0].instance

    def in_order(a: Event, b: Event) -> bool:
        if a.thread == INIT_THREAD or not same_thread(a, b) or a.number >= b.number:
            return False
        one, two = steps[a.number][0], steps[b.number][0]
        unordered = two.parallel and one.instance == two.instance
        return not unordered or (two.partner is not None and steps[b.number][2] + two.partner == a.number)

    def dependency(reads) -> Relation:  # type: ignore[no-untyped-def]
        return Relation.of(n, [(start + r, e) for e, (step, _, start) in steps.items() for r in reads(step)])

    def partners(wanted) -> Relation:  # type: ignore[no-untyped-def]
        return Relation.of(
            n,
            [
                (start + s.partner, e)
                for e, (s, _, start) in steps.items()
                if s.partner is not None and wanted(s)
            ],
        )

    return {
        "po": relation(in_order),
        "int": relation(same_thread),
        "ext": relation(lambda a, b: not same_thread(a, b)),
        "loc": relation(lambda a, b: a.address is not None and a.address == b.address),
        "si": relation(same_instruction),
        "addr": dependency(lambda s: s.addr.data),
        "data": dependency(lambda s: s.data.data),
        "ctrl": dependency(lambda s: s.ctrl),
        "pick-addr": dependency(lambda s: s.addr.pick),
        "pick-data": dependency(lambda s: s.data.pick),
        "pick-ctrl": dependency(lambda s: s.pick_ctrl),
        "rmw": partners(lambda _: True),
        "lxsx": partners(lambda s: s.exclusive),
        "amo": partners(lambda s: not s.exclusive),
    }


def _coherence_orders(events: list[Event]) -> Iterator[Relation]:
    """Every choice of a total order of the writes of each location, the initial one first."""
    by_address: dict[int, list[int]] = {}
    for event in events:
        if event.kind == "W":
            by_address.setdefault(event.address or 0, []).append(event.number)
    options = [[(first, *rest) for rest in permutations(others)] for first, *others in by_address.values()]
    for orders in product(*options):
        pairs = [(o[i], o[j]) for o in orders for i in range(len(o)) for j in range(i + 1, len(o))]
        yield Relation.of(len(events), pairs)
