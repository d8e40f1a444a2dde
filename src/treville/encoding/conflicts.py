"""Conflict-aware event structures (paper 003, sections 2.3, 4 and 5) for SC, TSO and PSO.

A *match* of a read and a write is an event of the product structure, and its literal holds exactly if the
write is the latest one that the read can see, the read has no other match, and both are executed (`ext`).
One clock per access orders the whole: it respects the reduced preserved order (`succ`), a match with a write
of another thread puts the write before the read (`m2clk`), and writes of a location have distinct clocks
(`unique`). A read of a write of its own thread is free: the write need not have left the store buffer, but
the read sees it all the same, so it counts among the writes that `latestw` compares.

Every comparison of two clocks is a literal whose two values are the two orders.
"""

from __future__ import annotations

from treville.encoding.architectures import (
    ARCHITECTURES,
    Architecture,
    architecture_of,
    parts_of,
)
from treville.encoding.clocks import require_atomic_updates
from treville.encoding.encoding import (
    CLOCK,
    Clock,
    EncodingName,
    PartialOrderDraft,
    PartialOrderMemory,
    PartialOrders,
)
from treville.encoding.preserved_order import Preserved, Reduction
from treville.formulas.formula import FALSE, TRUE, Literal
from treville.models.model import Model
from treville.relations import EventId, by_event, elements
from treville.results import Budget

_KNOWN = {name: ARCHITECTURES[name] for name in ("sc", "svcomp", "tso", "pso")}


def _architecture(model: Model) -> Architecture:
    return architecture_of(model, _KNOWN)


def constrain(encoding: PartialOrderDraft, architecture: Architecture, budget: Budget) -> None:
    """Add the constraints of section 5."""
    conflicts = ConflictEncoding(encoding, architecture)
    for step in (conflicts.successors, conflicts.unique, conflicts.matches, conflicts.extension):
        step()
        budget.check()
    require_atomic_updates(encoding)


CONFLICTS = PartialOrders(EncodingName.CONFLICTS, _architecture, PartialOrderMemory, constrain)


class ConflictEncoding:
    """The constituents of the formula Φ of section 5 beside `ssa`."""

    def __init__(self, encoding: PartialOrderDraft, architecture: Architecture) -> None:
        self.encoding = encoding
        self.memory = encoding.memory
        self.facts = encoding.facts
        self.formula = encoding.formula
        self.preserved = Preserved(self.memory, architecture)
        self.fences = [
            (fence, part.before, part.after)
            for fence in elements(self.facts.sets["F"].may)
            for part in parts_of(architecture, self.facts.symbolic.events[fence])
        ]
        self.po = self.facts.relations["po"].may.rows
        self.inside = self.facts.relations["int"].may.rows
        self._orders: dict[tuple[EventId, EventId], Literal] = {}

    # -- clocks ------------------------------------------------------------------------------------------

    def is_before(self, first: EventId, second: EventId) -> Literal:
        """The literal that the clock of one access is less than that of another."""
        if first in self.facts.initial_writes or second in self.facts.initial_writes:
            return TRUE if first in self.facts.initial_writes else FALSE
        if first > second:
            return -self.is_before(second, first)
        literal = self._orders.get((first, second))
        if literal is None:
            literal = self._orders[first, second] = self.formula.choice()
            self._compare(literal, first, second)
        return literal

    def _compare(self, literal: Literal, first: EventId, second: EventId) -> None:
        self.encoding.order("isBefore", literal, Clock(CLOCK, first), Clock(CLOCK, second))
        self.encoding.order("isBefore", -literal, Clock(CLOCK, second), Clock(CLOCK, first))

    # -- succ --------------------------------------------------------------------------------------------

    def successors(self) -> None:
        """Clocks respect the covering relation of the preserved order."""
        for first, second, literal in Reduction(self.facts, self._kept).pairs():
            premise = self.formula.both(literal, self.memory.both_executed(first, second))
            self.encoding.order("succ", premise, Clock(CLOCK, first), Clock(CLOCK, second))

    def _kept(self, first: EventId, second: EventId) -> Literal:
        """The preserved order, fences included: they are no events here."""
        literal = self.preserved.consensus(first, second)
        if literal == TRUE:
            return TRUE
        one, other = self.preserved.direction[first], self.preserved.direction[second]
        bodies = [[literal]]
        for fence, before, after in self.fences:
            between = self.po[first] >> fence & 1 and self.po[fence] >> second & 1
            if between and one in before and other in after:
                implied = (self.facts.implied[first] | self.facts.implied[second]) >> fence & 1
                bodies.append([TRUE if implied else self.memory.executed[fence]])
        return self.formula.any_of(bodies)

    # -- unique ------------------------------------------------------------------------------------------

    def unique(self) -> None:
        """Writes of a location have different clocks; coherence is their order."""
        for first, row in by_event(self.facts.relations["co"].may.rows):
            for second in elements(row):
                if not (self.po[first] >> second & 1 and self.inside[first] >> second & 1):
                    literal = self.memory.coherence(first, second)
                    self.encoding.order("unique", literal, Clock(CLOCK, first), Clock(CLOCK, second))

    # -- m2clk -------------------------------------------------------------------------------------------

    def matches(self) -> None:
        """A match with a write of another thread puts the write before the read. (Equality of values is part
        of the definition of the read's value.)"""
        for read, sources in self.memory.sources.items():
            for write, literal in sources:
                if not self.local(write, read):
                    self.encoding.order("m2clk", literal, Clock(CLOCK, write), Clock(CLOCK, read))

    def local(self, write: EventId, read: EventId) -> bool:
        """Does the write precede the read in its own thread?"""
        return bool(self.po[write] >> read & 1) and bool(self.inside[write] >> read & 1)

    # -- ext ---------------------------------------------------------------------------------------------

    def extension(self) -> None:
        """A match holds exactly if it is the latest write, the read is not used elsewhere (`funct`), and both
        are executed."""
        for read, sources in self.memory.sources.items():
            if len(sources) == 1:
                continue
            for write, match in sources:
                latest = self.latest(read, write)
                self.formula.forbid(match, -latest)
                others = [literal for other, literal in sources if other != write]
                guards = self.formula.both(self.memory.both_executed(read, write), self._same(read, write))
                self.formula.require(match, -latest, -guards, *others)
                self.encoding.counted["ext"] += 2

    def _same(self, read: EventId, write: EventId) -> Literal:
        return self.preserved.same_location(write, read)

    def latest(self, read: EventId, write: EventId) -> Literal:
        """`latestw`: no write that the read can see is later than this one."""
        later = []
        for other, _ in self.memory.sources[read]:
            after = self.memory.coherence(write, other)
            if other != write and after != FALSE:
                seen = self._seen(other, read)
                later.append(self.formula.both(seen, after))
                self.encoding.counted["latestw"] += 1
        return self.formula.both(*[-literal for literal in later])

    def _seen(self, write: EventId, read: EventId) -> Literal:
        """The literal that a read can see a write: it is in memory before the read, or in its own buffer."""
        same = self.formula.both(self.memory.both_executed(write, read), self._same(read, write))
        if self.local(write, read):
            return same
        return self.formula.both(same, -self.is_before(read, write))
