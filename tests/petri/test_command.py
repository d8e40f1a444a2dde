"""`treville petri`: exit codes, JSON, certificates that are checked again, refusals that go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treville.cli.main import main

SAFE = "vars x y rules x >= 1 -> x' = x - 1, y' = y + 1; init x = 1, y = 0 target y >= 2\n"
UNSAFE = SAFE.replace("target y >= 2", "target y >= 1")
ZERO = "vars x y rules x = 0 -> y' = y + 1; init x = 1, y >= 0 target x = 1, y = 7\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "safe.spec").write_text(SAFE)
    (tmp_path / "unsafe.spec").write_text(UNSAFE)
    (tmp_path / "notes.txt").write_text("not a net")
    return tmp_path


def test_a_proof_is_printed_as_an_inequality(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["petri", str(folder / "safe.spec")]) == 0
    text = capsys.readouterr().out
    assert "PASS (halfspace" in text
    assert "x + y <= 1" in text


def test_a_counterexample_is_printed_step_by_step(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["petri", str(folder / "unsafe.spec")]) == 1
    text = capsys.readouterr().out
    assert "start   x=1" in text
    assert "t1 (line 1)   y=1" in text


def test_a_folder_gives_one_json_object_for_each_net(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["petri", str(folder), "--json"]) == 1
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [report["verdict"] for report in reports] == ["PASS", "FAIL"]
    for report in reports:
        assert {"schema", "file", "verdict", "reason", "seconds", "method"} <= report.keys()
    assert reports[0]["certificate"]["half_spaces"][0]["k"] == {"x": -1, "y": -1}
    assert reports[1]["counterexample"]["steps"][0]["marking"] == {"y": 1}


@pytest.mark.parametrize("method", ["auto", "backward", "forward"])
def test_stored_certificates_are_checked_again(
    folder: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    (folder / "zero.spec").write_text(ZERO)
    (folder / "finite.spec").write_text(SAFE.replace("target y >= 2", "target x = 1, y = 1"))
    main(["petri", str(folder), "--json", "--method", method])
    stored = folder / "stored.jsonl"
    output = capsys.readouterr().out
    stored.write_text(output)
    assert main(["petri", str(folder), "--check", str(stored)]) == 0
    assert capsys.readouterr().out.count("is right") == 4
    stored.write_text(output.replace('"y"', '"x"'))
    assert main(["petri", str(folder), "--check", str(stored)]) in (1, 2)


def test_checks_of_certificates_are_reports(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As all answers are: JSON, limits, journals, and one bad file does not end the batch."""
    main(["petri", str(folder), "--json"])
    lines = capsys.readouterr().out.splitlines()
    first, second = (json.loads(line) for line in lines)
    stored = folder / "stored.jsonl"

    def checked(*answers: dict[str, object]) -> list[tuple[str, str]]:
        stored.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        main(["petri", str(folder), "--check", str(stored), "--json"])
        reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        return [(report["verdict"], report["status"]) for report in reports]

    right, none, error = ("PASS", "done"), ("UNKNOWN", "unknown"), ("UNKNOWN", "error")
    assert checked(first, second) == [right, right]
    assert checked(second) == [none, right]
    assert checked({**first, "certificate": 7}, second) == [error, right]
    first["certificate"]["half_spaces"][0]["c"] += 1000
    assert checked(first, second) == [("FAIL", "done"), right]


def test_several_processes_print_the_same_in_the_same_order(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["petri", str(folder), "--json"]) == 1
    alone = capsys.readouterr().out.splitlines()
    assert main(["petri", str(folder), "--json", "--jobs", "2"]) == 1
    several = capsys.readouterr().out.splitlines()
    for one, other in zip(alone, several, strict=True):
        assert {**json.loads(one), "seconds": 0} == {**json.loads(other), "seconds": 0}


def test_a_refused_file_does_not_stop_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.spec").write_text("vars x rules q >= 1 -> ; init x = 1 target x >= 2")
    assert main(["petri", str(folder), "--json"]) == 2
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 3
    assert "bad.spec:1:14: unknown place `q`" in printed.out
    assert main(["petri", str(folder)]) == 2
    assert "bad.spec:1:14: error: unknown place `q`" in capsys.readouterr().err


def test_questions_and_targets_can_be_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(folder / "safe.spec")
    assert main(["petri", path, "--target", "y >= 1"]) == 1
    assert main(["petri", path, "--target", "x = 1, y = 1", "--cover"]) == 0
    assert main(["petri", path, "--target", "x >= 1, y >= 0", "--reach"]) == 1
    assert main(["petri", path, "--target", "z >= 1"]) == 2
    capsys.readouterr()


def test_a_file_that_is_not_there_is_wrong_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["petri", str(tmp_path / "nothing.spec")]) == 2
    assert "cannot read the file" in capsys.readouterr().err


def test_an_empty_folder_is_wrong_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["petri", str(tmp_path)]) == 2
    assert "no nets found" in capsys.readouterr().err


def test_a_picture_is_written_beside_the_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["petri", str(folder), "--svg", str(folder / "pictures")]) == 1
    assert (folder / "pictures" / "safe.svg").read_text().startswith("<svg")
    assert "<animate" in (folder / "pictures" / "unsafe.svg").read_text()
    capsys.readouterr()
