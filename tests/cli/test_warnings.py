"""Answers that say little say so: every command has `warnings`, in JSON and in text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treville.cli.main import main
from treville.results import Notice, Span, as_warnings

UNSET = """AArch64 unset
{ 0:X1=x; }
 P0          | P1          ;
 MOV W0,#1   | LDR W0,[X2] ;
 STR W0,[X1] |             ;
exists (1:X0=1)
"""
SET = UNSET.replace("0:X1=x;", "0:X1=x; 1:X2=x;")
IDLE = """type place = Idle | Busy
array At[proc] : place
init (p) { At[p] = Idle }
transition work (p)
requires { At[p] = Idle }
{ At[p] := Busy }
"""


def _asked(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[list[list[str]], str]:
    """The warnings of a command's reports, and what it says to people."""
    main([*arguments, "--json"])
    reports = [json.loads(line)["warnings"] for line in capsys.readouterr().out.splitlines()]
    main(arguments)
    return reports, capsys.readouterr().out


def _written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("command", [["litmus"], ["check"], ["port", "--source", "sc", "--target", "tso"]])
def test_an_address_register_that_was_never_set(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _written(tmp_path, "unset.litmus", UNSET)
    reports, text = _asked([*command, file], capsys)
    assert f"{file}:4:16: the register X2 of P1 is used as an address" in reports[0][0]
    assert "warning:" in text
    reports, text = _asked([*command, _written(tmp_path, "set.litmus", SET)], capsys)
    assert reports == [[]]
    assert "warning:" not in text


@pytest.mark.parametrize("command", [["litmus"], ["check"]])
def test_a_model_without_axioms(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test = _written(tmp_path, "set.litmus", SET)
    for content in ("", '"no axiom"\nlet com = rf | co\n', "flag ~empty rf as reads\n"):
        model = _written(tmp_path, "any.cat", content)
        reports, text = _asked([*command, "--model", model, test], capsys)
        assert "the model any has no axioms" in reports[0][0]
        assert "warning:" in text
    model = _written(tmp_path, "some.cat", "acyclic po | rf\n")
    assert _asked([*command, "--model", model, test], capsys)[0] == [[]]


def test_a_program_without_assertions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("llvmlite")
    empty = _written(tmp_path, "empty.c", "int x;\nint main(void) { x = 1; return 0; }\n")
    reports, text = _asked(["check", empty], capsys)
    assert "has no assertion" in reports[0][0]
    assert "warning:" in text
    assert _asked(["check", empty, "--property", "race"], capsys)[0] == [[]]
    asserting = "#include <assert.h>\nint x;\nint main(void) { x = 1; assert(x); return 0; }\n"
    assert _asked(["check", _written(tmp_path, "asserting.c", asserting)], capsys)[0] == [[]]


def test_a_system_without_unsafe_states(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports, text = _asked(["param", _written(tmp_path, "idle.cub", IDLE)], capsys)
    assert "no unsafe states" in reports[0][0]
    assert "warning:" in text


def test_models_that_no_order_mentions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = [_written(tmp_path, f"{name}.cat", "acyclic po | rf\n") for name in "ab"]
    reports, text = _asked(["models", *models, "--check"], capsys)
    assert "nothing was compared" in reports[0][0]
    assert "warning:" in text
    assert main(["models", *models, "--check"]) == 3


def test_notices_are_told_once_and_with_their_places() -> None:
    one, other = Notice("assumed", Span("a.c", 3, 4)), Notice("vacuous")
    assert as_warnings([one, other], [one]) == ("a.c:3:4: assumed", "vacuous")
