"""The pictures of the documentation page are what is drawn today."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.petri.decide import answer
from treville.petri.drawing import draw
from treville.petri.halfspace import HalfSpace
from treville.petri.plane import draw_plane
from treville.petri.reading import read_problem

ROOT = Path(__file__).resolve().parents[2]


def test_pictures_are_what_is_drawn_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    plane = read_problem("examples/petri/plane.spec")
    assert draw_plane(plane, HalfSpace((3, 2), 9)) == (ROOT / "docs/petri/plane.svg").read_text()
    locks = read_problem("examples/petri/two-locks.spec")
    found = answer(locks, "backward")
    assert draw(locks, found.evidence) == (ROOT / "docs/petri/two-locks.svg").read_text()
