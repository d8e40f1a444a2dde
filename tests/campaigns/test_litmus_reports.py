"""A report is made whatever happens: answers, wrong inputs, exhausted budgets, bugs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reporting import litmus_answer

from treville.campaigns import litmus
from treville.campaigns.litmus_task import Options, Question
from treville.results import BudgetExceeded

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "litmus"
SB = str(EXAMPLES / "SB.litmus")


def _raising(error: BaseException) -> object:
    def load_test(text: str, name: str) -> object:
        raise error

    return load_test


def test_an_answer_has_states_as_numbers_and_names(tmp_path: Path) -> None:
    path = tmp_path / "pointers.litmus"
    path.write_text(
        "PPC pointers\n{ 0:r2=p; p=x; x=7; }\n P0 ;\n lwz r1,0(r2) ;\nlocations [x;]\nexists (0:r1=x)\n"
    )
    report = litmus_answer(Question(str(path), ""))
    assert report["status"] == "done", report
    assert report["states"] == [{"0:r1": "x", "x": 7}]
    assert (report["model"], report["observation"]) == ("power", "Always")


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (BudgetExceeded("no answer within 1 s", "raise --timeout"), "unknown", "raise --timeout"),
        (MemoryError(), "unknown", "memory"),
        (RecursionError(), "error", "nested too deeply"),
    ],
)
def test_exhausted_resources_end_in_a_report(
    error: BaseException, status: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(litmus, "load_test", _raising(error))
    report = litmus_answer(Question(SB, "sc"))
    assert report["status"] == status
    assert words in report["reason"]
    assert report.get("error", {}).get("cause") != "internal"


def test_a_bug_is_reported_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TREVILLE_TRACEBACK", raising=False)
    monkeypatch.setattr(litmus, "load_test", _raising(KeyError("oops")))
    report = litmus_answer(Question(SB, "sc"))
    assert (report["status"], report["error"]["cause"]) == ("error", "internal")
    assert "KeyError" in report["reason"]


def test_every_engine_gives_the_same_states() -> None:
    answers = [
        litmus_answer(Question(SB, "tso", Options(engine=engine)))
        for engine in ("enumerate", "eager", "lazy")
    ]
    assert [report["status"] for report in answers] == ["done"] * 3, [r["reason"] for r in answers]
    assert all(report["states"] == answers[0]["states"] for report in answers)
    assert [report["engine"] for report in answers] == ["enumerate", "eager", "lazy"]


def test_the_explanation_is_part_of_the_report() -> None:
    report = litmus_answer(Question(str(EXAMPLES / "MP.litmus"), "tso", Options(explain=True)))
    explanation = report["explanation"]
    assert explanation["axiom"] == "tso"
    assert [hop["relation"] for hop in explanation["cycle"]] == ["po", "rfe", "po", "fr"]
