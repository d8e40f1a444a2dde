"""A graph -> the sets and relations that models speak of. Events are numbered as they were added, and behind
them come the initial writes of the cells that are accessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from treville.machines.dependencies import DEPENDENCIES, Needs
from treville.machines.graphs.event import Kind
from treville.machines.graphs.graph import Graph
from treville.relations import Relation

_IN_RELATIONS = (Kind.READ, Kind.WRITE, Kind.FENCE)
_NAMES = ("R", "W", "F")


Spend: TypeAlias = Callable[[int], None]


class Base:
    """What the axioms of a model are evaluated on. `needs` says for each thread what its events depend on."""

    def __init__(self, graph: Graph, needs: Mapping[int, Sequence[Needs | None]] | None = None) -> None:
        self.events = [event for event in graph.order if event.kind in _IN_RELATIONS]
        initial = [writes[0] for writes in graph.writes.values()]
        self.count = len(self.events) + len(initial)
        self.numbers = {id(event): number for number, event in enumerate((*self.events, *initial))}
        self.sets = self._sets(len(initial))
        self.relations = self._relations(graph)
        if needs is not None:
            self._depend(graph, needs)

    def _sets(self, initial: int) -> dict[str, int]:
        first = ((1 << initial) - 1) << len(self.events)
        sets = {"R": 0, "W": first, "F": 0, "IW": first}
        for number, event in enumerate(self.events):
            bit = 1 << number
            sets[_NAMES[event.kind]] |= bit
            for tag in getattr(event.instruction, "tags", ()):
                sets[tag] = sets.get(tag, 0) | bit
        sets["M"] = sets["R"] | sets["W"]
        return sets

    def _relations(self, graph: Graph) -> dict[str, Relation]:
        n, numbers = self.count, self.numbers
        rf, co, fr, loc = [0] * n, [0] * n, [0] * n, [0] * n
        for place, writes in graph.writes.items():
            later, readers = 0, graph.reads.get(place, ())
            same = 0
            for event in (*writes, *readers):
                same |= 1 << numbers[id(event)]
            for read in readers:
                loc[numbers[id(read)]] = same
            for write in reversed(writes):
                number = numbers[id(write)]
                co[number], loc[number] = later, same
                for read in readers:
                    if read.source is write:
                        at = numbers[id(read)]
                        rf[number] |= 1 << at
                        fr[at] = later
                later |= 1 << number
        inside, rmw = self._inside(graph)
        full = (1 << n) - 1
        return {
            "po": Relation(self._program_order(graph)), "rf": Relation(rf), "co": Relation(co),
            "fr": Relation(fr), "loc": Relation(loc), "rmw": Relation(rmw), "amo": Relation(rmw),
            "int": Relation(inside), "ext": Relation([full & ~row for row in inside]),
        }  # fmt: skip

    def _program_order(self, graph: Graph) -> list[int]:
        """From the last event to the first: what each thread does from there on, what those do that it
        starts, and what happens after it is joined."""
        rows = [0] * self.count
        later: dict[int, int] = {}
        for event in reversed(graph.order):
            thread, number = event.thread, self.numbers.get(id(event))
            mine = later.get(thread, 0)
            if number is not None:
                rows[number] = mine
                later[thread] = mine | 1 << number
            elif event.kind is Kind.SPAWN:
                later[thread] = mine | later.get(event.value, 0)
            elif event.kind is Kind.JOIN:
                later[event.value] = later.get(event.value, 0) | mine
        return rows

    def _inside(self, graph: Graph) -> tuple[list[int], list[int]]:
        """Pairs of the same thread, and which of them are updates."""
        n, numbers = self.count, self.numbers
        inside, rmw = [1 << number for number in range(n)], [0] * n
        for events in graph.threads.values():
            own = 0
            known: list[int] = []
            for event in events:
                number = numbers.get(id(event))
                if number is None:
                    continue
                own |= 1 << number
                if event.linked and event.kind is Kind.WRITE:
                    rmw[known[-1]] = 1 << number
                known.append(number)
            for number in known:
                inside[number] = own
        return inside, rmw

    def _depend(self, graph: Graph, needs: Mapping[int, Sequence[Needs | None]]) -> None:
        n, numbers = self.count, self.numbers
        rows = [[0] * n for _ in DEPENDENCIES]
        same = [1 << number for number in range(n)]
        for thread, known in needs.items():
            events, by_order = graph.threads[thread], dict[int, list[int]]()
            for event, need in zip(events, known, strict=False):
                if need is None:
                    continue
                number = numbers[id(event)]
                by_order.setdefault(need.order, []).append(number)
                for relation, mask in zip(rows, need, strict=False):
                    while mask:
                        low = mask & -mask
                        mask ^= low
                        relation[numbers[id(events[low.bit_length() - 1])]] |= 1 << number
            for group in by_order.values():
                for one in group:
                    same[one] = sum(1 << other for other in group)
        for name, relation in zip(DEPENDENCIES, rows, strict=True):
            self.relations[name] = Relation(relation)
        self.relations["si"] = Relation(same)


def uncounted(units: int) -> None:
    """Where work is not limited."""
    del units


def units_of(base: Base) -> int:
    """What it costs to evaluate a model, in events that might be added to graphs meanwhile."""
    return 5 + base.count * base.count // 20
