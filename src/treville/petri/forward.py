"""Forward search: firing sequences into a target, and covers of bounded or accelerated nets.

For monotone nets the initial places without upper end start with "any number" of tokens (infinity), which
stays sound for coverability. For Petri nets, a marking that strictly grows along its own path is
accelerated as by Karp and Miller: the growing places get infinity. When nothing new appears, the markings
found are an inductive cover. A counterexample through infinities is made concrete backwards: the tokens
needed at the end are traced to the start, repeating an accelerated loop as often as they demand.
Other questions are explored marking by marking: completely where the initial set is finite, otherwise from
growing initial markings, which finds counterexamples only.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Generator
from itertools import product

from treville.petri import work
from treville.petri.answers import Cover, Finding, FiringSequence, Markings
from treville.petri.net import UNBOUNDED, Bound, Box, Marking, Net, Problem, Transition
from treville.petri.packing import FieldOverflow, Packing
from treville.records import dataclass
from treville.results.budget import Budget

Method = Generator[None, None, Finding]
Limit = tuple[Bound, ...]

# A concrete counterexample longer than this is not worked out.
_MAX_STEPS = 200_000
# Larger finite initial sets are sampled, not listed.
_MAX_POINTS = 10_000


@dataclass(slots=True)
class _Node:
    """A marking with infinities; `loops` are the accelerations applied when it was reached."""

    limit: Limit
    packed: int
    parent: _Node | None
    transition: int
    loops: tuple[tuple[tuple[int, ...], Limit, Limit], ...]  # (loop, marking before and after raising)


def _leq(a: Limit, b: Limit) -> bool:
    return all(x <= y for x, y in zip(a, b, strict=True))


def _fire(transition: Transition, limit: Limit) -> Limit | None:
    for place, interval in transition.guard.items():
        if limit[place] < interval.low:
            return None
    result = list(limit)
    for place, update in transition.updates.items():
        result[place] = sum(limit[s] for s in update.sources) + update.constant
    return tuple(result)


def forward(problem: Problem, budget: Budget) -> Method:
    """Explore from the initial markings; yields now and then, ends with a `Finding`."""
    if not problem.coverability:
        return (yield from _explicit(problem, budget))
    width = 8
    while True:
        try:
            return (yield from _Covering(problem, Packing(len(problem.net.places), width), budget).run())
        except FieldOverflow:
            width *= 2


class _Covering:
    """The search for a cover; infinity is the largest number of a packed field."""

    def __init__(self, problem: Problem, packing: Packing, budget: Budget) -> None:
        self.problem, self.net, self.packing, self.budget = problem, problem.net, packing, budget
        self.covered: list[int] = []

    def run(self) -> Method:
        initial = self.problem.initial.high
        queue = [(0, 0, _Node(initial, self._packed(initial), None, -1, ()))]
        made = 0
        while queue:
            _, _, node = heapq.heappop(queue)
            if self._is_covered(node.packed):
                yield
                continue
            self._cover(node.packed)
            if (finding := self._reaches_target(node)) is not None:
                return finding
            self.budget.spend(work.LIFTING * len(self.net.transitions))
            for index, transition in enumerate(self.net.transitions):
                fired = _fire(transition, node.limit)
                if fired is not None and not self._is_covered(self._packed(fired)):
                    made += 1
                    successor = self._accelerated(node, index, fired)
                    # Markings with more infinities first: they make most others redundant.
                    queue_key = -sum(1 for n in successor.limit if n == UNBOUNDED)
                    heapq.heappush(queue, (queue_key, made, successor))
            yield
        return Finding(Cover(tuple(self._unpacked(value) for value in self.covered)))

    def _packed(self, limit: Limit) -> int:
        top = self.packing.limit
        if any(top <= n < UNBOUNDED for n in limit):
            raise FieldOverflow
        return self.packing.pack([int(min(n, top)) for n in limit])

    def _unpacked(self, value: int) -> Limit:
        top = self.packing.limit
        return tuple(UNBOUNDED if n == top else n for n in self.packing.unpack(value))

    def _is_covered(self, value: int) -> bool:
        guards = self.packing.guards
        return any(((other | guards) - value) & guards == guards for other in self.covered)

    def _cover(self, value: int) -> None:
        guards = self.packing.guards
        raised = value | guards
        self.covered = [other for other in self.covered if (raised - other) & guards != guards]
        self.covered.append(value)

    def _reaches_target(self, node: _Node) -> Finding | None:
        for target in self.problem.targets:
            if _leq(target.low, node.limit):
                sequence = _concrete(self.problem, node, target.low)
                return Finding(
                    sequence, "" if sequence else "a target is covered, but no short way was found"
                )
        return None

    def _accelerated(self, parent: _Node, index: int, fired: Limit) -> _Node:
        """Raise to infinity what strictly grew since an ancestor and grows again each time."""
        limit, packed, loops = fired, self._packed(fired), []
        steps = [index]
        ancestor: _Node | None = parent
        while ancestor is not None:
            if ancestor.packed != packed and self.packing.leq(ancestor.packed, packed):
                pairs = zip(ancestor.limit, limit, strict=True)
                loop = tuple(reversed(steps))
                grown = {p for p, (a, b) in enumerate(pairs) if a < b < UNBOUNDED}
                kept = grown if self.net.plain else {p for p in grown if _stays(self.net, loop, p)}
                if kept:
                    raised = tuple(UNBOUNDED if p in kept else n for p, n in enumerate(limit))
                    loops.append((loop, limit, raised))
                    limit = raised
                    packed = self._packed(limit)
            steps.append(ancestor.transition)
            ancestor = ancestor.parent
        return _Node(limit, packed, parent, index, tuple(loops))


def _stays(net: Net, loop: tuple[int, ...], place: int) -> bool:
    """True when an extra token in `place` is still there after the loop, whatever transfers it makes.

    Firing is monotone and linear in the tokens added, so each turn of such a loop adds one token more.
    """
    extra = {place}
    for index in loop:
        updates = net.transitions[index].updates
        moved = {p for p, update in updates.items() if extra.intersection(update.sources)}
        extra = {p for p in extra if p not in updates} | moved
    return place in extra


def _demand_before(transition: Transition, demand: list[int], available: Limit) -> list[int]:
    """Tokens within `available` from which firing gives at least `demand`.

    A transferred sum takes what it needs from its sources in turn, as far as they can give.
    """
    before = [0 if p in transition.updates else n for p, n in enumerate(demand)]
    for place, update in transition.updates.items():
        missing = demand[place] - update.constant
        for source in sorted(update.sources, key=lambda s: -available[s]):
            share = int(min(max(missing, 0), available[source]))
            before[source] = max(before[source], share)
            missing -= share
    for place, interval in transition.guard.items():
        before[place] = max(before[place], interval.low)
    return before


def _unwound(net: Net, loop: tuple[int, ...], demand: list[int], limit: Limit) -> list[int]:
    """The demand before one turn of a loop that starts and ends at `limit`."""
    limits = [limit]
    for index in loop[:-1]:
        fired = _fire(net.transitions[index], limits[-1])
        if fired is None:
            raise AssertionError("an accelerated loop can be fired again")
        limits.append(fired)
    for index, available in zip(reversed(loop), reversed(limits), strict=True):
        demand = _demand_before(net.transitions[index], demand, available)
    return demand


def _concrete(problem: Problem, node: _Node, target: Marking) -> FiringSequence | None:
    """A firing sequence from a concrete initial marking to the target, or None when none is worked out."""
    net = problem.net
    demand = list(target)
    steps: list[int] = []
    current = node
    while current.parent is not None:
        for loop, before, after in reversed(current.loops):
            while not _leq(tuple(demand), before):
                if len(steps) > _MAX_STEPS:
                    return None
                demand = _unwound(net, loop, demand, after)
                steps += reversed(loop)
        demand = _demand_before(net.transitions[current.transition], demand, current.parent.limit)
        steps.append(current.transition)
        current = current.parent
    initial = tuple(map(max, problem.initial.low, demand))
    steps.reverse()
    end = _run(net, initial, steps)
    return FiringSequence(initial, tuple(steps)) if end is not None and _leq(target, end) else None


def _run(net: Net, marking: Marking, steps: list[int]) -> Marking | None:
    for index in steps:
        transition = net.transitions[index]
        if not transition.enabled(marking):
            return None
        marking = transition.fire(marking)
    return marking


def _explicit(problem: Problem, budget: Budget) -> Method:
    """Breadth-first over concrete markings; from ever larger initial markings where those are open."""
    starts = _points(problem.initial)
    if starts is not None:
        finding = yield from _breadth_first(problem, starts, None, budget)
        assert finding is not None
        return finding
    extra = 0
    while True:
        start = tuple(
            int(min(low + extra, high))
            for low, high in zip(problem.initial.low, problem.initial.high, strict=True)
        )
        finding = yield from _breadth_first(problem, [start], 4000 * (extra + 1), budget)
        if finding is not None and isinstance(finding.evidence, FiringSequence):
            return finding
        extra = 2 * extra + 1


def _points(box: Box) -> list[Marking] | None:
    """The markings of a box, or None when there are too many to list."""
    count = 1
    for low, high in zip(box.low, box.high, strict=True):
        if high == UNBOUNDED:
            return None
        count *= int(high) - low + 1
        if count > _MAX_POINTS:
            return None
    return list(product(*(range(a, int(b) + 1) for a, b in zip(box.low, box.high, strict=True))))


def _breadth_first(
    problem: Problem, starts: list[Marking], most: int | None, budget: Budget
) -> Generator[None, None, Finding | None]:
    parents: dict[Marking, tuple[int, Marking] | None] = dict.fromkeys(starts)
    queue = deque(starts)
    while queue:
        if most is not None and len(parents) > most:
            return None
        budget.spend(work.FIRING * len(problem.net.transitions))
        marking = queue.popleft()
        if any(target.contains(marking) for target in problem.targets):
            return Finding(_path(parents, marking))
        for index, transition in enumerate(problem.net.transitions):
            if transition.enabled(marking):
                successor = transition.fire(marking)
                if successor not in parents:
                    parents[successor] = (index, marking)
                    queue.append(successor)
        yield
    return Finding(Markings(frozenset(parents)))


def _path(parents: dict[Marking, tuple[int, Marking] | None], marking: Marking) -> FiringSequence:
    steps = []
    while (parent := parents[marking]) is not None:
        steps.append(parent[0])
        marking = parent[1]
    return FiringSequence(marking, tuple(reversed(steps)))
