"""Atomic blocks under models that know nothing of them."""

from __future__ import annotations

import pytest

from treville.models.blocks import with_atomic_blocks
from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.models.recognise import BLOCK
from treville.relations import Relation

MODELS = ("sc", "tso", "pso", "power", "armv7", "aarch64", "riscv", "rc11")


def violated(model: str, block: bool, between: bool) -> list[str]:
    """A block reads x (1) and writes it (2); another thread writes x (3) between the two or after both."""
    n = 4  # 0 is the initial write
    order = [(0, 1), (0, 2), (0, 3)]
    coherence = [(0, 2), (0, 3), (3, 2) if between else (2, 3)]
    relations = {
        "po": Relation.of(n, [(1, 2)]),
        "rf": Relation.of(n, [(0, 1)]),
        "co": Relation.of(n, coherence),
        "loc": Relation.full(n),
        "int": Relation.of(n, [(e, e) for e in range(n)] + [(1, 2), (2, 1)]),
        "ext": Relation.of(n, [(1, 3), (3, 1), (2, 3), (3, 2), *order, *((b, a) for a, b in order)]),
        BLOCK: Relation.of(n, [(1, 2), (2, 1), (1, 1), (2, 2)] if block else []),
    }
    sets = {"R": 0b0010, "W": 0b1101, "M": 0b1111, "IW": 0b0001}
    found = evaluate(with_atomic_blocks(load_model(model)), n, sets, relations)
    return [axiom.name for axiom in found.violated]


@pytest.mark.parametrize("model", MODELS)
def test_no_write_comes_between_the_events_of_a_block(model: str) -> None:
    assert "atomic blocks" in violated(model, block=True, between=True)


@pytest.mark.parametrize("model", MODELS)
def test_what_comes_before_or_after_a_block_is_free(model: str) -> None:
    assert violated(model, block=True, between=False) == []


@pytest.mark.parametrize("model", MODELS)
def test_without_a_block_the_axiom_says_nothing(model: str) -> None:
    assert "atomic blocks" not in violated(model, block=False, between=True)
