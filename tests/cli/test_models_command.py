"""`treville models` from the outside."""

from __future__ import annotations

import json

import pytest

from treville.cli.main import main


def test_every_shipped_model_is_listed_with_its_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    out = capsys.readouterr().out
    for name in ("sc", "tso", "pso", "power", "aarch64", "riscv", "rc11", "lkmm"):
        assert f"\n{name}: " in f"\n{out}"


def test_a_model_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "sc"]) == 0
    assert "acyclic" in capsys.readouterr().out
    assert main(["models", "nonsense"]) == 2


def test_the_strength_order_holds_on_the_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--json", "tso", "--check"]) == 0
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told_apart = {(r["stronger"], r["weaker"]): r["told_apart_by"] for r in reports}
    assert "SB" in told_apart["sc", "tso"]
    assert "MP" in told_apart["tso", "pso"]
    assert all(report["tests"] > 10 for report in reports)
