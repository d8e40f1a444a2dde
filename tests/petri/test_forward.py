"""Forward search: the demands that are traced back through transitions, and numbers that need wide fields."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.petri.nets import any_problems, any_transitions, finding, reachable

from treville.petri.answers import Cover, FiringSequence
from treville.petri.checking import check
from treville.petri.forward import _demand_before, _points, forward
from treville.petri.net import UNBOUNDED, Box, Marking, Problem, Transition
from treville.petri.spec import parse
from treville.results.budget import Budget
from treville.results.errors import OutOfWork


@settings(max_examples=300, deadline=None)
@given(
    any_transitions(3, upper=False), st.tuples(*[st.integers(0, 6)] * 3), st.tuples(*[st.integers(0, 3)] * 3)
)
def test_what_is_demanded_before_a_transition_is_there_and_enough(
    transition: Transition, available: Marking, less: Marking
) -> None:
    """Whatever firing gives may be demanded, and also less than that."""
    if not transition.enabled(available):
        return
    demand = [max(0, a - b) for a, b in zip(transition.fire(available), less, strict=True)]
    before = tuple(_demand_before(transition, demand, available))
    assert all(a <= b for a, b in zip(before, available, strict=True))
    assert transition.enabled(before)
    assert all(a >= b for a, b in zip(transition.fire(before), demand, strict=True))


@settings(max_examples=150, deadline=None)
@given(any_problems(upper=False))
def test_a_target_that_is_covered_is_shown_by_a_sequence(problem: Problem) -> None:
    """Also with transfers: the tokens that are needed are found in the places that they came from."""
    found = finding(forward(problem, Budget()), 200)
    if found is not None:
        assert found.evidence is not None
        assert check(problem, found.evidence) is None


def test_numbers_that_outgrow_a_field_are_no_infinities() -> None:
    rule = "a >= 1 -> a' = a - 1, b' = b + {most}"
    for most in (126, 127, 128, 255, 40_000):
        for wanted, kind in ((most, FiringSequence), (most + 1, Cover)):
            text = f"vars a b rules {rule}; init a = 1, b = 0 target b >= {wanted}"
            problem = parse(text.format(most=most), "f")
            found = finding(forward(problem, Budget()), 100)
            assert found is not None
            assert isinstance(found.evidence, kind)
            assert check(problem, found.evidence) is None


def test_the_markings_of_a_box_are_listed_where_they_are_few() -> None:
    assert _points(Box((1, 0), (2, 2))) == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
    assert _points(Box((1, 0), (1, UNBOUNDED))) is None
    assert _points(Box((0, 0), (10**9, 0))) is None
    assert _points(Box((0, 0), (999, 999))) is None
    assert _points(Box((0, 0, 0), (1, 149, 149))) is None


@settings(max_examples=60, deadline=None)
@given(any_problems(upper=True), st.tuples(*[st.integers(0, 2)] * 3))
def test_all_of_several_initial_markings_are_explored(problem: Problem, wider: Marking) -> None:
    """From a box of initial markings exactly that is reached that is reached from one of them."""
    start = problem.initial.low
    high = tuple(a + b for a, b in zip(start, wider, strict=False))
    several = Problem("box", problem.net, Box(start, high), problem.targets)
    if several.coverability:
        return
    reached = [reachable(problem.net, one, 300) for one in _points(several.initial) or ()]
    found = finding(forward(several, Budget()), 3000)
    if found is None or found.evidence is None:
        return
    assert check(several, found.evidence) is None
    if None not in reached:
        hit = any(t.contains(m) for markings in reached for m in markings or () for t in several.targets)
        assert isinstance(found.evidence, FiringSequence) == hit


def test_work_that_is_limited_ends() -> None:
    """A search marking by marking, which has no end, takes no more work than it may."""
    problem = parse("vars a b rules a >= 1 -> b' = b + a; init a = 1, b = 0 target a >= 2, b = 0", "f")
    budget = Budget(units=500)
    with pytest.raises(OutOfWork):
        finding(forward(problem, budget), 100_000)
    assert 500 < budget.spent < 1000
