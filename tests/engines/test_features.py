"""Every engine is given every feature: it is right about it, gives up or refuses; it never ignores it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engines.features_cases import Case, cases

from treville.engines import contract
from treville.engines.contract import GaveUp, Proved
from treville.engines.features import Feature
from treville.engines.registry import DECIDE, DIFFERENCES, OUTCOMES
from treville.engines.schedule import run, slices_for
from treville.engines.task import ready_task
from treville.results import Budget, Unsupported

ALL = list(cases())
MANY = 3_000
QUICK = tuple(name for name in DECIDE if ":" not in name)
SOLVERS = tuple(name for name in DECIDE if ":" in name)


def verdict(decision: object) -> str:
    if isinstance(decision, GaveUp):
        return "UNKNOWN"
    return "PASS" if isinstance(decision, Proved) else "FAIL"


def ask(engine: str, case: Case) -> str:
    """What an engine says; it must refuse a task with a feature that it does not declare."""
    task = ready_task(case.program, case.model, case.property, 4, Budget(60))
    made = DECIDE[engine]()
    decision = made.run(task, MANY)
    if any(feature not in made.supports for feature in task.features.places):
        assert isinstance(decision, GaveUp)
        assert isinstance(decision.error, Unsupported)
    return verdict(decision)


def test_there_is_a_case_for_every_feature() -> None:
    tasks = [(case, ready_task(case.program, case.model, case.property)) for case in ALL]
    assert {case.feature for case, task in tasks if case.feature in task.features} == set(Feature)


# Who only refutes, or only proves, or answers in fewer cases than it could.
PARTIAL = {"interleavings": "FAIL", "apart": "PASS", "view-abstraction": ""}


@pytest.mark.parametrize("engine", QUICK)
def test_an_engine_is_right_where_it_answers_and_does_answer(engine: str) -> None:
    """An engine that refuses all of these cases would be right about them."""
    found = [(case, ask(engine, case)) for case in ALL]
    assert [case.name for case, answer in found if answer not in (case.expected, "UNKNOWN")] == []
    seen = {answer for _, answer in found} - {"UNKNOWN"}
    assert seen == {"PASS", "FAIL"} or seen == set(filter(None, [PARTIAL.get(engine)]))


@pytest.mark.parametrize("engine", SOLVERS)
def test_an_engine_with_another_solver_is_right_or_does_not_answer(engine: str) -> None:
    pytest.importorskip("z3" if "z3" in engine else "pysat")
    some = [case for number, case in enumerate(ALL) if number % 3 == len(engine) % 3]
    wrong = [case.name for case in some if ask(engine, case) not in (case.expected, "UNKNOWN")]
    assert wrong == []


# What only litmus tests have: whole programs with it are refused by everybody.
OF_TESTS = (Feature.COMPUTED_JUMPS, Feature.PAIRED_ACCESSES)


@pytest.mark.parametrize("case", ALL, ids=[case.name for case in ALL])
def test_the_schedule_finds_an_engine_that_knows_the_feature(case: Case) -> None:
    task = ready_task(case.program, case.model, case.property, 4, Budget(60))
    found = verdict(run(task, slices_for(task), DECIDE).answer)
    refused = any(feature in task.features for feature in OF_TESTS)
    assert found == ("UNKNOWN" if refused else case.expected)


def test_no_engine_declares_features_that_nobody_has_thought_about() -> None:
    """A new feature belongs to no group, so that everybody refuses it until somebody declares it."""
    engines = Path(contract.__file__).parent
    assert [path.name for path in engines.rglob("*.py") if "frozenset(Feature)" in path.read_text()] == []


def test_engines_are_called_what_the_registry_calls_them() -> None:
    for registry in (DECIDE, OUTCOMES, DIFFERENCES):
        assert [made().name for made in registry.values()] == list(registry)
