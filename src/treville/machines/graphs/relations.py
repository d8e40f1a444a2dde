"""A graph, or some of its events -> the sets and relations that models speak of. Events are numbered by their
bits, and behind them come the initial writes of the cells that are accessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from treville.machines.dependencies import DEPENDENCIES, Needs
from treville.machines.graphs.event import Event, Kind
from treville.machines.graphs.graph import Graph
from treville.relations import Relation

_IN_RELATIONS = (Kind.READ, Kind.WRITE, Kind.FENCE)
_NAMES = ("R", "W", "F")
_ALL = -1


Spend: TypeAlias = Callable[[int], None]


class Base:
    """What the axioms of a model are evaluated on: the events whose bits are in `mask`. `needs` says for each
    thread what its events depend on."""

    def __init__(
        self, graph: Graph, needs: Mapping[int, Sequence[Needs | None]] | None = None, mask: int = _ALL
    ) -> None:
        found = [event for event in graph.order if event.bit & mask and event.kind in _IN_RELATIONS]
        self.events = found = sorted(found, key=_bit)
        accessed = dict.fromkeys(event.place for event in found if event.kind is not Kind.FENCE)
        places = graph.writes if mask == _ALL else accessed
        initial = [graph.writes[place][0] for place in places]
        self.count = len(found) + len(initial)
        self.numbers = {id(event): number for number, event in enumerate((*found, *initial))}
        self.sets = self._sets(len(initial))
        self.relations = self._relations(graph, list(places))
        if needs is not None:
            self._depend(graph, needs)

    def key(self) -> tuple[object, ...]:
        """The same for all parts of graphs that a model cannot tell from each other."""
        found: list[object] = [id(event.instruction) for event in self.events]
        for relation in self.relations.values():
            found += relation.rows
        return tuple(found)

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

    def _relations(self, graph: Graph, places: Sequence[int]) -> dict[str, Relation]:
        n, numbers = self.count, self.numbers
        rf, co, fr, loc = [0] * n, [0] * n, [0] * n, [0] * n
        for place in places:
            later = same = 0
            readers = [read for read in graph.reads.get(place, ()) if id(read) in numbers]
            behind: dict[int, int] = {}
            for write in reversed(graph.writes[place]):
                behind[id(write)] = later
                number = numbers.get(id(write))
                if number is not None:
                    co[number] = later
                    later |= 1 << number
                    same |= 1 << number
            for read in readers:
                at = numbers[id(read)]
                same |= 1 << at
                fr[at] = behind.get(id(read.source), 0)
                source = numbers.get(id(read.source))
                if source is not None:
                    rf[source] |= 1 << at
            rest = same
            while rest:
                low = rest & -rest
                rest ^= low
                loc[low.bit_length() - 1] = same
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
        numbers = self.numbers
        for event in reversed(graph.order):
            number = numbers.get(id(event))
            if number is not None:
                thread = event.thread
                mine = rows[number] = later.get(thread, 0)
                later[thread] = mine | 1 << number
            elif event.kind is Kind.SPAWN:
                later[event.thread] = later.get(event.thread, 0) | later.get(event.value, 0)
            elif event.kind is Kind.JOIN:
                later[event.value] = later.get(event.value, 0) | later.get(event.thread, 0)
        return rows

    def _inside(self, graph: Graph) -> tuple[list[int], list[int]]:
        """Pairs of the same thread, and which of them are updates."""
        n, numbers = self.count, self.numbers
        inside, rmw = [1 << number for number in range(n)], [0] * n
        own: dict[int, int] = {}
        for number, event in enumerate(self.events):
            own[event.thread] = own.get(event.thread, 0) | 1 << number
            if event.linked and event.kind is Kind.WRITE:
                read = numbers.get(id(graph.threads[event.thread][event.index - 1]))
                if read is not None:
                    rmw[read] = 1 << number
        for number, event in enumerate(self.events):
            inside[number] = own[event.thread]
        return inside, rmw

    def _depend(self, graph: Graph, needs: Mapping[int, Sequence[Needs | None]]) -> None:
        n, numbers = self.count, self.numbers
        rows = [[0] * n for _ in DEPENDENCIES]
        same = [1 << number for number in range(n)]
        by_order: dict[tuple[int, int], list[int]] = {}
        for number, event in enumerate(self.events):
            need = needs[event.thread][event.index]
            if need is None:
                continue
            events = graph.threads[event.thread]
            by_order.setdefault((event.thread, need.order), []).append(number)
            for relation, mask in zip(rows, need, strict=False):
                while mask:
                    low = mask & -mask
                    mask ^= low
                    at = numbers.get(id(events[low.bit_length() - 1]))
                    if at is not None:
                        relation[at] |= 1 << number
        for group in by_order.values():
            for one in group:
                same[one] = sum(1 << other for other in group)
        for name, relation in zip(DEPENDENCIES, rows, strict=True):
            self.relations[name] = Relation(relation)
        self.relations["si"] = Relation(same)


def _bit(event: Event) -> int:
    return event.bit


def uncounted(units: int) -> None:
    """Where work is not limited."""
    del units


def units_of(base: Base) -> int:
    """What it costs to evaluate a model, in events that might be added to graphs meanwhile."""
    return 5 + base.count * base.count // 20
