"""Clock constraints over symbolic event structures (paper 000, sections 4 and 5).

Every event has a clock in up to three orders: `ghb`, the consensus of all threads; `uniproc`, coherence per
location; `thin`, dependencies and reads-from. Algorithms 1 to 5 say which clocks are before which others, and
under which choices. What differs from the paper: initial writes come first by construction, so that no
constraint asks which of two writes is initial; and the two halves of a read-modify-write, which the paper
does not have, admit no write of another thread between them.
"""

from __future__ import annotations

from collections.abc import Iterator

from treville.encoding.architectures import Architecture, FencePart, architecture_of, parts_of
from treville.encoding.encoding import (
    GLOBAL,
    Clock,
    EncodingName,
    PartialOrderDraft,
    PartialOrderMemory,
    PartialOrders,
)
from treville.encoding.preserved_order import Preserved, Reduction
from treville.formulas.formula import FALSE, TRUE, Literal
from treville.relations import EventId, by_event, elements
from treville.results import Budget

UNIPROC, THIN = "uniproc", "thin"


class InclusiveMemory(PartialOrderMemory):
    """A read has at least one source. That it has only one follows from coherence (lemma 3)."""

    exclusive = False


def constrain(encoding: PartialOrderDraft, architecture: Architecture, budget: Budget) -> None:
    """Add the clock constraints of the architecture."""
    clocks = ClockEncoding(encoding, architecture)
    for step in (
        clocks.read_from,
        clocks.write_serialisation,
        clocks.from_read,
        clocks.preserved_order,
        clocks.fences,
        clocks.thin_air,
    ):
        step()
        budget.check()
    require_atomic_updates(encoding)


CLOCKS = PartialOrders(EncodingName.CLOCKS, architecture_of, InclusiveMemory, constrain)


