"""Is a graph consistent after its last change? Only choices that are not the last in coherence need a look.

The graph was consistent before, so a violation has a cycle through what is new. An event that nothing
follows is in no cycle; and where no path of program order, reads-from, coherence and from-reads leads back
to it, it is in no cycle of an axiom that is made of these. What is left is evaluated as the model says.
"""

from __future__ import annotations

from treville.machines.graphs.event import INITIAL, Event, Kind
from treville.machines.graphs.graph import Graph
from treville.machines.graphs.local import Dependencies
from treville.machines.graphs.relations import Base, Spend, uncounted, units_of
from treville.models.evaluate import evaluate
from treville.models.model import Model

_MOST_KNOWN = 50_000


class Bits:
    """The bits of events by thread and index."""

    def __init__(self) -> None:
        self.count = 1
        self._bits: dict[int, list[int]] = {}
        self._up_to: dict[int, list[int]] = {}

    def of(self, thread: int, index: int) -> int:
        """The bit of an event."""
        bits = self._bits.setdefault(thread, [])
        while len(bits) <= index:
            bits.append(1 << self.count)
            known = self._up_to.setdefault(thread, [])
            known.append((known[-1] if known else 0) | bits[-1])
            self.count += 1
        return bits[index]

    def behind(self, thread: int, index: int) -> int:
        """The bits of all events of a thread that are behind one."""
        known = self._up_to.get(thread)
        return 0 if known is None else known[-1] & ~known[index] if index >= 0 else known[-1]


class Consistency:
    """Judges graphs under a model. `exact`: the cycle of program order and communication is what the model
    forbids. `coherent`: nothing else is forbidden than what the lower bounds exclude."""

    def __init__(
        self, model: Model, bits: Bits, exact: bool, coherent: bool, depends: Dependencies | None = None
    ) -> None:
        self.model, self.bits, self.depends = model, bits, depends
        self.exact, self.coherent = exact, coherent
        self.evaluated = 0
        self.spend: Spend = uncounted
        self._known: dict[tuple[object, ...], bool] = {}

    def accepts(self, graph: Graph, write: Event, new: Event) -> bool:
        """Is the graph consistent whose newest event is `new`, which reads or is the write?"""
        if self.coherent or graph.writes[write.place][-1] is write:
            return True
        if not self._leads_back(graph, write, new):
            return True
        if self.exact:
            return False
        return self._is_consistent_before(graph, write.prefix | new.prefix) and self._is_consistent(graph)

    def _is_consistent_before(self, graph: Graph, prefix: int) -> bool:
        """Is what the new event needs consistent? Few different such parts occur in many graphs."""
        part = graph.restricted(prefix | INITIAL)
        key = part.key()
        found = self._known.get(key)
        if found is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            found = self._known[key] = self._is_consistent(part)
        return found

    def _is_consistent(self, graph: Graph) -> bool:
        depends = self.depends
        needs = None if depends is None else {thread: depends.of(graph, thread) for thread in graph.threads}
        base = Base(graph, needs)
        self.spend(units_of(base))
        self.evaluated += 1
        return evaluate(self.model, base.count, base.sets, base.relations, everything=False).consistent

    def _leads_back(self, graph: Graph, write: Event, new: Event) -> bool:
        """Does a path from the writes behind one lead back to the new event?"""
        target = new.prefix & ~1
        reached = todo = graph.later(write)
        if reached & target:
            return True
        events = {event.bit: event for event in graph.order}
        present = 0
        for bit in events:
            present |= bit
        while todo:
            bit = todo & -todo
            todo ^= bit
            event = events[bit]
            fresh = self._after(graph, event) & present & ~reached
            if fresh & target:
                return True
            reached |= fresh
            todo |= fresh
        return False

    def _after(self, graph: Graph, event: Event) -> int:
        """The events that come directly after one."""
        found = self.bits.behind(event.thread, event.index)
        kind = event.kind
        if kind is Kind.WRITE:
            found |= graph.later(event) | graph.readers(event)
        elif kind is Kind.READ:
            assert event.source is not None
            found |= graph.later(event.source)
        elif kind is Kind.SPAWN:
            found |= self.bits.behind(event.value, -1)
        join = graph.joins.get(event.thread)
        return found if join is None else found | join.bit
