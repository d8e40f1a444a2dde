"""Backward reachability (function BWD of paper 002, section 4): unsafe cubes back to the initial states.

Small general cubes come first, because they cover many others; every fourth time the oldest has its turn,
so that short counterexamples are found among infinitely many small cubes.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

from treville.parameterised.backward.frontier import Growing
from treville.parameterised.backward.initial import Initial
from treville.parameterised.backward.instances import arrangements, put_in
from treville.parameterised.backward.preimage import Preimage
from treville.parameterised.backward.subsumption import Visited
from treville.parameterised.logic.cube import Node, compact, without
from treville.parameterised.logic.theory import Theory
from treville.parameterised.system import NAMED, Cube, Property, System
from treville.records import dataclass, field, replace
from treville.results import Budget

_MOST_REMEMBERED = 4_000

Progress = Callable[["Search"], None]
# Proposes a cube that covers the given one, or nothing.
Approximate = Callable[[Node], Node | None]


class NodesExceeded(Exception):
    """A search with a bound on its cubes has visited that many."""


class GuessRefuted(Exception):
    """A guess of this search turned out to be wrong."""

    def __init__(self, guess: Node) -> None:
        super().__init__()
        self.guess = guess


@dataclass(slots=True)
class Search:
    """The state of one search; `run` ends with a node that meets the initial states, or None."""

    system: System
    theory: Theory
    initial: Initial
    preimage: Preimage
    visited: Visited
    budget: Budget
    approximate: Approximate | None = None
    review: Callable[[], Node | None] | None = None
    progress: Progress | None = None
    queue: list[tuple[tuple[int, ...], int, Node]] = field(default_factory=list)
    shallow: list[tuple[tuple[int, ...], int, Node]] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    popped: int = 0
    explored: list[Node] = field(default_factory=list)
    covered: int = 0
    reduce: bool = True
    reductions: int = 0
    deepest: int = 0
    pushed: int = 0
    seen: set[object] = field(default_factory=set)
    predecessors: dict[object, list[Node]] = field(default_factory=dict)

    def push(self, node: Node) -> Node | None:
        """Queue a cube unless it was seen; the cube itself when it meets the initial states."""
        key = (node.literals, node.frontier)
        if key in self.seen:
            self.covered += 1
            return None
        self.seen.add(key)
        if self.initial.excludes(node.processes):
            return None
        if self.initial.meets(node):
            return node
        self.pushed += 1
        size = (node.processes, len(node.frontier.after), len(node.literals), node.depth)
        heapq.heappush(self.queue, (size, self.pushed, node))
        heapq.heappush(self.shallow, ((node.depth, *size[:3]), self.pushed, node))
        return None

    def pop(self) -> Node:
        """The smallest cube, every fourth time the one closest to the unsafe states."""
        self.popped += 1
        while True:
            _, number, node = heapq.heappop(self.shallow if self.popped % 4 == 0 else self.queue)
            if number not in self.taken:
                self.taken.add(number)
                return node

    def run(self, roots: list[Node], most: int | None = None) -> Node | None:
        """Search until a cube meets the initial states (returned) or all are covered (None).

        Raises `NodesExceeded` when more than `most` cubes are visited, `GuessRefuted` for a wrong guess.
        """
        for root in roots:
            if (found := self.push(root)) is not None:
                return found
        while len(self.taken) < self.pushed:
            self.budget.check()
            node = self.pop()
            if self.visited.covers(node) is not None:
                self.covered += 1
                continue
            if most is not None and len(self.explored) >= most:
                raise NodesExceeded
            node = self._generalised(node) or self._reduced(node)
            self._visit(node)
            if self.review is not None and (wrong := self.review()) is not None:
                raise GuessRefuted(wrong)
            for child in self._children(node):
                self.budget.check()
                if (found := self.push(child)) is not None:
                    return found
        return None

    def _children(self, node: Node) -> Iterator[Node]:
        """The predecessors of a cube; those that an earlier search asked for are known."""
        key = (node.literals, node.frontier, node.processes)
        known = self.predecessors.get(key)
        if known is not None:
            for child in known:
                yield replace(
                    child, parent=node, depth=node.depth + 1, property_name=node.property_name, number=0
                )
            return
        found = []
        for child in self.preimage.of(node):
            found.append(replace(child, parent=None))
            yield child
        if len(self.predecessors) < _MOST_REMEMBERED:
            self.predecessors[key] = found

    def _visit(self, node: Node) -> None:
        node.number = len(self.explored) + 1
        self.explored.append(node)
        self.visited.add(node)
        self.deepest = max(self.deepest, node.depth)
        if self.progress is not None:
            self.progress(self)

    def _reduced(self, node: Node) -> Node:
        """The cube without literals that the visited cubes make superfluous."""
        if not self.reduce:
            return node
        while (literal := self.visited.superfluous(node)) is not None:
            node = without(node, literal, self.system.processes if self.system.named else 0)
            self.reductions += 1
        return node

    def _generalised(self, node: Node) -> Node | None:
        """A guess that covers the cube. It is taken as it is, so that it can be refused as it is."""
        return self.approximate(node) if self.approximate is not None else None


def new_search(
    system: System,
    theory: Theory,
    assumptions: tuple[Property, ...],
    budget: Budget,
    before: Search | None = None,
) -> Search:
    """A search with nothing visited; assumptions count as visited. Uses what the one before worked out."""
    visited = Visited(theory, named=system.named)
    for assumption in assumptions:
        for node in roots_of(system, theory, assumption):
            visited.add(node)
    initial = Initial(system, theory, assumptions)
    made = Search(system, theory, initial, Preimage(system, theory), visited, budget)
    if before is not None:
        made.preimage, made.predecessors = before.preimage, before.predecessors
    return made


def roots_of(system: System, theory: Theory, unsafe: Property) -> list[Node]:
    """The cubes of a property: one, or one for every choice of named processes."""
    named = {NAMED + i: i for i in range(system.processes)} if system.named else {}
    if system.named:
        places = list(arrangements(range(system.processes), unsafe.parameters))
    else:
        places = [tuple(range(unsafe.parameters))]
    found: list[Node] = []
    for place in places:
        for cube in put_in((unsafe.cube,), {**named, **dict(enumerate(place))}):
            node = _root(system, theory, unsafe, cube)
            if node is not None and all(node.literals != other.literals for other in found):
                found.append(node)
    return found


def _root(system: System, theory: Theory, unsafe: Property, cube: Cube) -> Node | None:
    literals = theory.normal(cube)
    if literals is None:
        return None
    everyone = system.processes if system.named else 0
    growing = Growing(Node(literals, 0).frontier, max(unsafe.parameters, everyone))
    readers = {t[2] for lit in literals for t in lit[1:] if isinstance(t, tuple) and t and t[0] == "r"}
    readers |= {t[2] for lit in literals if lit[0] == "L" for t, _ in lit[2] if t[0] == "r"}
    if readers:
        growing.new_event(0)
        for reader in readers:
            growing.reads[reader] = 1
    small, processes, frontier, order = compact(literals, growing, all_processes=everyone)
    if not system.named:
        # An unsafe clause needs all of its processes, whether it says something about them or not.
        processes = max(processes, unsafe.parameters)
        frontier = frontier._replace(
            reads=frontier.reads + (0,) * (processes - len(frontier.reads)) if frontier.after else (),
            writes=frontier.writes + (0,) * (processes - len(frontier.writes)) if frontier.after else (),
        )
    return Node(small, processes, frontier, None, None, order, 0, unsafe.name, key=unsafe)
