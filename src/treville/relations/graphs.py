"""Searches through finite graphs, each written once: components, orders, shortest paths, what is reachable.

A graph comes in one of two shapes. *Rows* are bit masks as in a relation: right for few nodes with many
edges, where one operation handles all edges of a node. *Successors* are anything that lists the nodes after
one: right for many nodes with few edges, where a mask for each node would be mostly zeros. Only strong
components exist for both, since what makes each fast is of no use to the other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from treville.relations.sets import EventId

Node = TypeVar("Node", bound=Hashable)

# -- what lies on cycles together -----------------------------------------------------------------------


def strong_components(rows: Sequence[int]) -> Iterator[int]:
    """Rows -> the sets of nodes that lead to each other, each once, those that it leads to first.

    A path is followed, and what it comes back to is merged with all that it went through (P. Purdom, BIT 10,
    1970): one operation on sets for each node, however many edges there are.

    >>> [bin(members) for members in strong_components([0b010, 0b001, 0b011])]
    ['0b11', '0b100']
    """
    done = 0
    for root in range(len(rows)):
        if done >> root & 1:
            continue
        path = [(1 << root, rows[root])]
        on_path = 1 << root
        while path:
            members, following = path.pop()
            following &= ~(done | members)
            if following & on_path & ~members:
                others, theirs = path.pop()
                path.append((others | members, theirs | following))
            elif following:
                path.append((members, following))
                node = following & -following
                path.append((node, rows[node.bit_length() - 1]))
                on_path |= node
            else:
                on_path ^= members
                done |= members
                yield members


def components(successors: Sequence[Iterable[int]]) -> Iterator[list[int]]:
    """Successors -> the lists of nodes that lead to each other, each once, those that it leads to first.

    R. Tarjan, SIAM J. Comput. 1, 1972, without recursion: linear in nodes and edges.

    >>> list(components([[1], [0], [0, 1]]))
    [[1, 0], [2]]
    """
    count = len(successors)
    # The number of each node's visit, from 1, and of the first one that it leads back to. A node that is in
    # no graph leads to all others.
    index, back = [0] * (count + 1), [0] * (count + 1)
    pending: list[int] = []
    path: list[tuple[int, Iterator[int]]] = [(count, iter(range(count)))]
    visited = 0
    while True:
        node, following = path[-1]
        for target in following:
            if not index[target]:
                visited += 1
                index[target] = back[target] = visited
                pending.append(target)
                path.append((target, iter(successors[target])))
                break
            if back[target] < back[node]:
                back[node] = back[target]
        else:
            path.pop()
            if not path:
                return
            if back[node] == index[node]:
                yield _split_off(pending, node, back)
            elif back[node] < back[path[-1][0]]:
                back[path[-1][0]] = back[node]


def _split_off(pending: list[int], first: int, back: list[int]) -> list[int]:
    """Take the nodes from the first one on away; nothing that leads to them leads back any more."""
    member = pending.pop()
    back[member] = len(back)
    members = [member]
    while member != first:
        member = pending.pop()
        back[member] = len(back)
        members.append(member)
    return members


# -- orders ---------------------------------------------------------------------------------------------


def topological(
    successors: Sequence[Collection[int]], take: Callable[[deque[int]], int] = deque.popleft
) -> list[int]:
    """The nodes, each after all that lead to it; those on cycles and behind cycles are missing.

    `take` removes the node that comes next from those that can (A. Kahn, CACM 5, 1962).

    >>> topological([[2], [0], []]), topological([[1], [0, 2], [], [2]])
    ([1, 0, 2], [3])
    """
    waiting = [0] * len(successors)
    for following in successors:
        for target in following:
            waiting[target] += 1
    ready = deque(node for node, count in enumerate(waiting) if not count)
    order = []
    while ready:
        node = take(ready)
        order.append(node)
        for target in successors[node]:
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return order


def successors_first(rows: Sequence[int]) -> list[EventId] | None:
    """The nodes that have successors, each behind those; None if there is a cycle of several nodes.

    Depth first, each node once, whatever the number of edges.

    >>> successors_first([0b100, 0b001, 0b100]), successors_first([0b10, 0b01])
    ([2, 0, 1], None)
    """
    unseen = 0
    for node, row in enumerate(rows):
        if row:
            unseen |= 1 << node
    order: list[EventId] = []
    while unseen:
        path = [EventId((unseen & -unseen).bit_length() - 1)]
        entered = 1 << path[0]
        unseen ^= entered
        while path:
            node = path[-1]
            following = rows[node] & unseen
            if following:
                low = following & -following
                unseen ^= low
                entered |= low
                path.append(EventId(low.bit_length() - 1))
                continue
            entered ^= 1 << node
            if rows[node] & entered:
                return None
            order.append(path.pop())
    return order


def reduced(
    rows: Sequence[int], implied: Sequence[int] | None = None, implying: Sequence[int] | None = None
) -> list[int]:
    """Rows without the edges that two others make up for; rows with a cycle stay as they are.

    With the two sequences nodes may be missing, and an edge is only left out if the node between its ends is
    there whenever they are: `implied[n]` are the nodes that are there whenever n is, `implying[n]` those
    that n is there with.

    >>> reduced([0b110, 0b100, 0])
    [2, 4, 0]
    """
    if successors_first(rows) is None or any(row >> node & 1 for node, row in enumerate(rows)):
        return list(rows)
    kept = []
    for source, row in enumerate(rows):
        left = candidates = row
        while candidates:
            low = candidates & -candidates
            middle = low.bit_length() - 1
            covered = rows[middle] & row
            if implied is not None and implying is not None and not implied[source] >> middle & 1:
                covered &= implying[middle]
            left &= ~covered
            candidates &= ~(covered | low)
        kept.append(left)
    return kept


# -- paths ----------------------------------------------------------------------------------------------


def reachable(starts: Iterable[Node], successors: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """The starts and all nodes that they lead to, in one step or more.

    >>> sorted(reachable([1], lambda n: [3 * n] if n < 9 else [9]))
    [1, 3, 9]
    """
    found = set(starts)
    pending = list(found)
    while pending:
        fresh = set(successors(pending.pop())) - found
        found |= fresh
        pending += fresh
    return found


def shortest_path(
    start: Node, goal: Node, most: int, successors: Callable[[Node], Iterable[Node]]
) -> list[Node] | None:
    """A shortest path with at least one and at most so many steps, both ends included; breadth first.

    `successors` is asked once for each node, so that it may leave out those that it has given before.

    >>> after = [[1, 2], [2], [0]]
    >>> shortest_path(0, 2, 3, after.__getitem__), shortest_path(1, 1, 2, after.__getitem__)
    ([0, 2], None)
    """
    before: dict[Node, Node] = {}
    frontier = [start]
    for _ in range(most):
        following = []
        for node in frontier:
            for target in successors(node):
                if target not in before:
                    before[target] = node
                    if target == goal:
                        return _traced_back(before, start, goal)
                    following.append(target)
        if not following:
            return None
        frontier = following
    return None


def _traced_back(before: dict[Node, Node], start: Node, goal: Node) -> list[Node]:
    path = [goal]
    while True:
        path.append(before[path[-1]])
        if path[-1] == start:
            return path[::-1]


def shortest_cycle(
    starts: Iterable[Node], most: int, path: Callable[[Node, int], list[Node] | None]
) -> list[Node] | None:
    """The nodes in order of a shortest cycle through one of the starts, of at most so many nodes.

    `path` finds a shortest path from a start back to it of at most so many steps: after the first cycle only
    shorter ones are looked for.

    >>> after = [[1], [2], [0, 1]]
    >>> shortest_cycle(range(3), 3, lambda n, most: shortest_path(n, n, most, after.__getitem__))
    [1, 2]
    """
    best = None
    for start in starts:
        found = path(start, most)
        if found is not None:
            best = found[:-1]
            most = len(best) - 1
    return best
