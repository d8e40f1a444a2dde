"""The search for the cheapest assignment, on made-up sources whose right assignments are known."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import product
from typing import cast

import pytest
from tests.seeds import generator

from treville.models.model import Model
from treville.programs.ir import Program
from treville.questions.repair import searching
from treville.questions.repair.searching import cheapest
from treville.questions.repair.sites import Assignment, Level, Site, SiteKind
from treville.questions.repair.subject import Asked, Subject
from treville.questions.repair.upgrading import Violation
from treville.results import Budget, Span, Verdict

LEVELS = (
    Level("", frozenset()),
    Level("a", frozenset("a")),
    Level("b", frozenset("b")),
    Level("ab", frozenset("ab")),
)


class Made:
    """Stands in for an execution: it is there unless one of some sets of levels is reached."""

    def __init__(self, killers: Sequence[Mapping[int, int]], under: Assignment) -> None:
        self.killers = killers
        self.under = under

    def stays(self, sites: Sequence[Site], assignment: Assignment) -> bool:
        return not any(
            all(LEVELS[level].at_most(LEVELS[assignment[number]]) for number, level in killer.items())
            for killer in self.killers
        )


class MadeUp(Subject):
    """A source with executions by lot; some assignments cannot be decided."""

    def __init__(self, rng: random.Random, told: bool, unknown: float = 0) -> None:
        count = rng.choice((2, 3, 4))
        span = Span("f", 1, 1)
        self.sites = [Site(number, SiteKind.GAP, span, LEVELS, 0) for number in range(count)]
        self.usable = set(range(count))
        self.texts = {}
        self.told = told
        self.executions = [
            [
                {number: rng.choice((1, 2, 3)) for number in rng.sample(range(count), rng.choice((1, 2)))}
                for _ in range(rng.choice((1, 2, 3)))
            ]
            for _ in range(rng.choice((1, 2, 4)))
        ]
        every = list(product(range(4), repeat=count))
        self.undecided = {assignment for assignment in every if rng.random() < unknown}
        self.costs = {(number, level): rng.choice((1, 2, 5)) + 5 * (level == 3)
                      for number in range(count) for level in (1, 2, 3)}  # fmt: skip

    def right(self, assignment: Assignment) -> bool:
        return not any(Made(killers, assignment).stays(self.sites, assignment) for killers in self.executions)

    def ask(self, assignment: Assignment, model: Model, budget: Budget) -> Asked:
        if assignment in self.undecided:
            return Asked(Verdict.UNKNOWN, reason="nobody knows")
        there = [Made(killers, assignment) for killers in self.executions]
        there = [each for each in there if each.stays(self.sites, assignment)]
        if not there:
            return Asked(Verdict.PASS)
        found = cast("tuple[Violation, ...]", tuple(there[:1]) if self.told else ())
        return Asked(Verdict.FAIL, found, "it is there")

    def price(self, assignment: Assignment) -> int:
        return sum(self.costs.get(choice, 0) for choice in enumerate(assignment))

    def made(self, assignment: Assignment, marked: bool) -> Program:
        raise NotImplementedError

    def again(self, texts: Mapping[str, str]) -> Program:
        raise NotImplementedError

    def patched(self, assignment: Assignment) -> dict[str, str]:
        raise NotImplementedError

    def confirm(self, texts: Mapping[str, str], model: Model, budget: Budget) -> Asked:
        raise NotImplementedError

    def written(self, site: Site, level: int) -> tuple[str, str]:
        raise NotImplementedError


@pytest.mark.parametrize("told", [True, False], ids=["executions", "verdicts only"])
@pytest.mark.parametrize("case", range(25))
def test_the_cheapest_is_found(case: int, told: bool) -> None:
    subject = MadeUp(generator(f"search {case}"), told)
    every = list(product(range(4), repeat=len(subject.sites)))
    best = min((subject.price(a) for a in every if subject.right(a)), default=None)
    found = cheapest(subject, [Model("m")], every[0], subject.costs, Budget())
    assert best is not None  # all sites at their strongest kill everything
    assert found.assignment is not None
    assert subject.right(found.assignment)
    assert (subject.price(found.assignment), found.optimal) == (best, True)


@pytest.mark.parametrize("case", range(25))
def test_what_is_not_decided_is_no_repair(case: int) -> None:
    subject = MadeUp(generator(f"undecided {case}"), told=case % 2 == 0, unknown=0.4)
    start = (0,) * len(subject.sites)
    found = cheapest(subject, [Model("m")], start, subject.costs, Budget())
    if found.assignment is None:
        assert found.reason
        assert not found.helpless or not subject.right((3,) * len(start))
    else:
        assert subject.right(found.assignment)
        assert found.assignment not in subject.undecided


def test_where_it_takes_long_a_repair_is_told_before_the_cheapest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_PATIENCE", 1)
    subject, told = MadeUp(generator("search 4"), told=True), list[Assignment]()
    start = (0,) * len(subject.sites)
    found = cheapest(subject, [Model("m")], start, subject.costs, Budget(), tell=told.append)
    assert [subject.right(assignment) for assignment in told] == [True]
    assert found.assignment is not None
    assert subject.price(found.assignment) < subject.price(told[0])
    assert found.optimal


def test_an_execution_that_nothing_forbids_is_shown() -> None:
    subject = MadeUp(generator("helpless"), told=True)
    subject.executions.append([])
    found = cheapest(subject, [Model("m")], (0,) * len(subject.sites), subject.costs, Budget())
    assert (found.assignment, found.helpless) == (None, True)
    assert found.refuted is not None
