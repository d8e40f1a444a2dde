"""The consoles of the page on checking C programs show what really happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from treville.cli.main import main

pytest.importorskip("llvmlite")

ROOT = Path(__file__).resolve().parents[2]
_NUMBER = re.compile(r" *\d+\.\d+")


def consoles() -> list[tuple[str, str]]:
    """The commands of the page with what they print."""
    text = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        command, _, output = block.removeprefix("$ ").partition("\n")
        found.append((command, output))
    return found


def test_the_page_has_consoles() -> None:
    assert len(consoles()) >= 4


@pytest.mark.parametrize(("command", "expected"), consoles())
def test_consoles_show_what_the_command_prints(
    command: str, expected: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    main(shlex.split(command)[1:])
    actual = _NUMBER.sub("#", capsys.readouterr().out.strip())
    pattern = re.escape(_NUMBER.sub("#", expected.strip())).replace(r"\.\.\.", ".*")
    assert re.fullmatch(pattern, actual, re.DOTALL), actual
