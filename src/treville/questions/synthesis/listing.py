"""Requirements -> the candidate executions that they are about, side by side.

An allowed test needs one of its executions that end as required to be consistent, a forbidden one needs all
of them not to be. Executions with the same graph are kept once. What is `given` to hold of every model is
enforced here already."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import TypeAlias

from treville.engines.task import outcome_task
from treville.enumeration.candidates import Candidate, Engine
from treville.enumeration.packed import kernel
from treville.enumeration.shapes import OBSERVED_WRITES
from treville.events.trace import Effort
from treville.models.base import SETS
from treville.models.model import Model
from treville.programs.litmus.states import satisfied
from treville.programs.litmus.test import LitmusTest
from treville.questions.synthesis.problem import Requirement
from treville.records import dataclass
from treville.relations.side_by_side import SideBySide, repacked
from treville.results import Budget, BudgetExceeded, TooLarge
from treville.results.defaults import BOUND

# One int for each group of executions.
Value: TypeAlias = tuple[int, ...]

_MOST_OF_A_TEST = 400_000
# Executions of fewer events are stored as if they had more while that makes groups of so many bytes.
_SMALL_GROUP = 512


@dataclass(frozen=True, slots=True)
class Listed:
    """An execution, and the test that it is one of."""

    test: LitmusTest
    candidate: Candidate

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for equal graphs."""
        return (self.candidate.layout.threads, self.candidate.rf, self.candidate.co)

    @property
    def n(self) -> int:
        """Its events."""
        return self.candidate.layout.n

    def base(self) -> dict[str, int]:
        """The packed value of every base set and relation that has one."""
        found = _static(self.candidate)
        known = {**found, "rf": self.candidate.rf, "co": self.candidate.co}
        final = known.pop(OBSERVED_WRITES)
        known["FW"] = final & ~kernel(self.n).domain(self.candidate.co)
        return known


