"""The relation algebra against sets of pairs."""

import doctest
import random

import pytest
from tests.seeds import conclusive, generator

import treville.relations
import treville.relations.sets
from treville.relations import Relation, elements, mask_of

Pairs = set[tuple[int, int]]


def random_pairs(rng: random.Random, n: int) -> Pairs:
    density = rng.random() * 0.5
    return {(i, j) for i in range(n) for j in range(n) if rng.random() < density}


def closure(pairs: Pairs) -> Pairs:
    out = set(pairs)
    while True:
        more = {(a, d) for a, b in out for c, d in out if b == c} - out
        if not more:
            return out
        out |= more


@pytest.mark.parametrize("seed", range(60))
def test_operators_equal_their_definitions_on_pairs(seed: int) -> None:
    rng = generator(seed)
    n = rng.randint(1, 9)
    left, right = random_pairs(rng, n), random_pairs(rng, n)
    a, b = Relation.of(n, left), Relation.of(n, right)
    universe = {(i, j) for i in range(n) for j in range(n)}
    assert set((a | b).pairs()) == left | right
    assert set((a & b).pairs()) == left & right
    assert set((a - b).pairs()) == left - right
    assert set(a.complement().pairs()) == universe - left
    assert set((a @ b).pairs()) == {(i, k) for i, j in left for jj, k in right if j == jj}
    assert set(a.inverse().pairs()) == {(j, i) for i, j in left}
    assert set(a.plus().pairs()) == closure(left)
    assert set(a.star().pairs()) == closure(left) | {(i, i) for i in range(n)}
    assert set(elements(a.domain())) == {i for i, _ in left}
    assert set(elements(a.range())) == {j for _, j in left}
    assert a.is_irreflexive() == all(i != j for i, j in left)
    assert (a <= b) == (left <= right)
    assert len(a) == len(left)


@pytest.mark.parametrize("seed", range(60))
def test_cycles_are_found_exactly_when_the_closure_is_reflexive_somewhere(seed: int) -> None:
    rng = generator(1000 + seed)
    n = rng.randint(1, 9)
    pairs = random_pairs(rng, n)
    relation = Relation.of(n, pairs)
    cyclic = any(i == j for i, j in closure(pairs))
    assert relation.is_acyclic() != cyclic
    cycle = relation.shortest_cycle()
    assert (cycle is not None) == cyclic
    if cycle is not None:
        assert all((x, y) in relation for x, y in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        assert len(set(cycle)) == len(cycle)


def test_restriction_and_product_follow_the_sets() -> None:
    relation = Relation.full(4).restrict(mask_of([0, 2]), mask_of([1]))
    assert relation == Relation.product(4, mask_of([0, 2]), mask_of([1]))
    assert set(relation.pairs()) == {(0, 1), (2, 1)}


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(treville.relations).failed == 0
    assert doctest.testmod(treville.relations.sets).failed == 0


def naive_closure(relation: Relation) -> Relation:
    rows = list(relation.rows)
    for middle in range(len(rows)):
        for i, row in enumerate(rows):
            if row >> middle & 1:
                rows[i] |= rows[middle]
    return Relation(rows)


def many(rng: random.Random) -> list[Relation]:
    """Relations over a hundred events and more: sparse, dense, orders, with and without cycles, shuffled."""
    n = rng.randint(100, 130)
    places = rng.sample(range(n), n)
    upwards = [(a, b) for a in range(n) for b in range(a + 1, n)]
    threads = [(a, b) for a, b in upwards if a % 3 == b % 3]
    few, most = rng.sample(upwards, n), rng.sample(upwards, n * n // 3)
    some = [threads, few, most, [*few, (n - 1, 0)], [*few, (7, 7)], []]
    mixed = [[(places[a], places[b]) for a, b in pairs] for pairs in some]
    return [Relation.of(n, pairs) for pairs in some + mixed]


@pytest.mark.parametrize("seed", range(4))
def test_many_events_take_short_cuts_to_the_same_results(seed: int) -> None:
    relations = many(generator(seed))
    acyclic = 0
    for relation in relations:
        closed = naive_closure(relation)
        acyclic += relation.is_acyclic()
        assert relation.plus() == closed
        assert closed.plus() == closed
        assert relation.is_acyclic() == closed.is_irreflexive()
        inverse = relation.inverse()
        assert set(inverse.pairs()) == {(b, a) for a, b in relation.pairs()}
        assert inverse.inverse() == relation
        for other in (*relations, closed):
            rows = [0] * relation.n
            for source, middle in relation.pairs():
                rows[source] |= other.rows[middle]
            assert (relation @ other).rows == rows
    assert conclusive(0 < acyclic < len(relations))
