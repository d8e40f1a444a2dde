"""The page about `treville param` shows what the command prints."""

from __future__ import annotations

import re
import shlex

import pytest

from parameterised.systems import FLAGS, ROOT
from treville.cli.main import main

PAGE = (ROOT / "docs" / "param.md").read_text(encoding="utf-8")
_BLOCKS = re.findall(r"^```console\n\$ treville (.*?)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
_SECONDS = re.compile(r"\d+\.\d+ s")


def test_there_are_examples_on_the_page() -> None:
    assert len(_BLOCKS) >= 2


@pytest.mark.parametrize(("command", "expected"), _BLOCKS)
def test_consoles_show_what_the_command_prints(
    command: str, expected: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    main(shlex.split(command))
    pattern = re.escape(_SECONDS.sub("#", expected.strip())).replace(r"\.\.\.", ".*")
    assert re.fullmatch(pattern, _SECONDS.sub("#", capsys.readouterr().out.strip()), re.DOTALL)


def test_the_system_on_the_page_is_the_example() -> None:
    shown = re.search(r"^```text\n(type place.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert shown is not None
    without_comment = FLAGS[FLAGS.index("*)") + 2 :]
    assert "".join(shown[1].split()) == "".join(without_comment.split())
