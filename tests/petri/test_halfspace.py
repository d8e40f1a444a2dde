"""Half spaces: Algorithm 7, its two relatives and brute force agree; extremes and constants are exact."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.petri.nets import any_transitions, box_of_markings, boxes, petri_transitions

from treville.petri.checking import inductive_half_space
from treville.petri.halfspace import (
    HalfSpace,
    constants,
    dot,
    greatest,
    inductive,
    least,
    pulled_back,
    sums_hit,
    triviality,
    violating_marking,
)
from treville.petri.net import Box, Interval, Marking, Net, Transition, Update

PLACES = 3
SIZE = 14
MARKINGS = box_of_markings(PLACES, SIZE)
vectors = st.tuples(*[st.integers(-3, 3)] * PLACES)


def leaves(half_space: HalfSpace, transition: Transition, markings: Iterable[Marking]) -> bool:
    """Some marking of the box is in the half space, enables the transition, and its successor is not."""
    return any(
        transition.enabled(m) and half_space.contains(m) and not half_space.contains(transition.fire(m))
        for m in markings
    )


@settings(max_examples=150, deadline=None)
@given(vectors, st.integers(-9, 9), petri_transitions(PLACES))
def test_a_half_space_called_inductive_is_inductive_by_enumeration(
    k: tuple[int, ...], c: int, transition: Transition
) -> None:
    half_space = HalfSpace(k, c)
    claimed = inductive(half_space, transition)
    assert inductive_half_space(half_space, Net(("a", "b", "c"), (transition,))) == claimed
    if claimed:
        assert not leaves(half_space, transition, MARKINGS)
    elif min(k) >= 0 or max(k) <= 0:
        # With both signs the marking that leaves may lie outside the box.
        assert leaves(half_space, transition, MARKINGS)


@settings(max_examples=150, deadline=None)
@given(st.tuples(*[st.integers(0, 4)] * 3), st.booleans(), st.integers(-12, 9), petri_transitions(3))
def test_algorithm_seven_equals_brute_force_and_the_checker(
    k: tuple[int, ...], falling: bool, c: int, transition: Transition
) -> None:
    half_space = HalfSpace(tuple(-v for v in k) if falling else k, c)
    change = dot(half_space.k, [transition.delta.get(p, 0) for p in range(3)])
    found = leaves(half_space, transition, MARKINGS)
    if change < 0:
        assert sums_hit(half_space, transition) == found
    net = Net(("a", "b", "c"), (transition,))
    assert inductive_half_space(half_space, net) == (not found)
    marking = violating_marking(half_space, transition)
    assert (marking is not None) == found
    if marking is not None:
        assert leaves(half_space, transition, [marking])


@settings(max_examples=120, deadline=None)
@given(
    st.tuples(*[st.integers(0, 5)] * 3),
    st.booleans(),
    st.lists(petri_transitions(3), min_size=1, max_size=3),
    st.integers(-20, 20),
    st.integers(0, 25),
)
def test_the_generated_constant_is_the_greatest_inductive_one(
    k: tuple[int, ...], falling: bool, transitions: list[Transition], smallest: int, width: int
) -> None:
    k = tuple(-v for v in k) if falling else k
    net = Net(("a", "b", "c"), tuple(transitions))
    expected = [
        c
        for c in range(smallest, smallest + width + 1)
        if all(
            dot(k, [t.delta.get(p, 0) for p in range(3)]) >= 0 or not sums_hit(HalfSpace(k, c), t)
            for t in transitions
        )
    ]
    assert constants(k, net, smallest, smallest + width) == (max(expected) if expected else None)


@given(vectors, boxes(3))
def test_extremes_over_boxes_are_exact(k: tuple[int, ...], box: Box) -> None:
    inside = [m for m in box_of_markings(3, 8) if box.contains(m)]
    values = [dot(k, m) for m in inside]
    if least(k, box) > -100:
        assert least(k, box) == min(values)
    if greatest(k, box) < 100:
        assert greatest(k, box) == max(values)


@given(vectors, any_transitions(3, upper=True), st.tuples(*[st.integers(0, 4)] * 3))
def test_pulling_back_commutes_with_firing(
    k: tuple[int, ...], transition: Transition, marking: Marking
) -> None:
    form, constant = pulled_back(k, transition)
    if transition.enabled(marking):
        assert dot(k, transition.fire(marking)) == sum(a * marking[p] for p, a in form.items()) + constant


@settings(max_examples=150, deadline=None)
@given(vectors, st.integers(-8, 8), any_transitions(3, upper=True))
def test_trivial_criteria_hold_for_transfers_and_upper_guards(
    k: tuple[int, ...], c: int, transition: Transition
) -> None:
    half_space = HalfSpace(k, c)
    if triviality(half_space, transition):
        assert not leaves(half_space, transition, box_of_markings(3, 7))
        assert inductive_half_space(half_space, Net(("a", "b", "c"), (transition,)))


@settings(max_examples=200, deadline=None)
@given(vectors, st.integers(-8, 8), any_transitions(3, upper=True))
def test_the_checker_calls_nothing_inductive_that_a_transfer_leaves(
    k: tuple[int, ...], c: int, transition: Transition
) -> None:
    half_space = HalfSpace(k, c)
    if inductive_half_space(half_space, Net(("a", "b", "c"), (transition,))):
        assert not leaves(half_space, transition, box_of_markings(3, 7))


# The net of the thesis's geometric example: t takes (2,1) and gives (1,2).
T = Transition("t", {0: Interval(2), 1: Interval(1)}, {0: Update((0,), -1), 1: Update((1,), 1)})


@pytest.mark.parametrize(("c", "expected"), [(9, True), (8, False)])
def test_the_half_space_of_the_geometric_example(c: int, expected: bool) -> None:
    half_space = HalfSpace((3, 2), c)
    assert triviality(half_space, T) is None
    assert inductive(half_space, T) is expected
