"""The orders of the judge, pair by pair, against the oracle's: of random sources and orders of writes, and
with writes that did not happen."""

from __future__ import annotations

from random import Random

import pytest
from tests.seeds import conclusive, generator

from treville.histories.audit import _BY_PLACE, _STEPS
from treville.histories.levels import LEVELS
from treville.histories.orders import _DEFINITIONS, OrderContext
from treville.histories.view_graphs import _ENCODERS
from treville.relations import mask_of

from . import oracle, shapes

# An order of the package, and a level of the oracle in whose first view of a process it is the order of all.
SAME = {
    "program": "PRAM", "causal": "causal", "semi-causal": "PC-D", "anti": "GAO", "write-read-write": "GWO",
    "program-tso": "TSO", "program-pso": "PSO",
}  # fmt: skip


def test_every_order_of_a_level_is_defined_encoded_and_audited() -> None:
    orders = {order for level in LEVELS.values() for view in level.views for order in view.orders}
    assert orders == set(_ENCODERS)
    assert orders == {*_DEFINITIONS, "own-program", "issue"}
    assert orders == {*_BY_PLACE, *_STEPS, "issue"}


class Case:
    """A random history of which some writes did not happen, with a source for each read and a coherence."""

    def __init__(self, choose: Random) -> None:
        self.threads = shapes.random_history(choose, 8, 3, 2, 2)
        self.nodes = [(t, i) for t, thread in enumerate(self.threads) for i in range(len(thread))]
        self.events = shapes.history_of(self.threads).events
        self.absent = {n for n in self.events.writes if choose.random() < 0.25}
        there = [n for n in self.events.writes if n not in self.absent]
        self.sources: dict[int, int] = {}
        self.coherence: dict[int, list[int]] = {}
        for location in range(len(self.events.locations)):
            on = [n for n in there if self.events.location_of[n] == location]
            self.coherence[location] = choose.sample(on, len(on))
            for read in self.events.reads:
                if self.events.location_of[read] == location:
                    self.sources[read] = choose.choice([*on, self.events.initial(location)])

    def context(self) -> OrderContext:
        present = mask_of(n for n in range(self.events.count) if n not in self.absent)
        return OrderContext(self.events, present, self.sources, self.coherence)

    def expected(self, name: str) -> set[tuple[int, int]]:
        """The oracle's order, by numbers of events."""
        number = {node: n for n, node in enumerate(self.nodes)}
        nodes = [node for node in self.nodes if number[node] not in self.absent]
        event = {node: self.threads[node[0]][node[1]] for node in nodes}
        sources: oracle.Sources = {
            self.nodes[read]: None if self.events.is_initial(write) else self.nodes[write]
            for read, write in self.sources.items()
        }
        orders = [[self.nodes[n] for n in order] for order in self.coherence.values()]
        coherence = {(a, b) for order in orders for i, a in enumerate(order) for b in order[i + 1 :]}
        if name in ("program-tso", "program-pso"):
            pairs = {
                (a, b)
                for a in nodes
                for b in nodes
                if a[0] == b[0] and a[1] < b[1] and stays(event[a], event[b], name == "program-pso")
            }
        else:
            views = oracle.required(SAME[name], self.threads, nodes, event, sources, coherence)
            # What all processes respect: what only one does is its own program order.
            pairs = set.intersection(*(order for members, order in views[-len(self.threads) :]))
        return {(number[a], number[b]) for a, b in pairs}


def stays(first: oracle.Event, second: oracle.Event, by_location: bool) -> bool:
    """Is the order of two operations of a thread kept by its store buffers?"""
    if first[0] == "r":
        return True
    return second[0] == "w" and (not by_location or first[1] == second[1])


@pytest.mark.parametrize("name", SAME)
def test_orders_are_those_of_the_definitions(name: str) -> None:
    choose, pairs, cyclic = generator(f"order {name}"), 0, 0
    for _ in range(120):
        case = Case(choose)
        found, expected = case.context().order(name, None), case.expected(name)
        if any((a, a) in expected for a in range(case.events.count)):
            cyclic += 1
            assert found is None or name in ("anti", "write-read-write")
            continue
        assert found is not None
        kept = {(a, b) for a, b in found.plus().pairs() if not {a, b} & case.absent}
        assert kept == oracle_closure(expected), (case.threads, case.absent, case.sources, case.coherence)
        pairs += len(kept)
    assert conclusive(pairs > 20)
    assert conclusive(cyclic > 2 or name not in ("causal", "semi-causal"))


def oracle_closure(pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    named = {((0, a), (0, b)) for a, b in pairs}
    return {(a, b) for (_, a), (_, b) in oracle.closure(named)}
