"""All programs of one shape, with all their executions, as one formula (Memalloy, POPL 2017).

A shape says how many accesses each thread has, so that program order is known. Everything else is chosen:
which instruction each place holds, its location, fences between places, dependencies, where reads read from
and in which order writes of one location come. `view` shows such a choice to a model.

Symmetric programs are left out: locations are numbered in the order of their first use, and threads of the
same size are sorted by their instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.programs.litmus.writing.program import Role
from treville.questions.comparison.alphabet import Alphabet, Letter
from treville.records import NamedTuple, dataclass

FIRST, SECOND, WHOLE = 0, 1, 2


class Shape(NamedTuple):
    """The numbers of accesses of the threads, and of locations."""

    threads: tuple[int, ...]
    locations: int

    @property
    def events(self) -> int:
        """How many accesses there are."""
        return sum(self.threads)


class Kind(NamedTuple):
    """What a place may hold: a letter, or a half of one."""

    letter: Letter
    part: int

    @property
    def reads(self) -> bool:
        """Does it read?"""
        return self.letter.spelling.role is Role.READ or self.part == FIRST

    @property
    def writes(self) -> bool:
        """Does it write?"""
        return self.letter.spelling.role is Role.WRITE or self.part == SECOND


@dataclass(frozen=True, slots=True)
class Place:
    """A place for an access: its number, its thread, and its neighbours' numbers in the thread."""

    number: int
    thread: int
    first: bool
    last: bool


