"""The oracle: every execution of a small test by definition, judged by the relation algebra. Slow on purpose.

It takes nothing from the engines that it checks: threads are run by its own interpreter, every read may take
any write of the right address and value, every permutation of a location's writes is tried, and the model is
evaluated by `models.evaluate`. Tests compare its states and numbers of executions with the engines'.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from tests.brute_force_runs import Content, Interpreter, State, Step

from treville.events.execution import INIT_THREAD, Access, Event, Execution
from treville.events.kinds import READ, WRITE, EventKind
from treville.models.evaluate import evaluate
from treville.models.model import Model
from treville.programs.litmus.states import FinalValue, satisfied
from treville.programs.litmus.test import ArrayOf, CellOf, LitmusTest, Observable
from treville.relations import EventId, Relation, by_event, mask_of
from treville.results import Budget
from treville.results.defaults import BOUND


class Oracle:
    """All executions of one test under one model."""

    def __init__(
        self, test: LitmusTest, model: Model, bound: int = BOUND, budget: Budget | None = None
    ) -> None:
        self.test, self.model = test, model
        self.budget = budget or Budget()
        self.interpreter = Interpreter(test.program, bound, self.budget)
        self.cells = self.interpreter.cells

    def executions(self) -> Iterator[Execution]:
        """Every consistent execution."""
        for runs in product(*self.interpreter.runs()):
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
        reads = [e for e in events if e.kind is READ]
        options = [
            [w.number for w in events if w.kind is WRITE and (w.address, w.value) == (r.address, r.value)]
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
                    tuple(events),
                    {**sets, "FW": last},
                    relations,
                    tuple(final(o) for o in self.test.observed),
                )

    def _events(self, runs: tuple[State, ...]) -> tuple[list[Event], dict[int, tuple[Step, list[int], int]]]:
        used = sorted({s.address for run in runs for s in run.steps if s.address is not None})
        initial = frozenset({"IW"})
        events: list[Event] = [
            Access(i, INIT_THREAD, WRITE, initial, a, self.cells.get(a, 0)) for i, a in by_event(used)
        ]
        steps: dict[int, tuple[Step, list[int], int]] = {}
        for thread, run in enumerate(runs):
            start = len(events)
            for step in run.steps:
                number = EventId(len(events))
                steps[number] = (step, [start + r for r in step.came_from], start)
                if step.address is None or step.value is None:
                    events.append(Event(number, thread, step.kind, step.tags, step.address))
                else:
                    events.append(Access(number, thread, step.kind, step.tags, step.address, step.value))
        return events, steps

    def _observed_writes(self, events: list[Event]) -> int:
        watched = {o.address for o in self.test.observed if isinstance(o, CellOf)}
        watched |= {a for o in self.test.observed if isinstance(o, ArrayOf) for a in o.addresses}
        return mask_of(e.number for e in events if e.kind is WRITE and e.address in watched)

    def _final(self, runs: tuple[State, ...], events: list[Event], co: Relation):  # type: ignore[no-untyped-def]
        memory = dict(self.cells)
        for event in events:
            if isinstance(event, Access) and event.kind is WRITE and not co.rows[event.number]:
                memory[event.address] = event.value

        def final(observable: Observable) -> FinalValue:
            if isinstance(observable, CellOf):
                return memory.get(observable.address, 0)
            if isinstance(observable, ArrayOf):
                return tuple(memory.get(address, 0) for address in observable.addresses)
            return runs[observable.thread].registers.get(observable.register, Content()).number

        return final


def _sets(events: list[Event]) -> dict[str, int]:
    out: dict[str, int] = {kind: mask_of(e.number for e in events if e.kind == kind) for kind in EventKind}
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
        if isinstance(event, Access) and event.kind is WRITE:
            by_address.setdefault(event.address, []).append(event.number)
    options = [[(first, *rest) for rest in permutations(others)] for first, *others in by_address.values()]
    for orders in product(*options):
        pairs = [(o[i], o[j]) for o in orders for i in range(len(o)) for j in range(i + 1, len(o))]
        yield Relation.of(len(events), pairs)
