"""Races, deadlocks and hangs of the C programs: expected verdicts, by solver, machine and graphs."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest
from tests.reporting import Options, answers

from treville.results.properties import Property

pytest.importorskip("llvmlite")

HERE = Path(__file__).parent / "properties"
Expected = dict[tuple[str, str], str]  # (model, property) -> verdict


def rows() -> dict[tuple[str, str], Expected]:
    """(file, defines) -> what is expected."""
    table: dict[tuple[str, str], Expected] = defaultdict(dict)
    with (HERE / "expected.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            table[row["file"], row["defines"]][row["model"], row["property"]] = row["verdict"]
    return dict(table)


def verdicts(file: str, defines: str, expected: Expected, engine: str) -> Expected:
    """What Treville says."""
    models = list(dict.fromkeys(model for model, _ in expected))
    goals = tuple(dict.fromkeys(Property(goal) for _, goal in expected))
    options = Options(seconds=120, defines=tuple(defines.split()), properties=goals, engine=engine)
    found = {}
    for report in answers(str(HERE / file), models, options):
        assert report["status"] != "error", report["reason"]
        found[report["model"], report["property"]] = report["verdict"]
    return {key: found[key] for key in expected}


def test_the_table_names_every_program_and_every_property_fails_and_holds_somewhere() -> None:
    assert {file for file, _ in rows()} == {path.name for path in HERE.glob("*.c")}
    seen = {(goal, verdict) for expected in rows().values() for (_, goal), verdict in expected.items()}
    goals = ("assertion", "race", "deadlock", "liveness")
    assert seen == {(goal, verdict) for goal in goals for verdict in ("PASS", "FAIL")}


@pytest.mark.parametrize(("file", "defines"), list(rows()))
def test_the_solver_finds_what_is_expected(file: str, defines: str) -> None:
    expected = rows()[file, defines]
    assert verdicts(file, defines, expected, "lazy") == expected


@pytest.mark.parametrize(("file", "defines"), list(rows()))
def test_the_machine_finds_what_is_expected(file: str, defines: str) -> None:
    expected = {
        (model, goal): verdict
        for (model, goal), verdict in rows()[file, defines].items()
        if model in ("sc", "svcomp", "tso", "pso") and goal != "race"
    }
    if expected:
        assert verdicts(file, defines, expected, "states") == expected


@pytest.mark.parametrize(("file", "defines"), list(rows()))
def test_graphs_find_what_is_expected_of_threads_that_wait(file: str, defines: str) -> None:
    expected = {
        key: verdict for key, verdict in rows()[file, defines].items() if Property(key[1]).is_about_waiting
    }
    if expected:
        assert verdicts(file, defines, expected, "graphs") == expected
