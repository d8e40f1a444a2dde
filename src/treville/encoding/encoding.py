"""The contract of the encodings: facts and a model -> a formula, by one of several encodings.

`acyclicity` is the default: it takes any cat model apart (`encoding.acyclicity`). `clocks` (paper 000) and
`conflicts` (paper 003) have their memory models built in and speak of clocks: a constraint is "if the
premise holds, this clock is less than that one". All share events, guards, values and the literals of
reads-from and coherence. Clocks need no numbers: on a solver that knows acyclic graphs a constraint is an
edge, on others it becomes a comparison of integers or of bit-vectors (`solving.back_ends.clauses`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from treville.analysis.facts import Facts
from treville.encoding.acyclicity import Encoding
from treville.encoding.architectures import Architecture
from treville.encoding.base_relations import MemoryEncoding
from treville.events.symbolic import NO_BLOCK
from treville.formulas.formula import FALSE, Formula, Literal, Vertex
from treville.models.model import Model
from treville.records import NamedTuple, dataclass, field
from treville.relations import EventId, by_event, elements
from treville.results import Budget, Unsupported

# The orders that all threads agree on, of either encoding by clocks.
GLOBAL, CLOCK = "ghb", "clock"
AGREED = frozenset({GLOBAL, CLOCK})


class EncodingName(StrEnum):
    """The default, and the two of the papers."""

    ACYCLICITY = "acyclicity"
    CLOCKS = "clocks"
    CONFLICTS = "conflicts"


class Clock(NamedTuple):
    """The clock of an event in one of the orders; fences have one for each `part`."""

    order: str
    event: EventId
    part: str = ""


class ClockConstraint(NamedTuple):
    """If the premise (a literal) holds, one clock is less than another. `relation` says why."""

    relation: str
    premise: Literal
    before: Clock
    after: Clock


class PartialOrderMemory(MemoryEncoding):
    """Reads-from with one literal for each potential pair, and coherence without an order of its own: the
    clocks order writes."""

    exclusive = True

    def _chain(self, read: EventId, writes: list[EventId]) -> list[EventId] | None:
        return None

    def _constrain_sources(self) -> None:
        if self.exclusive:
            super()._constrain_sources()
            return
        formula, must_loc = self.formula, self.facts.relations["loc"].must.rows
        for read, sources in self.sources.items():
            executed = self.executed[read]
            failed = [] if sources else [-literal for literal in self._no_fault_before(read)]
            fault, literals = self.faults.get(read, FALSE), [literal for _, literal in sources]
            formula.require(-executed, fault, *failed, *literals)
            for write, literal in sources:
                formula.forbid(literal, -executed)
                formula.forbid(literal, -self.executed[write])
                if not must_loc[write] >> read & 1:
                    formula.forbid(literal, -self.values.same_address(write, read))


@dataclass(slots=True)
class PartialOrderDraft:
    """The clock constraints of an encoding in the making. `counted` are clauses and gates by the name of the
    constraint that asked for them."""

    formula: Formula
    facts: Facts
    memory: PartialOrderMemory
    constraints: list[ClockConstraint] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)

    def order(self, relation: str, premise: Literal, before: Clock, after: Clock) -> None:
        """Add a clock constraint."""
        if premise != FALSE:
            self.constraints.append(ClockConstraint(relation, premise, before, after))


@dataclass(frozen=True, slots=True, eq=False)
class PartialOrderEncoding(Encoding):
    """An encoding with its clock constraints, before and beside their form as edges of the formula;
    `counted`: see `PartialOrderDraft`."""

    constraints: Sequence[ClockConstraint] = ()
    counted: Mapping[str, int] = field(default_factory=dict)

    def by_relation(self) -> dict[str, int]:
        """Numbers of constraints by relation, as Figure 7 of paper 000 has them."""
        counted = Counter(constraint.relation for constraint in self.constraints)
        counted.update(self.counted)
        return dict(sorted(counted.items()))


Constrain = Callable[[PartialOrderDraft, Architecture, Budget], None]


class PartialOrders(NamedTuple):
    """An encoding with built-in memory models: its architectures, its memory and its constraints."""

    name: EncodingName
    architectures: Callable[[Model], Architecture]
    memory: type[PartialOrderMemory]
    constrain: Constrain


def hand_over(draft: PartialOrderDraft, architecture: Architecture) -> None:
    """Clock constraints -> edges of the formula's graph. Where atomic blocks happen at one time, the order
    that all threads agree on has a second set of clocks, which the events of a block share: inside it the
    first set keeps the order."""
    _add_edges(draft.formula, draft.constraints, {})
    if architecture.blocks and (shared := _simultaneous(draft.facts, architecture.updates)):
        _add_edges(draft.formula, [c for c in draft.constraints if c.before.order in AGREED], shared)


def _add_edges(formula: Formula, constraints: list[ClockConstraint], shared: dict[EventId, EventId]) -> None:
    vertices: dict[Clock, Vertex] = {}

    def vertex(clock: Clock) -> Vertex:
        clock = clock._replace(event=shared.get(clock.event, clock.event))
        found = vertices.get(clock)
        if found is None:
            (found,) = formula.vertices(1)
            vertices[clock] = found
        return found

    for constraint in constraints:
        source, target = vertex(constraint.before), vertex(constraint.after)
        if source != target:
            formula.edge(source, target, constraint.premise)


def _simultaneous(facts: Facts, updates: bool) -> dict[EventId, EventId]:
    """Events -> the event whose clock they share: the first of their block or, with `updates`, the other half
    of their read-modify-write."""
    first_of: dict[int, EventId] = {}
    shared: dict[EventId, EventId] = {}
    for event in facts.symbolic.events:
        if facts.live >> event.number & 1 and event.block != NO_BLOCK:
            shared[event.number] = first_of.setdefault(event.block, event.number)
    if not updates:
        return shared
    rmw = facts.relations["rmw"]
    if rmw.may.rows != rmw.must.rows:
        raise Unsupported("a read-modify-write of two instructions under svcomp with this encoding")
    for read, row in by_event(rmw.may.rows):
        for write in elements(row):
            shared.setdefault(write, shared.get(read, read))
    return shared
