"""All programs of a few accesses, one by one: the oracle of `questions.comparison`.

Programs are made here, written by the writers of litmus tests, and asked for all their states under both
models; nothing is known of sketches. Each write of a location has a value of its own, and everything is
observed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from treville.models.model import Model
from treville.programs.litmus import parse
from treville.programs.litmus.writing import WRITERS
from treville.programs.litmus.writing.program import (
    Access,
    Barrier,
    Branch,
    Item,
    Outcome,
    Role,
    Spelling,
    WrittenProgram,
)
from treville.questions.comparison import Scope
from treville.questions.outcomes import outcomes

# Where a branch on a read may stand: before the fence behind a place, behind that fence.
BEFORE, BEHIND = 0, 1


@dataclass(frozen=True)
class Space:
    """Which programs: their dialect, accesses and fences by name, and the dependencies that they may have."""

    dialect: str
    accesses: tuple[str, ...]
    fences: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()

    def scope(self, most: int) -> Scope:
        """The same space for the search."""
        names = frozenset(self.accesses + self.fences)
        return Scope(self.dialect, most, instructions=names, dependencies=frozenset(self.dependencies))

    def spellings(self) -> list[Spelling]:
        found = WRITERS[self.dialect].spellings
        return [s for s in found if s.name in self.accesses and s.role is not Role.FENCE]

    def barriers(self) -> list[Spelling]:
        return [s for s in WRITERS[self.dialect].spellings if s.name in self.fences and s.role is Role.FENCE]


def separations(
    space: Space, models: Mapping[str, Model], most: int
) -> dict[tuple[str, str], tuple[int, int, str]]:
    """For each pair of models of which the first allows what the second forbids: accesses and threads of the
    smallest program that shows it, and its text."""
    found: dict[tuple[str, str], tuple[int, int, str]] = {}
    for size in range(1, most + 1):
        for threads in range(1, min(size, 4) + 1):
            for program in programs(space, size, threads):
                text = WRITERS[space.dialect].write(program)
                test = parse(text, "brute.litmus")
                answers = {name: outcomes(test, model) for name, model in models.items()}
                for one, other in permutations(models, 2):
                    more, less = answers[one], answers[other]
                    if (one, other) in found or more.undefined or less.undefined:
                        continue
                    if more.states.keys() - less.states.keys():
                        found[one, other] = size, threads, text
    return found


def programs(space: Space, size: int, threads: int) -> Iterator[WrittenProgram]:
    """All programs of so many accesses (an exchange counts two) and threads."""
    for sizes in _sizes(size, threads):
        skeletons = [list(_threads(space, each)) for each in sizes]
        for chosen in product(*skeletons):
            yield from _located(space, chosen, size)


def _sizes(size: int, threads: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    if threads == 0:
        if size == 0:
            yield ()
        return
    for first in range(1, min(size, most or size) + 1):
        for rest in _sizes(size - first, threads - 1, first):
            yield (first, *rest)


def _threads(space: Space, size: int) -> Iterator[list[Item]]:
    """All threads of so many accesses, every one at location 0."""
    for accesses in _accesses(space.spellings(), size):
        gaps = [[None, *space.barriers()]] * (len(accesses) - 1)
        for fences in product(*gaps):
            yield from _depending(space, accesses, fences)


def _accesses(spellings: list[Spelling], size: int) -> Iterator[tuple[Spelling, ...]]:
    if size == 0:
        yield ()
    for spelling in spellings:
        weight = 2 if spelling.role is Role.EXCHANGE else 1
        if weight <= size:
            for rest in _accesses(spellings, size - weight):
                yield (spelling, *rest)


def _depending(
    space: Space, accesses: tuple[Spelling, ...], fences: Sequence[Spelling | None]
) -> Iterator[list[Item]]:
    reads = [place for place, spelling in enumerate(accesses) if spelling.reads]
    choices: list[list[object]] = []
    slots: list[tuple[str, int, int]] = []
    for number, read in enumerate(reads):
        for target in range(read + 1, len(accesses)):
            for name in ("addr", "data"):
                if name in space.dependencies and (name == "addr" or accesses[target].writes):
                    slots.append((name, number, target))
                    choices.append([False, True])
        if "ctrl" in space.dependencies and read + 1 < len(accesses):
            slots.append(("ctrl", number, read))
            places: list[object] = [None]
            for gap in range(read, len(accesses) - 1):
                places += [(gap, BEHIND)] if fences[gap] is None else [(gap, BEFORE), (gap, BEHIND)]
            choices.append(places)
    for chosen in product(*choices):
        yield _assembled(accesses, fences, dict(zip(slots, chosen, strict=True)))


def _assembled(
    accesses: tuple[Spelling, ...],
    fences: Sequence[Spelling | None],
    chosen: dict[tuple[str, int, int], object],
) -> list[Item]:
    items: list[Item] = []
    for place, spelling in enumerate(accesses):
        depends = {
            name: tuple(
                n for (kind, n, target), yes in chosen.items() if kind == name and target == place and yes
            )
            for name in ("addr", "data")
        }
        items.append(Access(spelling, 0, 0, depends["addr"], depends["data"]))
        branches = {key[1]: at for key, at in chosen.items() if key[0] == "ctrl" and isinstance(at, tuple)}
        if place + 1 < len(accesses):
            fence = fences[place]
            items += [Branch(n, 0) for n, at in branches.items() if at == (place, BEFORE)]
            items += [] if fence is None else [Barrier(fence)]
            items += [Branch(n, 0) for n, at in branches.items() if at == (place, BEHIND)]
    return items


def _located(space: Space, threads: tuple[list[Item], ...], size: int) -> Iterator[WrittenProgram]:
    """With locations (numbered in the order of their first use) and values."""
    count = sum(isinstance(item, Access) for thread in threads for item in thread)
    most = (size + 1) // 2
    for locations in _first_uses(count, most):
        where = iter(locations)
        written: dict[int, int] = {}
        made: list[tuple[Item, ...]] = []
        registers = []
        for number, thread in enumerate(threads):
            items: list[Item] = []
            reads = 0
            for item in thread:
                if isinstance(item, Access):
                    location = next(where)
                    value = 0
                    if item.spelling.writes:
                        value = written[location] = written.get(location, 0) + 1
                    if item.spelling.reads:
                        registers.append((number, reads, 0))
                        reads += 1
                    item = Access(item.spelling, location, value, item.address, item.data)
                items.append(item)
            made.append(tuple(items))
        memory = tuple((location, 0) for location in sorted(set(locations)))
        if _mixes(made):
            continue
        yield WrittenProgram("brute", tuple(made), Outcome(tuple(registers), memory))


def _first_uses(count: int, most: int, used: int = 0) -> Iterator[tuple[int, ...]]:
    if count == 0:
        yield ()
        return
    for location in range(min(used + 1, most)):
        for rest in _first_uses(count - 1, most, max(used, location + 1)):
            yield (location, *rest)


def _mixes(threads: Sequence[Sequence[Item]]) -> bool:
    """Is a location accessed both atomically and not? Such tests are not compared."""
    found: dict[int, set[bool]] = {}
    for thread in threads:
        for item in thread:
            if isinstance(item, Access):
                found.setdefault(item.location, set()).add(item.spelling.plain)
    return any(len(kinds) > 1 for kinds in found.values())
