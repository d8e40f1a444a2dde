"""The public nets beside the repository, where they are present: same verdicts as mist's algorithms."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from treville.petri.decide import answer
from treville.petri.reading import read_problem
from treville.results.budget import Budget
from treville.results.verdict import Verdict

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpora" / "petri"
SLOW = {"contrived/ME_250_bigtarget.spec", "BroadcastProtocols/Javaprograms/Java.spec"}


def expected() -> list[tuple[str, str]]:
    table = CORPUS / "expected.csv"
    if not table.exists():
        return []
    with table.open(newline="") as stream:
        return [(row["file"], row["verdict"]) for row in csv.DictReader(stream)]


ROWS = expected()
DECIDED = [(file, verdict) for file, verdict in ROWS if verdict != "undecided"]


@pytest.mark.skipif(not ROWS, reason="the corpus is not beside the repository")
def test_verdicts_equal_those_that_mist_agrees_on() -> None:
    for file, verdict in DECIDED:
        if file not in SLOW:
            result = answer(read_problem(str(CORPUS / file)), "auto", Budget(60))
            assert {Verdict.PASS: "safe", Verdict.FAIL: "unsafe"}.get(result.verdict) == verdict, file


@pytest.mark.skipif(not ROWS, reason="the corpus is not beside the repository")
def test_the_parametric_kanban_net_is_coverable() -> None:
    result = answer(read_problem(str(CORPUS / "PN/kanban.spec")), "auto", Budget(60))
    assert result.verdict is Verdict.FAIL


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(SLOW))
def test_large_nets_too(file: str) -> None:
    verdicts = dict(ROWS)
    if file not in verdicts:
        pytest.skip("the corpus is not beside the repository")
    result = answer(read_problem(str(CORPUS / file)), "auto", Budget(60))
    assert {Verdict.PASS: "safe", Verdict.FAIL: "unsafe"}.get(result.verdict) == verdicts[file]
