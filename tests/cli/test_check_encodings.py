"""`treville check --encoding --solver` and `treville litmus --engine` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treville.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
SB = str(ROOT / "examples" / "litmus" / "SB.litmus")
WORKERS = str(ROOT / "examples" / "c" / "postgresql_workers.c")


@pytest.mark.parametrize("encoding", ["acyclicity", "clocks", "conflicts"])
def test_a_program_is_judged_alike_by_all_encodings(
    encoding: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("llvmlite")
    models = ["--model", "sc", "--model", "tso", "--model", "pso"]
    main(["check", WORKERS, "--bound", "3", "--json", "--encoding", encoding, *models])
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["verdict"] for answer in answers] == ["PASS", "PASS", "FAIL"]
    counted = any(name.startswith("constraints of") for name in answers[0]["stats"])
    assert counted == (encoding != "acyclicity")


@pytest.mark.parametrize("solver", ["clasp", "z3", "sat", "cadical"])
def test_a_litmus_test_is_judged_alike_by_all_solvers(
    solver: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if solver != "clasp":
        pytest.importorskip("z3" if solver == "z3" else "pysat")
    models = ["--model", "sc", "--model", "tso"]
    main(["check", SB, "--json", "--encoding", "clocks", "--solver", solver, *models])
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["verdict"] for answer in answers] == ["FAIL", "PASS"]


@pytest.mark.parametrize("engine", ["clocks", "conflicts"])
def test_litmus_lists_states_with_other_encodings(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litmus", SB, "--engine", engine, "--model", "tso", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["states"]) == 4
    assert answer["engine"] == engine


def test_a_model_that_an_encoding_does_not_know_is_an_input_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["litmus", SB, "--engine", "conflicts", "--model", "power"]) == 2
    output = capsys.readouterr()
    assert "built in" in output.out + output.err


def test_the_lazy_engine_has_one_encoding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", SB, "--engine", "lazy", "--encoding", "clocks"]) == 2
    assert "default encoding" in capsys.readouterr().err
