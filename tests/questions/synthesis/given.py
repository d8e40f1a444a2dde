"""Tests with the outcomes that a model gives them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from treville.campaigns.loading import load_test
from treville.models.cat.resolve import resolve_text
from treville.models.model import Model
from treville.programs.litmus.states import state_satisfies
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.questions.synthesis.problem import Requirement

ROOT = Path(__file__).resolve().parents[3]
CORPORA = ROOT.parent / "shared" / "corpora"


def examples_of(names: Iterable[str]) -> list[LitmusTest]:
    """Some of the example tests."""
    paths = [ROOT / "examples" / "litmus" / f"{name}.litmus" for name in names]
    return [load_test(path.read_text(), str(path)) for path in paths]


def reached(test: LitmusTest, model: Model) -> bool:
    """Can the condition be reached?"""
    return any(state_satisfies(test, state) for state in outcomes(test, model).states)


def reached_states(test: LitmusTest, text: str) -> bool:
    """The same for the text of a model."""
    return reached(test, resolve_text(text))


def labelled(tests: Sequence[LitmusTest], model: Model) -> list[Requirement]:
    """What a model says of the tests."""
    return [Requirement(test, test.condition, reached(test, model), test.name) for test in tests]
