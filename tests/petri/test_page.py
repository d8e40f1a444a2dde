"""The documentation page: its consoles show what the command prints, its pictures what is drawn today."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from treville.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "petri.md"
CONSOLES = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)


def test_the_page_has_consoles():
    assert len(CONSOLES) >= 5


@pytest.mark.parametrize(("command", "expected"), CONSOLES)
def test_consoles_show_what_the_command_prints(command, expected, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    main(shlex.split(command)[1:])
    actual = re.sub(r"\d+\.\d+ s\)", "# s)", capsys.readouterr().out.strip())
    pattern = re.escape(re.sub(r"\d+\.\d+ s\)", "# s)", expected.strip())).replace(r"\.\.\.", ".*")
    assert re.fullmatch(pattern, actual), actual


@pytest.mark.parametrize(
    ("net", "method", "picture", "drawn"),
    [
        ("plane.spec", "halfspace", "plane.svg", "plane-plane.svg"),
        ("two-locks.spec", "backward", "two-locks.svg", "two-locks.svg"),
    ],
)
def test_pictures_are_what_is_drawn_today(net, method, picture, drawn, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    main(["petri", f"examples/petri/{net}", "--method", method, "--svg", str(tmp_path)])
    capsys.readouterr()
    assert (tmp_path / drawn).read_text() == (ROOT / "docs" / "petri" / picture).read_text()
