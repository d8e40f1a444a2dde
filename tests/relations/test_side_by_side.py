"""Executions side by side have the values that each of them has alone."""

from __future__ import annotations

import pytest
from tests.seeds import generator

from treville.relations import Relation
from treville.relations.side_by_side import SideBySide, repacked


def _packed(relation: Relation) -> int:
    return sum(row << (i * relation.n) for i, row in enumerate(relation.rows))


@pytest.mark.parametrize("seed", range(20))
def test_operators_are_those_of_single_relations(seed: int) -> None:
    pick = generator(seed)
    n = pick.randint(2, 7)
    sizes = [pick.randint(1, n) for _ in range(pick.randint(1, 9))]
    density = pick.choice((0.1, 0.25, 0.5))

    def draw(size: int) -> Relation:
        pairs = [(i, j) for i in range(size) for j in range(size) if pick.random() < density]
        return Relation.of(size, pairs)

    left, right = ([draw(size) for size in sizes] for _ in "ab")
    world = SideBySide(n, sizes)

    def joined(relations: list[Relation]) -> int:
        return world.join([repacked(_packed(each), each.n, n) for each in relations])

    r, s = joined(left), joined(right)
    assert world.compose(r, s) == joined([a @ b for a, b in zip(left, right, strict=True)])
    assert world.plus(r) == joined([each.plus() for each in left])
    assert world.inverse(r) == joined([each.inverse() for each in left])
    domains = [Relation.identity(each.n, each.domain()) for each in left]
    ranges = [Relation.identity(each.n, each.range()) for each in left]
    assert world.domain(r) == joined(domains)
    assert world.range(r) == joined(ranges)
    products = [Relation.product(a.n, a.domain(), a.range()) for a in left]
    assert world.product(world.domain(r), world.range(r)) == joined(products)
    assert world.universe == joined([Relation.full(size) for size in sizes])
    assert list(world.cyclic(r).to_bytes(len(sizes), "little")) == [not each.is_acyclic() for each in left]
    assert list(world.reflexive(r).to_bytes(len(sizes), "little")) == [
        not each.is_irreflexive() for each in left
    ]
    assert list(world.nonempty(r).to_bytes(len(sizes), "little")) == [bool(each) for each in left]
    some = sorted(pick.sample(range(len(sizes)), pick.randint(1, len(sizes))))
    fields = world.fields(r)
    assert SideBySide(n, [sizes[i] for i in some]).fields(world.taken(r, some)) == [fields[i] for i in some]
    mask = sum(1 << (8 * i) for i in some)
    assert world.fields(r & world.chosen(mask)) == [each if i in some else 0 for i, each in enumerate(fields)]
