"""Tests with more states than anyone reads are decided all the same."""

from dataclasses import replace

import pytest

from treville.models.library import load_model
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Const, Load, Store
from treville.programs.litmus.test import And, Condition, Equals, LitmusTest, Not, Quantifier, RegisterOf
from treville.questions.outcomes import outcomes

READERS = 17


def many_readers(value: int) -> LitmusTest:
    """One writer per location and one reader per location: 2^17 final states."""
    program = ProgramDraft()
    observed = []
    for number in range(READERS):
        place = Const(program.location(f"x{number}").address)
        program.threads.append(ThreadDraft(f"W{number}", [Store(place, Const(1))]))
        program.threads.append(ThreadDraft(f"R{number}", [Load("r", place)]))
        observed.append(RegisterOf(2 * number + 1, "r", f"{2 * number + 1}:r"))
    condition: Condition = And(tuple(Equals(register, value) for register in observed))
    return LitmusTest("many", "X86", program.finished(), condition=condition, observed=tuple(observed))


@pytest.mark.parametrize(("value", "observation"), [(1, "Sometimes"), (0, "Sometimes"), (2, "Never")])
def test_the_condition_is_decided_without_listing_all_states(value: int, observation: str) -> None:
    answer = outcomes(many_readers(value), load_model("sc"))
    assert not answer.complete
    assert len(answer.states) < 2**READERS
    assert answer.observation == observation
    assert answer.holds == (observation == "Sometimes")


def test_a_condition_that_always_holds_is_found_to() -> None:
    test = many_readers(2)
    test = replace(test, condition=Not(test.condition), quantifier=Quantifier.FORALL)
    answer = outcomes(test, load_model("sc"))
    assert (answer.observation, answer.holds) == ("Always", True)
