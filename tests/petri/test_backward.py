"""The predecessors that the backward search goes to, against firing transitions."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.petri.nets import any_transitions, box_of_markings

from treville.petri.backward import _Predecessors
from treville.petri.net import Marking, Net, Transition
from treville.petri.packing import Packing


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