class Executions:
    """Executions side by side. A set of them is an int with a byte for each."""

    def __init__(self, listed: Sequence[Listed], groups: list[SideBySide], starts: list[int]) -> None:
        self.listed = listed
        self.groups = groups
        self._starts = starts
        self._base: dict[str, Value] = {}

    @staticmethod
    def of(listed: Sequence[Listed]) -> Executions:
        """The executions, those of like size together."""
        return Executions(*_grouped(listed))

    @cached_property
    def _known(self) -> list[dict[str, int]]:
        return [each.base() for each in self.listed]

    def __len__(self) -> int:
        return len(self.listed)

    def names(self) -> list[str]:
        """All base names of which some execution has a member."""
        return sorted({name for known in self._known for name, packed in known.items() if packed})

    def base(self, name: str) -> Value:
        """A base relation, or a base set as an identity."""
        if name == "id":
            return tuple(group.diagonal for group in self.groups)
        found = self._base.get(name)
        if found is None:
            found = self._base[name] = tuple(
                group.join(self._fields(name, group.n, start, start + group.count))
                for group, start in zip(self.groups, self._starts, strict=True)
            )
        return found

    def _fields(self, name: str, n: int, start: int, end: int) -> Iterable[int]:
        is_set = name in SETS or any(
            name in tags for each in self.listed[start:end] for tags in _tags(each.candidate)
        )
        for each, known in zip(self.listed[start:end], self._known[start:end], strict=True):
            packed = known.get(name, 0)
            yield repacked(kernel(each.n).identity(packed) if is_set else packed, each.n, n)

    def joined(self, parts: Iterable[int]) -> int:
        """A set of executions from those of each group."""
        out = 0
        for start, part in zip(self._starts, parts, strict=True):
            out |= part << (8 * start)
        return out

    def chosen(self, executions: int) -> Value:
        """All pairs of these executions, none of the others."""
        out = []
        for group, start in zip(self.groups, self._starts, strict=True):
            part = (executions >> (8 * start)) & ((1 << (8 * group.count)) - 1)
            out.append(group.chosen(part))
        return tuple(out)

    def numbers(self, executions: int) -> list[int]:
        """The numbers of the executions in a set."""
        data = executions.to_bytes(len(self.listed), "little")
        return [number for number, byte in enumerate(data) if byte]

    def of_one_group(self, executions: int, most: int) -> list[int]:
        """At most so many of the executions, from all over the first group that has some."""
        numbers = self.numbers(executions)
        if not numbers:
            return []
        group = bisect_right(self._starts, numbers[0]) - 1
        end = self._starts[group] + self.groups[group].count
        numbers = [number for number in numbers if number < end]
        if len(numbers) <= most:
            return numbers
        return [numbers[i * len(numbers) // most] for i in range(most)]

    def some(self, numbers: Sequence[int]) -> tuple[Executions, Callable[[Value], Value]]:
        """Only these executions (numbers in order), and what turns values of all into values of these."""
        members: list[list[int]] = [[] for _ in self.groups]
        for number in numbers:
            group = bisect_right(self._starts, number) - 1
            members[group].append(number - self._starts[group])
        kept = [(place, chosen) for place, chosen in enumerate(members) if chosen]
        groups, starts, at = [], [], 0
        for place, chosen in kept:
            real = [self.listed[self._starts[place] + number].n for number in chosen]
            groups.append(SideBySide(self.groups[place].n, real))
            starts.append(at)
            at += len(chosen)
        part = Executions([self.listed[number] for number in numbers], groups, starts)
        return part, lambda value: tuple(
            self.groups[place].taken(value[place], chosen) for place, chosen in kept
        )

    @cached_property
    def all(self) -> int:
        """All of them."""
        return int.from_bytes(b"\1" * len(self.listed), "little")


@dataclass(slots=True)
class Evidence:
    """What the requirements say of executions: each allowed requirement needs one of its `witnesses`, and
    none of the `forbidden` may be consistent. `executions` counts those of forbidden tests before equal
    graphs were merged."""

    world: Executions
    witnesses: dict[Requirement, int]
    forbidden: int
    blame: dict[int, list[Requirement]]
    executions: int
    impossible: list[Requirement]


def list_executions(
    requirements: Sequence[Requirement], given: Model, budget: Budget, settled: bool = False
) -> Evidence:
    """List the executions of all requirements that the given model allows. With `settled` allowed
    requirements with a sequentially consistent witness are left out: nothing that orders events as program
    order and communication do can forbid it."""
    found: dict[tuple[object, ...], Listed] = {}
    kept: list[tuple[Requirement, list[tuple[object, ...]]]] = []
    total = 0
    with budget.stage("listing executions"):
        for test, group in groupby(requirements, key=lambda each: each.test):
            wanted = list(group)
            for requirement, listed in zip(wanted, _of_test(test, wanted, given, budget), strict=True):
                total += 0 if requirement.allowed else len(listed)
                if settled and requirement.allowed and any(map(_in_sequence, listed)):
                    continue
                for each in listed:
                    found.setdefault(each.key, each)
                kept.append((requirement, [each.key for each in listed]))
            budget.spend(1)
    world = Executions.of(list(found.values()))
    number = {each.key: i for i, each in enumerate(world.listed)}
    return _evidence(world, number, kept, total)


def _evidence(
    world: Executions,
    number: Mapping[tuple[object, ...], int],
    kept: Sequence[tuple[Requirement, list[tuple[object, ...]]]],
    total: int,
) -> Evidence:
    witnesses: dict[Requirement, int] = {}
    forbidden = 0
    blame: dict[int, list[Requirement]] = {}
    impossible = []
    for requirement, keys in kept:
        members = sorted({number[key] for key in keys})
        mask = sum(1 << (8 * each) for each in members)
        if requirement.allowed:
            witnesses[requirement] = mask
            if not mask:
                impossible.append(requirement)
        else:
            forbidden |= mask
            for each in members:
                blame.setdefault(each, []).append(requirement)
    return Evidence(world, witnesses, forbidden, blame, total, impossible)


def _of_test(
    test: LitmusTest, requirements: Sequence[Requirement], given: Model, budget: Budget
) -> list[list[Listed]]:
    """The executions of one test for each requirement on it."""
    lowered = outcome_task(test, given, BOUND).test
    out: list[list[Listed]] = [[] for _ in requirements]
    try:
        for candidate, _ in Engine(lowered, given, BOUND, budget, Effort(_MOST_OF_A_TEST)).consistent():
            final = candidate.final
            if test.filter is not None and not satisfied(test.filter, final):
                continue
            for requirement, listed in zip(requirements, out, strict=True):
                if satisfied(requirement.condition, final):
                    listed.append(Listed(lowered, candidate))
    except TooLarge as error:
        raise BudgetExceeded(f"{test.name}: {error.reason}", "leave this test out") from None
    return out


def _in_sequence(listed: Listed) -> bool:
    """Is it sequentially consistent?"""
    candidate = listed.candidate
    order = _static(candidate)["po"] | candidate.rf | candidate.co | candidate.fr
    return not candidate.layout.kernel.cyclic(order)


def _static(candidate: Candidate) -> dict[str, int]:
    """What does not depend on rf and co, computed once for each layout."""
    layout = candidate.layout
    found = _STATIC.get(id(layout))
    if found is None or found[0] is not layout:
        if len(_STATIC) > _KEPT:
            _STATIC.clear()
        found = _STATIC[id(layout)] = (layout, layout.everything())
    return found[1]


_KEPT = 50_000
_STATIC: dict[int, tuple[object, dict[str, int]]] = {}


def _tags(candidate: Candidate) -> Iterable[frozenset[str]]:
    return (shape.tags for shapes in candidate.layout.threads for shape in shapes)


def _grouped(listed: Sequence[Listed]) -> tuple[list[Listed], list[SideBySide], list[int]]:
    """Executions of like size together, small groups with the next larger ones."""
    ordered = sorted(listed, key=lambda each: each.n)
    groups: list[list[Listed]] = []
    for n, same in groupby(ordered, key=lambda each: each.n):
        members = list(same)
        if groups and len(groups[-1]) * n * n < 8 * _SMALL_GROUP:
            groups[-1] += members
        else:
            groups.append(members)
    if len(groups) > 1 and len(groups[-1]) * groups[-1][-1].n ** 2 < 8 * _SMALL_GROUP:
        last = groups.pop()
        groups[-1] += last
    made, starts, at = [], [], 0
    for members in groups:
        made.append(SideBySide(members[-1].n, [each.n for each in members]))
        starts.append(at)
        at += len(members)
    return ordered, made, starts
