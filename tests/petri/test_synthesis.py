"""Non-trivial half spaces by the solver: the nets of paper 004, chapter 7."""

from __future__ import annotations

import builtins
from collections.abc import Generator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from tests.petri.nets import hard_net, petri_problems, reachable

from treville.petri.answers import Invariant
from treville.petri.checking import check
from treville.petri.decide import answer
from treville.petri.halfspace import HalfSpace, triviality
from treville.petri.net import Problem
from treville.petri.report import is_trivial
from treville.petri.spec import parse
from treville.petri.synthesis import separating_half_space
from treville.results.budget import Budget
from treville.results.verdict import Verdict

# A net in the plane where t moves a token from p1 to p2 as long as two are left; see docs/petri.md.
PLANE = """vars p1 p2
rules
  p1 >= 2, p2 >= 1 -> p1' = p1 - 1, p2' = p2 + 1;
  p1 >= 1 -> p1' = p1 - 1, p2' = p2 + 2;
  p2 >= 1 -> p1' = p1 + 2, p2' = p2 - 1;
init p1 = 3, p2 = 1
target p1 = 0, p2 = 4
"""


def run(search: Generator[None, None, HalfSpace | str], most: int = 1000) -> HalfSpace | str | None:
    """What a search returns, or None when it has not ended after `most` queries."""
    try:
        for _ in range(most):
            next(search)
    except StopIteration as stop:
        found: HalfSpace | str = stop.value
        return found
    return None


def test_the_planar_net_needs_a_non_trivial_half_space() -> None:
    problem = parse(PLANE, "plane.spec")
    result = answer(problem, "halfspace", Budget(30))
    assert result.verdict is Verdict.PASS
    assert isinstance(result.evidence, Invariant)
    (half_space,) = result.evidence.half_spaces
    assert not is_trivial(problem.net, half_space)


@pytest.mark.parametrize("size", [3, 4, 5, 6])
@pytest.mark.parametrize("cover", [False, True])
def test_the_family_without_trivial_half_spaces_is_separated(size: int, cover: bool) -> None:
    problem = hard_net(size, cover=cover)
    result = answer(problem, "halfspace", Budget(60))
    assert result.verdict is Verdict.PASS
    assert isinstance(result.evidence, Invariant)
    (half_space,) = result.evidence.half_spaces
    assert not is_trivial(problem.net, half_space)
    if cover:
        assert max(half_space.k) <= 0


def test_the_thesis_solution_of_the_family_passes_the_checker() -> None:
    for size in range(3, 9):
        problem = hard_net(size)
        k = (-size, *[-(size + 1)] * (size - 1))
        half_space = HalfSpace(k, -size * (size + 1))
        assert triviality(half_space, problem.net.transitions[0]) is None
        assert check(problem, Invariant((half_space,))) is None


def test_nets_without_half_space_are_recognised() -> None:
    """Reaching x = 1 needs parity, which no half space sees."""
    text = "vars x rules x >= 2 -> x' = x - 2; true -> x' = x + 2; init x = 0 target x = 1"
    problem = parse(text, "parity.spec")
    result = run(separating_half_space(problem, problem.targets[0], Budget(30)))
    assert result == "no separating inductive half space exists"


def test_a_missing_solver_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_z3(name: str, *rest: Any) -> ModuleType:
        if name == "z3":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_z3)
    result = answer(hard_net(3), "halfspace", Budget(5))
    assert result.verdict is Verdict.UNKNOWN
    assert "treville[z3]" in result.reason
    assert answer(hard_net(3, cover=True), "auto", Budget(20)).verdict is Verdict.PASS


@settings(max_examples=30, deadline=None)
@given(petri_problems(closed=False))
def test_half_spaces_found_contain_every_reachable_marking(problem: Problem) -> None:
    target = problem.targets[0]
    found = run(separating_half_space(problem, target, Budget(5)), 40)
    if isinstance(found, HalfSpace):
        assert not found.contains(target.low)
        for marking in reachable(problem.net, problem.initial.low, 300) or ():
            assert found.contains(marking)
