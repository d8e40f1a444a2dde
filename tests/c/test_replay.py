"""The executions that are shown are executions of the program: an interpreter runs along them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.c.replay import CannotReplay, Mismatch, failing_assertions

from treville.campaigns.check import read
from treville.campaigns.check_task import Options
from treville.campaigns.loading import load_model
from treville.engines.contract import GaveUp, Refuted
from treville.events.execution import Execution
from treville.passes.program import Context
from treville.programs.ir import Program
from treville.questions.reachability import reachability
from treville.results import Budget, BudgetExceeded
from treville.results.properties import Property

pytest.importorskip("llvmlite")

HERE = Path(__file__).parent


def failing(models: tuple[str, ...]) -> list[tuple[str, str, str, str]]:
    """File, defines, bound and model of the programs that fail."""
    with (HERE / "expected.csv").open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["verdict"] == "FAIL" and row["model"] in models]
    return [(row["file"], row["defines"], row["bound"], row["model"]) for row in rows]


def found(file: str, defines: str, bound: str, name: str, engine: str) -> tuple[Program, Execution]:
    model = load_model(name)
    options = Options(bound=int(bound), defines=tuple(defines.split()), engine=engine)
    context = Context(model, Property.SAFETY)
    answer = reachability(read(str(HERE / file), options), context, int(bound), Budget(120), engine)
    if isinstance(answer.decision, GaveUp):
        raise BudgetExceeded(answer.decision.reason)
    assert isinstance(answer.decision, Refuted)
    return answer.decision.evidence.program, answer.decision.execution


@pytest.mark.parametrize(("file", "defines", "bound", "model"), failing(("tso", "rc11")))
def test_the_program_can_do_what_the_execution_shows(file: str, defines: str, bound: str, model: str) -> None:
    program, execution = found(file, defines, bound, model, "eager")
    try:
        assert failing_assertions(program, execution)
    except CannotReplay:
        pytest.skip("arbitrary values are not among the events")


@pytest.mark.slow
@pytest.mark.parametrize(("file", "defines", "bound", "model"), failing(("sc", "tso", "pso")))
def test_the_machine_shows_executions_of_the_program(file: str, defines: str, bound: str, model: str) -> None:
    try:
        program, execution = found(file, defines, bound, model, "states")
    except BudgetExceeded:
        pytest.skip("the machine does not know arbitrary values")
    try:
        assert failing_assertions(program, execution)
    except CannotReplay:
        pytest.skip("the machine chose arbitrary values, which are not among the events")


def test_an_execution_with_another_value_is_noticed() -> None:
    program, execution = found(*failing(("tso",))[0], "eager")
    from dataclasses import replace

    events = execution.events
    write = next(event for event in events if event.kind == "W" and event.thread > 0)
    other = tuple(
        replace(event, value=(event.value or 0) + 1) if event is write else event for event in events
    )
    with pytest.raises(Mismatch):
        failing_assertions(program, replace(execution, events=other))
