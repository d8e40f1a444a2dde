"""The consoles and Python examples of the page on histories show what really happens."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from treville.cli.main import main
from treville.histories.hierarchy import WITNESSES
from treville.histories.levels import LEVELS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "history.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NUMBER = re.compile(r"\d+\.\d+")


def blocks(language: str) -> list[str]:
    return [match[2] for match in _BLOCK.finditer(PAGE.read_text(encoding="utf-8")) if match[1] == language]


def consoles() -> list[tuple[str, str]]:
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.mark.parametrize(("command", "expected"), consoles())
def test_consoles_show_what_the_command_prints(
    command: str, expected: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    main(shlex.split(command)[1:])
    actual = _NUMBER.sub("#", capsys.readouterr().out.strip())
    pattern = re.escape(_NUMBER.sub("#", expected.strip())).replace(r"\.\.\.", ".*")
    assert re.fullmatch(pattern, actual, re.DOTALL), actual


def test_python_examples_run() -> None:
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks("python")), {}, "page", str(PAGE), 0)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_the_tables_name_every_level_and_every_witness() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in LEVELS:
        assert re.search(rf"^\| {re.escape(name)}( \(`cache`\))? \|", text, re.MULTILINE), name
    for history, levels in WITNESSES:
        assert f"| `{history.replace('||', '∥')}` | {', '.join(levels.split())} |" in text


def test_the_example_in_the_page_is_the_example_in_the_folder() -> None:
    assert (ROOT / "examples" / "histories" / "album.jsonl").read_text() in PAGE.read_text()
