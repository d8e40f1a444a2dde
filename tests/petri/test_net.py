"""Boxes, transitions and nets against the sets of markings that they stand for."""

from __future__ import annotations

from itertools import product

import pytest
from tests.petri.nets import box_of_markings

from treville.petri.net import (
    UNBOUNDED,
    Box,
    Interval,
    Marking,
    Net,
    Problem,
    Transition,
    Update,
    as_coverability,
    as_reachability,
    describe_box,
    describe_marking,
)
from treville.petri.spec import parse

SHIFT = Transition("shift", {0: Interval(1)}, {0: Update((0,), -1), 1: Update((1,), 2)})
TRANSFER = Transition("transfer", {1: Interval(1)}, {0: Update((0, 1, 1), -1), 1: Update((), 3)})
TEST = Transition("test", {0: Interval(0, 1), 1: Interval(1, 2)}, {0: Update((0,), 1)})
SIZE = 3  # of the grid: beyond all finite ends of the boxes here
BOXES = [
    Box((a, c), (b, d))
    for a, b in ((0, 0), (0, 1), (1, 2), (2, 1), (0, UNBOUNDED), (1, UNBOUNDED))
    for c, d in ((0, 0), (1, 1), (0, 2), (1, UNBOUNDED), (0, UNBOUNDED))
]


def markings(box: Box) -> set[Marking]:
    return {m for m in box_of_markings(2, SIZE) if box.low[0] <= m[0] and box.low[1] <= m[1] and fits(m, box)}


def fits(marking: Marking, box: Box) -> bool:
    return not any(n > high for n, high in zip(marking, box.high, strict=True))


def test_boxes_are_sets_of_markings() -> None:
    for one, other in product(BOXES, repeat=2):
        assert markings(one) == {m for m in box_of_markings(2, SIZE) if one.contains(m)}
        met = one.meet(other)
        assert (markings(met) if met else set()) == markings(one) & markings(other)
    assert [box for box in BOXES if box.upward_closed] == [
        Box((a, c), (UNBOUNDED, UNBOUNDED)) for a in (0, 1) for c in (1, 0)
    ]


@pytest.mark.parametrize(
    ("transition", "before", "after"),
    [
        (SHIFT, (1, 0), (0, 2)), (SHIFT, (0, 5), None), (TRANSFER, (2, 2), (5, 3)), (TRANSFER, (2, 0), None),
        (TEST, (1, 2), (2, 2)), (TEST, (2, 2), None), (TEST, (1, 3), None), (TEST, (0, 0), None),
    ],
)  # fmt: skip
def test_transitions_fire_when_all_guards_hold(
    transition: Transition, before: Marking, after: Marking | None
) -> None:
    assert transition.enabled(before) == (after is not None)
    if after is not None:
        assert transition.fire(before) == after


def test_kinds_of_transitions_and_nets() -> None:
    assert [t.shifts_only for t in (SHIFT, TRANSFER, TEST)] == [True, False, True]
    assert [t.monotone for t in (SHIFT, TRANSFER, TEST)] == [True, True, False]
    assert SHIFT.delta == {0: -1, 1: 2}
    assert [(TEST.low(p), TEST.high(p)) for p in range(3)] == [(0, 1), (1, 2), (0, UNBOUNDED)]
    places = ("a", "b")
    for *chosen, plain, monotone in (
        (SHIFT, True, True), (SHIFT, TRANSFER, False, True), (SHIFT, TEST, False, False),
        (TRANSFER, TEST, False, False), (True, True),
    ):  # fmt: skip
        net = Net(places, tuple(t for t in chosen if isinstance(t, Transition)))
        assert (net.plain, net.monotone) == (plain, monotone)


def test_a_question_is_coverability_when_more_tokens_never_hurt() -> None:
    closed, single = Box((1, 2), (UNBOUNDED, UNBOUNDED)), Box((1, 2), (1, 2))
    start = Box((0, 0), (0, 0))
    for transition, targets, expected in (
        (SHIFT, (closed,), True), (SHIFT, (closed, single), False), (TEST, (closed,), False),
    ):  # fmt: skip
        problem = Problem("f", Net(("a", "b"), (transition,)), start, targets, ({0: 1},))
        assert problem.coverability is expected
        assert as_coverability(problem).targets == (closed,) * len(targets)
        assert as_reachability(problem).targets == (single,) * len(targets)
        assert as_coverability(problem).weights == as_reachability(problem).weights == ({0: 1},)


def test_descriptions_can_be_read_again() -> None:
    for box in BOXES:
        if not markings(box):
            continue
        said = describe_box(Net(("a", "b"), ()), box)
        if said == "true":
            assert box == Box((0, 0), (UNBOUNDED, UNBOUNDED))
        else:
            target = parse(
                f"vars a b rules a >= 1 -> a' = a - 1; init a = 0, b = 0 target {said}", "f"
            ).targets
            assert target == (box,)
    net = Net(("a", "b", "c"), ())
    assert describe_marking(net, (2, 0, 1)) == "a=2, c=1"
    assert describe_marking(net, (0, 0, 0)) == "empty"
