"""Executed events, reads-from and coherence as literals (paper 004, sections 4.5.2 and 4.5.4).

Reads-from has one literal per pair of a write and a read; coherence one per unordered pair of writes, both
of whose values are an order, so that an order is always chosen and acyclicity makes it total. Pairs that
the analysis decided have no literal of their own. Where the order of all writes that a read may see is
known, the read has *order literals* instead, "this write comes before the read", the last of which gives its
source; both values of such a literal are an edge, so the solver always knows an order.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from treville.analysis.facts import Facts
from treville.encoding.bitvectors import BitVectors
from treville.encoding.memory import Memory
from treville.encoding.values import FiniteDomains, ValueEncoding
from treville.events.symbolic import NO_BLOCK
from treville.events.symbolic_data import StaticAccess, StaticEvent
from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.programs.ir import FREED
from treville.relations import EventId, all_events, by_event, elements, mask_of

# A read of fewer writes of its own thread needs no help.
_WORTH_A_CHAIN = 4


class MemoryEncoding(Memory):
    """The literals of what an execution chooses."""

    facts: Facts

    def __init__(self, formula: Formula, facts: Facts, complete: bool = True) -> None:
        """With `complete` no thread may be cut at the loop bound."""
        self.formula = formula
        self.facts = facts
        self.complete = complete
        self._reads_from: dict[tuple[EventId, EventId], Literal] = {}
        self._coherence: dict[tuple[EventId, EventId], Literal] = {}
        self._last: dict[tuple[EventId, int], Literal] = {}
        self._before: dict[tuple[EventId, EventId], Literal] = {}
        self._chained: dict[EventId, int] = {}
        self.faults: dict[
            EventId, Literal
        ] = {}  # event -> literal that it accesses memory outside every object
        self._faulty = (
            0 if complete else mask_of(e.number for e in facts.symbolic.events if self._may_leave(e))
        )
        self.sources = self._choose_sources()
        self.values: ValueEncoding
        if facts.values.ranged:
            self.values = BitVectors(formula, facts, self.sources)
        else:
            self.values = FiniteDomains(formula, facts, self.sources, founded=complete)
        self.executed = [
            self.values.condition(facts.guard(event)) if facts.live >> event & 1 else FALSE
            for event in all_events(facts.n)
        ]
        self._constrain_program()
        self._constrain_sources()
        if facts.coherent:
            self._read_latest()
        self._order_writes()

    # -- which events ------------------------------------------------------------------------------------

    def _constrain_program(self) -> None:
        symbolic, condition = self.facts.symbolic, self.values.condition
        for guard, required in symbolic.required:
            self.formula.forbid(condition(guard), -condition(required))
        self.values.settle_unused_choices()
        if self.complete:
            for cut in symbolic.cuts:
                self.formula.forbid(condition(cut))
        for event in symbolic.events:
            if isinstance(event, StaticAccess) and self._may_leave(event):
                executed = self.executed[event.number]
                fault = self.formula.both(executed, self._no_cell(event))
                if self.complete:
                    self.formula.forbid(fault)
                else:
                    self.faults[event.number] = fault

    def _may_leave(self, event: StaticEvent) -> bool:
        """May a live access go where no cell is? (What is freed is checked by itself.)"""
        if not self.facts.live >> event.number & 1 or FREED in event.tags:
            return False
        return isinstance(event, StaticAccess) and self.facts.values.outside(event) != frozenset()

    def _no_cell(self, event: StaticAccess) -> Literal:
        """The literal that the address of an access is where no cell is."""
        outside, address = self.facts.values.outside(event), event.address
        if outside is not None:
            return self.formula.either([self.values.is_number(address, number) for number in outside])
        cells = self.facts.values.addresses(event)
        return -self.formula.either([self.values.is_number(address, number) for number in cells])

    # -- reads-from --------------------------------------------------------------------------------------

    def _choose_sources(self) -> dict[EventId, list[tuple[EventId, Literal]]]:
        """For each read the writes that it may read from, each with its literal."""
        by_read: dict[EventId, list[EventId]] = {read: [] for read in elements(self.facts.sets["R"].may)}
        for write, row in by_event(self.facts.relations["rf"].may.rows):
            for read in elements(row):
                by_read[read].append(write)
        return {read: self._choose_source(read, writes) for read, writes in by_read.items()}

    def _choose_source(self, read: EventId, writes: list[EventId]) -> list[tuple[EventId, Literal]]:
        always = self.facts.always & ~self._faulty
        if len(writes) == 2 and always >> read & 1:
            first = self.formula.choice()
            literals = [first, -first]
        elif len(writes) == 1 and always >> read & 1:
            literals = [TRUE]
        elif (chain := self._chain(read, writes)) is not None:
            writes = chain
            literals = self._order_literals(read, chain)
        else:
            literals = [self.formula.choice() for _ in writes]
        for write, literal in zip(writes, literals, strict=True):
            self._reads_from[write, read] = literal
        return list(zip(writes, literals, strict=True))

    def _chain(self, read: EventId, writes: list[EventId]) -> list[EventId] | None:
        """The writes in their coherence order, if that is known and all of them are executed."""
        facts = self.facts
        always, same = facts.always & ~self._faulty, facts.relations["loc"].must.rows[read]
        mask = mask_of(writes)
        if len(writes) < 3 or not always >> read & 1 or mask & ~always or mask & ~same:
            return None
        after = facts.relations["co"].must.rows
        ordered = sorted(writes, key=lambda write: -(after[write] & mask).bit_count())
        total = all(after[one] >> other & 1 for one, other in pairwise(ordered))
        return ordered if total else None

    def _order_literals(self, read: EventId, chain: list[EventId]) -> list[Literal]:
        """For a read of writes in a known order: the literals of `rf`, from which writes come before it."""
        before = [TRUE, *(self.formula.choice() for _ in chain[1:]), FALSE]
        for earlier, later in pairwise(before[1:-1]):
            self.formula.forbid(later, -earlier)
        self._chained[read] = mask_of(chain)
        for write, literal in zip(chain, before[:-1], strict=True):
            self._before[write, read] = literal
        return [self.formula.both(literal, -following) for literal, following in pairwise(before)]

    def _constrain_sources(self) -> None:
        formula, must_loc = self.formula, self.facts.relations["loc"].must.rows
        for read, sources in self.sources.items():
            executed = self.executed[read]
            literals = [literal for _, literal in sources]
            if sources and (sources[0][0], read) in self._before:
                continue
            if read in self.faults:
                formula.exactly_one(literals, formula.both(executed, -self.faults[read]))
            elif not literals:
                formula.forbid(executed, *self._no_fault_before(read))
            elif len(literals) > 2 or not self.facts.always >> read & 1:
                formula.exactly_one(literals, executed)
            for write, literal in sources:
                formula.forbid(literal, -executed)
                formula.forbid(literal, -self.executed[write])
                if not must_loc[write] >> read & 1:
                    formula.forbid(literal, -self.values.same_address(write, read))

    def _read_latest(self) -> None:
        """With coherence a read sees no write that was overwritten before it in program order. The graph says
        so, too, but the solver should not have to find out."""
        po, events = self.facts.relations["po"].may, self.facts.symbolic.events
        before, same = po.inverse().rows, self.facts.relations["loc"].must.rows
        for read, sources in self.sources.items():
            earlier = before[read] & same[read]
            by_thread: dict[int, list[EventId]] = {}
            for write, _ in sources:
                if earlier >> write & 1:
                    by_thread.setdefault(events[write].thread, []).append(write)
            for writes in by_thread.values():
                if len(writes) >= _WORTH_A_CHAIN:
                    ranked = [((po.rows[write] & earlier).bit_count(), write) for write in writes]
                    self._hide_overwritten(read, [write for _, write in sorted(ranked)], po.rows)

    def _hide_overwritten(self, read: EventId, writes: list[EventId], po: list[int]) -> None:
        """Forbid to read one of the writes, the latest first, or what was there at first, if a later one is
        executed."""
        literals = dict(self.sources[read])
        later, none = 0, TRUE
        for write in writes:
            if later & self.facts.compatible[write] & ~po[write]:
                return  # writes of one instruction have no order
            self.formula.forbid(literals[write], -none)
            none = self.formula.both(none, -self.executed[write])
            later |= 1 << write
        for write, literal in literals.items():
            if write in self.facts.initial_writes:
                self.formula.forbid(literal, -none)

    def _no_fault_before(self, read: EventId) -> list[Literal]:
        """The literals that no earlier access of the thread is outside of all objects: what depends on such a
        read has no value, and does not matter, since the program has failed."""
        later = self.facts.relations["po"].may.rows
        return [-literal for event, literal in self.faults.items() if later[event] >> read & 1]

    @property
    def chained(self) -> int:
        """The reads that have order literals."""
        return mask_of(self._chained)

    def reads_from(self, write: EventId, read: EventId) -> Literal:
        """The literal of a pair of `rf`."""
        return self._reads_from.get((write, read), FALSE)

    def before(self, write: EventId, read: EventId, visible: int) -> Literal | None:
        """The order literal of a write and a read, if there is one and all later sources are in `visible`."""
        literal = self._before.get((write, read))
        if literal is None:
            return None
        later = self._chained[read] & self.facts.relations["co"].must.rows[write]
        return literal if later & ~visible == 0 else None

    # -- coherence ---------------------------------------------------------------------------------------

    def _order_writes(self) -> None:
        """Choose an order where there are two, and name what depends on addresses; the other pairs hold
        wherever both writes are executed, and need no literal until somebody asks."""
        may, same = self.facts.relations["co"].may.rows, self.facts.relations["loc"].must.rows
        for first, row in by_event(may):
            for second in elements(row):
                if may[second] >> first & 1:
                    if first < second:
                        self._order(first, second)
                elif not same[first] >> second & 1:
                    self._coherence[first, second] = self._overlapping(first, second)

    def _overlapping(self, one: EventId, other: EventId) -> Literal:
        executed = self.both_executed(one, other)
        if self.facts.relations["loc"].must.rows[one] >> other & 1:
            return executed
        return self.formula.both(executed, self.values.same_address(one, other))

    def _order(self, first: EventId, second: EventId) -> None:
        overlapping = self._overlapping(first, second)
        order = self.formula.choice()
        self._coherence[first, second] = self.formula.both(overlapping, order)
        self._coherence[second, first] = self.formula.both(overlapping, -order)
        # An order that does not matter is not chosen, so that each execution is found once.
        self.formula.forbid(order, -overlapping)

    def order_totally(self) -> None:
        """Make coherence an order by itself; an axiom that forbids its cycles does so, too."""
        facts, formula = self.facts, self.formula
        may, initial = facts.relations["co"].may.rows, facts.sets["IW"].may
        chosen = [first for first, second in self._coherence if may[second] >> first & 1]
        if all(may[first].bit_count() == 1 for first in chosen):
            return
        places = formula.vertices(facts.n)
        sure = [0 if initial >> write & 1 else row for write, row in enumerate(may)]
        for (first, second), literal in self._coherence.items():
            sure[first] &= ~(1 << second)
            if not initial >> first & 1:
                formula.edge(places[first], places[second], literal)
        self.add_sure_edges(sure, places, places, reducible=True)

    def coherence(self, first: EventId, second: EventId) -> Literal:
        """The literal of a pair of `co`. Ask before solving: there may be none yet."""
        found = self._coherence.get((first, second))
        if found is None:
            may = self.facts.relations["co"].may.rows[first] >> second & 1
            found = self.both_executed(first, second) if may else FALSE
        return found

    def coherence_rows(
        self, executed: list[EventId], kept: int, is_true: Callable[[Literal], bool]
    ) -> list[int]:
        """The rows of `co` of a solution for the executed events, a set that is also the mask `kept`."""
        may = self.facts.relations["co"].may.rows
        rows = {write: may[write] & kept for write in executed}
        for (first, second), literal in self._coherence.items():
            if first in rows and rows[first] >> second & 1 and not is_true(literal):
                rows[first] &= ~(1 << second)
        return [rows[write] for write in executed]

    def coherent_because(self, first: EventId, second: EventId) -> list[Literal]:
        """Literals that hold together exactly if a pair is in `co`; all of them were there before solving."""
        found = self._coherence.get((first, second))
        if found is not None:
            return [found]
        if not self.facts.relations["co"].may.rows[first] >> second & 1:
            return [FALSE]
        return [self.executed[first], self.executed[second]]

    def from_read(self, read: EventId, write: EventId) -> Literal:
        """The literal of a pair of `fr`."""
        before = self._before.get((write, read))
        if before is not None:
            return -before
        return super().from_read(read, write)

    # -- base sets and relations -------------------------------------------------------------------------

    def base_pair(self, name: str, source: EventId, target: EventId) -> Literal:
        """See `Memory`."""
        if name == "rf":
            return self.reads_from(source, target)
        if name == "co":
            return self.coherence(source, target)
        if name == "fr":
            return self.from_read(source, target)
        executed = self.both_executed(source, target)
        if name == "loc":
            return self.formula.both(executed, self.values.same_address(source, target))
        condition = self.facts.conditions[name][source, target]
        return self.formula.both(executed, self.values.condition(condition))

    def base_member(self, name: str, event: EventId) -> Literal:
        """See `Memory`."""
        assert name == "FW"
        addresses = self.facts.addresses(event) & self.facts.observed
        return self.formula.any_of([[self.last(event, address)] for address in addresses])

    def blocks(self) -> dict[EventId, EventId]:
        """See `Memory`."""
        first: dict[int, EventId] = {}
        events = [event for event in self.facts.symbolic.events if event.block != NO_BLOCK]
        return {event.number: first.setdefault(event.block, event.number) for event in events}

    # -- final memory ------------------------------------------------------------------------------------

    def last(self, write: EventId, address: int) -> Literal:
        """The literal that a write is the last one to the address."""
        found = self._last.get((write, address))
        if found is None:
            later = [
                self.coherence(write, other) for other in elements(self.facts.relations["co"].may.rows[write])
            ]
            there = self.values.at_address(write, address)
            literals = [self.executed[write], there, *(-literal for literal in later)]
            found = self._last[write, address] = self.formula.both(*literals)
        return found

    def finally_holds(self, address: int, number: int) -> Literal:
        """The literal that the cell at the address holds the number in the end."""
        return self.formula.any_of(
            [self.last(write, address), self.values.written(write, number)]
            for write in elements(self.facts.sets["W"].may)
            if address in self.facts.addresses(write)
        )

    def final_numbers(self, address: int) -> set[int]:
        """What the cell at the address may hold in the end."""
        found = set()
        for write in elements(self.facts.sets["W"].may):
            if address in self.facts.addresses(write):
                if write in self.facts.initial_writes:
                    found.add(self.facts.values.initial.get(address, 0))
                else:
                    found |= self.facts.values.listed(self.facts.symbolic.access(write).value)
        return found
