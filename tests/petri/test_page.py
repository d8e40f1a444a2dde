"""The documentation page: its consoles show what the command prints, its pictures what is drawn today."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from treville.cli.main import main
from treville.petri.decide import answer
from treville.petri.drawing import draw
from treville.petri.halfspace import HalfSpace
from treville.petri.plane import draw_plane
from treville.petri.reading import read_problem

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "petri.md"
CONSOLES = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)


def _steady(text: str) -> str:
    """Without what differs from run to run: times, and which non-trivial half space the solver finds."""
    text = re.sub(r"\d+\.\d+ s\)", "# s)", text.strip())
    return re.sub(r"\[1\] .*\(non-trivial half space\)", "[1] #", text)


def test_the_page_has_consoles():
    assert len(CONSOLES) >= 5


@pytest.mark.parametrize(("command", "expected"), CONSOLES)
def test_consoles_show_what_the_command_prints(command, expected, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    main(shlex.split(command)[1:])
    actual = _steady(capsys.readouterr().out)
    pattern = re.escape(_steady(expected)).replace(r"\.\.\.", ".*")
    assert re.fullmatch(pattern, actual), actual


def test_pictures_are_what_is_drawn_today(monkeypatch):
    monkeypatch.chdir(ROOT)
    plane = read_problem("examples/petri/plane.spec")
    assert draw_plane(plane, HalfSpace((3, 2), 9)) == (ROOT / "docs/petri/plane.svg").read_text()
    locks = read_problem("examples/petri/two-locks.spec")
    found = answer(locks, "backward")
    assert draw(locks, found.evidence) == (ROOT / "docs/petri/two-locks.svg").read_text()
