"""Packed relations equal row relations."""

import random

import pytest
from tests.seeds import generator

from treville.enumeration.packed import kernel
from treville.relations import Relation


def random_pairs(rng: random.Random, n: int) -> list[tuple[int, int]]:
    density = rng.random() * 0.5
    return [(i, j) for i in range(n) for j in range(n) if rng.random() < density]


@pytest.mark.parametrize("n", range(1, 14))
def test_every_operation_equals_the_row_algebra(n: int) -> None:
    rng = generator(n)
    ops = kernel(n)
    for _ in range(40):
        left, right = random_pairs(rng, n), random_pairs(rng, n)
        a, b = Relation.of(n, left), Relation.of(n, right)
        x, y = ops.pack(left), ops.pack(right)
        assert ops.seq(x, y) == ops.pack((a @ b).pairs())
        assert ops.plus(x) == ops.pack(a.plus().pairs())
        assert ops.inverse(x) == ops.pack(a.inverse().pairs())
        assert (ops.domain(x), ops.range(x)) == (a.domain(), a.range())
        assert ops.cyclic(x) == (not a.is_acyclic())
        sources, targets = rng.getrandbits(n), rng.getrandbits(n)
        assert ops.product(sources, targets) == ops.pack(Relation.product(n, sources, targets).pairs())
        assert ops.identity(sources) == ops.pack(Relation.identity(n, sources).pairs())
        assert x & ops.rows(sources) == ops.pack(a.restrict(sources, ops.row).pairs())
        assert x & ops.columns(targets) == ops.pack(a.restrict(ops.row, targets).pairs())
