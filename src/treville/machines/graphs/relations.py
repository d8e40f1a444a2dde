"""A graph -> the sets and relations that models speak of. Events are numbered as they were added, and behind
them come the initial writes of the cells that are accessed."""

from __future__ import annotations

from treville.machines.graphs.event import Event, Kind
from treville.machines.graphs.graph import Graph
from treville.relations import Relation

_IN_RELATIONS = (Kind.READ, Kind.WRITE, Kind.FENCE)


class Base:
    """What the axioms of a model are evaluated on."""

    def __init__(self, graph: Graph) -> None:
        self.events = [event for event in graph.order if event.kind in _IN_RELATIONS]
        initial = [writes[0] for writes in graph.writes.values()]
        self.count = len(self.events) + len(initial)
        self.numbers = {id(event): number for number, event in enumerate((*self.events, *initial))}
        self.sets = self._sets(len(initial))
        self.relations = self._relations(graph)

    def _sets(self, initial: int) -> dict[str, int]:
        count = len(self.events)
        first = ((1 << initial) - 1) << count
        sets = {"R": 0, "W": first, "F": 0, "IW": first}
        names = ("R", "W", "F")
        for number, event in enumerate(self.events):
            bit = 1 << number
            sets[names[event.kind]] |= bit
            for tag in getattr(event.instruction, "tags", ()):
                sets[tag] = sets.get(tag, 0) | bit
        sets["M"] = sets["R"] | sets["W"]
        return sets

    def _relations(self, graph: Graph) -> dict[str, Relation]:
        n, numbers = self.count, self.numbers
        rf, co, fr, loc, rmw = [0] * n, [0] * n, [0] * n, [0] * n, [0] * n
        po = self._program_order()
        for place, writes in graph.writes.items():
            later, readers = 0, graph.reads.get(place, ())
            same = 0
            for event in (*writes, *readers):
                same |= 1 << numbers[id(event)]
            for write in reversed(writes):
                number = numbers[id(write)]
                co[number] = later
                loc[number] = same
                for read in readers:
                    if read.source is write:
                        at = numbers[id(read)]
                        rf[number] |= 1 << at
                        fr[at], loc[at] = later, same
                later |= 1 << number
        inside = self._inside(graph, rmw)
        full = (1 << n) - 1
        return {
            "po": Relation(po), "rf": Relation(rf), "co": Relation(co), "fr": Relation(fr),
            "loc": Relation(loc), "rmw": Relation(rmw), "amo": Relation(rmw), "int": Relation(inside),
            "ext": Relation([full & ~row for row in inside]),
        }  # fmt: skip

    def _program_order(self) -> list[int]:
        """Program order from the masks of the events before each."""
        rows = [0] * self.count
        events = [(1 << number, event) for number, event in enumerate(self.events)]
        for number, event in enumerate(self.events):
            own = event.bit
            for bit, other in events:
                if other.po & own and other is not event:
                    rows[number] |= bit
        return rows

    def _inside(self, graph: Graph, rmw: list[int]) -> list[int]:
        """Pairs of the same thread, and which of them are updates."""
        n, numbers = self.count, self.numbers
        inside = [1 << number for number in range(n)]
        for events in graph.threads.values():
            own, before = 0, None
            for event in events:
                number = numbers.get(id(event))
                if number is None:
                    continue
                own |= 1 << number
                if event.linked and event.kind is Kind.WRITE and before is not None:
                    rmw[numbers[id(before)]] = 1 << number
                before = event
            for event in events:
                if id(event) in numbers:
                    inside[numbers[id(event)]] = own
        return inside


def pair_of(graph: Graph, write: Event) -> Event | None:
    """The read half of an update whose write half is in the graph or comes next."""
    if not write.linked:
        return None
    return graph.threads[write.thread][write.index - 1]
