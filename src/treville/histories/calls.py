"""Linearizability of any sequential object, key by key: which order of the calls could the object have run?

Calls and returns are replayed in time. A *configuration* is a state of the object with the pending operations
that took effect already; when an operation returns, others that are pending may take effect before it, in
every order that the object allows (G. Lowe: Testing for linearizability, CCPE 29, 2017). A pending operation
that changes nothing takes effect as soon as its result fits: that cannot hurt. Operations that never returned
may take effect at any later time or never. The order that is found is replayed by a judge of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from treville.histories.history import History, Operation, Status, show_value
from treville.histories.objects import OBJECTS
from treville.histories.objects.specification import SequentialObject, State
from treville.records import dataclass, replace
from treville.results import Budget, BudgetExceeded

_CONFIGURATIONS_BETWEEN_CHECKS = 256
_MOST_STATES_SHOWN = 5

Link = tuple[int, "Link"] | None
Configuration = tuple[State, frozenset[int]]


@dataclass(frozen=True)
class Stuck:
    """Why a key has no order: what happened since its state was certain, and what fits nowhere."""

    key: str
    positions: tuple[int, ...]
    state: State
    last: int
    states: tuple[State, ...]


def linearise(history: History, budget: Budget) -> tuple[int, ...] | Stuck:
    """The positions of the operations that took effect, in a possible order; or the key that has none."""
    times = _Times.of(history)
    shortened = times.shortened()
    if shortened is not None:
        found = _all_keys(history, shortened, budget)
        if shortened is times or not isinstance(found, Stuck):
            return found
    found = _all_keys(history, times, budget)
    if isinstance(found, Stuck):
        return found
    raise BudgetExceeded("operations of a process overlap, so that keys cannot be looked at one by one")


@dataclass
class _Times:
    """When operations began and ended; those that did not happen or say nothing are left out."""

    positions: list[int]
    processes: dict[str, list[int]]
    starts: dict[int, float]
    ends: dict[int, float]

    @staticmethod
    def of(history: History) -> _Times:
        read_only = OBJECTS[history.object_type].read_only
        times = _Times([], {}, {}, {})
        for position, operation in enumerate(history.operations):
            silent = operation.status is Status.INFO and operation.function in read_only
            if operation.status is not Status.FAIL and not silent:
                times.positions.append(position)
                times.processes.setdefault(operation.process, []).append(position)
                times.starts[position] = operation.start or 0.0
                times.ends[position] = math.inf if operation.end is None else operation.end
        for own in times.processes.values():
            own.sort(key=times.starts.__getitem__)
        return times

    def shortened(self) -> _Times | None:
        """The same with the order of each process as a part of real time (see `clusters.linearised`)."""
        ends = dict(self.ends)
        for own in self.processes.values():
            for earlier, later in pairwise(own):
                if ends[earlier] >= self.starts[later]:
                    ends[earlier] = math.nextafter(self.starts[later], -math.inf)
                    if ends[earlier] < self.starts[earlier]:
                        return None
        return self if ends == self.ends else replace(self, ends=ends)


def _all_keys(history: History, times: _Times, budget: Budget) -> tuple[int, ...] | Stuck:
    by_key: dict[str, list[int]] = {}
    for position in times.positions:
        by_key.setdefault(history.operations[position].key, []).append(position)
    point: dict[int, float] = {}
    for key, positions in by_key.items():
        found = _Key(history, key, times, budget).order(positions)
        if isinstance(found, Stuck):
            return found
        now = -math.inf
        for position in found:
            now = point[position] = max(now, times.starts[position])
    return tuple(sorted(point, key=point.__getitem__))


class _Key:
    """The replay of one key."""

    def __init__(self, history: History, key: str, times: _Times, budget: Budget) -> None:
        self.operations, self.key, self.times, self.budget = history.operations, key, times, budget
        self.object: SequentialObject = OBJECTS[history.object_type]
        self.initial = self.object.start(history.initial_value(key))
        self.pending: dict[int, None] = {}
        self.current: dict[Configuration, Link] = {(self.initial, frozenset()): None}
        self.made = 0

    def order(self, positions: list[int]) -> list[int] | Stuck:
        """The operations in the order in which they took effect."""
        moments = [(self.times.starts[p], 0, p) for p in positions]
        # An operation that ends when another starts is not before it, so starts come first.
        moments += [(self.times.ends[p], 1, p) for p in positions if self.times.ends[p] < math.inf]
        certain, since = self.initial, list[int]()
        for _, returns, position in sorted(moments):
            if not returns:
                self.pending[position] = None
                since.append(position)
                self.current = self._absorbed(self.current)
                continue
            before = self.current
            self.current = self._after(position)
            del self.pending[position]
            if not self.current:
                states = tuple(dict.fromkeys(state for state, _ in before))
                return Stuck(self.key, tuple(since), certain, position, states)
            state, done = next(iter(self.current))
            if len(self.current) == 1 and not done:
                certain, since = state, list(self.pending)
        return _unrolled(next(iter(self.current.values())))

    def _after(self, returning: int) -> dict[Configuration, Link]:
        """The configurations in which the returning operation has taken effect, which is forgotten then."""
        found: dict[Configuration, Link] = {}
        seen = set(self.current)
        todo = list(self.current.items())
        while todo:
            (state, done), link = todo.pop()
            if returning in done:
                found.setdefault((state, done - {returning}), link)
                continue
            for position in self.pending:
                operation = self.operations[position]
                if position in done or (operation.function in self.object.read_only):
                    continue
                stepped = self.object.step(state, operation)
                if stepped is None:
                    continue
                self._count()
                made = self._absorb(stepped[0], done | {position}, (position, link))
                if made[0] not in seen:
                    seen.add(made[0])
                    todo.append(made)
        return found

    def _absorbed(self, configurations: dict[Configuration, Link]) -> dict[Configuration, Link]:
        return dict(self._absorb(state, done, link) for (state, done), link in configurations.items())

    def _absorb(self, state: State, done: frozenset[int], link: Link) -> tuple[Configuration, Link]:
        """Let everything pending that changes nothing take effect, where its result fits the state."""
        for position in self.pending:
            operation = self.operations[position]
            fits = operation.function in self.object.read_only and position not in done
            if fits and self.object.step(state, operation) is not None:
                done, link = done | {position}, (position, link)
        return (state, done), link

    def _count(self) -> None:
        self.made += 1
        if not self.made % _CONFIGURATIONS_BETWEEN_CHECKS:
            self.budget.check()


def _unrolled(link: Link) -> list[int]:
    found = []
    while link is not None:
        position, link = link
        found.append(position)
    return found[::-1]


# -- the judge and the reason ----------------------------------------------------------------------------


def wrong_order(history: History, order: Sequence[int]) -> str:
    """What is wrong with an order of operations as evidence of linearizability; empty when fine."""
    specification = OBJECTS[history.object_type]
    if len(set(order)) < len(order):
        return "an operation takes effect twice"
    missing = set(range(len(history.operations))) - set(order)
    if any(history.operations[p].status is Status.OK for p in missing):
        return "an operation that happened is missing"
    latest, begun = -math.inf, dict[str, float]()
    states: dict[str, State] = {}
    for position in order:
        operation = history.operations[position]
        start, end = operation.start or 0.0, math.inf if operation.end is None else operation.end
        if operation.status is Status.FAIL or end < latest:
            return f"{operation} takes effect when it cannot"
        if start < begun.get(operation.process, -math.inf):
            return f"{operation} takes effect after what its process did later"
        latest, begun[operation.process] = max(latest, start), start
        state = states.get(operation.key, specification.start(history.initial_value(operation.key)))
        after = specification.step(state, operation)
        if after is None:
            return f"{operation} cannot have this result"
        states[operation.key] = after[0]
    return ""


def stuck_part(history: History, stuck: Stuck) -> tuple[History, tuple[str, ...]]:
    """What happened since the key's state was certain as a history of its own, and the reason in words."""
    show = OBJECTS[history.object_type].show
    part = history.restricted(stuck.positions)
    initial = {**history.initial, stuck.key: show(stuck.state)}
    # What had not returned by then may still do anything.
    end = history.operations[stuck.last].end
    assert end is not None
    operations = tuple(_until(operation, end) for operation in part.operations)
    states = ", ".join(show_value(show(state)) for state in _first(stuck.states))
    last = history.operations[stuck.last]
    return replace(part, operations=operations, initial=initial), (
        f"Before these operations {stuck.key} is certainly {show_value(show(stuck.state))}.",
        f"When {last.process}:{last} returns, {stuck.key} can only have been {states},"
        " and no order of what is pending gives that result.",
    )


def _until(operation: Operation, end: float) -> Operation:
    if operation.end is None or operation.end <= end:
        return operation
    return replace(operation, end=None, status=Status.INFO)


def _first(states: Iterable[State]) -> list[State]:
    return list(states)[:_MOST_STATES_SHOWN]
