"""Safety under models of C asks two questions: the first answer is kept when the second has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.reporting import Options, Report, answers

from treville.campaigns import check
from treville.engines.contract import Proved
from treville.questions.reachability import reachability
from treville.records import replace
from treville.results import BudgetExceeded
from treville.results.properties import Property

pytest.importorskip("llvmlite")

PROGRAM = "#include <assert.h>\nint x;\nint main(void) { x = 1; assert(x == 1); }\n"


def ask(tmp_path: Path, model: str) -> Report:
    path = tmp_path / "program.c"
    path.write_text(PROGRAM)
    [report] = answers(str(path), [model], Options(properties=(Property.SAFETY,)))
    return report


def test_what_holds_is_told_where_races_are_not_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def no_time_for_races(unit: Any, context: Any, *others: Any) -> Any:
        if context.property is Property.RACE:
            raise BudgetExceeded("no answer within 1 s", "raise --timeout")
        answer = reachability(unit, context, *others)
        assert isinstance(answer.decision, Proved)
        return replace(answer, decision=replace(answer.decision, also=frozenset()))

    monkeypatch.setattr(check, "reachability", no_time_for_races)
    report = ask(tmp_path, "rc11")
    assert (report["verdict"], report["status"]) == ("UNKNOWN", "unknown")
    assert report["reason"].startswith("no assertion can fail")
    assert "whether there are data races: no answer within 1 s" in report["reason"]
    assert "--property assertion,memory" in report["reason"]


def test_both_answers_make_a_proof(tmp_path: Path) -> None:
    report = ask(tmp_path, "rc11")
    assert report["verdict"] == "PASS"
    assert report["reason"] == "no assertion can fail, no error of memory, no data race"
    assert ask(tmp_path, "tso")["reason"] == "no assertion can fail, no error of memory"


def test_what_is_not_decided_is_not_called_the_other_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_conclusion(_draft: Any, answers: list[Any], *_others: Any) -> None:
        del answers[0]  # as if the first question had ended without an answer
        raise BudgetExceeded("no answer within 1 s", "raise --timeout")

    monkeypatch.setattr(check, "_conclude", no_conclusion)
    reason = ask(tmp_path, "rc11")["reason"]
    assert reason.startswith("no data race; whether anything fails: no answer within 1 s")
    assert "leave races out" not in reason
