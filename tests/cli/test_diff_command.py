"""`treville diff` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treville.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "litmus"


def _results(path: Path, model: str, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    main(["litmus", "--quiet", "--no-explain", "--model", model, *options, str(EXAMPLES)])
    path.write_text(capsys.readouterr().out)
    return str(path)


def test_equal_results_have_no_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = _results(tmp_path / "a", "tso", capsys, "--json")
    log = _results(tmp_path / "b", "tso", capsys)
    assert main(["diff", a, a]) == 0
    assert main(["diff", a, log]) == 0
    assert "0 different" in capsys.readouterr().out


def test_a_weaker_model_gains_states(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sc = _results(tmp_path / "a", "sc", capsys, "--json")
    tso = _results(tmp_path / "b", "tso", capsys, "--json")
    assert main(["diff", sc, tso]) == 1
    out = capsys.readouterr().out
    assert "  + 0:EAX=0; 1:EAX=0;" in out
    assert "observation: Never -> Sometimes" in out
    assert main(["diff", "--json", tso, sc]) == 1
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert ["0:EAX=0; 1:EAX=0;"] in [report["lost"] for report in reports]
    assert all(report["gained"] == [] for report in reports)


def test_files_without_results_are_input_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").write_text("nothing here\n")
    assert main(["diff", str(tmp_path / "empty"), str(tmp_path / "empty")]) == 2
    assert main(["diff", str(tmp_path / "none"), str(tmp_path / "none")]) == 2
    assert "error" in capsys.readouterr().err


def test_names_in_results_and_of_files_steer_no_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, word in (("a", "Never"), ("b", "Always")):
        (tmp_path / name).write_text(json.dumps({"test": "\x1b]0;T\x07", "observation": word}))
    assert main(["diff", str(tmp_path / "a"), str(tmp_path / "b")]) == 1
    assert main(["diff", str(tmp_path / "\x1b[8m"), str(tmp_path / "b")]) == 2
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err
    assert "]0;T" in shown.out
