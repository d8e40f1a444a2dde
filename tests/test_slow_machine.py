"""A slow machine gives the same answers: no look at a clock decides which method answers, or how.

Every look at a clock makes it jump, as if the work before it had taken long, and the budget is far away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pytest

from treville.campaigns.contrast import contrasting
from treville.histories import Answer, History, check, find_level
from treville.histories.explain import Explanation, explain
from treville.histories.generate import generate
from treville.models.library import load_model
from treville.parameterised.decide import decide
from treville.parameterised.language.resolve import read_system
from treville.parameterised.report import as_report
from treville.petri.decide import answer
from treville.petri.reading import read_problem
from treville.petri.spec import parse as parse_net
from treville.programs.litmus import parse
from treville.results import Budget, Verdict
from treville.results.reports.param import ParamReport

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
JUMP = 0.5
T = TypeVar("T")
Explained = tuple[Answer, Explanation | None]


@contextmanager
def _slowness() -> Iterator[None]:
    now = time.monotonic()

    def look() -> float:
        nonlocal now
        now += JUMP
        return now

    with pytest.MonkeyPatch.context() as patch:
        for name in ("monotonic", "process_time", "perf_counter", "time", "thread_time"):
            patch.setattr(time, name, look)
        yield


def _same(ask: Callable[[Budget], T]) -> T:
    quick = ask(Budget(1e9))
    with _slowness():
        assert ask(Budget(1e9)) == quick
    return quick


@pytest.mark.parametrize("file", sorted((EXAMPLES / "petri").glob("*.spec")), ids=lambda path: path.name)
def test_the_same_method_answers_about_a_net(file: Path) -> None:
    problem = read_problem(str(file))
    _same(lambda budget: replace(answer(problem, "auto", budget), seconds=0.0))


def test_methods_take_turns_by_work() -> None:
    """Tokens that only a long way brings to the target: several methods go on for several rounds."""
    places = [f"p{n}" for n in range(9)]
    moves = [f"{a} >= 1 -> {a}' = {a} - 1, {b}' = {b} + 1;" for a, b in pairwise(places)]
    moves += [f"{b} >= 2 -> {b}' = {b} - 2, {a}' = {a} + 1;" for a, b in pairwise(places)]
    net = f"vars {' '.join(places)}\nrules {' '.join(moves)}\n"
    net += f"init p0 = 6, {', '.join(f'{p} = 0' for p in places[1:])}\n"
    net += f"target p8 = 3, p7 = 3, {', '.join(f'{p} = 0' for p in places[:7])}\n"
    problem = parse_net(net, "tokens.spec")
    found = _same(lambda budget: replace(answer(problem, "auto", budget), seconds=0.0))
    assert found.verdict is not Verdict.UNKNOWN


@pytest.mark.parametrize("file", sorted((EXAMPLES / "param").glob("*.cub")), ids=lambda path: path.name)
@pytest.mark.parametrize("model", ["sc", "tso"])
def test_the_same_search_decides_a_protocol(file: Path, model: str) -> None:
    def ask(budget: Budget) -> ParamReport:
        system = read_system(file.read_text(encoding="utf-8"), file.name, model)
        return replace(as_report(decide(system, budget)), seconds=0.0, text="")

    _same(ask)


def _checked_and_explained(history: History, level: str) -> Callable[[Budget], Explained]:
    def ask(budget: Budget) -> Explained:
        found = replace(check(history, find_level(level), budget), seconds=0.0)
        failed = found.verdict is Verdict.FAIL
        return found, explain(history, found, budget) if failed else None

    return ask


@pytest.mark.parametrize("level", ["linearizability", "SC", "TSO", "causal", "PRAM"])
def test_the_same_evidence_is_found_for_a_history(level: str) -> None:
    timed = find_level(level).needs_times
    made = generate(find_level(level), 60, 3, 2, 1, 2, timed=timed)
    found, _ = _same(_checked_and_explained(made, level))
    assert found.execution is not None


@pytest.mark.parametrize("level", ["SC", "TSO", "PRAM"])
def test_the_same_part_of_a_history_is_blamed(level: str) -> None:
    weaker = generate(find_level("LOCAL"), 60, 3, 3, 5)
    found, explanation = _same(_checked_and_explained(weaker, level))
    assert found.verdict is Verdict.FAIL
    assert explanation is not None
    assert explanation.minimal


@pytest.mark.parametrize("name", ["IRIW", "SB+fences", "lock"])
def test_the_same_execution_explains_a_litmus_test(name: str) -> None:
    test = parse((EXAMPLES / "litmus" / f"{name}.litmus").read_text(encoding="utf-8"), name)
    model = load_model("sc")

    def ask(budget: Budget) -> tuple[object, ...]:
        chosen = contrasting(test, model, "Never", 2, budget).candidate
        return (chosen and (repr(chosen.execution), chosen.violated, chosen.explanation),)

    assert _same(ask)[0]
