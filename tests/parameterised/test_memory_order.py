"""The order of weak events against the machine with store buffers, on random programs."""

from __future__ import annotations

import pytest
from tests.parameterised.random_outcomes import random_outcome

from treville.parameterised.backward.pending import late_writers, written_alone
from treville.parameterised.decide import decide
from treville.parameterised.language.resolve import read_system
from treville.results import Budget, Verdict

_HEAD = """
type loc = A | B | C
weak var X : loc
weak array F[proc] : loc
array PC[proc] : loc
init (p) { PC[p] = A && X = A && F[p] = A }
unsafe (p) { PC[p] = C && X = C }
"""


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("model", ["tso", "pso"])
def test_outcomes_of_straight_line_programs_are_found_exactly_when_they_exist(model: str, seed: int) -> None:
    made = random_outcome(seed, model)
    if made is None:
        return
    answer = decide(read_system(made.text, "random", model), Budget(3), approximate=False)
    if made.reachable:
        assert answer.verdict is not Verdict.PASS
    else:
        assert answer.verdict is not Verdict.FAIL
    # Only writes of several cells at once are ordered too little under PSO, and only the time can run out.
    if answer.verdict is Verdict.UNKNOWN and not made.together:
        assert "no answer within" in answer.reason


def test_the_random_outcomes_are_of_both_kinds() -> None:
    made = [random_outcome(seed, "pso") for seed in range(12)]
    assert {outcome.reachable for outcome in made if outcome is not None} == {True, False}


def _system(*transitions: str) -> str:
    return _HEAD.replace("X = C }", "p@X = C }") + "\n".join(transitions)


def test_a_write_before_a_fence_cannot_stay_pending() -> None:
    system = read_system(
        _system(
            "transition a ([p]) requires { PC[p] = A } { PC[p] := B; X := B }",
            "transition b ([p]) requires { PC[p] = B && fence() } { PC[p] := C }",
        ),
        "m", "pso",
    )  # fmt: skip
    assert late_writers(system)["X"] == []


def test_a_write_before_a_read_can_stay_pending() -> None:
    system = read_system(
        _system(
            "transition a ([p]) requires { PC[p] = A } { PC[p] := B; X := B }",
            "transition b ([p]) requires { PC[p] = B && X = B } { PC[p] := C }",
            "transition c ([p]) requires { PC[p] = C } { PC[p] := A; F[p] := B }",
        ),
        "m", "pso",
    )  # fmt: skip
    assert late_writers(system) == {"X": [None], "F": [0]}


def test_cells_written_together_are_told_from_others() -> None:
    alone = "transition a ([p]) requires { PC[p] = A } { PC[p] := B; X := B }"
    both = "transition b ([p]) requires { PC[p] = B } { PC[p] := C; X := B; F[p] := B }"
    every = "transition c ([p]) requires { PC[p] = B } { F[j] := case | _ : B }"
    assert written_alone(read_system(_system(alone), "m", "pso")) == {"X", "F"}
    assert written_alone(read_system(_system(alone, both), "m", "pso")) == set()
    assert written_alone(read_system(_system(alone, every), "m", "pso")) == {"X"}
