"""Timelines are well-formed pictures with every operation, arrow and contradiction."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest

from treville.histories import check, find_level, read_history
from treville.histories.explain import explain
from treville.histories.generate import generate
from treville.histories.timeline import draw
from treville.results import Budget, InputError

SVG = "{http://www.w3.org/2000/svg}"


def elements(picture: str, kind: str, of_class: str) -> int:
    tree = ElementTree.fromstring(picture)
    return sum(of_class in (e.get("class") or "").split() for e in tree.iter(SVG + kind))


def test_a_passing_history_shows_operations_and_sources() -> None:
    history = read_history("(w,x,1).(r,y,0) || (w,y,1).(r,x,1)", "a<b>&c")
    answer = check(history, find_level("SC"))
    assert answer.execution is not None
    picture = draw(history.events, answer.execution.sources, "a<b>&c")
    assert elements(picture, "rect", "write") == 2
    assert elements(picture, "rect", "read") == 2
    assert elements(picture, "rect", "start") == 1
    assert elements(picture, "path", "rf") == 2
    assert elements(picture, "path", "bad") == 0


def test_a_failing_part_shows_its_contradiction() -> None:
    history = read_history("(w,x,1).(r,y,0) || (w,y,1).(r,x,0)", "h")
    answer = check(history, find_level("SC"))
    explanation = explain(history, answer, Budget(20))
    picture = draw(history.events, {}, "h", explanation.words, explanation.cycle)
    assert elements(picture, "path", "bad") == 4


def test_times_place_operations_without_overlap_in_a_lane() -> None:
    history = generate(find_level("linearizability"), 40, 3, 2, 5, timed=True)
    answer = check(history, find_level("linearizability"))
    assert answer.execution is not None
    picture = draw(history.events, answer.execution.sources, "h")
    lanes: dict[str, list[tuple[float, float]]] = {}
    for rect in ElementTree.fromstring(picture).iter(SVG + "rect"):
        if rect.get("class") in ("read", "write"):
            left, width = float(rect.get("x", "")), float(rect.get("width", ""))
            lanes.setdefault(rect.get("y", ""), []).append((left, left + width))
    assert len(lanes) == 3
    for boxes in lanes.values():
        boxes.sort()
        assert all(a[1] <= b[0] + 0.2 for a, b in itertools.pairwise(boxes))


def test_histories_too_large_for_a_picture_are_refused() -> None:
    history = generate(find_level("SC"), 500, 3, 2, 5)
    with pytest.raises(InputError, match="too many"):
        draw(history.events, {}, "h")
