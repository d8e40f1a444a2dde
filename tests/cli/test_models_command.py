"""`treville models` from the outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treville.cli.main import main
from treville.models.library import load_model
from treville.questions.comparison import Difference, Scope, smallest_difference
from treville.results.reports.schemas import schema_of


def test_every_shipped_model_is_listed_with_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    out = capsys.readouterr().out
    for name in ("sc", "tso", "pso", "power", "aarch64", "riscv", "rc11", "lkmm"):
        assert f"\n{name}: " in f"\n{out}"


def test_a_model_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "sc"]) == 0
    assert "acyclic" in capsys.readouterr().out
    assert main(["models", "nonsense"]) == 2


def test_a_model_as_json_has_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--json", "x86"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["model"], "acyclic" in found["text"]) == ("tso", True)
    pytest.importorskip("jsonschema").validate(found, schema_of("models"))
    assert main(["models", "--json", "nonsense", "--check"]) == 2


def test_the_strength_order_holds_on_the_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--json", "tso", "--check"]) == 0
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told_apart = {(r["stronger"], r["weaker"]): r["told_apart_by"] for r in reports}
    assert "SB" in told_apart["sc", "tso"]
    assert "MP" in told_apart["tso", "pso"]
    assert all(report["tests"] > 10 for report in reports)


def test_tests_that_an_order_is_not_meant_for_do_not_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`dmb st` means less to `power` than to `armv7`: no test of ARM breaks an order on tests of Power."""
    difference = smallest_difference(load_model("power"), load_model("armv7"), Scope("AArch64", 4))
    assert isinstance(difference, Difference)
    test = tmp_path / "of-arm.litmus"
    test.write_text(difference.text)
    assert main(["models", "--json", "armv7", "--check", str(test)]) == 0
    reports = {r["stronger"]: r for r in map(json.loads, capsys.readouterr().out.splitlines())}
    assert (reports["power"]["tests"], reports["power"]["outside"]) == (0, 1)
    assert (reports["sc"]["tests"], reports["sc"]["outside"]) == (1, 0)


def test_tests_that_are_not_there_are_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--check", "nowhere.litmus"]) == 2
    assert "nowhere.litmus:1:1: error: cannot read the file" in capsys.readouterr().err
