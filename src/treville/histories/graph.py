"""The graph of certain edges of one view: reasons, closures, paths and cycles."""

from __future__ import annotations

from dataclasses import dataclass

from treville.histories.view_graphs import ViewGraph
from treville.results import Budget

_NODES_BETWEEN_CHECKS = 2048


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
        previous: dict[int, int] = {start: start}
        frontier = [start]
        while frontier and goal not in previous:
            following = []
            for node in frontier:
                for target in self.targets[node]:
                    if target not in previous and self.round_of(node, target) < before_round:
                        previous[target] = node
                        following.append(target)
            frontier = following
        found = []
        while goal in previous and goal != start:
            found.append((previous[goal], goal))
            goal = previous[goal]
        return found[::-1]

    def shortest_cycle(self, nodes: int) -> list[int]:
        """A short cycle: the shortest through some node of a cyclic part."""
        alive = _cyclic_part(self.targets, nodes)
        best: list[int] = []
        for start in alive[:200]:
            found = self._cycle_through(start, len(best) or nodes + 1)
            if found and (not best or len(found) < len(best)):
                best = found
        return best

    def _cycle_through(self, start: int, limit: int) -> list[int]:
        previous: dict[int, int] = {}
        frontier, length = [start], 0
        while frontier and length < limit:
            length += 1
            following = []
            for node in frontier:
                for target in self.targets[node]:
                    if target == start:
                        path = [node]
                        while path[-1] != start:
                            path.append(previous[path[-1]])
                        return path[::-1]
                    if target not in previous:
                        previous[target] = node
                        following.append(target)
            frontier = following
        return []


def _topological(targets: list[set[int]], nodes: int) -> list[int] | None:
    order = _peeled(targets, nodes)
    return order if len(order) == nodes else None


def _cyclic_part(targets: list[set[int]], nodes: int) -> list[int]:
    """Nodes that are left when nodes without predecessors are removed again and again."""
    removed = set(_peeled(targets, nodes))
    return [node for node in range(nodes) if node not in removed]


def _peeled(targets: list[set[int]], nodes: int) -> list[int]:
    """Nodes whose predecessors all come earlier in the list."""
    indegree = [0] * nodes
    for found in targets:
        for target in found:
            indegree[target] += 1
    ready = [node for node in range(nodes) if not indegree[node]]
    for node in ready:
        for target in targets[node]:
            indegree[target] -= 1
            if not indegree[target]:
                ready.append(target)
    return ready


def close(edges: EdgeSet, nodes: int, budget: Budget) -> Closure | None:
    """Ancestors and descendants of every node as bit masks, or None when there is a cycle."""
    order = _topological(edges.targets, nodes)
    if order is None:
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
