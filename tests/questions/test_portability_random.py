"""Random litmus tests and random pairs of models: every engine and solver answers as brute force does."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.questions.brute_portability import WAYS, random_case
from tests.seeds import conclusive

from treville.engines.schedule import Slice

pytest.importorskip("pysat")
SEEDS = 40


@pytest.mark.parametrize("half", [0, 1])
def test_all_engines_answer_as_brute_force_does(half: int) -> None:
    answers: Counter[tuple[bool, bool]] = Counter()
    ways = tuple(way for way in WAYS if way[1] != "z3")
    for seed in range(half, SEEDS, 2):
        case = random_case(seed, size=4)
        assert not list(case.disagreements(ways)), seed
        answers[case.expected.trace, case.expected.state] += 1
    assert conclusive(answers[True, True] > 1)
    assert conclusive(answers[False, False] > 1)


@pytest.mark.parametrize("max_judged", [1, 1000])
def test_large_formulas_change_no_answer(max_judged: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where formulas are too large executions are judged; where those are too many, formulas are large."""
    slices = (Slice("enumerate", 0), Slice("formulas"))
    monkeypatch.setattr("treville.questions.portability.decide.DIFFERENCE_SLICES", slices)
    monkeypatch.setattr("treville.engines.differences.symbolic.MAX_RULES", 3)
    monkeypatch.setattr("treville.engines.differences.symbolic.MAX_JUDGED", max_judged)
    for seed in range(100, 120):
        assert not list(random_case(seed, size=4).disagreements((("auto", "clasp"),))), seed