class ClockEncoding:
    """The algorithms of section 5, over the literals of the memory encoding."""

    def __init__(self, encoding: PartialOrderDraft, architecture: Architecture) -> None:
        self.encoding = encoding
        self.memory = encoding.memory
        self.facts = encoding.facts
        self.architecture = architecture
        self.preserved = Preserved(self.memory, architecture)
        self.po = self.facts.relations["po"].may.rows
        self.before = self.facts.relations["po"].may.inverse().rows
        self.inside = self.facts.relations["int"].may.rows
        self.accesses = self.facts.sets["M"].may & ~self.facts.sets["IW"].may

    def internal(self, first: EventId, second: EventId) -> bool:
        """Do two events belong to one thread?"""
        return bool(self.inside[first] >> second & 1)

    def ordered_inside(self, first: EventId, second: EventId) -> bool:
        """Is a pair in program order inside a thread? Then Algorithm 4 takes care of it."""
        return bool(self.po[first] >> second & 1) and self.internal(first, second)

    def orders(self) -> list[str]:
        """The orders that communication is part of."""
        return [GLOBAL, UNIPROC] if self.architecture.uniproc else [GLOBAL]

    # -- Algorithm 1 -------------------------------------------------------------------------------------

    def read_from(self) -> None:
        """A read comes after the write that it reads from: in the order of the location always, in the
        consensus where that is safe."""
        order = self.encoding.order
        for write, read, literal in self._matches():
            if self.architecture.uniproc and not self.ordered_inside(write, read):
                order("rf", literal, Clock(UNIPROC, write), Clock(UNIPROC, read))
            safe = self.architecture.external_reads
            if self.internal(write, read):
                safe = not self.architecture.uniproc and not self.ordered_inside(write, read)
            if safe:
                order("grf", literal, Clock(GLOBAL, write), Clock(GLOBAL, read))

    def _matches(self) -> Iterator[tuple[EventId, EventId, Literal]]:
        for read, sources in self.memory.sources.items():
            for write, literal in sources:
                yield write, read, literal

    # -- Algorithm 2 -------------------------------------------------------------------------------------

    def write_serialisation(self) -> None:
        """Two writes of one location are ordered one way or the other."""
        for first, row in by_event(self.facts.relations["co"].may.rows):
            for second in elements(row):
                if not self.ordered_inside(first, second):
                    literal = self.memory.coherence(first, second)
                    for name in self.orders():
                        self.encoding.order("ws", literal, Clock(name, first), Clock(name, second))

    # -- Algorithm 3 -------------------------------------------------------------------------------------

    def from_read(self) -> None:
        """A read comes before the writes that come after its source: before the next one only, where their
        order is known (section 5.3), so that their number is quadratic for writes of one thread (5.7)."""
        formula, co = self.memory.formula, self.facts.relations["co"]
        known, earlier = co.must.rows, co.must.inverse().rows
        for source, read, literal in self._matches():
            for write in elements(co.may.rows[source]):
                between = known[source] & earlier[write] & self.facts.implied[write]
                if between or self.ordered_inside(read, write):
                    continue
                premise = formula.both(literal, self.memory.coherence(source, write))
                for name in self.orders():
                    self.encoding.order("fr", premise, Clock(name, read), Clock(name, write))

    # -- Algorithm 4 -------------------------------------------------------------------------------------

    def preserved_order(self) -> None:
        """Pairs in program order, for the consensus and for coherence."""
        self._reduced("ppo", GLOBAL)
        if self.architecture.uniproc:
            self._reduced("uniproc", UNIPROC)

    def _reduced(self, relation: str, name: str) -> None:
        kept = self.preserved.consensus if name == GLOBAL else self.preserved.coherence
        for first, second, literal in Reduction(self.facts, kept).pairs():
            premise = self.memory.formula.both(literal, self.memory.both_executed(first, second))
            self.encoding.order(relation, premise, Clock(name, first), Clock(name, second))

    # -- Algorithm 5 -------------------------------------------------------------------------------------

    def fences(self) -> None:
        """Fences have clocks of their own, one for each part; cumulative fences also order what was read
        before them and what is read after them elsewhere."""
        for fence, part in self._fence_parts():
            clock = Clock(GLOBAL, fence, part.name)
            self._around("ab", GLOBAL, fence, part)
            if part.cumulative and not self.architecture.external_reads:
                if "W" in part.before:
                    for event in elements(self.before[fence] & self.accesses):
                        self._read_before(event, fence, clock)
                if "R" in part.after:
                    for event in elements(self.po[fence] & self.accesses):
                        self._read_after(event, fence, clock)

    def _fence_parts(self) -> Iterator[tuple[EventId, FencePart]]:
        for fence in elements(self.facts.sets["F"].may):
            for part in parts_of(self.architecture, self.facts.symbolic.events[fence]):
                yield fence, part

    def _around(self, relation: str, order: str, fence: EventId, part: FencePart) -> None:
        """A part of a fence comes after the accesses before it, of its directions, and before those after."""
        clock = Clock(order, fence, part.name)
        before = self.before[fence] & self.accesses
        if part.returning and "NoRet" in self.facts.sets:
            before &= ~self.facts.sets["NoRet"].may
        for event in elements(before):
            if self.preserved.direction[event] in part.before:
                self._fence_pair(relation, event, fence, Clock(order, event), clock)
        for event in elements(self.po[fence] & self.accesses):
            if self.preserved.direction[event] in part.after:
                self._fence_pair(relation, event, fence, clock, Clock(order, event))

    def _fence_pair(self, relation: str, event: EventId, fence: EventId, first: Clock, second: Clock) -> None:
        self.encoding.order(relation, self.memory.both_executed(event, fence), first, second)

    def _read_before(self, read: EventId, fence: EventId, clock: Clock) -> None:
        """A-cumulativity: the source of a read before the fence comes before the fence."""
        for write, literal in self.memory.sources.get(read, ()):
            if not self.internal(write, read):
                premise = self.memory.formula.both(literal, self.memory.executed[fence])
                self.encoding.order("ab-a", premise, Clock(GLOBAL, write), clock)

    def _read_after(self, write: EventId, fence: EventId, clock: Clock) -> None:
        """B-cumulativity: the readers of a write after the fence come after the fence."""
        for read in elements(self.facts.relations["rf"].may.rows[write]):
            if not self.internal(write, read):
                literal = self.memory.reads_from(write, read)
                premise = self.memory.formula.both(literal, self.memory.executed[fence])
                self.encoding.order("ab-b", premise, clock, Clock(GLOBAL, read))

    # -- thin air ----------------------------------------------------------------------------------------

    def thin_air(self) -> None:
        """No value causes itself."""
        thin = self.architecture.thin
        if thin is None:
            return
        for write, read, literal in self._matches():
            self.encoding.order("thin", literal, Clock(THIN, write), Clock(THIN, read))
        for first in elements(self.accesses):
            for second in elements(self.po[first] & self.accesses):
                literal = self.preserved.cause(thin, first, second)
                if literal != FALSE:
                    premise = self.memory.formula.both(literal, self.memory.both_executed(first, second))
                    self.encoding.order("thin", premise, Clock(THIN, first), Clock(THIN, second))
        if thin.fences:
            for fence, part in self._fence_parts():
                self._around("thin", THIN, fence, part)


def require_atomic_updates(encoding: PartialOrderDraft) -> None:
    """No write of another thread comes between the halves of a read-modify-write."""
    facts, memory, formula = encoding.facts, encoding.memory, encoding.formula
    outside, co = facts.relations["ext"].may.rows, facts.relations["co"].may.rows
    for read, row in by_event(facts.relations["rmw"].may.rows):
        for write in elements(row):
            condition = facts.conditions["rmw"].get((read, write))
            paired = TRUE if condition is None else memory.values.condition(condition)
            for source, literal in memory.sources[read]:
                for between in elements(co[source] & outside[read] & outside[write]):
                    last = memory.coherence(between, write)
                    if last != FALSE:
                        formula.forbid(paired, literal, memory.coherence(source, between), last)
                        encoding.counted["rmw"] += 1
