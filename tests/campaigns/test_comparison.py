"""herd7's logs read as results; two result files compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from treville.campaigns.comparison import compare, read_results
from treville.campaigns.journal import Journal
from treville.campaigns.kind import Limits
from treville.rendering.herd import herd_block as block_of
from treville.rendering.herd import parse_log, parse_state, state_line
from treville.results import InputError
from treville.results.reports.litmus import LitmusReport
from treville.results.reports.report import Status
from treville.results.verdict import Verdict

REPORT: dict[str, Any] = {
    "file": "SB.litmus",
    "test": "SB",
    "model": "tso",
    "verdict": "PASS",
    "status": "done",
    "condition": "exists",
    "condition_text": "(0:EAX=0 /\\ 1:EAX=0)",
    "holds": True,
    "observation": "Sometimes",
    "states": [{"0:EAX": 0, "1:EAX": 0}, {"0:EAX": 0, "1:EAX": 1}],
    "flags": [],
    "positive": 1,
    "negative": 3,
    "seconds": 0.012,
    "reason": "",
    "engine": "enumerate",
    "bound_reached": False,
}


def _typed(report: dict[str, Any]) -> LitmusReport:
    types = {"verdict": Verdict(report["verdict"]), "status": Status(report["status"])}
    return LitmusReport(**{**report, **types})


def herd_block(report: dict[str, Any]) -> str:
    return block_of(_typed(report))


def _other(**changes: Any) -> dict[str, Any]:
    return {**REPORT, **changes}


def test_an_answer_prints_as_herd7_prints_it() -> None:
    assert herd_block(REPORT).splitlines() == [
        "Test SB Allowed",
        "States 2",
        "0:EAX=0; 1:EAX=0;",
        "0:EAX=0; 1:EAX=1;",
        "Ok",
        "Witnesses",
        "Positive: 1 Negative: 3",
        "Condition exists (0:EAX=0 /\\ 1:EAX=0)",
        "Observation SB Sometimes 1 3",
        "Time SB 0.01",
    ]


def test_under_a_negated_condition_the_observation_counts_the_proposition() -> None:
    block = herd_block(_other(condition="~exists", holds=True, observation="Never", positive=4, negative=0))
    assert "Test SB Forbidden" in block
    assert "Positive: 4 Negative: 0" in block
    assert "Observation SB Never 0 4" in block


def test_a_cut_loop_and_undefined_behaviour_show_in_the_verdict_line() -> None:
    assert "\nLoop Ok\n" in herd_block(_other(bound_reached=True))
    assert "\nUndef\n" in herd_block(_other(holds=None, flags=["data-race"]))
    assert "\nFlag data-race\n" in herd_block(_other(holds=None, flags=["data-race"]))


def test_states_are_spelled_as_herd7_spells_them() -> None:
    state = {"0:r1": "x", "x": -1, "a": [1, 2], "a[1]": 3}
    assert state_line(state) == "0:r1=x; [x]=-1; a={1,2}; a[1]=3;"
    assert parse_state(state_line(state)) == state


def test_what_is_printed_is_read_back() -> None:
    (read,) = parse_log(["noise", *herd_block(REPORT).splitlines(), "", "noise"])
    for name in ("test", "condition", "holds", "observation", "states", "flags"):
        assert read[name] == REPORT[name]


def _written(path: Path, *reports: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(report) + "\n" for report in reports))
    return str(path)


def test_states_gained_and_lost_are_told_apart(tmp_path: Path) -> None:
    left = read_results(_written(tmp_path / "a", REPORT, _other(file="MP.litmus", test="MP")))
    weaker = _other(
        states=[{"0:EAX": 0, "1:EAX": 1}, {"1:EAX": 1, "0:EAX": 1}], observation="Never", holds=False
    )
    right = read_results(_written(tmp_path / "b", weaker, _other(file="MP.litmus", test="MP")))
    comparison = compare(left, right)
    assert comparison.same == 1
    (difference,) = comparison.differences
    assert difference.lost == ["0:EAX=0; 1:EAX=0;"]
    assert difference.gained == ["0:EAX=1; 1:EAX=1;"]
    assert difference.changes == ["observation: Sometimes -> Never", "holds: Ok -> No"]


def test_results_under_two_models_and_logs_of_herd7_compare_by_test(tmp_path: Path) -> None:
    jsonl = read_results(_written(tmp_path / "a", REPORT, _other(file="MP.litmus", test="MP")))
    log = tmp_path / "b"
    log.write_text(herd_block(REPORT) + "\n" + herd_block(_other(test="MP")))
    assert compare(jsonl, read_results(str(log))).differences == []
    other = read_results(_written(tmp_path / "c", _other(model="sc"), _other(model="sc", file="MP.litmus")))
    assert compare(jsonl, other).differences == []


def test_a_journal_compares_like_the_reports_in_it(tmp_path: Path) -> None:
    path = str(tmp_path / "journal")
    with Journal(path, "litmus", print) as journal:
        journal.add("key", Limits(), _typed(REPORT))
    assert compare(read_results(path), read_results(_written(tmp_path / "a", REPORT))).differences == []


def test_a_test_that_only_one_file_has_is_a_difference(tmp_path: Path) -> None:
    left = read_results(_written(tmp_path / "a", REPORT))
    right = read_results(_written(tmp_path / "b", REPORT, _other(file="MP.litmus", test="MP")))
    (difference,) = compare(left, right).differences
    assert difference.left is None


def test_a_wrong_result_file_is_an_input_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text(json.dumps(REPORT) + "\n{oops\n")
    with pytest.raises(InputError) as caught:
        read_results(str(path))
    assert caught.value.span is not None
    assert caught.value.span.line == 2
