"""Events and an architecture -> which pairs in program order it keeps, without the redundant ones.

Algorithm 4 of paper 000 (section 5.4). A pair is redundant if a path of kept pairs leads from its first to
its second event in every execution that has both. Events between them may be guarded: each path has a *cube*,
the conditions under which all its inner events are executed, and a pair is redundant if its own guards imply
the disjunction of the cubes. `Preserved` answers what the algorithm calls `not relax`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from treville.analysis.facts import Facts
from treville.encoding.architectures import CONTROL_FENCE, Architecture, Dependencies, ThinAir
from treville.encoding.base_relations import MemoryEncoding
from treville.events.kinds import WRITE, EventKind
from treville.events.symbolic_terms import Both, Condition
from treville.formulas.formula import FALSE, TRUE, Literal
from treville.records import NamedTuple
from treville.relations import EventId, all_events, elements

Cube = frozenset[Condition]
NO_CONDITION: Cube = frozenset()
# More paths than this are not looked at: a redundant constraint does no harm.
MOST_CUBES = 8
ALWAYS_ORDERED = frozenset({"WW", "RW"})

# The literal of a pair in program order being kept, given that both events are executed.
Kept = Callable[[EventId, EventId], Literal]


class OrderedPair(NamedTuple):
    """Two events of one thread that stay in order if the literal holds and both are executed."""

    first: EventId
    second: EventId
    kept: Literal


class Preserved:
    """When does an architecture keep a pair in program order?"""

    def __init__(self, memory: MemoryEncoding, architecture: Architecture) -> None:
        self.memory = memory
        self.facts = memory.facts
        self.architecture = architecture
        self.direction = directions(self.facts)
        self.locked = 0
        for tag in architecture.locked:
            self.locked |= self.facts.sets[tag].may if tag in self.facts.sets else 0
        self._paths: dict[tuple[Dependencies, EventId], dict[EventId, Literal]] = {}

    def consensus(self, first: EventId, second: EventId) -> Literal:
        """The literal that the pair is part of the global order."""
        architecture = self.architecture
        pair = self.direction[first] + self.direction[second]
        if pair in architecture.preserved:
            return TRUE
        if pair == "WR" and (self.locked >> first & 1 or self.locked >> second & 1):
            return TRUE
        literals = []
        if pair in ALWAYS_ORDERED or pair in architecture.same_location:
            literals.append(self.same_location(first, second))
        if architecture.depends:
            literals.append(self.depends(architecture.depends, first, second))
        return self.memory.formula.any_of([literal] for literal in literals)

    def coherence(self, first: EventId, second: EventId) -> Literal:
        """The literal that the pair is part of the order of each location."""
        if self.architecture.hazards and self.direction[first] + self.direction[second] == "RR":
            return FALSE
        return self.same_location(first, second)

    def same_location(self, first: EventId, second: EventId) -> Literal:
        """The literal that two accesses have the same address."""
        location = self.facts.relations["loc"]
        if location.must.rows[first] >> second & 1:
            return TRUE
        if not location.may.rows[first] >> second & 1:
            return FALSE
        return self.memory.values.same_address(first, second)

    # -- dependencies ------------------------------------------------------------------------------------

    def dependency(self, name: str, first: EventId, second: EventId) -> Literal:
        """The literal of a pair of `addr`, `data` or `ctrl`."""
        bounds = self.facts.relations[name]
        if bounds.must.rows[first] >> second & 1:
            return TRUE
        if not bounds.may.rows[first] >> second & 1:
            return FALSE
        return self.memory.values.condition(self.facts.conditions[name][first, second])

    def depends(self, dependencies: Dependencies, first: EventId, second: EventId) -> Literal:
        """The literal that a path of dependencies leads from the first event to the second."""
        if self.direction[first] is WRITE or self.direction[second] not in dependencies.ends:
            return FALSE
        carried = self._carried(dependencies, first)
        bodies = [[carried.get(second, FALSE)], [self._step(dependencies.last, first, second)]]
        bodies += [
            [literal, self.memory.executed[between], self._step(dependencies.last, between, second)]
            for between, literal in carried.items()
            if self.facts.relations["po"].may.rows[between] >> second & 1
        ]
        return self.memory.formula.any_of(bodies)

    def _carried(self, dependencies: Dependencies, read: EventId) -> dict[EventId, Literal]:
        """What the steps that go on reach from a read."""
        found = self._paths.get((dependencies, read))
        if found is None:
            found = self._paths[dependencies, read] = {}
            after = self.facts.relations["po"].may.rows
            for event in program_order(self.facts, after[read] & self.facts.sets["M"].may):
                bodies = [[self._step(dependencies.carried, read, event)]]
                bodies += [
                    [literal, self.memory.executed[between], self._step(dependencies.carried, between, event)]
                    for between, literal in found.items()
                    if after[between] >> event & 1
                ]
                literal = self.memory.formula.any_of(bodies)
                if literal != FALSE:
                    found[event] = literal
        return found

    def _step(self, steps: dict[str, frozenset[str]], first: EventId, second: EventId) -> Literal:
        """The literal that one of the steps leads from the first event to the second."""
        found: list[list[Literal]] = []
        pair = self.direction[first] + self.direction[second]
        for name, pairs in steps.items():
            if pair in pairs:
                if name == "ctrlisync":
                    found += self._control_fences(first, second)
                elif name == "po-loc":
                    found.append([self.same_location(first, second)])
                else:
                    found.append([self.dependency(name, first, second)])
        return self.memory.formula.any_of(found)

    def _control_fences(self, first: EventId, second: EventId) -> Iterator[list[Literal]]:
        """A branch on the first event, a control fence after it, and the second event after the fence."""
        facts = self.facts
        fences = facts.sets[CONTROL_FENCE].may if CONTROL_FENCE in facts.sets else 0
        for fence in elements(facts.relations["ctrl"].may.rows[first] & fences):
            if facts.relations["po"].may.rows[fence] >> second & 1:
                yield [self.dependency("ctrl", first, fence), self.memory.executed[fence]]

    def cause(self, thin: ThinAir, first: EventId, second: EventId) -> Literal:
        """The literal that the first event causes the second, fences aside."""
        literals = [self.depends(thin.dependencies, first, second)]
        if self.direction[first] + self.direction[second] in thin.same_location:
            literals.append(self.same_location(first, second))
        return self.memory.formula.any_of([literal] for literal in literals)


def directions(facts: Facts) -> list[EventKind]:
    """R, W or F of every event."""
    events = facts.symbolic.events
    return [events[number].kind if number < len(events) else WRITE for number in range(facts.n)]


def program_order(facts: Facts, events: int) -> list[EventId]:
    """The events of a mask, each after those that precede it in program order."""
    before = facts.relations["po"].may.inverse().rows
    return sorted(elements(events), key=lambda event: (before[event].bit_count(), event))


class Reduction:
    """Algorithm 4: the pairs of a relation inside program order that no other pairs imply."""

    def __init__(self, facts: Facts, kept: Kept) -> None:
        self.facts = facts
        self.kept = kept
        self.before = facts.relations["po"].may.inverse().rows
        self.guards = [self._cube(event) for event in all_events(facts.n)]
        # Companion sets: the events with a path to each event, those whose path needs no condition apart.
        self.sure: dict[EventId, int] = {}
        self.paths: dict[EventId, dict[EventId, set[Cube]]] = {}

    def pairs(self) -> Iterator[OrderedPair]:
        """All pairs that a constraint is needed for."""
        facts = self.facts
        accesses = facts.sets["M"].may & ~facts.sets["IW"].may
        order = program_order(facts, accesses)
        place = {event: index for index, event in enumerate(order)}
        for event in order:
            sure = 0
            paths: dict[EventId, set[Cube]] = {}
            earlier = sorted(elements(self.before[event] & accesses), key=place.__getitem__, reverse=True)
            for first in earlier:
                if sure >> first & 1 or self._implied(first, event, paths.get(first, set())):
                    continue
                literal = self.kept(first, event)
                if literal == FALSE:
                    continue
                yield OrderedPair(first, event, literal)
                if literal == TRUE:
                    sure = self._extend(first, event, sure, paths)
            self.sure[event], self.paths[event] = sure, paths

    def _extend(self, first: EventId, event: EventId, sure: int, paths: dict[EventId, set[Cube]]) -> int:
        """Every path to `first` goes on to the event; those to its companions lead through `first`."""
        sure |= 1 << first
        guard = self.guards[first]
        if guard <= self.guards[event]:
            sure |= self.sure[first]
        for start in elements(self.sure[first] & ~sure):
            sure |= self._add_path(start, event, guard, paths)
        for start, cubes in self.paths[first].items():
            for cube in list(cubes):
                sure |= self._add_path(start, event, cube | guard, paths)
        return sure

    def _add_path(self, start: EventId, event: EventId, cube: Cube, paths: dict[EventId, set[Cube]]) -> int:
        """The mask of the start if the path needs no condition beyond the guards of its two ends. (The
        event's own guard counts for this event only: what follows it adds that guard again.)"""
        cube -= self.guards[start]
        if cube <= self.guards[event]:
            return 1 << start
        known = paths.setdefault(start, set())
        if len(known) < MOST_CUBES and not any(other <= cube for other in known):
            known.add(cube)
        return 0

    def _implied(self, first: EventId, event: EventId, cubes: set[Cube]) -> bool:
        if not cubes:
            return False
        known = self.guards[first] | self.guards[event]
        return tautology([cube - known for cube in cubes])

    def _cube(self, event: EventId) -> Cube:
        """The conditions that the guard of an event is a conjunction of."""
        if event in self.facts.initial_writes or not self.facts.live >> event & 1:
            return NO_CONDITION
        terms, values = self.facts.symbolic.terms, self.facts.values
        parts = terms.conjuncts(self.facts.guard(event))
        return frozenset(
            part
            for part in parts
            if not values.certain(part) and not (part > 0 and isinstance(terms.conditions[part], Both))
        )


def tautology(cubes: list[Cube]) -> bool:
    """Does one of the conjunctions always hold?"""
    if NO_CONDITION in cubes:
        return True
    while True:
        literals = frozenset().union(*cubes)
        # A cube with a literal that no other contradicts fails together with all others of that literal.
        kept = [cube for cube in cubes if all(-literal in literals for literal in cube)]
        if len(kept) == len(cubes):
            break
        cubes = kept
    if not cubes:
        return False
    smallest: Cube = min(cubes, key=len)
    literal = next(iter(smallest))
    return all(
        tautology([cube - {value} for cube in cubes if -value not in cube]) for value in (literal, -literal)
    )
