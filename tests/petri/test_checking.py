"""The checker rejects evidence that proves nothing: a negative control for each condition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.petri.nets import any_problems, boxes, petri_problems, reachable

from treville.petri.answers import Combination, Cover, Evidence, FiringSequence, Invariant, Markings
from treville.petri.checking import check
from treville.petri.halfspace import HalfSpace
from treville.petri.net import UNBOUNDED, Box, Problem
from treville.petri.spec import parse

# a token moves from x to y; two tokens never come about
PROBLEM = parse("vars x y rules x >= 1 -> x' = x - 1, y' = y + 1; init x = 1, y = 0 target y >= 2", "f")
UP = (UNBOUNDED, UNBOUNDED)
SUM = HalfSpace((-1, -1), -1)


@pytest.mark.parametrize(
    "evidence",
    [
        Invariant((SUM,)),
        Invariant((), (Box((0, 2), UP), Box((1, 1), UP), Box((2, 0), UP))),
        Invariant((SUM,), (Box((0, 2), UP),)),
        Invariant((SUM,), (), {0: Combination(((0, 2),))}),
        Cover(((1, 0), (0, 1))),
        Markings(frozenset({(1, 0), (0, 1)})),
    ],
)
def test_right_certificates_pass(evidence: Evidence) -> None:
    assert check(PROBLEM, evidence) is None


@pytest.mark.parametrize(
    ("evidence", "complaint"),
    [
        (Invariant((HalfSpace((-1, -1), 0),)), "initial"),
        (Invariant((HalfSpace((1, 0), 1),)), "not inductive"),
        (Invariant((HalfSpace((0, 1), 0),)), "not excluded"),
        (Invariant((), (Box((0, 2), UP),)), "from outside"),
        (Invariant((), (Box((0, 0), UP),)), "initial"),
        (Invariant(()), "not excluded"),
        (Invariant((SUM,), (), {0: Combination(((0, -1),))}), None),
        (Invariant((HalfSpace((0, 1), 0),), (), {0: Combination(((0, -1),))}), "not excluded"),
        (Invariant((HalfSpace((0, -1), -1), SUM)), "not inductive"),
        (Cover(((0, 1),)), "initial"),
        (Cover(((1, 1),)), "leaves the cover"),
        (Markings(frozenset({(0, 1)})), "initial"),
        (Markings(frozenset({(1, 0)})), "leaves the markings"),
        (Markings(frozenset({(1, 0), (0, 1), (0, 2)})), "a target is among"),
        (Cover(((1, 0),)), "leaves the cover"),
        (Cover((UP,)), "a target is covered"),
        (FiringSequence((2, 0), (0, 0)), "does not start"),
        (FiringSequence((1, 0), (0,)), "does not end"),
        (FiringSequence((1, 0), (0, 0)), "not enabled"),
    ],
)
def test_wrong_evidence_is_rejected_with_the_reason(evidence: Evidence, complaint: str | None) -> None:
    found = check(PROBLEM, evidence)
    if complaint is None:
        assert found is None, "a useless sum does not hurt where a half space excludes the target alone"
    else:
        assert found is not None
        assert complaint in found


def test_half_spaces_that_a_target_reaches_together_do_not_exclude_it() -> None:
    reached = parse("vars x y rules x >= 1 -> x' = x - 1, y' = y + 1; init x = 1, y = 0 target y >= 1", "f")
    complaint = check(reached, Invariant((SUM,), (), {0: Combination(((0, 1),))}))
    assert complaint is not None
    assert "not excluded" in complaint


def test_boxes_are_entered_from_above_and_from_below() -> None:
    """A step down into the box, and one up into it."""
    for rule, start in (("x >= 1 -> x' = x - 1", 2), ("x >= 0 -> x' = x + 1", 0)):
        problem = parse(f"vars x rules {rule}; init x = {start} target x = 1", "f")
        entered = check(problem, Invariant((), (Box((1,), (1,)),)))
        assert entered is not None
        assert "from outside" in entered


def test_boxes_are_entered_through_sums_of_places_too() -> None:
    rules = "vars x y rules y >= 1 -> x' = x + y, y' = 0; init x = 0, y = {} target x >= 2"
    entered = check(parse(rules.format(2), "f"), Invariant((), (Box((2, 0), UP),)))
    assert entered is not None
    assert "from outside" in entered
    boxes = (Box((2, 0), UP), Box((1, 1), UP), Box((0, 2), UP))
    assert check(parse(rules.format(1), "f"), Invariant((), boxes)) is None


@settings(max_examples=300, deadline=None)
@given(
    petri_problems(),
    st.lists(st.tuples(st.lists(st.integers(-2, 2), min_size=4, max_size=4), st.integers(-4, 4)), max_size=2),
    st.lists(boxes(4), max_size=3),
)
def test_accepted_invariants_hold_on_every_reachable_marking(
    problem: Problem, spaces: list[tuple[list[int], int]], excluded: list[Box]
) -> None:
    count = len(problem.net.places)
    half_spaces = tuple(HalfSpace(tuple(k[:count]), c) for k, c in spaces)
    cut = tuple(Box(b.low[:count], b.high[:count]) for b in excluded) + problem.targets
    invariant = Invariant(half_spaces, cut)
    if check(problem, invariant) is None:
        markings = reachable(problem.net, problem.initial.low, 500)
        for marking in markings or ():
            assert all(h.contains(marking) for h in half_spaces)
            assert not any(box.contains(marking) for box in cut)


@settings(max_examples=150, deadline=None)
@given(any_problems(upper=True), st.lists(boxes(3), max_size=3))
def test_accepted_boxes_of_nets_with_transfers_hold_on_every_reachable_marking(
    problem: Problem, excluded: list[Box]
) -> None:
    count = len(problem.net.places)
    cut = tuple(Box(b.low[:count], b.high[:count]) for b in excluded) + problem.targets
    if check(problem, Invariant((), cut)) is None:
        for marking in reachable(problem.net, problem.initial.low, 500) or ():
            assert not any(box.contains(marking) for box in cut)
