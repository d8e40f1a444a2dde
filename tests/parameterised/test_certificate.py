"""The independent check of a PASS accepts right invariants and rejects broken ones."""

from __future__ import annotations

import pytest

from parameterised.systems import FLAGS, MUTEX
from treville.parameterised.certificate import certify
from treville.parameterised.decide import decide
from treville.parameterised.resolve import read_system
from treville.results import Budget


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


def test_weak_invariants_are_compared_with_instances() -> None:
    outcome = certify(decide(read_system(FLAGS, "m"), Budget(30)), Budget(30))
    assert outcome.right
    assert "instances with 2 and 3 processes" in outcome.text


def test_an_unfinished_check_is_neither_right_nor_wrong() -> None:
    answer = decide(read_system(FLAGS, "m"), Budget(30))
    assert certify(answer, Budget(1e-9)).right is None
