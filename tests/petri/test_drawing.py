"""Pictures: well-formed, complete, and playing exactly the steps of the counterexample."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from hypothesis import given, settings
from tests.petri.nets import any_problems, petri_problems

from treville.petri.answers import Evidence, Finding, FiringSequence
from treville.petri.backward import backward
from treville.petri.drawing import draw
from treville.petri.halfspace import HalfSpace
from treville.petri.net import Problem
from treville.petri.oriented import Separator
from treville.petri.plane import draw_plane
from treville.petri.spec import parse
from treville.results.budget import Budget

SVG = "{http://www.w3.org/2000/svg}"
TWO = """vars a b
rules a >= 1 -> a' = a - 1, b' = b + 2;
init a = 2, b = 0
target b >= 4
"""


def evidence(problem: Problem) -> Evidence | None:
    method = backward(problem, Separator(problem, Budget()))
    try:
        while True:
            next(method)
    except StopIteration as stop:
        found: Finding = stop.value
        return found.evidence


def test_a_counterexample_plays_all_its_steps() -> None:
    problem = parse(TWO, "two.spec")
    sequence = evidence(problem)
    assert isinstance(sequence, FiringSequence)
    root = ElementTree.fromstring(draw(problem, sequence))
    texts = ["".join(t.itertext()) for t in root.iter(f"{SVG}text")]
    assert "step 2 of 2: t1" in texts
    for animation in root.iter(f"{SVG}animate"):
        times = [float(t) for t in animation.attrib["keyTimes"].split(";")]
        assert len(times) == len(animation.attrib["values"].split(";"))
        assert times[0] == 0
        assert times == sorted(times)
        assert times[-1] < 1


@settings(max_examples=60, deadline=None)
@given(petri_problems(parametric=True))
def test_every_place_and_transition_is_drawn_once(problem: Problem) -> None:
    root = ElementTree.fromstring(draw(problem, evidence(problem)))
    titles = [t.text or "" for g in root.iter(f"{SVG}g") for t in g.findall(f"{SVG}title")]
    names = [*problem.net.places, *(t.name for t in problem.net.transitions)]
    assert sorted(titles) == sorted(names)


@settings(max_examples=60, deadline=None)
@given(any_problems(upper=True))
def test_transfers_and_zero_tests_are_drawn(problem: Problem) -> None:
    ElementTree.fromstring(draw(problem))


def test_names_are_escaped() -> None:
    problem = parse(TWO, "<&>.spec")
    assert "&lt;&amp;&gt;" in draw(problem)


def test_the_plane_shows_the_border_and_the_markings_that_may_fire() -> None:
    problem = parse(TWO, "two.spec")
    picture = draw_plane(problem, HalfSpace((3, 2), 6))
    root = ElementTree.fromstring(picture)
    assert len([e for e in root.iter(f"{SVG}line") if e.get("class") == "border"]) == 1
