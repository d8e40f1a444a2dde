"""What encoders of models need of an execution that a formula chooses: which events are executed, and the
literals of base sets and relations.

`encoding.base_relations` fills it for a given program, `questions.comparison.view` for all programs of a
shape at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol

from treville.analysis.relations import EventFacts
from treville.encoding.edges import Rows, shared, worth_sharing
from treville.formulas.formula import FALSE, TRUE, Formula, Literal, Vertex
from treville.relations import EventId, Relation, by_event, elements
from treville.relations.graphs import reduced


class Memory(ABC):
    """The literals of what an execution chooses. `executed` is by event; `sources` are the writes that each
    read may read from, each with its literal."""

    formula: Formula
    facts: EventFacts
    executed: Sequence[Literal]
    sources: Mapping[EventId, Sequence[tuple[EventId, Literal]]]
    _implying: list[int] | None = None

    # -- which events ------------------------------------------------------------------------------------

    def both_executed(self, one: EventId, other: EventId) -> Literal:
        """The literal that two events are executed."""
        first, second = self.executed[one], self.executed[other]
        if first in (TRUE, second):
            return second
        if second == TRUE or self.facts.implied[one] >> other & 1:
            return first
        if self.facts.implied[other] >> one & 1:
            return second
        if not self.facts.compatible[one] >> other & 1:
            return FALSE
        return self.formula.both(first, second)

    def add_sure_edges(
        self, rows: list[int], sources: Sequence[Vertex], targets: Sequence[Vertex], reducible: bool
    ) -> None:
        """Edges of the graph for pairs that hold whenever both events are executed; `sources` and `targets`
        are the nodes of the events. With `reducible` these are the same, so that paths replace edges."""
        direct = reduced(rows, self.facts.implied, self._executed_with()) if reducible else rows
        fewer = shared(rows)
        if worth_sharing(direct, fewer):
            self._add_shared(fewer, sources, targets)
            return
        for source, row in by_event(direct):
            for target in elements(row):
                self.formula.edge(sources[source], targets[target], self.both_executed(source, target))

    def _add_shared(self, rows: Rows, sources: Sequence[Vertex], targets: Sequence[Vertex]) -> None:
        formula = self.formula
        shared_rows = formula.vertices(len(rows.parts))
        for source, number in enumerate(rows.of):
            if number is not None:
                formula.edge(sources[source], shared_rows[number], self.executed[source])
        for row, parts, members in zip(shared_rows, rows.parts, rows.members, strict=True):
            for part in parts:
                formula.edge(row, shared_rows[part], TRUE)
            for target in elements(members):
                formula.edge(row, targets[target], TRUE)

    def _executed_with(self) -> list[int]:
        """For each event those that are executed only if it is."""
        if self._implying is None:
            self._implying = Relation(list(self.facts.implied)).inverse().rows
        return self._implying

    # -- base sets and relations -------------------------------------------------------------------------

    @abstractmethod
    def base_pair(self, name: str, source: EventId, target: EventId) -> Literal:
        """The literal of a pair of a base relation that its bounds leave open."""

    @abstractmethod
    def base_member(self, name: str, event: EventId) -> Literal:
        """The literal of a member of a base set that its bounds leave open."""

    @abstractmethod
    def coherence(self, first: EventId, second: EventId) -> Literal:
        """The literal of a pair of `co`. Ask before solving: there may be none yet."""

    def from_read(self, read: EventId, write: EventId) -> Literal:
        """The literal of a pair of `fr`."""
        bodies = [[literal, self.coherence(source, write)] for source, literal in self.sources.get(read, ())]
        return self.formula.any_of(bodies)

    # -- what only programs have -------------------------------------------------------------------------

    @property
    def chained(self) -> int:
        """The reads that have order literals."""
        return 0

    def before(self, write: EventId, read: EventId, visible: int) -> Literal | None:
        """The order literal of a write and a read, if there is one and all later sources are in `visible`."""
        del write, read, visible
        return None

    def blocks(self) -> dict[EventId, EventId]:
        """Events of atomic blocks -> the first event of their block."""
        return {}


class Encoded(Protocol):
    """A formula and the literals in it that a model speaks of."""

    @property
    def formula(self) -> Formula:
        """What grows."""

    @property
    def facts(self) -> EventFacts:
        """What is known of the events."""

    @property
    def memory(self) -> Memory:
        """The literals."""
