"""The orders that views respect, as relations: the definitions that evidence is checked against.

This module is deliberately naive: it turns events, a source for every read and, where a level has it,
one order of the writes of each location into relations over the events with the algebra of
`treville.relations`. The encoder (`problem.py`) does not use it, so a mistake in one shows in the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from itertools import pairwise

from treville.histories.history import Events
from treville.records import dataclass, field
from treville.relations import Relation, mask_of


@dataclass
class OrderContext:
    """What an order may depend on: the events that happened, reads-from, and coherence if agreed."""

    events: Events
    present: int
    sources: dict[int, int]
    coherence: dict[int, list[int]] = field(default_factory=dict)
    _made: dict[str, Relation | None] = field(default_factory=dict)

    def order(self, name: str, thread: int | None) -> Relation | None:
        """The named order among the present events; None when it is cyclic (so nothing respects it)."""
        if name == "own-program":
            assert thread is not None
            own = mask_of(self.events.threads[thread])
            return self.program().restrict(own, own)
        if name not in self._made:
            self._made[name] = _DEFINITIONS[name](self)
        return self._made[name]

    # -- building blocks -------------------------------------------------------------------------

    def program(self) -> Relation:
        """Program order of the events that happened."""
        rows = [0] * self.events.count
        for thread in self.events.threads:
            later = 0
            for event in reversed(thread):
                if self.present >> event & 1:
                    rows[event] = later
                    later |= 1 << event
        return Relation(rows)

    def writes(self) -> int:
        """The writes that happened."""
        return mask_of(self.events.writes) & self.present

    def reads(self) -> int:
        """The reads."""
        return mask_of(self.events.reads)

    def on(self, location: int) -> int:
        """The events on a location that happened."""
        found = (e for e in range(self.events.count) if self.events.location_of[e] == location)
        return mask_of(found) & self.present

    def same_location(self) -> Relation:
        """Pairs of events on one location."""
        masks = [self.on(location) for location in range(len(self.events.locations))]
        rows = [masks[location] for location in self.events.location_of]
        return Relation([row if self.present >> e & 1 else 0 for e, row in enumerate(rows)])

    def reads_from(self) -> Relation:
        """Source to read, initial writes left out."""
        pairs = ((w, r) for r, w in self.sources.items() if not self.events.is_initial(w))
        return Relation.of(self.events.count, pairs)

    def from_reads(self) -> Relation:
        """Read to every write that is coherence-after the read's source."""
        rows = [0] * self.events.count
        for read, source in self.sources.items():
            order = self.coherence.get(self.events.location_of[read], [])
            start = 0 if self.events.is_initial(source) else order.index(source) + 1
            rows[read] = mask_of(order[start:])
        return Relation(rows)


def closure(relation: Relation) -> Relation | None:
    """Transitive closure of an acyclic relation; None when cyclic."""
    return relation.plus() if relation.is_acyclic() else None


def _program(context: OrderContext) -> Relation:
    return context.program()


def _program_tso(context: OrderContext) -> Relation:
    count, program = context.events.count, context.program()
    return program - Relation.product(count, context.writes(), context.reads())


def _program_pso(context: OrderContext) -> Relation:
    count, writes = context.events.count, context.writes()
    write_pairs = Relation.product(count, writes, writes) - context.same_location()
    return _program_tso(context) - write_pairs


def _real_time(context: OrderContext) -> Relation:
    operations = [context.events.operation(e) for e in range(context.events.count)]
    by_start = sorted(range(len(operations)), key=lambda e: operations[e].start or 0.0)
    rows = [0] * len(operations)
    by_end = sorted(
        (e for e, o in enumerate(operations) if o.end is not None), key=lambda e: -(operations[e].end or 0.0)
    )
    later, pending = 0, list(by_start)
    for event in by_end:
        end = operations[event].end
        assert end is not None
        while pending and (operations[pending[-1]].start or 0.0) > end:
            later |= 1 << pending.pop()
        rows[event] = later & context.present
    return Relation(rows)


def _causal(context: OrderContext) -> Relation | None:
    return closure(_covering(context) | context.reads_from())


def _covering(context: OrderContext) -> Relation:
    """Program order's immediate pairs: the closure is the same and costs far less."""
    pairs = []
    for thread in context.events.threads:
        there = [e for e in thread if context.present >> e & 1]
        pairs += list(itertools.pairwise(there))
    return Relation.of(context.events.count, pairs)


def _write_read_write(context: OrderContext) -> Relation:
    writes = context.writes()
    return (context.reads_from() @ context.program()).restrict(writes, writes)


def _anti(context: OrderContext) -> Relation:
    writes, reads = context.writes(), context.reads()
    later_reads = context.program().restrict(reads, reads).optional()
    return (context.reads_from() @ later_reads @ context.from_reads()).restrict(writes, writes)


def _semi_causal(context: OrderContext) -> Relation | None:
    """The closure of DASH's program order, remote-writes-before and remote-reads-before.

    Between the writes of a thread immediate neighbours are enough, because the closure has the rest."""
    pairs = list(_dash_steps(context))
    neighbours = []
    for thread in context.events.threads:
        writes = [e for e in thread if context.present >> e & 1 and context.events.is_write[e]]
        neighbours += list(pairwise(writes))
    between_writes = Relation.of(context.events.count, neighbours)
    remote_writes_before = between_writes @ context.reads_from()
    remote_reads_before = context.from_reads() @ between_writes
    return closure(Relation.of(context.events.count, pairs) | remote_writes_before | remote_reads_before)


def _dash_steps(context: OrderContext) -> Iterator[tuple[int, int]]:
    """Pairs whose closure is program order without write-then-read on different locations."""
    events = context.events
    for thread in events.threads:
        last_read = last_write = -1
        last_on: dict[int, int] = {}
        for event in thread:
            if not context.present >> event & 1:
                continue
            before = {last_read, last_on.get(events.location_of[event], -1)}
            if events.is_write[event]:
                before.add(last_write)
                last_write = event
            else:
                last_read = event
            last_on[events.location_of[event]] = event
            yield from ((earlier, event) for earlier in before if earlier >= 0)


_DEFINITIONS = {
    "program": _program,
    "program-tso": _program_tso,
    "program-pso": _program_pso,
    "real-time": _real_time,
    "causal": _causal,
    "write-read-write": _write_read_write,
    "anti": _anti,
    "semi-causal": _semi_causal,
}
