"""`treville history` from the outside: verdicts, exit codes, JSON, pictures, generated histories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treville.cli.main import main

DEKKER = "(w,x,1).(r,y,0) || (w,y,1).(r,x,0)"


@pytest.fixture
def dekker(tmp_path: Path) -> str:
    path = tmp_path / "dekker.json"  # the ending does not matter
    path.write_text(DEKKER)
    return str(path)


def test_a_level_decides_the_exit_code(dekker: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", dekker, "--level", "SC"]) == 1
    assert main(["history", dekker, "--level", "tso,Causal"]) == 0
    assert main(["history", dekker, "--level", "TSO", "--level", "SC"]) == 1
    out = capsys.readouterr().out
    assert "FAIL SC" in out
    assert "view of process P0: P0:(w,x,1) P0:(r,y,0) P1:(w,y,1)" in out


def test_without_a_level_every_level_is_reported(dekker: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", dekker]) == 0
    out = capsys.readouterr().out
    assert "strongest satisfied: TSO, PC-G, PC-D, GAO, causal, PRAM-M" in out
    assert "weakest violated: SC" in out
    assert "why not SC" in out


def test_json_has_one_object_for_each_level(dekker: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", dekker, "--json"]) == 0
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(reports) == 14
    for report in reports:
        assert {"schema", "file", "level", "verdict", "reason", "seconds"} <= set(report)
    by_level = {report["level"]: report for report in reports}
    assert by_level["SC"]["explanation"]["operations"] == [0, 1, 2, 3]
    assert by_level["SLOW"]["evidence"]["reads_from"] == {"1": "initial y", "3": "initial x"}


def test_a_timeout_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["history", "--generate", "TSO", "--operations", "3000", "--values", "2", "--keys", "20"]) == 0
    )
    log = tmp_path / "log"
    log.write_text(capsys.readouterr().out)
    assert main(["history", str(log), "--level", "SC", "--timeout", "0.2"]) == 3
    assert "UNKNOWN" in capsys.readouterr().out


def test_wrong_input_is_named_and_other_files_are_still_checked(
    dekker: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"process": 0, "type": "write", "key": "x", "value": 1}\n{"process": 0}\n')
    assert main(["history", str(wrong), "--level", "SC"]) == 2
    assert "wrong.jsonl:2:1: error: no type of operation" in capsys.readouterr().err
    assert main(["history", str(wrong), dekker, "--level", "TSO"]) == 2
    assert "PASS TSO" in capsys.readouterr().out
    assert main(["history", dekker, "--level", "nonsense"]) == 2
    assert "unknown level" in capsys.readouterr().err


def test_initial_values_can_be_given(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("(r,x,7)")
    assert main(["history", str(log), "--level", "LOCAL"]) == 1
    assert main(["history", str(log), "--level", "LOCAL", "--initial", "x=7"]) == 0
    assert main(["history", str(log), "--level", "LOCAL", "--initial", "*=7"]) == 0


def test_pictures_are_written(dekker: str, tmp_path: Path) -> None:
    target = tmp_path / "picture.svg"
    main(["history", dekker, "--level", "SC", "--svg", str(target)])
    assert target.read_text().startswith("<svg")


def test_generated_histories_can_be_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for level in ("linearizability", "causal", "LOCAL"):
        capsys.readouterr()
        assert main(["history", "--generate", level, "--operations", "30", "--seed", "4"]) == 0
        log = tmp_path / level
        log.write_text(capsys.readouterr().out)
        assert main(["history", str(log), "--level", level]) == 0


def test_a_formula_becomes_a_history(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for clauses, code in (("1 2 0\n-1 0\n", 0), ("1 0\n-1 0\n", 1)):
        formula, log = tmp_path / "formula.cnf", tmp_path / "log"
        formula.write_text("p cnf 2 2\n" + clauses)
        for reduction, level in (("slow", "SLOW"), ("gwo", "GWO"), ("cc", "CC")):
            capsys.readouterr()
            assert main(["history", "--from-cnf", str(formula), "--reduction", reduction]) == 0
            log.write_text(capsys.readouterr().out)
            assert main(["history", str(log), "--level", level, "--no-explain"]) == code


def test_any_cat_model_can_be_asked(dekker: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", dekker, "--model", "sc"]) == 1
    assert "a minimal failing part has 4 operations" in capsys.readouterr().out
    assert main(["history", dekker, "--model", "power", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["evidence"]["reads_from"] == {"1": "initial y", "3": "initial x"}
    own = tmp_path / "own.cat"
    own.write_text('"only coherence"\nacyclic po-loc | rf | co | fr as coherent\n')
    assert main(["history", dekker, "--model", str(own)]) == 0
    assert main(["history", dekker, "--model", "nonsense"]) == 2


def test_the_table_of_complexities_says_what_the_thesis_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "--complexity", "--json"]) == 0
    rows = {row["level"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert {name for name, row in rows.items() if row["general"]["class"] == "P"} == {"LOCAL"}
    assert {name for name, row in rows.items() if row["processes"]["class"] == "P"} == {"LOCAL", "CC", "SLOW"}
    assert {n for n, row in rows.items() if row["operations"]["class"] == "P"} == {"LOCAL", "PRAM", "SLOW"}
    assert {name for name, row in rows.items() if row["keys"]["class"] == "P"} == {"LOCAL"}
    assert main(["history", "--complexity", "--level", "CC"]) == 0
    assert "CC     NP-complete (1)  P (6)" in capsys.readouterr().out
    assert main(["history", "--complexity", "--level", "linearizability"]) == 2
