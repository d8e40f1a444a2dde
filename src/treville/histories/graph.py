"""The graph of certain edges of one view: reasons, closures, paths and cycles."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from treville.histories.view_graphs import ViewGraph
from treville.records import dataclass
from treville.relations.graphs import components, shortest_cycle, shortest_path, topological
from treville.results import Budget

_NODES_BETWEEN_CHECKS = 2048
# From so many nodes a cycle is looked for.
_STARTS = 200


@dataclass(slots=True)
class Closure:
    """For every node the nodes that must precede it and those that must follow, as bit masks."""

    before: list[int]
    after: list[int]


class EdgeSet:
    """The certain edges of a view; derived ones remember their reason and the round they came in."""

    def __init__(self, view: ViewGraph) -> None:
        self.targets: list[set[int]] = [set() for _ in range(view.nodes)]
        for before, after in view.fixed:
            self.targets[before].add(after)
        self.reasons: dict[tuple[int, int], tuple[str, tuple[int, ...], int]] = {}
        self.changed = True
        self.round = 0

    def add(self, before: int, after: int, reason: str, why: tuple[int, ...]) -> None:
        """A new edge with its reason, unless it is there already."""
        if after not in self.targets[before]:
            self.targets[before].add(after)
            self.reasons[before, after] = (reason, why, self.round)
            self.changed = True

    def derived(self) -> list[tuple[int, int]]:
        """The edges that are not there from the start."""
        return list(self.reasons)

    def reason(self, before: int, after: int) -> tuple[str, tuple[int, ...]]:
        """Why an edge holds; edges from the start are the level's own order."""
        found = self.reasons.get((before, after))
        return (found[0], found[1]) if found else ("order of the level", ())

    def round_of(self, before: int, after: int) -> int:
        """The round in which the edge was derived; -1 for edges from the start."""
        found = self.reasons.get((before, after))
        return found[2] if found else -1

    def path(self, start: int, goal: int, before_round: int) -> list[tuple[int, int]]:
        """The edges of a path that was there before a round; empty when there was none in this view."""
        if start == goal:
            return []

        def earlier(node: int) -> Iterator[int]:
            return (t for t in self.targets[node] if self.round_of(node, t) < before_round)

        return list(pairwise(shortest_path(start, goal, len(self.targets), earlier) or ()))

    def shortest_cycle(self) -> list[int]:
        """A short cycle."""
        return short_cycle(self.targets, _STARTS)


def short_cycle(targets: Sequence[Collection[int]], starts: int) -> list[int]:
    """The shortest cycle through one of the first nodes that are on cycles, so many of them.

    >>> short_cycle([[1], [2], [1, 3], [0, 3]], 5)
    [3]
    """
    parts = (part for part in components(targets) if len(part) > 1 or part[0] in targets[part[0]])
    cyclic = sorted(node for part in parts for node in part)
    found = shortest_cycle(
        cyclic[:starts], len(targets), lambda a, most: shortest_path(a, a, most, targets.__getitem__)
    )
    assert found
    return found


def close(edges: EdgeSet, nodes: int, budget: Budget) -> Closure | None:
    """Ancestors and descendants of every node as bit masks, or None when there is a cycle."""
    order = topological(edges.targets)
    if len(order) < nodes:
        return None
    after, before = [0] * nodes, [0] * nodes
    for number, node in enumerate(reversed(order)):
        if not number % _NODES_BETWEEN_CHECKS:
            budget.check()
        mask = 0
        for target in edges.targets[node]:
            mask |= after[target] | 1 << target
        after[node] = mask
    for node in order:
        mask = before[node] | 1 << node
        for target in edges.targets[node]:
            before[target] |= mask
    return Closure(before, after)
