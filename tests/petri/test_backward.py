"""The predecessors that the backward search goes to, against firing transitions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.petri.nets import (
    any_problems,
    any_transitions,
    box_of_markings,
    finding,
    petri_problems,
    reachable,
)

from treville.petri import backward as search
from treville.petri.answers import FiringSequence
from treville.petri.backward import _Predecessors, backward
from treville.petri.checking import check
from treville.petri.net import Marking, Net, Problem, Transition
from treville.petri.oriented import Separator
from treville.petri.packing import Packing
from treville.results.budget import Budget


def covers(marking: tuple[int, ...], least: tuple[int, ...]) -> bool:
    return all(a >= b for a, b in zip(marking, least, strict=True))


@settings(max_examples=150, deadline=None)
@given(any_transitions(3, upper=False), st.tuples(*[st.integers(0, 3)] * 3))
def test_predecessors_are_what_leads_above_a_marking(transition: Transition, target: Marking) -> None:
    """Shifts, transfers and resets; what is above the marking already is of no interest."""
    packing = Packing(3, 8)
    found = _Predecessors(Net(("p", "q", "r"), (transition,)), packing)
    packed = packing.pack(target)
    least = [packing.unpack(value) for _, value in found.of(packed, packing.support(packed))]
    for marking in box_of_markings(3, 5):
        leads = transition.enabled(marking) and covers(transition.fire(marking), target)
        listed = any(covers(marking, one) for one in least)
        assert leads or not listed
        assert listed or not leads or covers(marking, target)


@settings(max_examples=150, deadline=None)
@given(st.one_of(petri_problems(), any_problems(upper=False)))
def test_places_that_exclude_each_other_prune_nothing_that_is_reachable(problem: Problem) -> None:
    """With so little patience that sets of such places are looked for from the start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_STAGES", ((2, 1), (3, 2)))
        found = finding(backward(problem, Separator(problem, Budget())), 3000)
    if found is None or found.evidence is None:
        return
    assert check(problem, found.evidence) is None
    markings = reachable(problem.net, problem.initial.low, 1000)
    if markings is not None:
        hit = any(target.contains(marking) for marking in markings for target in problem.targets)
        assert isinstance(found.evidence, FiringSequence) == hit


@settings(max_examples=30, deadline=None)
@given(st.one_of(petri_problems(), any_problems(upper=False)))
def test_narrow_fields_are_widened_in_time(problem: Problem) -> None:
    """A search that starts in fields of two bits finds the same as one in fields that are wide enough."""
    made: list[int] = []

    def narrow(count: int, width: int) -> Packing:
        made.append(width)
        return Packing(count, 3 * len(made))

    wide = finding(backward(problem, Separator(problem, Budget())), 3000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "Packing", narrow)
        found = finding(backward(problem, Separator(problem, Budget())), 3000)
    if wide is not None and found is not None:
        assert isinstance(wide.evidence, FiringSequence) == isinstance(found.evidence, FiringSequence)
        assert found.evidence is None or check(problem, found.evidence) is None
