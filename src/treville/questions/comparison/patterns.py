"""Is a smaller test part of a larger one? Then the larger one tells nothing new.

A test is part of another if some accesses of the other, with the fences, dependencies and instructions
between and at them, are at least those of the test, and saw the same of each other: the same reads-from and
coherence, and from-reads where the test reads initial values. `Inside` says so of all programs of a sketch,
by clauses.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from treville.formulas.formula import FALSE, Literal
from treville.programs.litmus.writing.program import Spelling
from treville.questions.comparison.sketch import FIRST, SECOND, WHOLE, Kind, Sketch
from treville.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Pattern:
    """A test by places, as sketches have them: threads as lists of places, what each place holds, its
    location, the sources of reads (None: the initial value), coherence, fences by gap, dependencies, and
    control dependencies of fences."""

    threads: tuple[tuple[int, ...], ...]
    kinds: tuple[Kind, ...]
    locations: tuple[int, ...]
    sources: dict[int, int | None]
    coherence: frozenset[tuple[int, int]]
    fences: dict[int, Spelling]
    dependencies: frozenset[tuple[str, int, int]]
    behind: frozenset[tuple[int, int]] = field(default=frozenset())


class Inside:
    """The literals with which a sketch says that a pattern is in it; they are made before a solver has the
    formula."""

    def __init__(self, sketch: Sketch) -> None:
        self.sketch = sketch
        formula = sketch.formula
        self._from_reads = {
            (read, write): formula.any_of(
                [literal, _coherent(sketch, source, write)] for source, literal in sketch.sources[read]
            )
            for read in range(sketch.n)
            for write in range(sketch.n)
            if read != write
        }
        self._at_least: dict[tuple[int, int], Literal] = {}
        for wanted, kind in enumerate(sketch.kinds):
            enough = [each for each, other in enumerate(sketch.kinds) if at_least(other, kind)]
            for place in range(sketch.n):
                self._at_least[place, wanted] = formula.either([sketch.holds[place][k] for k in enough])
        self._fenced = {
            (gap, number): formula.either(
                literal
                for literal, other in zip(row, sketch.alphabet.fences, strict=True)
                if is_stronger(other.spelling, letter.spelling)
            )
            for gap, row in sketch.fences.items()
            for number, letter in enumerate(sketch.alphabet.fences)
        }
        self._between = self._fences_between()

    def _fences_between(self) -> dict[tuple[int, int, int], Literal]:
        """A fence of at least that strength somewhere between two places of a thread."""
        sketch, found = self.sketch, {}
        for number in range(len(sketch.alphabet.fences)):
            for first in range(sketch.n):
                literals: list[Literal] = []
                for last in sketch.later(first):
                    literals.append(self._fenced[last - 1, number])
                    found[first, last, number] = sketch.formula.either(literals)
        return found

    def clauses(self, pattern: Pattern) -> Iterator[list[Literal]]:
        """For each way in which the pattern may be part of a program: what holds then."""
        for places in self._embeddings(pattern):
            literals = list(self._literals(pattern, places))
            if FALSE not in literals:
                yield literals

    def _embeddings(self, pattern: Pattern) -> Iterator[list[int]]:
        """Where the places of the pattern may be: threads in threads, in their order."""
        sketch = self.sketch
        own: list[list[int]] = [[] for _ in sketch.shape.threads]
        for place in sketch.places:
            own[place.thread].append(place.number)
        for chosen in permutations(range(len(own)), len(pattern.threads)):
            if all(len(own[t]) >= len(p) for t, p in zip(chosen, pattern.threads, strict=True)):
                yield from _placed(pattern, [own[thread] for thread in chosen])

    def _literals(self, pattern: Pattern, at: list[int]) -> Iterator[Literal]:
        sketch = self.sketch
        for place, kind in enumerate(pattern.kinds):
            yield self._at_least[at[place], _number_of(sketch, kind)]
            for other in range(place):
                same = sketch.same[at[place], at[other]]
                yield same if pattern.locations[place] == pattern.locations[other] else -same
        for read, source in pattern.sources.items():
            if source is not None:
                yield dict(sketch.sources[at[read]]).get(at[source], FALSE)
            else:
                for write, kind in enumerate(pattern.kinds):
                    if kind.writes and pattern.locations[write] == pattern.locations[read]:
                        yield self._from_reads[at[read], at[write]]
        for one, other in pattern.coherence:
            yield sketch.coherence[at[one], at[other]]
        for name, one, other in pattern.dependencies:
            yield sketch.dependencies[name].get((at[one], at[other]), FALSE)
        yield from self._fences(pattern, at)

    def _fences(self, pattern: Pattern, at: list[int]) -> Iterator[Literal]:
        names = [letter.spelling.name for letter in self.sketch.alphabet.fences]
        for gap, spelling in pattern.fences.items():
            number = names.index(spelling.name)
            reads = [read for read, behind in pattern.behind if behind == gap]
            if not reads:
                yield self._between[at[gap], at[gap + 1], number]
                continue
            # A fence behind a branch counts where it stands directly behind the same place.
            yield self._fenced.get((at[gap], number), FALSE)
            for read in reads:
                yield self.sketch.behind.get((at[read], at[gap]), FALSE)


def _placed(pattern: Pattern, threads: list[list[int]]) -> Iterator[list[int]]:
    """The ways to put each thread of a pattern into one of a sketch. Halves of exchanges stay neighbours."""
    ways = [_chosen(pattern, own, places) for own, places in zip(pattern.threads, threads, strict=True)]
    found: list[dict[int, int]] = [{}]
    for each in ways:
        found = [{**before, **more} for before in found for more in each]
    for at in found:
        yield [at[place] for place in range(len(pattern.kinds))]


def _chosen(pattern: Pattern, own: tuple[int, ...], places: list[int]) -> list[dict[int, int]]:
    found: list[dict[int, int]] = [{}]
    for place in own:
        grown = []
        for before in found:
            last = before.get(place - 1, places[0] - 1) if before else places[0] - 1
            if pattern.kinds[place].part == SECOND:
                grown.append({**before, place: last + 1})
            else:
                grown += [{**before, place: to} for to in places if to > last]
        found = grown
    return [at for at in found if all(to in places for to in at.values())]


def at_least(kind: Kind, other: Kind) -> bool:
    """Is one kind of access another one or stronger? An exchange is more than its read and its write."""
    spelling, wanted = kind.letter.spelling, other.letter.spelling
    if other.part == WHOLE and kind.part != WHOLE:
        simple = not wanted.cost and not wanted.plain
        return simple and (kind.part == FIRST) == other.reads
    return kind.part == other.part and spelling.role is wanted.role and is_stronger(spelling, wanted)


def is_stronger(spelling: Spelling, wanted: Spelling) -> bool:
    """Is one instruction another one of the same role, or stronger?"""
    return spelling.name == wanted.name or wanted.name in spelling.above


def _number_of(sketch: Sketch, kind: Kind) -> int:
    """A kind by its number in a sketch."""
    key = (kind.letter.spelling.name, kind.letter.spelling.role, kind.part)
    for number, each in enumerate(sketch.kinds):
        if (each.letter.spelling.name, each.letter.spelling.role, each.part) == key:
            return number
    raise AssertionError(f"{key} is no kind of the sketch")


def _coherent(sketch: Sketch, source: int, write: int) -> Literal:
    """The literal that a source (< 0: an initial write) comes before a write."""
    if source >= 0:
        return FALSE if source == write else sketch.coherence[source, write]
    return sketch.formula.both(sketch.writes[write], sketch.at[write][-1 - source])
