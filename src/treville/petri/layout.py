"""Where the nodes of a drawn net go: layers along the flow of tokens, few crossings within each layer."""

from __future__ import annotations

from collections import deque

from treville.petri.net import Problem

# Nodes: places are 0..P-1, transitions follow.
_SWEEPS = 12


def flow(problem: Problem) -> tuple[list[set[int]], list[set[int]]]:
    """Successors and predecessors of every node: which place feeds which transition and back."""
    net = problem.net
    count = len(net.places)
    after: list[set[int]] = [set() for _ in range(count + len(net.transitions))]
    for index, transition in enumerate(net.transitions):
        node = count + index
        for place in transition.guard:
            after[place].add(node)
        for place, update in transition.updates.items():
            for source in update.sources:
                if source != place:
                    after[source].add(node)
            if update.constant > 0 or (update.sources and update.sources != (place,)):
                after[node].add(place)
            else:
                after[place].add(node)
    before: list[set[int]] = [set() for _ in after]
    for node, successors in enumerate(after):
        for successor in successors:
            before[successor].add(node)
    return after, before


def layers(problem: Problem) -> list[list[int]]:
    """Nodes by their distance from the initially marked places, ordered to cross little."""
    after, before = flow(problem)
    distance = _distances(problem, after)
    rows: list[list[int]] = [[] for _ in range(max(distance, default=0) + 1)]
    for node, layer in enumerate(distance):
        rows[layer].append(node)
    rows = [row for row in rows if row]
    neighbours = [after[n] | before[n] for n in range(len(after))]
    for sweep in range(_SWEEPS):
        _reorder(rows, neighbours, downwards=sweep % 2 == 0)
    return rows


def _distances(problem: Problem, after: list[set[int]]) -> list[int]:
    """Breadth-first distances; what tokens never reach starts again from its first node."""
    marked = [p for p, high in enumerate(problem.initial.high) if high > 0]
    distance = [-1] * len(after)
    for seeds in (marked, *([node] for node in range(len(after)))):
        queue = deque(seed for seed in seeds if distance[seed] < 0)
        for seed in queue:
            distance[seed] = 0
        while queue:
            node = queue.popleft()
            for successor in sorted(after[node]):
                if distance[successor] < 0:
                    distance[successor] = distance[node] + 1
                    queue.append(successor)
    return distance


def _reorder(rows: list[list[int]], neighbours: list[set[int]], *, downwards: bool) -> None:
    """Sort each layer by the mean relative position of its neighbours in the layers already placed."""
    position = {node: (i + 0.5) / len(row) for row in rows for i, node in enumerate(row)}
    for row in rows if downwards else reversed(rows):
        members = set(row)
        weight = {}
        for node in row:
            others = [position[m] for m in neighbours[node] if m not in members]
            weight[node] = sum(others) / len(others) if others else position[node]
        row.sort(key=lambda node: (weight[node], node))
        for index, node in enumerate(row):
            position[node] = (index + 0.5) / len(row)
