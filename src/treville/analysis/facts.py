"""Events and values -> what is known of events and base relations in every execution.

Sets and relations are known by two bounds: `may` holds in some execution as far as the analysis can tell,
`must` whenever the events concerned are executed (paper 004, section 4.6; `must` goes beyond it: pairs in
it need no variable). Initial writes are numbered behind the program's events.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from treville.analysis.alias_names import FLOW
from treville.analysis.aliases import addresses_of_events
from treville.analysis.possible import Values
from treville.analysis.widths import refuse_mixed_sizes
from treville.events.symbolic import NO_BLOCK, Sources, StaticEvent, SymbolicProgram
from treville.events.symbolic_terms import TRUE
from treville.relations import Relation, elements, mask_of
from treville.results import Unsupported


class Bounds(NamedTuple):
    """A relation between `must` and `may`."""

    may: Relation
    must: Relation

    @property
    def static(self) -> bool:
        """Known but for which events are executed."""
        return self.may is self.must or self.may.rows == self.must.rows


class SetBounds(NamedTuple):
    """A set between `must` and `may`."""

    may: int
    must: int

    @property
    def static(self) -> bool:
        """Known but for which events are executed."""
        return self.may == self.must


@dataclass(slots=True)
class Facts:
    """The events of a program and the bounds of every base set and relation.

    `accessed[e]` are the cells that e may go to; `implied[e]` is the set of events executed whenever e is;
    `together[e]` those that may be executed in one run with e. Condition of a base pair beyond "both
    executed", where there is one: `conditions`.
    """

    symbolic: SymbolicProgram
    values: Values
    n: int = 0
    live: int = 0
    always: int = 0
    initial_writes: dict[int, int] = field(default_factory=dict)  # event -> address
    implied: list[int] = field(default_factory=list)
    together: list[int] = field(default_factory=list)
    sets: dict[str, SetBounds] = field(default_factory=dict)
    relations: dict[str, Bounds] = field(default_factory=dict)
    conditions: dict[str, dict[tuple[int, int], int]] = field(default_factory=dict)
    observed: frozenset[int] = frozenset()
    accessed: list[frozenset[int]] = field(default_factory=list)
    coherent: bool = False

    def addresses(self, event: int) -> frozenset[int]:
        """Where an event may access memory."""
        if event in self.initial_writes:
            return frozenset((self.initial_writes[event],))
        return self.accessed[event]

    def guard(self, event: int) -> int:
        """When an event is executed."""
        return TRUE if event in self.initial_writes else self.symbolic.events[event].guard


def gather_facts(
    symbolic: SymbolicProgram, values: Values, coherent: bool, observed: set[int], alias: str = FLOW
) -> Facts:
    """The facts of a program; `observed` are addresses whose final value matters. With `coherent`, what
    every model with coherence per location implies for `rf` and `co` is taken as known. `alias`: which
    analysis says where accesses may go."""
    refuse_mixed_sizes(symbolic, values)
    facts = Facts(symbolic, values, observed=frozenset(observed), coherent=coherent)
    facts.accessed = addresses_of_events(symbolic, values, alias)
    _number_events(facts, observed)
    _relate_execution(facts)
    _gather_sets(facts)
    _gather_order(facts)
    _gather_memory(facts, coherent)
    _gather_derived(facts, observed)
    _gather_dependencies(facts)
    return facts


def _live_events(facts: Facts) -> list[StaticEvent]:
    return [event for event in facts.symbolic.events if facts.live >> event.number & 1]


def _number_events(facts: Facts, observed: set[int]) -> None:
    facts.live = facts.values.live
    accessed = set(observed)
    for event in _live_events(facts):
        if event.kind != "F":
            accessed |= facts.accessed[event.number]
    first = len(facts.symbolic.events)
    facts.initial_writes = {first + index: address for index, address in enumerate(sorted(accessed))}
    facts.n = first + len(accessed)
    facts.live |= mask_of(facts.initial_writes)


def _relate_execution(facts: Facts) -> None:
    """`always`, `implied`, `together`."""
    terms, values = facts.symbolic.terms, facts.values
    by_guard: dict[int, int] = {}
    for event in _live_events(facts):
        if values.certain(event.guard):
            facts.always |= 1 << event.number
        else:
            by_guard[event.guard] = by_guard.get(event.guard, 0) | 1 << event.number
    facts.always |= mask_of(facts.initial_writes)
    implied_by = {
        guard: mask_of(e for part in terms.conjuncts(guard) for e in elements(by_guard.get(part, 0)))
        for guard in by_guard
    }
    po = facts.symbolic.po
    before = Relation(po).inverse().rows
    threads: dict[int, int] = {}
    for event in _live_events(facts):
        threads[event.thread] = threads.get(event.thread, 0) | 1 << event.number
    for number in range(facts.n):
        if not facts.live >> number & 1 or number in facts.initial_writes:
            facts.implied.append(facts.always)
            facts.together.append(facts.live if facts.live >> number & 1 else 0)
            continue
        event = facts.symbolic.events[number]
        facts.implied.append(facts.always | implied_by.get(event.guard, 0))
        own = po[number] | before[number] | 1 << number
        facts.together.append(facts.live & (own | ~threads[event.thread]))


def _gather_sets(facts: Facts) -> None:
    masks: dict[str, int] = {"R": 0, "W": 0, "F": 0}
    for event in _live_events(facts):
        for name in (event.kind, *event.tags):
            masks[name] = masks.get(name, 0) | 1 << event.number
    masks["IW"] = mask_of(facts.initial_writes)
    masks["W"] |= masks["IW"]
    masks["M"] = masks["R"] | masks["W"]
    facts.sets = {name: SetBounds(mask, mask) for name, mask in masks.items()}
    facts.sets["_"] = SetBounds(facts.live, facts.live)


def _gather_order(facts: Facts) -> None:
    n, live = facts.n, facts.live
    events = facts.symbolic.events
    same: dict[int, int] = {}
    orders: dict[tuple[int, int], int] = {}
    for event in _live_events(facts):
        same[event.thread] = same.get(event.thread, 0) | 1 << event.number
        key = (event.thread, event.order)
        orders[key] = orders.get(key, 0) | 1 << event.number
    inside = [0] * n
    instruction = [0] * n
    for number in elements(live):
        if number in facts.initial_writes:
            inside[number] = instruction[number] = 1 << number
        else:
            inside[number] = same[events[number].thread] & facts.together[number]
            instruction[number] = orders[events[number].thread, events[number].order] & inside[number]
    _static(facts, "int", inside)
    _static(facts, "atomicblock", _blocks(facts))
    outside = [facts.together[i] & ~row if live >> i & 1 else 0 for i, row in enumerate(inside)]
    _static(facts, "ext", outside)
    _static(facts, "si", instruction)
    rows = _ordered(facts)
    _static(facts, "po", [_later(facts, rows, number, instruction[number]) for number in range(n)])


def _blocks(facts: Facts) -> list[int]:
    """The events of the same atomic block."""
    members: dict[int, int] = {}
    for event in _live_events(facts):
        if event.block != NO_BLOCK:
            members[event.block] = members.get(event.block, 0) | 1 << event.number
    rows = [0] * facts.n
    for event in _live_events(facts):
        rows[event.number] = members.get(event.block, 0) & facts.together[event.number]
    return rows


def _ordered(facts: Facts) -> list[int]:
    """What can follow each event in its thread, in threads started later and after joins."""
    rows = list(facts.symbolic.po)
    if not facts.symbolic.joins:
        return rows
    threads: dict[int, int] = {}
    for event in facts.symbolic.events:
        threads[event.thread] = threads.get(event.thread, 0) | 1 << event.number
    for value, after in facts.symbolic.joins:
        started = range(1, len(facts.symbolic.thread_names))  # main is never joined
        numbers = facts.values.listed(value).intersection(started)
        if after & facts.live and len(numbers) > 1:
            raise Unsupported("a join with one of several threads that is chosen while the program runs")
        for thread in numbers:
            for number in elements(threads.get(thread, 0)):
                rows[number] |= after
    return Relation(rows).plus().rows


def _later(facts: Facts, rows: list[int], number: int, same_instruction: int) -> int:
    """A row of `po`; `parallel` events are not ordered after others of their instruction."""
    if not facts.live >> number & 1 or number in facts.initial_writes:
        return 0
    row = rows[number] & facts.live
    for other in elements(row & same_instruction):
        event = facts.symbolic.events[other]
        if event.instruction.parallel and number not in event.pair:
            row &= ~(1 << other)
    return row


def _static(facts: Facts, name: str, rows: list[int]) -> None:
    relation = Relation(rows)
    facts.relations[name] = Bounds(relation, relation)


def _gather_memory(facts: Facts, coherent: bool) -> None:
    """`loc`, `rf`, `co` by the addresses that accesses may have."""
    n = facts.n
    located = mask_of(event for event in elements(facts.live) if facts.addresses(event))
    at: dict[int, int] = {}
    for event in elements(located):
        for address in facts.addresses(event):
            at[address] = at.get(address, 0) | 1 << event
    may_loc, must_loc = [0] * n, [0] * n
    for event in elements(located):
        for address in facts.addresses(event):
            may_loc[event] |= at[address]
        may_loc[event] &= facts.together[event]
    fixed = mask_of(event for event in elements(located) if len(facts.addresses(event)) == 1)
    for event in elements(fixed):
        must_loc[event] = may_loc[event] & fixed
    for event in elements(located & ~fixed):
        must_loc[event] = 1 << event
    facts.relations["loc"] = Bounds(Relation(may_loc), Relation(must_loc))
    _gather_reads_from(facts, may_loc, must_loc, coherent)
    _gather_coherence(facts, may_loc, must_loc, coherent)


def _gather_reads_from(facts: Facts, may_loc: list[int], must_loc: list[int], coherent: bool) -> None:
    may, must = [0] * facts.n, [0] * facts.n
    po = facts.relations["po"].may
    before = po.inverse().rows
    writes = facts.sets["W"].may
    for read in elements(facts.sets["R"].may):
        sources = may_loc[read] & writes
        if coherent:
            sources &= ~po.rows[read]
            sources &= ~_overwritten(facts, read, sources, before, must_loc)
        for write in elements(sources):
            may[write] |= 1 << read
        if sources.bit_count() == 1:
            must[sources.bit_length() - 1] |= 1 << read
    facts.relations["rf"] = Bounds(Relation(may), Relation(must))


def _overwritten(facts: Facts, read: int, sources: int, before: list[int], must_loc: list[int]) -> int:
    """Writes that a read cannot see: the thread itself overwrote them before it read."""
    hidden = 0
    own = sources & before[read] & must_loc[read]
    initial = sources & facts.sets["IW"].may
    for write in elements(own & facts.implied[read]):
        hidden |= (before[write] & sources) | initial
    return hidden & ~(1 << read)


def _gather_coherence(facts: Facts, may_loc: list[int], must_loc: list[int], coherent: bool) -> None:
    n, writes = facts.n, facts.sets["W"].may
    initial = facts.sets["IW"].may
    po = facts.relations["po"].may.rows
    may, must = [0] * n, [0] * n
    for write in elements(writes):
        others = may_loc[write] & writes & ~initial & ~(1 << write)
        may[write] = others
        if initial >> write & 1:
            must[write] = others & must_loc[write]
        elif coherent:
            must[write] = others & must_loc[write] & po[write]
    if coherent:
        for write in elements(writes & ~initial):
            for later in elements(po[write] & may[write]):
                may[later] &= ~(1 << write)
    facts.relations["co"] = Bounds(Relation(may), Relation(must))


def _gather_derived(facts: Facts, observed: set[int]) -> None:
    """`FW`: the last write of each observed location; and `fr`, the reads that a write overwrites."""
    rf, co = facts.relations["rf"], facts.relations["co"]
    facts.relations["fr"] = Bounds(rf.may.inverse() @ co.may, Relation.empty(facts.n))
    may = must = 0
    for write in elements(facts.sets["W"].may):
        addresses = facts.addresses(write)
        if addresses & observed and not co.must.rows[write] & facts.implied[write]:
            may |= 1 << write
            if addresses <= observed and not co.may.rows[write]:
                must |= 1 << write
    facts.sets["FW"] = SetBounds(may, must)


def _gather_dependencies(facts: Facts) -> None:
    names = ("addr", "data", "ctrl", "pick_addr", "pick_data", "pick_ctrl")
    for name in names:
        _conditional(facts, name.replace("_", "-"), [(e, getattr(e, name)) for e in _live_events(facts)])
    pairs = [(event, event.pair) for event in _live_events(facts) if event.pair]
    _conditional(facts, "rmw", pairs)
    _conditional(facts, "lxsx", [pair for pair in pairs if pair[0].exclusive])
    _conditional(facts, "amo", [pair for pair in pairs if not pair[0].exclusive])


def _conditional(facts: Facts, name: str, found: list[tuple[StaticEvent, Sources]]) -> None:
    may, must = [0] * facts.n, [0] * facts.n
    conditions: dict[tuple[int, int], int] = {}
    for event, sources in found:
        bit = 1 << event.number
        for source, when in sources.items():
            if not facts.together[source] & bit or not facts.values.possible(when):
                continue
            may[source] |= bit
            if facts.values.certain(when):
                must[source] |= bit
            else:
                conditions[source, event.number] = when
    facts.relations[name] = Bounds(Relation(may), Relation(must))
    facts.conditions[name] = conditions
