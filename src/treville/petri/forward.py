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

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from itertools import product

from treville.petri.answers import Cover, Finding, FiringSequence, Markings
from treville.petri.net import UNBOUNDED, Bound, Box, Marking, Net, Problem, Transition

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
    parent: _Node | None
    transition: int
    before: Limit  # what firing gave, before acceleration
    loops: tuple[tuple[tuple[int, ...], Limit], ...]  # (transitions of a loop, marking before it)


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


def forward(problem: Problem) -> Method:
    """Explore from the initial markings; yields now and then, ends with a `Finding`."""
    if problem.coverability:
        return _cover(problem)
    return _explicit(problem)


def _cover(problem: Problem) -> Method:
    net = problem.net
    root = _Node(problem.initial.high, None, -1, problem.initial.high, ())
    covered: list[Limit] = []
    queue = deque([root])
    while queue:
        node = queue.popleft()
        if any(_leq(node.limit, other) for other in covered):
            yield
            continue
        covered = [other for other in covered if not _leq(other, node.limit)]
        covered.append(node.limit)
        for target in problem.targets:
            if _leq(target.low, node.limit):
                sequence = _concrete(problem, node, target.low)
                if sequence is not None:
                    return Finding(sequence)
        for index, transition in enumerate(net.transitions):
            fired = _fire(transition, node.limit)
            if fired is not None and not any(_leq(fired, other) for other in covered):
                queue.append(_accelerated(net, node, index, fired))
        yield
    return Finding(Cover(tuple(covered)))


def _accelerated(net: Net, parent: _Node, index: int, fired: Limit) -> _Node:
    """Raise to infinity what strictly grew since an ancestor; Petri nets only."""
    if not net.plain:
        return _Node(fired, parent, index, fired, ())
    limit, loops = fired, []
    steps = [index]
    ancestor: _Node | None = parent
    while ancestor is not None:
        if ancestor.limit != limit and _leq(ancestor.limit, limit):
            raised = tuple(UNBOUNDED if a < b else b for a, b in zip(ancestor.limit, limit, strict=True))
            if raised != limit:
                loops.append((tuple(reversed(steps)), limit))
                limit = raised
        steps.append(ancestor.transition)
        ancestor = ancestor.parent
    return _Node(limit, parent, index, fired, tuple(loops))


def _demand_before(transition: Transition, demand: list[int]) -> list[int]:
    """The least marking from which firing gives at least `demand` (transitions that shift only)."""
    before = list(demand)
    for place, change in transition.delta.items():
        before[place] = max(0, before[place] - change)
    for place, interval in transition.guard.items():
        before[place] = max(before[place], interval.low)
    return before


def _concrete(problem: Problem, node: _Node, target: Marking) -> FiringSequence | None:
    """A firing sequence from a concrete initial marking to the target, or None when it gets too long."""
    transitions = problem.net.transitions
    if not problem.net.plain:
        return _forward_sequence(problem, node, target)
    demand = list(target)
    steps: list[int] = []
    current: _Node | None = node
    while current is not None and current.transition >= 0:
        for loop, before in reversed(current.loops):
            while not _leq(tuple(demand), before):
                if len(steps) > _MAX_STEPS:
                    return None
                for index in reversed(loop):
                    demand = _demand_before(transitions[index], demand)
                    steps.append(index)
        demand = _demand_before(transitions[current.transition], demand)
        steps.append(current.transition)
        current = current.parent
    initial = tuple(map(max, problem.initial.low, demand))
    return FiringSequence(initial, tuple(reversed(steps)))


def _forward_sequence(problem: Problem, node: _Node, target: Marking) -> FiringSequence | None:
    """With transfers: replay the path from larger and larger initial markings until it covers the target."""
    steps: list[int] = []
    current: _Node | None = node
    while current is not None and current.transition >= 0:
        steps.append(current.transition)
        current = current.parent
    steps.reverse()
    amount = max((1, *target, *(i.low for t in problem.net.transitions for i in t.guard.values())))
    for _ in range(16):
        start = tuple(
            low + amount if high == UNBOUNDED else int(high)
            for low, high in zip(problem.initial.low, problem.initial.high, strict=True)
        )
        if (end := _run(problem.net, start, steps)) is not None and _leq(target, end):
            return FiringSequence(start, tuple(steps))
        amount *= 2
    return None


def _run(net: Net, marking: Marking, steps: list[int]) -> Marking | None:
    for index in steps:
        transition = net.transitions[index]
        if not transition.enabled(marking):
            return None
        marking = transition.fire(marking)
    return marking


def _explicit(problem: Problem) -> Method:
    """Breadth-first over concrete markings; from ever larger initial markings where those are open."""
    starts = _points(problem.initial)
    if starts is not None:
        finding = yield from _breadth_first(problem, starts, None)
        assert finding is not None
        return finding
    extra = 0
    while True:
        start = tuple(
            int(min(low + extra, high))
            for low, high in zip(problem.initial.low, problem.initial.high, strict=True)
        )
        finding = yield from _breadth_first(problem, [start], 4000 * (extra + 1))
        if finding is not None and isinstance(finding.evidence, FiringSequence):
            return finding
        extra = 2 * extra + 1


def _points(box: Box) -> list[Marking] | None:
    """The markings of a box, or None when there are too many to list."""
    count = 1
    for low, high in zip(box.low, box.high, strict=True):
        if high == UNBOUNDED or high - low >= _MAX_POINTS:
            return None
        count *= int(high) - low + 1
        if count > _MAX_POINTS:
            return None
    return list(product(*(range(a, int(b) + 1) for a, b in zip(box.low, box.high, strict=True))))


def _breadth_first(
    problem: Problem, starts: list[Marking], most: int | None
) -> Generator[None, None, Finding | None]:
    parents: dict[Marking, tuple[int, Marking] | None] = dict.fromkeys(starts)
    queue = deque(starts)
    while queue:
        if most is not None and len(parents) > most:
            return None
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
