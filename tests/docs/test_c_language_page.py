"""What the page on C shows is what the command prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from treville.cli.main import main

pytest.importorskip("llvmlite")

ROOT = Path(__file__).resolve().parents[2]
TIME = re.compile(r"\d+\.\d+")


def commands() -> list[tuple[str, str]]:
    """The commands of the page with their output."""
    text = (ROOT / "docs" / "c-language.md").read_text(encoding="utf-8")
    consoles = "".join(re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    parts = re.split(r"^\$ treville ", consoles, flags=re.MULTILINE)[1:]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def test_the_page_has_commands() -> None:
    assert len(commands()) == 3


@pytest.mark.parametrize(("command", "expected"), commands())
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_commands_print_what_the_page_shows(
    command: str, expected: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    main(shlex.split(command))
    shown = capsys.readouterr().out
    assert TIME.sub("#", shown).split() == TIME.sub("#", expected).split()
