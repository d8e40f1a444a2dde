"""Events and values -> what is known of events and base relations in every execution.

Sets and relations are known by two bounds: `may` holds in some execution as far as the analysis can tell,
`must` whenever the events concerned are executed (paper 004, section 4.6; `must` goes beyond it: pairs in
it need no variable). Initial writes are numbered behind the program's events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from treville.analysis.alias_names import FLOW, Alias
from treville.analysis.aliases import addresses_of_events
from treville.analysis.possible import Values
from treville.analysis.widths import refuse_mixed_sizes
from treville.events.kinds import FENCE
from treville.events.symbolic import NO_BLOCK, Sources, StaticEvent, SymbolicProgram
from treville.events.symbolic_terms import TRUE, Condition
from treville.records import NamedTuple, dataclass, field, replace
from treville.relations import EventId, Relation, all_events, by_event, elements, last_of, mask_of
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


# When a pair holds, beyond both of its events being executed.
Conditions: TypeAlias = Mapping[tuple[EventId, EventId], Condition]


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """The events of a program and the bounds of every base set and relation.

    `accessed[e]` are the cells that e may go to; `implied[e]` is the set of events executed whenever e is;
    `together[e]` those that may be executed in one run with e. Condition of a base pair beyond "both
    executed", where there is one: `conditions`. Facts never change: a view of them with further relations is
    another one (`passes.joint`).
    """

    symbolic: SymbolicProgram
    values: Values
    n: int
    live: int
    always: int
    initial_writes: Mapping[EventId, int]  # event -> address
    accessed: Sequence[frozenset[int]]
    implied: Sequence[int]
    compatible: Sequence[int]
    observed: frozenset[int]
    coherent: bool
    sets: Mapping[str, SetBounds] = field(default_factory=dict)
    relations: Mapping[str, Bounds] = field(default_factory=dict)
    conditions: Mapping[str, Conditions] = field(default_factory=dict)

    def addresses(self, event: EventId) -> frozenset[int]:
        """Where an event may access memory."""
        if event in self.initial_writes:
            return frozenset((self.initial_writes[event],))
        return self.accessed[event]

    def guard(self, event: EventId) -> Condition:
        """When an event is executed."""
        return TRUE if event in self.initial_writes else self.symbolic.events[event].guard


def gather_facts(
    symbolic: SymbolicProgram, values: Values, coherent: bool, observed: set[int], alias: Alias = FLOW
) -> Facts:
    """The facts of a program; `observed` are addresses whose final value matters. With `coherent`, what
    every model with coherence per location implies for `rf` and `co` is taken as known. `alias`: which
    analysis says where accesses may go."""
    refuse_mixed_sizes(symbolic, values)
    facts = _numbered(symbolic, values, frozenset(observed), coherent, alias)
    facts = replace(facts, sets=_sets(facts))
    facts = _with(facts, _order(facts))
    facts = _with(facts, _memory(facts))
    facts = _with_final_writes(facts)
    return _with_dependencies(facts)


def located_facts(symbolic: SymbolicProgram, values: Values, alias: Alias = FLOW) -> Facts:
    """The events of a program and where they may go, without any relation between them."""
    refuse_mixed_sizes(symbolic, values)
    return _numbered(symbolic, values, frozenset(), True, alias)


def _with(facts: Facts, found: Mapping[str, Bounds]) -> Facts:
    return replace(facts, relations={**facts.relations, **found})


def _live_events(facts: Facts) -> list[StaticEvent]:
    return [event for event in facts.symbolic.events if facts.live >> event.number & 1]


def _numbered(
    symbolic: SymbolicProgram, values: Values, observed: frozenset[int], coherent: bool, alias: Alias
) -> Facts:
    """Which events there are and which are executed together; their sets and relations are not known yet."""
    accessed = addresses_of_events(symbolic, values, alias)
    live = [event for event in symbolic.events if values.live >> event.number & 1]
    used = observed.union(*(accessed[event.number] for event in live if event.kind is not FENCE))
    first = len(symbolic.events)
    initial = {EventId(first + index): address for index, address in enumerate(sorted(used))}
    executed = _Executed(symbolic, values, live, mask_of(initial))
    return Facts(
        symbolic, values, first + len(used), executed.live, executed.always, initial, accessed,
        executed.implied(), executed.compatible(), observed, coherent,
    )  # fmt: skip


class _Executed:
    """Which live events are executed with which others. `initial` writes always are."""

    def __init__(
        self, symbolic: SymbolicProgram, values: Values, events: list[StaticEvent], initial: int
    ) -> None:
        self.symbolic = symbolic
        self.events = events
        self.live = values.live | initial
        self.always = initial | mask_of(event.number for event in events if values.certain(event.guard))
        self.n = len(symbolic.events) + initial.bit_count()

    def implied(self) -> list[int]:
        """For each event those that are executed whenever it is."""
        terms = self.symbolic.terms
        by_guard: dict[Condition, int] = {}
        for event in self.events:
            if not self.always >> event.number & 1:
                by_guard[event.guard] = by_guard.get(event.guard, 0) | 1 << event.number
        implied_by = {
            guard: mask_of(e for part in terms.conjuncts(guard) for e in elements(by_guard.get(part, 0)))
            for guard in by_guard
        }
        implied = [self.always] * self.n
        for event in self.events:
            implied[event.number] |= implied_by.get(event.guard, 0)
        return implied

    def compatible(self) -> list[int]:
        """For each event those that may be executed in one run with it."""
        po = list(self.symbolic.po)
        before = Relation(po).inverse().rows
        threads: dict[int, int] = {}
        for event in self.events:
            threads[event.thread] = threads.get(event.thread, 0) | 1 << event.number
        compatible = [self.live if self.live >> number & 1 else 0 for number in all_events(self.n)]
        for event in self.events:
            own = po[event.number] | before[event.number] | 1 << event.number
            compatible[event.number] = self.live & (own | ~threads[event.thread])
        return compatible


def _sets(facts: Facts) -> dict[str, SetBounds]:
    masks: dict[str, int] = {"R": 0, "W": 0, "F": 0}
    for event in _live_events(facts):
        for name in (event.kind, *event.tags):
            masks[name] = masks.get(name, 0) | 1 << event.number
    masks["IW"] = mask_of(facts.initial_writes)
    masks["W"] |= masks["IW"]
    masks["M"] = masks["R"] | masks["W"]
    masks["_"] = facts.live
    return {name: SetBounds(mask, mask) for name, mask in masks.items()}


def _order(facts: Facts) -> dict[str, Bounds]:
    """What the program alone says: same thread, same instruction, same block, program order."""
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
            inside[number] = same[events[number].thread] & facts.compatible[number]
            instruction[number] = orders[events[number].thread, events[number].order] & inside[number]
    outside = [facts.compatible[i] & ~row if live >> i & 1 else 0 for i, row in by_event(inside)]
    rows = _ordered(facts)
    return {
        "int": _static(inside),
        "atomicblock": _static(_blocks(facts)),
        "ext": _static(outside),
        "si": _static(instruction),
        "po": _static([_later(facts, rows, number, instruction[number]) for number in all_events(n)]),
    }


def _blocks(facts: Facts) -> list[int]:
    """The events of the same atomic block."""
    members: dict[int, int] = {}
    for event in _live_events(facts):
        if event.block != NO_BLOCK:
            members[event.block] = members.get(event.block, 0) | 1 << event.number
    rows = [0] * facts.n
    for event in _live_events(facts):
        rows[event.number] = members.get(event.block, 0) & facts.compatible[event.number]
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


def _later(facts: Facts, rows: list[int], number: EventId, same_instruction: int) -> int:
    """A row of `po`; `parallel` events are not ordered after others of their instruction."""
    if not facts.live >> number & 1 or number in facts.initial_writes:
        return 0
    row = rows[number] & facts.live
    for other in elements(row & same_instruction):
        event = facts.symbolic.events[other]
        if event.instruction.parallel and number not in event.pair:
            row &= ~(1 << other)
    return row


def _static(rows: list[int]) -> Bounds:
    relation = Relation(rows)
    return Bounds(relation, relation)


def _memory(facts: Facts) -> dict[str, Bounds]:
    """`loc`, `rf`, `co`, `fr` by the addresses that accesses may have."""
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
        may_loc[event] &= facts.compatible[event]
    fixed = mask_of(event for event in elements(located) if len(facts.addresses(event)) == 1)
    for event in elements(fixed):
        must_loc[event] = may_loc[event] & fixed
    for event in elements(located & ~fixed):
        must_loc[event] = 1 << event
    rf, co = _reads_from(facts, may_loc, must_loc), _coherence(facts, may_loc, must_loc)
    return {
        "loc": Bounds(Relation(may_loc), Relation(must_loc)),
        "rf": rf,
        "co": co,
        "fr": Bounds(rf.may.inverse() @ co.may, Relation.empty(n)),
    }


def _reads_from(facts: Facts, may_loc: list[int], must_loc: list[int]) -> Bounds:
    may, must = [0] * facts.n, [0] * facts.n
    po = facts.relations["po"].may
    before = po.inverse().rows
    writes = facts.sets["W"].may
    for read in elements(facts.sets["R"].may):
        sources = may_loc[read] & writes
        if facts.coherent:
            sources &= ~po.rows[read]
            sources &= ~_overwritten(facts, read, sources, before, must_loc)
        for write in elements(sources):
            may[write] |= 1 << read
        if sources.bit_count() == 1:
            must[last_of(sources)] |= 1 << read
    return Bounds(Relation(may), Relation(must))


def _overwritten(facts: Facts, read: EventId, sources: int, before: list[int], must_loc: list[int]) -> int:
    """Writes that a read cannot see: the thread itself overwrote them before it read."""
    hidden = 0
    own = sources & before[read] & must_loc[read]
    initial = sources & facts.sets["IW"].may
    for write in elements(own & facts.implied[read]):
        hidden |= (before[write] & sources) | initial
    return hidden & ~(1 << read)


def _coherence(facts: Facts, may_loc: list[int], must_loc: list[int]) -> Bounds:
    n, writes = facts.n, facts.sets["W"].may
    initial = facts.sets["IW"].may
    po = facts.relations["po"].may.rows
    may, must = [0] * n, [0] * n
    for write in elements(writes):
        others = may_loc[write] & writes & ~initial & ~(1 << write)
        may[write] = others
        if initial >> write & 1:
            must[write] = others & must_loc[write]
        elif facts.coherent:
            must[write] = others & must_loc[write] & po[write]
    if facts.coherent:
        for write in elements(writes & ~initial):
            for later in elements(po[write] & may[write]):
                may[later] &= ~(1 << write)
    return Bounds(Relation(may), Relation(must))


def _with_final_writes(facts: Facts) -> Facts:
    """`FW`: the last write of each observed location."""
    co, observed = facts.relations["co"], facts.observed
    may = must = 0
    for write in elements(facts.sets["W"].may):
        addresses = facts.addresses(write)
        if addresses & observed and not co.must.rows[write] & facts.implied[write]:
            may |= 1 << write
            if addresses <= observed and not co.may.rows[write]:
                must |= 1 << write
    return replace(facts, sets={**facts.sets, "FW": SetBounds(may, must)})


def _with_dependencies(facts: Facts) -> Facts:
    """Dependencies and read-modify-writes, which may hold under conditions."""
    live = _live_events(facts)
    pairs = [(event, event.pair) for event in live if event.pair]
    found = {
        "addr": [(event, event.addr) for event in live],
        "data": [(event, event.data) for event in live],
        "ctrl": [(event, event.ctrl) for event in live],
        "ctrl-behind": [(event, event.behind) for event in live],
        "pick-addr": [(event, event.pick_addr) for event in live],
        "pick-data": [(event, event.pick_data) for event in live],
        "pick-ctrl": [(event, event.pick_ctrl) for event in live],
        "rmw": pairs,
        "lxsx": [pair for pair in pairs if pair[0].exclusive],
        "amo": [pair for pair in pairs if not pair[0].exclusive],
    }
    known = {name: _conditional(facts, sources) for name, sources in found.items()}
    conditions = {name: when for name, (_, when) in known.items()}
    relations = {name: bounds for name, (bounds, _) in known.items()}
    return replace(_with(facts, relations), conditions=conditions)


def _conditional(facts: Facts, found: list[tuple[StaticEvent, Sources]]) -> tuple[Bounds, Conditions]:
    may, must = [0] * facts.n, [0] * facts.n
    conditions: dict[tuple[EventId, EventId], Condition] = {}
    for event, sources in found:
        bit = 1 << event.number
        for source, when in sources.items():
            if not facts.compatible[source] & bit or not facts.values.possible(when):
                continue
            may[source] |= bit
            if facts.values.certain(when):
                must[source] |= bit
            else:
                conditions[source, event.number] = when
    return Bounds(Relation(may), Relation(must)), conditions
