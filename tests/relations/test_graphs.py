"""Searches through graphs against brute force, for bit rows and for lists."""

import doctest
from collections import deque
from itertools import pairwise
from random import Random

import pytest

import treville.relations.graphs
from treville.relations import EventId, Relation, elements, mask_of
from treville.relations.graphs import (
    components,
    reachable,
    reduced,
    shortest_cycle,
    shortest_path,
    strong_components,
    successors_first,
    topological,
)


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(treville.relations.graphs).failed == 0


def _random(random: Random, n: int) -> Relation:
    pairs = [(random.randrange(n), random.randrange(n)) for _ in range(random.randint(0, 2 * n))]
    return Relation.of(n, pairs)


def _lists(random: Random, relation: Relation) -> list[list[int]]:
    """The successors of each node in any order, some twice."""
    found: list[list[int]] = [list(elements(row)) for row in relation.rows]
    for targets in found:
        targets += random.sample(targets, min(1, len(targets)))
        random.shuffle(targets)
    return found


def _graphs(seed: int) -> list[tuple[Relation, list[list[int]]]]:
    random = Random(seed)
    relations = [_random(random, random.randint(1, 8)) for _ in range(60)]
    return [(relation, _lists(random, relation)) for relation in relations]


@pytest.mark.parametrize("seed", range(5))
def test_components_are_the_classes_of_mutual_reachability(seed: int) -> None:
    for relation, lists in _graphs(seed):
        there, back = relation.star().rows, relation.star().inverse().rows
        classes = {there[node] & back[node] for node in range(relation.n)}
        for found in (list(strong_components(relation.rows)), [mask_of(c) for c in components(lists)]):
            assert set(found) == classes
            assert len(found) == len(classes)
            seen = 0
            for members in found:
                seen |= members
                assert all(there[node] & ~seen == 0 for node in elements(members))


@pytest.mark.parametrize("seed", range(5))
def test_topological_orders_hold_what_is_not_behind_a_cycle(seed: int) -> None:
    for relation, lists in _graphs(seed):
        closed = relation.plus()
        behind = {
            n
            for n in range(relation.n)
            if any((m, m) in closed and (m, n) in closed for m in range(relation.n))
        }
        for order in (topological(lists), topological(lists, _last)):
            assert sorted(order) == [node for node in range(relation.n) if node not in behind]
            place = {node: index for index, node in enumerate(order)}
            assert all(place[a] < place[b] for a, b in relation.pairs() if a in place and b in place)


def _last(ready: deque[int]) -> int:
    return ready.pop()


@pytest.mark.parametrize("seed", range(5))
def test_successors_come_first_unless_there_is_a_cycle_of_several_nodes(seed: int) -> None:
    for relation, _ in _graphs(seed):
        loops = Relation.identity(relation.n)
        cyclic = not (relation - loops).plus().is_irreflexive()
        order = successors_first(relation.rows)
        assert (order is None) == cyclic
        if order is not None:
            place = {node: index for index, node in enumerate(order)}
            assert sorted(order) == list(elements(relation.domain()))
            assert all(place[b] < place[a] for a, b in (relation - loops).pairs() if b in place)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_left_of_a_reduced_graph_has_the_same_paths(seed: int) -> None:
    dropped = 0
    for relation, _ in _graphs(seed):
        for graph in (
            relation,
            Relation([row >> n << n & ~(1 << n) for n, row in enumerate(relation.rows)]).plus(),
        ):
            left = Relation(reduced(graph.rows))
            assert left.plus() == graph.plus()
            assert left <= graph
            dropped += len(graph) - len(left)
            if graph.is_acyclic() and graph.plus() == graph:
                assert left == graph - graph @ graph
            if not graph.is_acyclic():
                assert left == graph
    assert dropped


@pytest.mark.parametrize("seed", range(5))
def test_paths_and_cycles_are_shortest(seed: int) -> None:
    random = Random(seed)
    for relation, lists in _graphs(seed):
        n = relation.n
        length = _lengths(relation)
        for start in range(n):
            assert reachable([start], lists.__getitem__) == set(elements(relation.star().rows[start]))
            for goal in range(n):
                most = random.randint(0, n)
                for path in (
                    shortest_path(start, goal, most, lists.__getitem__),
                    relation.shortest_path(EventId(start), EventId(goal), most),
                ):
                    least = length.get((start, goal), n + 1)
                    assert (path is None) == (least > most)
                    if path is not None:
                        assert (path[0], path[-1], len(path)) == (start, goal, least + 1)
                        assert all(pair in relation for pair in pairwise(path))
        round_trip = min((length[node, node] for node in range(n) if (node, node) in length), default=None)
        for cycle in (_cycle(lists), relation.shortest_cycle()):
            assert (None if cycle is None else len(cycle)) == round_trip
            if cycle is not None:
                assert all(pair in relation for pair in pairwise([*cycle, cycle[0]]))


def _cycle(lists: list[list[int]]) -> list[int] | None:
    def path(start: int, most: int) -> list[int] | None:
        return shortest_path(start, start, most, lists.__getitem__)

    return shortest_cycle(range(len(lists)), len(lists), path)


def _lengths(relation: Relation) -> dict[tuple[int, int], int]:
    """The steps of a shortest path between any two nodes, by powers of the relation."""
    found: dict[tuple[int, int], int] = {}
    power = relation
    for steps in range(1, relation.n + 1):
        for pair in power.pairs():
            found.setdefault(pair, steps)
        power = power @ relation
    return found
