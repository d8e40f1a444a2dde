"""The independent check of a PASS accepts right invariants and rejects broken ones."""

from __future__ import annotations

import pytest
from tests.parameterised.random_systems import random_system
from tests.parameterised.systems import FLAGS, FLAGS_NO_FENCE, MESSAGE, MUTEX, SPINLOCK, TWO_WRITES

from treville.parameterised.certificate.check import certify
from treville.parameterised.decide import decide
from treville.parameterised.language.resolve import read_system
from treville.results import Budget, Verdict


def test_z3_confirms_an_invariant() -> None:
    pytest.importorskip("z3")
    outcome = certify(decide(read_system(MUTEX, "m"), Budget(30)), Budget(30))
    assert outcome.right
    assert "z3 confirms" in outcome.text


def test_z3_rejects_an_invariant_with_a_cube_missing() -> None:
    pytest.importorskip("z3")
    answer = decide(read_system(MUTEX, "m"), Budget(30))
    assert answer.search is not None
    entries = answer.search.visited.entries
    for position in range(len(entries)):
        removed = entries.pop(position)
        assert certify(answer, Budget(30)).right is False
        entries.insert(position, removed)


@pytest.mark.parametrize(
    ("text", "model"),
    [(FLAGS, "tso"), (MESSAGE, "tso"), (SPINLOCK, "tso"), (FLAGS, "pso"), (SPINLOCK, "pso")],
)
def test_z3_confirms_an_invariant_over_moments(text: str, model: str) -> None:
    pytest.importorskip("z3")
    outcome = certify(decide(read_system(text, "m", model), Budget(30)), Budget(30))
    assert outcome.right
    assert "z3 confirms" in outcome.text


def test_z3_rejects_an_invariant_over_moments_with_a_cube_missing() -> None:
    pytest.importorskip("z3")
    for text, model in ((FLAGS, "tso"), (SPINLOCK, "pso")):
        answer = decide(read_system(text, "m", model), Budget(30))
        assert answer.search is not None
        entries = answer.search.visited.entries
        for position in range(len(entries)):
            removed = entries.pop(position)
            assert certify(answer, Budget(30)).right is False, position
            entries.insert(position, removed)


def test_z3_rejects_the_invariant_of_a_stronger_system() -> None:
    """Without the fence, or with a weaker order in the cubes, the same cubes do not suffice."""
    pytest.importorskip("z3")
    answer = decide(read_system(FLAGS, "m", "tso"), Budget(30))
    answer.system = read_system(FLAGS_NO_FENCE, "m", "tso")
    assert certify(answer, Budget(30)).right is False


def test_z3_rejects_cubes_that_say_too_little() -> None:
    """A cube without one of its order constraints is larger, and some run is in it."""
    pytest.importorskip("z3")
    answer = decide(read_system(FLAGS, "m", "tso"), Budget(30))
    rejected = 0
    for node in answer.cubes():
        full = node.frontier
        if any(full.writes):
            node.frontier = full._replace(writes=(0,) * len(full.writes))
            rejected += certify(answer, Budget(30)).right is False
            node.frontier = full
    assert rejected


def test_invariants_under_pso_are_compared_with_instances_where_writes_overtake() -> None:
    text = FLAGS.replace("weak array", "weak var Turn : bool\nweak array")
    text += "transition turn ([p]) requires { At[p] = Idle } { Turn := True }\n"
    outcome = certify(decide(read_system(text, "m", "pso"), Budget(30)), Budget(30))
    assert outcome.right
    assert "instances with 2 and 3 processes" in outcome.text


@pytest.mark.parametrize("seed", range(12))
def test_random_invariants_are_confirmed(seed: int) -> None:
    pytest.importorskip("z3")
    for model in ("sc", "tso"):
        answer = decide(read_system(random_system(seed), "m", model), Budget(2))
        if answer.verdict is Verdict.PASS and len(answer.cubes()) < 20:
            assert certify(answer, Budget(2)).right is not False, model


def test_cubes_of_named_processes_are_not_permuted() -> None:
    """Two processes with different parts: what one does is unreachable for the other."""
    text = TWO_WRITES.replace("q@Y = B }", "q@Y = B && p@X = C }")
    outcome = certify(decide(read_system(text, "m", "pso"), Budget(30)), Budget(30))
    assert outcome.right
    assert "instances with 2 processes" in outcome.text


def test_an_unfinished_check_is_neither_right_nor_wrong() -> None:
    answer = decide(read_system(FLAGS, "m"), Budget(30))
    assert certify(answer, Budget(1e-9)).right is None
