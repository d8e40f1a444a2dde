"""What CI servers, code hosts and editors read: JUnit's XML, SARIF, annotations."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from typing import Any

from treville.rendering.github import annotation
from treville.rendering.junit import junit
from treville.rendering.sarif import sarif
from treville.rendering.style import Style, harmless
from treville.results.reports.check import CheckReport, Step, Witness, WitnessEvent
from treville.results.reports.compare import CompareReport
from treville.results.reports.report import Cause, Fault, Place, Report, Status
from treville.results.verdict import Verdict


def _event(label: str, thread: int, line: int | None) -> WitnessEvent:
    file = None if line is None else "lock.c"
    return WitnessEvent(
        label=label, thread=f"t{thread}", number=thread, does=f"W {label}", line=line, file=file, source=""
    )


EVENTS = (_event("a", 0, 3), _event("b", 0, 4), _event("c", 1, 9), _event("d", 1, None))
CYCLE = (("a", "c", "fr"), ("c", "init x", "po"), ("c", "a", "rf"))
FAILS = CheckReport(
    file="lock.c",
    model="tso",
    property="safety",
    verdict=Verdict.FAIL,
    status=Status.DONE,
    violated="assertion",
    reason="lock.c:9: an assertion <fails> & more\nsecond: line, 100%",
    place=Place(file="lock.c", line=9, column=2),
    seconds=1.5,
    witness=Witness(
        failure="fails",
        events=EVENTS,
        interleaving=None,
        cycle=tuple(Step({"from": a, "to": b, "relation": r}) for a, b, r in CYCLE),
    ),
)
HOLDS = replace(FAILS, verdict=Verdict.PASS, violated=None, witness=None, place=None, reason="all is well")
OPEN = replace(HOLDS, verdict=Verdict.UNKNOWN, status=Status.UNKNOWN, reason="stopped after 5 s")
WRONG = replace(
    OPEN,
    file='we"ird\x1b[31m.c',
    status=Status.ERROR,
    reason="no such file",
    error=Fault(cause=Cause.INPUT, message="no such file"),
)
REPORTS: list[Report] = [FAILS, HOLDS, OPEN, WRONG]


def test_junit_counts_and_names_every_question() -> None:
    suite = ElementTree.fromstring(junit("check", REPORTS))[0]
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip
    assert [[child.tag for child in case] for case in suite] == [["failure"], [], ["skipped"], ["error"]]
    assert suite[0].get("name") == "lock.c safety under tso"
    assert suite[0][0].get("message") == FAILS.reason
    assert suite[3].get("name") == 'we"ird\N{REPLACEMENT CHARACTER}[31m.c safety under tso'


def _run(*reports: Report) -> dict[str, Any]:
    [run] = json.loads(sarif("check", reports))["runs"]
    assert isinstance(run, dict)
    return run


def test_sarif_has_failures_as_results_and_the_rest_as_notifications() -> None:
    run = _run(*REPORTS)
    [result] = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 9, "startColumn": 2}
    assert place["artifactLocation"] == {"uri": "lock.c"}
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "assertion"
    told = run["invocations"][0]["toolExecutionNotifications"]
    assert [each["level"] for each in told] == ["note", "error"]
    assert run["invocations"][0]["exitCode"] == 2
    assert not run["invocations"][0]["executionSuccessful"]


def test_sarif_tells_an_execution_thread_by_thread_and_the_cycle_as_a_graph() -> None:
    [result] = _run(FAILS)["results"]
    flows = result["codeFlows"][0]["threadFlows"]
    assert [len(flow["locations"]) for flow in flows] == [2, 2]
    assert not any("executionOrder" in step for flow in flows for step in flow["locations"])
    [graph] = result["graphs"]
    assert [node["id"] for node in graph["nodes"]] == ["a", "c"]
    assert [(e["sourceNodeId"], e["targetNodeId"]) for e in graph["edges"]] == [("a", "c"), ("c", "a")]
    assert len(result["relatedLocations"]) == 2


def test_sarif_numbers_the_steps_of_an_interleaving() -> None:
    assert FAILS.witness is not None
    shown = replace(FAILS.witness, interleaving=("c", "a", "d", "b"), cycle=None)
    [result] = _run(replace(FAILS, witness=shown))["results"]
    flows = result["codeFlows"][0]["threadFlows"]
    assert [[step["executionOrder"] for step in flow["locations"]] for flow in flows] == [[2, 4], [1, 3]]
    assert "graphs" not in result


def test_annotations_point_at_lines_and_escape_what_github_reads() -> None:
    assert annotation(FAILS) == (
        "::error file=lock.c,line=9,col=2,title=treville%3A safety under tso::"
        "lock.c:9: an assertion <fails> & more%0Asecond: line, 100%25"
    )
    assert annotation(HOLDS) == ""
    assert annotation(OPEN).startswith("::warning file=lock.c,line=1,")
    assert annotation(WRONG).startswith("::error ")


def test_what_is_about_models_points_at_no_file() -> None:
    report = CompareReport(
        file="sc tso", verdict=Verdict.FAIL, status=Status.DONE, reason="they differ", left="sc", right="tso",
        events=4, threads=2, direction="both", all=False,
    )  # fmt: skip
    assert annotation(report) == "::error title=treville%3A sc and tso::they differ"
    assert json.loads(sarif("compare", [report]))["runs"][0]["results"][0]["locations"] == []


def test_terminals_get_no_commands_but_our_colours() -> None:
    coloured = Style(colour=True).word("FAIL", 6)
    assert coloured == "\x1b[31mFAIL  \x1b[0m"
    assert harmless(coloured, coloured=True) == coloured
    assert harmless(coloured) == "�[31mFAIL  �[0m"
    assert harmless("\x1b[31ma\x1b[8m", coloured=True) == "�[31ma�[8m"
    assert harmless("a\x1b]0;x\x07\x9b31m\rb\tc\n") == "a�]0;x��31m�b\tc\n"
    assert Style().word("FAIL", 6) == "FAIL  "