class Sketch:
    """The literals of what is chosen. Places are numbered through all threads."""

    def __init__(self, shape: Shape, alphabet: Alphabet, coherent: bool) -> None:
        """With `coherent` executions that violate coherence per location are left out: reads of later writes
        of their thread, and coherence against program order."""
        self.formula = Formula()
        self.shape = shape
        self.alphabet = alphabet
        self.coherent = coherent
        self.places = list(_places(shape.threads))
        self.n = len(self.places)
        self.kinds = _kinds(alphabet)
        choice = self.formula.choice
        self.holds: list[list[Literal]] = []
        for place in self.places:
            self.holds.append([self._hold(place, kind, index) for index, kind in enumerate(self.kinds)])
        self.reads = [self._any(row, [kind.reads for kind in self.kinds]) for row in self.holds]
        self.writes = [self._any(row, [kind.writes for kind in self.kinds]) for row in self.holds]
        self.at = [self._locations(place) for place in self.places]
        self.used = [
            self.formula.either([row[location] for row in self.at]) for location in range(shape.locations)
        ]
        self.same = self._same_locations()
        self.fences = {gap: [choice() for _ in alphabet.fences] for gap in self._gaps()}
        self.sources: dict[int, list[tuple[int, Literal]]] = {}  # sources < 0 are initial writes
        self.coherence: dict[tuple[int, int], Literal] = {}
        self.dependencies: dict[str, dict[tuple[int, int], Literal]] = {}
        self.behind: dict[tuple[int, int], Literal] = {}  # control dependencies of fences, by their gap
        self._constrain_places()
        self._choose_sources()
        self._order_writes()
        self._choose_dependencies()
        self._keep_plain_apart()
        self._sort_threads()
        self.last = [self._is_last(number) for number in range(self.n)]

    def _any(self, literals: list[Literal], wanted: list[bool]) -> Literal:
        """One of the literals that are wanted."""
        return self.formula.either([literal for literal, yes in zip(literals, wanted, strict=True) if yes])

    # -- places ------------------------------------------------------------------------------------------

    def _hold(self, place: Place, kind: Kind, index: int) -> Literal:
        """The literal that a place holds a kind. The halves of an exchange are neighbours: one literal."""
        if kind.part == SECOND:
            return FALSE if place.first else self.holds[place.number - 1][index - 1]
        return FALSE if kind.part == FIRST and place.last else self.formula.choice()

    def _gaps(self) -> list[int]:
        """Places with a place after them in their thread."""
        return [place.number for place in self.places if not place.last]

    def later(self, number: int) -> range:
        """The places after a place in its thread."""
        end = number + 1
        while end < self.n and not self.places[end].first:
            end += 1
        return range(number + 1, end)

    def _locations(self, place: Place) -> list[Literal]:
        count = self.shape.locations
        if count == 1:
            return [TRUE]
        return [self.formula.choice() if number <= place.number else FALSE for number in range(count)]

    def _same_locations(self) -> dict[tuple[int, int], Literal]:
        found = {}
        for one in range(self.n):
            for other in range(one):
                bodies = [self.formula.both(a, b) for a, b in zip(self.at[one], self.at[other], strict=True)]
                found[one, other] = found[other, one] = self.formula.either(bodies)
        return found

    def _constrain_places(self) -> None:
        formula = self.formula
        for place in self.places:
            number = place.number
            formula.exactly_one([literal for literal in self.holds[number] if literal != FALSE])
            if self.shape.locations > 1:
                formula.exactly_one([literal for literal in self.at[number] if literal != FALSE])
            self._join_halves(place)
            for location in range(1, self.shape.locations):
                earlier = [self.at[other][location - 1] for other in range(number)]
                formula.require(-self.at[number][location], *earlier)
        for row in self.fences.values():
            formula.at_most_one(row)

    def _join_halves(self, place: Place) -> None:
        """The halves of an exchange are at one location, with nothing in between."""
        if place.last:
            return
        formula, together = self.formula, self.exchanges(place.number)
        formula.forbid(together, -self.same[place.number, place.number + 1])
        for fence in self.fences[place.number]:
            formula.forbid(together, fence)

    def _keep_plain_apart(self) -> None:
        """No location is accessed both atomically and not. Accesses of two threads that are not atomic and
        conflict need a branch before one of them: both could happen at once otherwise."""
        formula, plain = self.formula, [kind.letter.spelling.plain for kind in self.kinds]
        if not any(plain):
            return
        is_plain = [self._any(row, plain) for row in self.holds]
        guarded = [FALSE] * self.n
        for (_, target), literal in self.dependencies["ctrl"].items():
            guarded[target] = formula.either([guarded[target], literal])
        for (one, other), same in self.same.items():
            formula.forbid(same, is_plain[one], -is_plain[other])
            if one < other and self.places[one].thread != self.places[other].thread:
                written = formula.either([self.writes[one], self.writes[other]])
                formula.forbid(same, is_plain[one], written, -guarded[one], -guarded[other])

    def exchanges(self, number: int) -> Literal:
        """The literal that a place and the next one are the halves of an exchange."""
        return self._any(self.holds[number], [kind.part == FIRST for kind in self.kinds])

    # -- reads-from and coherence ------------------------------------------------------------------------

    def _choose_sources(self) -> None:
        formula = self.formula
        for read in range(self.n):
            found: list[tuple[int, Literal]] = []
            for location in range(self.shape.locations):
                if self.at[read][location] != FALSE:
                    literal = formula.choice()
                    formula.forbid(literal, -self.at[read][location])
                    found.append((-1 - location, literal))
            for write in range(self.n):
                if write == read or (self.coherent and write in self.later(read)):
                    continue
                literal = formula.choice()
                formula.forbid(literal, -self.writes[write])
                formula.forbid(literal, -self.same[read, write])
                found.append((write, literal))
            for _, literal in found:
                formula.forbid(literal, -self.reads[read])
            formula.exactly_one([literal for _, literal in found], self.reads[read])
            self.sources[read] = found

    def _order_writes(self) -> None:
        formula = self.formula
        places = formula.vertices(self.n)
        for one in range(self.n):
            for other in range(one + 1, self.n):
                both = formula.both(self.writes[one], self.writes[other], self.same[one, other])
                order = TRUE if self.coherent and other in self.later(one) else formula.choice()
                if order != TRUE:
                    formula.forbid(order, -both)
                self.coherence[one, other] = formula.both(both, order)
                self.coherence[other, one] = formula.both(both, -order)
        for (one, other), literal in self.coherence.items():
            formula.edge(places[one], places[other], literal)

    def _is_last(self, number: int) -> Literal:
        later = [-self.coherence[number, other] for other in range(self.n) if other != number]
        return self.formula.both(self.writes[number], *later)

    # -- dependencies ------------------------------------------------------------------------------------

    def _choose_dependencies(self) -> None:
        self.dependencies = {name: {} for name in ("addr", "data", "ctrl")}
        for name in sorted(self.alphabet.dependencies):
            for read in range(self.n):
                for target in self.later(read):
                    literal = self.formula.choice()
                    self.formula.forbid(literal, -self.reads[read])
                    if name == "data":
                        self.formula.forbid(literal, -self.writes[target])
                    self.dependencies[name][read, target] = literal
        for gap in self._gaps():
            self._keep_exchanges_whole(gap)
        if "ctrl" in self.alphabet.dependencies:
            self._close_control()

    def _keep_exchanges_whole(self, gap: int) -> None:
        """The halves of an exchange have one address and stand behind the same branches, and none depends on
        the other. What they store may depend on something else."""
        formula, together = self.formula, self.exchanges(gap)
        for pairs in self.dependencies.values():
            if pairs:
                formula.forbid(together, pairs[gap, gap + 1])
        for name in ("addr", "ctrl"):
            for (read, target), literal in self.dependencies[name].items():
                if target == gap:
                    formula.equal_where(together, [(literal, self.dependencies[name][read, gap + 1])])

    def _close_control(self) -> None:
        """A branch stands somewhere behind its read, and all that follows depends on it."""
        formula, control = self.formula, self.dependencies["ctrl"]
        for read in range(self.n):
            steps: list[Literal] = []
            for target in self.later(read):
                if self.alphabet.fences:
                    behind = formula.choice()
                    self.behind[read, target - 1] = behind
                    # Where there is no fence the branch does not stand before it.
                    before = steps[-1] if steps else FALSE
                    formula.require(-behind, before, *self.fences[target - 1])
                    steps.append(behind)
                steps.append(control[read, target])
            for earlier, later in pairwise(steps):
                formula.forbid(earlier, -later)
            if steps:
                formula.forbid(steps[0], -self.reads[read])

    # -- symmetries --------------------------------------------------------------------------------------

    def _sort_threads(self) -> None:
        firsts = [place.number for place in self.places if place.first]
        sizes = self.shape.threads
        for thread, (one, other) in enumerate(pairwise(firsts)):
            if sizes[thread] == sizes[thread + 1]:
                self._sort_pair(one, other, sizes[thread])

    def _sort_pair(self, one: int, other: int, size: int) -> None:
        """The instructions of one thread come before those of another, or are the same."""
        formula, equal = self.formula, TRUE
        for step in range(size):
            left, right = self.holds[one + step], self.holds[other + step]
            for index, literal in enumerate(right):
                larger = left[index + 1 :]
                if larger:
                    formula.forbid(equal, literal, formula.either(larger))
            if step + 1 < size:
                same = formula.either([formula.both(a, b) for a, b in zip(left, right, strict=True)])
                equal = formula.both(equal, same)


def _places(threads: tuple[int, ...]) -> Iterator[Place]:
    number = 0
    for thread, size in enumerate(threads):
        for index in range(size):
            yield Place(number, thread, index == 0, index == size - 1)
            number += 1


def _kinds(alphabet: Alphabet) -> list[Kind]:
    found = []
    for letter in alphabet.accesses:
        parts = (FIRST, SECOND) if letter.spelling.role is Role.EXCHANGE else (WHOLE,)
        found += [Kind(letter, part) for part in parts]
    return found
