"""Oriented half spaces by linear programming: they hold on reachable markings and exclude their box."""

from __future__ import annotations

from hypothesis import given, settings
from tests.petri.nets import any_problems, petri_problems, reachable

from treville.petri.checking import inductive_half_space
from treville.petri.halfspace import greatest, least
from treville.petri.net import Problem
from treville.petri.oriented import Separator, from_weights
from treville.petri.spec import parse
from treville.results.budget import Budget


def separates(problem: Problem) -> None:
    separator = Separator(problem, Budget())
    for target in problem.targets:
        half_space = separator.separate(target)
        if half_space is not None:
            assert greatest(half_space.k, target) < half_space.c <= least(half_space.k, problem.initial)
            assert inductive_half_space(half_space, problem.net)
            for marking in reachable(problem.net, problem.initial.low, 200) or ():
                assert half_space.contains(marking)


@settings(max_examples=200, deadline=None)
@given(petri_problems(closed=None, parametric=True))
def test_half_spaces_of_petri_nets_separate(problem: Problem) -> None:
    separates(problem)


@settings(max_examples=200, deadline=None)
@given(any_problems(upper=True))
def test_half_spaces_of_transfers_and_zero_tests_separate(problem: Problem) -> None:
    separates(problem)


def test_hints_of_the_file_are_trusted_only_when_they_hold() -> None:
    text = """vars x y z
    rules x >= 1 -> x' = x - 1, y' = y + 1;
          y >= 1 -> y' = y - 1, z' = z + 2;
    init x = 3, y = 0, z = 0
    target z >= 9
    invariants x = 2, y = 2, z = 1
               x = 1, z = 1
               x = 1, y = 1"""
    found = from_weights(parse(text, "f"))
    assert {h.k for h in found} == {(-2, -2, -1), (2, 2, 1), (-1, -1, 0)}
