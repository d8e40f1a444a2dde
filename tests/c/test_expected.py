"""The C programs get the expected verdicts; every failing execution is checked again on the way."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest
from tests.reporting import Options, answers

pytest.importorskip("llvmlite")

HERE = Path(__file__).parent
QUICK = ("sc", "tso", "rc11", "lkmm")


def rows() -> dict[tuple[str, str, str], dict[str, str]]:
    """(file, defines, bound) -> model -> verdict."""
    table: dict[tuple[str, str, str], dict[str, str]] = defaultdict(dict)
    with (HERE / "expected.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            table[row["file"], row["defines"], row["bound"]][row["model"]] = row["verdict"]
    return dict(table)


def verdicts(file: str, defines: str, bound: str, models: list[str]) -> dict[str, str]:
    """What Treville says under each model."""
    options = Options(bound=int(bound), seconds=120, defines=tuple(defines.split()), engine="lazy")
    found = {}
    for report in answers(str(HERE / file), models, options):
        assert report["status"] != "error", report["reason"]
        found[report["model"]] = report["verdict"]
    return found


def test_the_table_names_every_program_and_every_verdict_is_one() -> None:
    table = rows()
    named = {file for file, _, _ in table}
    present = {f"safe/{path.name}" for path in (HERE / "safe").glob("*.c")}
    assert named == present
    assert {verdict for expected in table.values() for verdict in expected.values()} == {
        "PASS",
        "FAIL",
        "UNKNOWN",
    }


@pytest.mark.parametrize(("file", "defines", "bound"), [key for key in rows() if "SPINS" not in key[1]])
def test_programs_have_the_expected_verdicts(file: str, defines: str, bound: str) -> None:
    expected = {m: v for m, v in rows()[file, defines, bound].items() if m in QUICK}
    assert expected
    assert verdicts(file, defines, bound, list(expected)) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("file", "defines", "bound"), list(rows()))
def test_programs_have_the_expected_verdicts_under_every_model(file: str, defines: str, bound: str) -> None:
    expected = rows()[file, defines, bound]
    assert verdicts(file, defines, bound, list(expected)) == expected


@pytest.mark.slow
def test_the_safestack_fails_under_sc() -> None:
    file = str(HERE / "unsafe" / "safestack.c")
    (report,) = answers(file, ["sc"], Options(seconds=600, engine="states"))
    assert report["verdict"] == "FAIL"
    assert report["witness"]["interleaving"]
