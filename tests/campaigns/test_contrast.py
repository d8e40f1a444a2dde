"""Explanations: none where there is nothing to explain, else by what makes the difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.campaigns.contrast import Candidate, contrasting
from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.results import Budget

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "litmus"

# Messages with two values of the flag; a dependency forbids old news.
MESSAGE = """AArch64 message
{{ 0:X1=x; 0:X2=y; 1:X1=x; 1:X2=y; }}
 P0          | P1                  ;
 MOV W3,#1   | LDR W4,[X2]         ;
 STR W3,[X1] | {between}           ;
 DMB ST      | LDR W6,[X1,W5,SXTW] ;
 STR W3,[X2] | LDR W7,[X1]         ;
 MOV W3,#2   |                     ;
 STR W3,[X2] |                     ;
{quantifier} (1:X4=2 /\\ 1:X6=0)
"""
DEPENDENCY, NOTHING = "EOR W5,W4,W4", "MOV W5,#0   "


def message(between: str, quantifier: str = "exists") -> LitmusTest:
    return parse(MESSAGE.format(between=between, quantifier=quantifier), "message.litmus")


def told(test: LitmusTest, model: str) -> Candidate:
    """What is shown for the test."""
    loaded = load_model(model)
    found = contrasting(test, loaded, outcomes(test, loaded).observation, 2, Budget(30)).candidate
    assert found is not None
    return found


def example(name: str) -> LitmusTest:
    return parse((EXAMPLES / f"{name}.litmus").read_text(encoding="utf-8"), name)


def test_an_outcome_that_is_reached_needs_no_explanation() -> None:
    for test, model in ((example("lock"), "power"), (message(NOTHING), "aarch64")):
        found = told(test, model)
        assert found.consistent
        assert found.explanation is None


def test_the_fences_of_a_lock_are_blamed() -> None:
    found = told(example("lock+fences"), "power")
    assert found.explanation is not None
    assert found.explanation.axiom.name != "scperlocation"
    assert sum(bool(hop.through) for hop in found.explanation.hops()) == 2


@pytest.mark.parametrize("quantifier", ["exists", "~exists"])
def test_the_dependency_is_blamed(quantifier: str) -> None:
    found = told(message(DEPENDENCY, quantifier), "aarch64")
    assert found.explanation is not None
    assert {hop.label for hop in found.explanation.hops()} >= {"addr", "rfe", "fre"}


def test_what_breaks_a_condition_for_all_states_is_explained_where_nothing_does() -> None:
    test = message(DEPENDENCY, "forall not")
    assert told(test, "aarch64").explanation is not None
    assert told(message(NOTHING, "forall not"), "aarch64").consistent


@pytest.mark.parametrize("model", ["tso", "power", pytest.param("rmo", marks=pytest.mark.slow), "aarch64"])
def test_what_is_shown_respects_the_order_of_each_location(model: str) -> None:
    for name in ("SB+fences", "LB+datas", "lock+fences"):
        found = told(example(name), model)
        relations = found.execution.relations
        rf, co = relations["rf"], relations["co"]
        order = (relations["po"] & relations["loc"]) | rf | co | (rf.inverse() @ co)
        assert order.is_acyclic(), name
