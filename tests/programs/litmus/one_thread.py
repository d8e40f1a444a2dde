"""Tests with one thread, and what they end in: for trying single instructions."""

from __future__ import annotations

from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.programs.litmus.states import state_fields
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes


def one_thread(dialect: str, program: str, initial: str, condition: str) -> LitmusTest:
    """A test with one thread; instructions are separated by semicolons."""
    return parse(f"{dialect} t\n{{ {initial} }}\n P0 ;\n {program} ;\n{condition}\n", "t.litmus")


def only_final_state(test: LitmusTest, model: str) -> list[str]:
    """The values of the observed registers and locations in the only final state."""
    (state,) = outcomes(test, load_model(model)).states
    return [value for _, value in state_fields(test, state)]
