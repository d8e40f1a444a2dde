"""A solution of a sketch -> the program and final state that it stands for, ready to be written.

Every write of a location has a value of its own, numbered in coherence order, so that what reads saw and what
is left in the end tell the execution apart from all others, but for the order of writes that somebody
overwrote unseen.
"""

from __future__ import annotations

from collections.abc import Callable

from treville.formulas.formula import Literal
from treville.programs.litmus.writing.program import Access, Barrier, Branch, Item, Outcome, Spelling
from treville.questions.comparison.patterns import Pattern
from treville.questions.comparison.sketch import SECOND, Sketch
from treville.records import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """What a solution chose. `program` are the literals that hold of the program, `state` those of its final
    state; together they are this test and no other."""

    threads: tuple[tuple[Item, ...], ...]
    outcome: Outcome
    locations: int
    cost: int
    program: tuple[Literal, ...]
    state: tuple[Literal, ...]
    pattern: Pattern


class Reader:
    """Reads solutions of a sketch. With `everything` tests observe all locations, for models that know
    what is observed (`FW`)."""

    def __init__(self, sketch: Sketch, everything: bool) -> None:
        self.sketch = sketch
        self.everything = everything

    def read(self, is_true: Callable[[Literal], bool]) -> Found:
        """The program and state of a solution."""
        return _Solution(self.sketch, is_true).found(self.everything)


class _Solution:
    def __init__(self, sketch: Sketch, is_true: Callable[[Literal], bool]) -> None:
        self.sketch = sketch
        self.is_true = is_true
        places = range(sketch.n)
        self.kind = [next(k for k, each in enumerate(sketch.holds[p]) if is_true(each)) for p in places]
        self.location = [next(k for k, each in enumerate(sketch.at[p]) if is_true(each)) for p in places]
        self.value = [self._value(place) for place in places]
        self.number = self._numbers()

    def _spelling(self, place: int) -> Spelling:
        return self.sketch.kinds[self.kind[place]].letter.spelling

    def _writes(self, place: int) -> bool:
        return self.sketch.kinds[self.kind[place]].writes

    def _value(self, place: int) -> int:
        """The number of writes of its location up to a write, in coherence order."""
        if not self._writes(place):
            return 0
        co = self.sketch.coherence
        return 1 + sum(other != place and self.is_true(co[other, place]) for other in range(self.sketch.n))

    def _numbers(self) -> list[int]:
        """For each place the number of reads before it in its thread."""
        found: list[int] = []
        for place in self.sketch.places:
            earlier = 0 if place.first else found[-1] + self.sketch.kinds[self.kind[place.number - 1]].reads
            found.append(earlier)
        return found

    def _read(self, place: int) -> tuple[int, Literal]:
        """The value that a place reads, and the literal that says from where."""
        write, literal = next(each for each in self.sketch.sources[place] if self.is_true(each[1]))
        return (self.value[write] if write >= 0 else 0), literal

    def _dependencies(self, name: str, place: int) -> tuple[int, ...]:
        pairs = self.sketch.dependencies[name].items()
        return tuple(self.number[read] for (read, to), each in pairs if to == place and self.is_true(each))

    def found(self, everything: bool) -> Found:
        """All of it."""
        threads: list[list[Item]] = [[] for _ in self.sketch.shape.threads]
        for place in self.sketch.places:
            number = place.number
            items = threads[place.thread]
            part = self.sketch.kinds[self.kind[number]].part
            if part != SECOND:
                items += self._branches(number)
                items.append(self._access(number, number + (part == 0)))
            if not place.last:
                items += self._fence(number)
        return Found(
            tuple(map(tuple, threads)), self._outcome(everything), len(set(self.location)), 0,
            tuple(self._program_literals()), tuple(self._state_literals()), self._pattern(),
        )  # fmt: skip

    def _access(self, first: int, last: int) -> Access:
        data = self._dependencies("data", last)
        address = self._dependencies("addr", first)
        return Access(self._spelling(first), self.location[first], self.value[last], address, data)

    def _fence(self, gap: int) -> list[Item]:
        letters = zip(self.sketch.fences[gap], self.sketch.alphabet.fences, strict=True)
        for literal, letter in letters:
            if self.is_true(literal):
                starting = [
                    Branch(self.number[read], self._read(read)[0])
                    for (read, behind), each in self.sketch.behind.items()
                    if behind == gap and self.is_true(each) and not self._is_behind(read, gap)
                ]
                return [*starting, Barrier(letter.spelling)]
        return []

    def _is_behind(self, read: int, place: int) -> bool:
        literal = self.sketch.dependencies["ctrl"].get((read, place))
        return literal is not None and self.is_true(literal)

    def _branches(self, place: int) -> list[Item]:
        """The branches that stand directly before a place."""
        found: list[Item] = []
        for (read, target), literal in self.sketch.dependencies["ctrl"].items():
            if target != place or not self.is_true(literal) or self._is_behind(read, place - 1):
                continue
            behind = self.sketch.behind.get((read, place - 1))
            if behind is None or not self.is_true(behind):
                found.append(Branch(self.number[read], self._read(read)[0]))
        return found

    def _outcome(self, everything: bool) -> Outcome:
        registers = []
        for place in self.sketch.places:
            if self.sketch.kinds[self.kind[place.number]].reads:
                registers.append((place.thread, self.number[place.number], self._read(place.number)[0]))
        memory = []
        for location in sorted(set(self.location)):
            last = max(value for value, at in zip(self.value, self.location, strict=True) if at == location)
            if last > 1 or everything:
                memory.append((location, last))
        return Outcome(tuple(registers), tuple(memory))

    def _pattern(self) -> Pattern:
        sketch, true = self.sketch, self.is_true
        threads: list[list[int]] = [[] for _ in sketch.shape.threads]
        for place in sketch.places:
            threads[place.thread].append(place.number)
        kinds = tuple(sketch.kinds[kind] for kind in self.kind)
        sources = {}
        for read, kind in enumerate(kinds):
            if kind.reads:
                write = next(write for write, literal in sketch.sources[read] if true(literal))
                sources[read] = write if write >= 0 else None
        letters = sketch.alphabet.fences
        fences = {
            gap: letter.spelling
            for gap, row in sketch.fences.items()
            for literal, letter in zip(row, letters, strict=True)
            if true(literal)
        }
        return Pattern(
            tuple(map(tuple, threads)), kinds, tuple(self.location), sources,
            frozenset(pair for pair, literal in sketch.coherence.items() if true(literal)), fences,
            frozenset((name, *pair) for name, pairs in sketch.dependencies.items()
                      for pair, literal in pairs.items() if true(literal)),
            frozenset(pair for pair, literal in sketch.behind.items() if pair[1] in fences and true(literal)),
        )  # fmt: skip

    def _program_literals(self) -> list[Literal]:
        sketch = self.sketch
        found = [sketch.holds[place][kind] for place, kind in enumerate(self.kind)]
        found += [sketch.at[place][location] for place, location in enumerate(self.location)]
        chosen = [each for row in sketch.fences.values() for each in row]
        chosen += [each for pairs in sketch.dependencies.values() for each in pairs.values()]
        chosen += sketch.behind.values()
        return found + [each if self.is_true(each) else -each for each in chosen]

    def _state_literals(self) -> list[Literal]:
        sketch = self.sketch
        found = [self._read(p)[1] for p in range(sketch.n) if sketch.kinds[self.kind[p]].reads]
        return found + [each for each in sketch.last if self.is_true(each)]
