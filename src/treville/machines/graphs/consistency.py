"""Is a graph consistent after its last change? Only choices that are not the last in coherence need a look.

The graph was consistent before, so a violation has a cycle through what is new. An event that nothing
follows is in no cycle; and where no path of program order, reads-from, coherence and from-reads leads back
to it, it is in no cycle of an axiom that is made of these. What is left is evaluated as the model says, on
the events that are on such cycles: all that leads from one of them to another is on a cycle, too.
"""

from __future__ import annotations

from treville.machines.graphs.event import INITIAL, Event, Kind
from treville.machines.graphs.forbidden import Forbidden
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
        self.forbidden: Forbidden | None = None
        self._known: dict[tuple[object, ...], bool] = {}

    def accepts(self, graph: Graph, write: Event, new: Event) -> bool:
        """Is the graph consistent whose newest event is `new`, which reads or is the write?"""
        if self.coherent or graph.writes[write.place][-1] is write:
            return True
        target = new.prefix & ~INITIAL
        after = self._reached(graph, graph.later(write), target if self.exact else 0)
        if not any(target & bit for bit in after):
            return True
        if self.exact:
            return False
        mask = self._on_cycles(after, target) | write.bit | new.bit
        if self.forbidden is not None and self.forbidden.has(graph, write, new, mask):
            return False
        return self._is_consistent(graph, mask)

    def _is_consistent(self, graph: Graph, mask: int) -> bool:
        depends = self.depends
        needs = None if depends is None else {thread: depends.of(graph, thread) for thread in graph.threads}
        base = Base(graph, needs, _with_partners(graph, mask))
        key = base.key()
        found = self._known.get(key)
        if found is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            self.spend(units_of(base))
            self.evaluated += 1
            judged = evaluate(self.model, base.count, base.sets, base.relations, everything=False)
            found = self._known[key] = judged.consistent
        return found

    def _reached(self, graph: Graph, todo: int, target: int) -> dict[int, int]:
        """What comes directly after each event that some events lead to, these included; no more than is
        needed to find one of a target."""
        events, present = {}, 0
        for event in graph.order:
            events[event.bit] = event
            present |= event.bit
        found: dict[int, int] = {}
        reached = todo
        while todo:
            bit = todo & -todo
            todo ^= bit
            after = found[bit] = self._after(graph, events[bit]) & present
            todo |= after & ~reached
            reached |= after
            if bit & target:
                break
        return found

    def _on_cycles(self, after: dict[int, int], target: int) -> int:
        """Those of the events that lead back to the target."""
        found = 0
        for bit in after:
            found |= bit & target
        rest = {bit: behind for bit, behind in after.items() if not bit & found}
        while fresh := [bit for bit, behind in rest.items() if behind & found]:
            for bit in fresh:
                found |= bit
                del rest[bit]
        return found

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


def _with_partners(graph: Graph, mask: int) -> int:
    """Those events, what they read, and the other halves of updates."""
    found = mask
    for event in graph.order:
        if event.bit & mask and event.source is not None:
            found |= event.source.bit
    for event in graph.order:
        if event.linked and event.kind is Kind.WRITE:
            read = graph.threads[event.thread][event.index - 1]
            if (event.bit | read.bit) & found:
                found |= event.bit | read.bit
    return found
