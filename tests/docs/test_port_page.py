"""The consoles on the page about `treville port` show what the command prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from treville.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "port.md").read_text(encoding="utf-8")


def consoles() -> list[tuple[str, str]]:
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.mark.parametrize(("command", "expected"), consoles())
def test_consoles_show_what_the_command_prints(
    command: str, expected: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if ".c " in command:
        pytest.importorskip("llvmlite")
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(command)[1:]) in (0, 1)
    actual = capsys.readouterr().out
    pattern = re.escape(expected.strip()).replace(r"\.\.\.", ".*")
    assert re.fullmatch(pattern, actual.strip(), re.DOTALL), actual


def test_there_are_consoles() -> None:
    assert len(consoles()) > 3


def test_the_picture_is_what_the_command_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    arguments = ["examples/port/IRIW.litmus", "--source", "tso", "--target", "power", "--no-suggest"]
    assert main(["port", *arguments, "--svg", str(tmp_path)]) == 1
    (drawn,) = tmp_path.glob("*.svg")
    stored = ROOT / "docs" / "port" / drawn.name
    assert drawn.read_text() == stored.read_text()
    assert f"port/{drawn.name}" in PAGE
