"""`treville compare` from the outside: text, tables, JSON, files, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from treville.cli.main import main
from treville.models.cat.files import LIBRARY

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def compare(*arguments: str) -> int:
    return main(["compare", *arguments])


def reports(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    compare(*arguments, "--json")
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def changed(tmp_path: Path, model: str, old: str, new: str) -> str:
    """A shipped model with one line changed."""
    text = (LIBRARY / f"{model}.cat").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / f"{model}.cat"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return str(path)


def test_two_models_and_the_test_that_tells_them_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("sc", "tso", "--events", "4") == 1
    out = capsys.readouterr().out
    assert "sc and tso: FAIL (X86 tests of up to 4 accesses, 4 threads, half as many locations)" in out
    assert "tso allows what sc forbids: SB (4 accesses, 2 threads)" in out
    assert "exists (0:EAX=0 /\\ 1:EAX=0)" in out
    assert 'axiom "sc" of sc' in out
    assert "sc allows nothing that tso forbids, up to 4 accesses" in out


def test_equal_up_to_a_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("sc", "tso", "--events", "5", "--direction", "left") == 0
    out = capsys.readouterr().out
    expected = "no test of up to 5 accesses is allowed by the left one and forbidden by the right one"
    assert expected in out


def test_every_written_test_is_confirmed_by_litmus(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "tests"
    (report,) = reports(capsys, "power", "sc", "--events", "4", "--all", "-o", str(folder))
    assert report["verdict"] == "FAIL"
    assert report["searched"] == 4
    found = report["differences"]
    assert {each["test"] for each in found} == {"SB", "MP", "LB", "S", "R", "2+2W"}
    for each in found:
        assert (each["allowed_by"], each["forbidden_by"], each["events"]) == ("power", "sc", 4)
        assert Path(each["written"]).read_text(encoding="utf-8") == each["text"]
    for model, observation in (("power", "Sometimes"), ("sc", "Never")):
        main(["litmus", str(folder), "--model", model, "--json"])
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert {line["observation"] for line in lines} == {observation}
        assert len(lines) == 6


def test_one_line_that_was_changed_is_found(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    weaker = changed(tmp_path, "tso", "po & (W * W | R * M)", "po & (W * W | R * R)")
    (report,) = reports(capsys, weaker, "tso", "--events", "4")
    (found,) = report["differences"]
    assert (found["allowed_by"], found["forbidden_by"], found["test"]) == (weaker, "tso", "LB")
    assert found["axiom"] == "tso"


def test_one_line_that_changes_nothing_is_no_difference(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    same = changed(tmp_path, "tso", "acyclic ghb as tso", "irreflexive ghb+ as tso")
    (report,) = reports(capsys, same, "tso", "--events", "5")
    assert (report["verdict"], report["differences"]) == ("PASS", [])


def test_a_matrix_is_a_table_and_a_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert compare("--matrix", "sc", "tso", "pso", "--events", "4", "--svg", str(tmp_path)) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["allows", "\\", "forbids", "sc", "tso", "pso"]
    assert [line.split() for line in out[1:4]] == [["sc", "-", "-"], ["tso", "SB", "-"], ["pso", "MP", "MP"]]
    assert out[5:] == ["sc < tso  SB", "tso < pso  MP"]
    picture = (tmp_path / "hierarchy.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    for word in ("sc", "tso", "pso", "SB", "MP"):
        assert f">{word}</text>" in picture


def test_a_matrix_of_the_same_model_has_one_box(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    same = changed(tmp_path, "tso", "acyclic ghb as tso", "irreflexive ghb+ as tso")
    assert compare("--matrix", "tso", same, "--events", "3") == 0
    assert f"tso = {same}" in capsys.readouterr().out


def test_a_matrix_in_json_is_an_object_for_each_pair(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = reports(capsys, "--matrix", "sc", "tso", "pso", "--events", "3", "--svg", str(tmp_path))
    assert [(each["left"], each["right"]) for each in found] == [("sc", "tso"), ("sc", "pso"), ("tso", "pso")]
    assert (tmp_path / "hierarchy.svg").is_file()


def test_a_suite_notices_relaxations(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    assert compare("--suite", "sc", "--events", "4", "-o", str(folder)) == 0
    out = capsys.readouterr().out
    assert "sc: 4 tests for 6 of 7 relaxations" in out
    assert "notices no sc; sc without fr; sc without po" in out
    assert "  sc without rmw" in out
    assert len(list(folder.glob("*.litmus"))) == 4
    main(["litmus", str(folder), "--model", "sc", "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["observation"] for line in lines} == {"Never"}


def test_pictures_of_executions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert compare("sc", "tso", "--events", "4", "--svg", str(tmp_path)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["SB-TSO-SC.svg"] or list(tmp_path.glob("SB-*.svg"))
    assert "SB" in capsys.readouterr().out


def test_out_of_time_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("sc", "power", "--events", "8", "--direction", "left", "--timeout", "0.3") == 3
    assert "no answer within 0.3 s" in capsys.readouterr().out


def test_what_was_found_before_time_ran_out_stands(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("sc", "power", "--events", "8", "--timeout", "2") == 1
    out = capsys.readouterr().out
    assert "power allows what sc forbids: LB" in out
    assert "were not all looked at" in out
    assert "sc allows nothing" not in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "one of these is needed: two models, --matrix, --suite"),
        (("sc",), "two models are compared, not 1"),
        (("sc", "tso", "--suite", "sc"), "one of these is needed"),
        (("sc", "nothing"), "there is no model 'nothing'"),
        (("--matrix", "sc"), "a matrix needs at least two models"),
        (("lkmm", "rc11"), "C tests have no meaning under lkmm"),
        (("sc", "rc11", "--dialect", "X86"), "X86 tests have no meaning under rc11"),
    ],
)
def test_wrong_questions(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(*arguments) == 2
    assert complaint in capsys.readouterr().err


def test_a_model_that_cannot_be_read_is_located(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.cat"
    broken.write_text('"broken"\nacyclic po | nothing as wrong\n', encoding="utf-8")
    assert compare("sc", str(broken)) == 2
    assert f"{broken}:2:14: error" in capsys.readouterr().err
