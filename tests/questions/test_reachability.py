"""What a property asks in turn."""

from __future__ import annotations

import pytest
from tests.random_races import as_program, random_races

from treville.engines.contract import Decision, GaveUp, Proved
from treville.engines.task import ready_task
from treville.models.library import load_model
from treville.questions.reachability import Answer, in_turn
from treville.results.properties import Property

ALSO = Proved(also=frozenset({Property.RACE}))
BOTH = [Property.SAFETY, Property.RACE]


@pytest.mark.parametrize(
    ("name", "goal", "decision", "asked", "told"),
    [
        ("rc11", Property.SAFETY, Proved(), BOTH, BOTH),
        ("rc11", Property.SAFETY, GaveUp("too much work"), BOTH, BOTH),
        ("rc11", Property.SAFETY, ALSO, [Property.SAFETY], BOTH),
        ("rc11", Property.MEMORY, ALSO, [Property.MEMORY], [Property.MEMORY]),
        ("sc", Property.SAFETY, Proved(), [Property.SAFETY], [Property.SAFETY]),
    ],
)
def test_races_are_asked_for_unless_that_is_known(
    name: str, goal: Property, decision: Decision, asked: list[Property], told: list[Property]
) -> None:
    model, program, questions = load_model(name), as_program(random_races(1)), []

    def ask(part: Property) -> Answer:
        questions.append(part)
        return Answer(decision, "graphs", ready_task(program, model, part))

    answers = list(in_turn(goal, model, ask))
    assert (questions, [answer.task.property for answer in answers]) == (asked, told)
