"""Solvers that look for any fixpoint list the states of those with least fixpoints."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.random_litmus import random_test
from tests.random_models import random_model
from tests.seeds import conclusive, number

from treville.campaigns.loading import load_test
from treville.cli.main import main
from treville.encoding.acyclicity import addresses_of, encode_test
from treville.models.library import load_model
from treville.models.model import Model
from treville.passes.bounded import facts_of_test
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.results import Budget
from treville.solving.back_ends.clauses import clauses_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
pytest.importorskip("pysat")
pytest.importorskip("z3")


def states(name: str, model: str, engine: str) -> set[object]:
    file = EXAMPLES / "litmus" / f"{name}.litmus"
    return set(outcomes(load_test(file.read_text(), str(file)), load_model(model), engine=engine).states)


@pytest.mark.parametrize("engine", ["eager:sat-any", "eager:z3-any"])
@pytest.mark.parametrize("model", ["power", "armv7"])
@pytest.mark.parametrize("name", ["LB+datas", "MP", "IRIW", "lock+fences"])
def test_recursive_models_allow_the_same(name: str, model: str, engine: str) -> None:
    assert states(name, model, engine) == states(name, model, "enumerate")


def same_states(test: LitmusTest, model: Model) -> int:
    """How many recursive atoms may have any fixpoint."""
    facts = facts_of_test(test.program, 2, Budget(), False, addresses_of(test.observed))
    larger = clauses_of(encode_test(facts, model, Budget()).formula, any_fixpoint=True).larger
    expected = outcomes(test, model, engine="eager")
    found = outcomes(test, model, engine="eager:sat-any")
    assert set(found.states) == set(expected.states)
    assert found.flags == expected.flags
    return len(larger)


def test_power_allows_the_same_in_random_tests() -> None:
    fences = ("SYNC", "LWSYNC")
    power = load_model("power")
    found = [same_states(random_test(number(seed), fences, 7), power) for seed in range(40)]
    assert conclusive(any(found))


def test_random_recursive_models_allow_the_same() -> None:
    """With differences and negations of recursive relations among them."""
    for seed in range(40):
        same_states(random_test(number(seed), (), 6), random_model(number(seed)))


def test_programs_are_judged_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mailbox = str(EXAMPLES / "c" / "mailbox.c")
    for solver in ("sat", "sat-any", "z3-any"):
        assert main(["check", mailbox, "--model", "power", "--solver", solver, "--bound", "2"]) == 1
    assert "FAIL" in capsys.readouterr().out


def test_other_encodings_have_no_fixpoints(capsys: pytest.CaptureFixture[str]) -> None:
    mailbox = str(EXAMPLES / "c" / "mailbox.c")
    assert main(["check", mailbox, "--model", "tso", "--encoding", "clocks", "--solver", "sat-any"]) == 2
    assert "no recursive definitions" in capsys.readouterr().err
