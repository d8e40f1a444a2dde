"""A propagator that joins clasp's search: it evaluates the model on every candidate and blames violations.

Each total assignment is an execution; where an axiom fails, the base facts that make it fail become a clause,
and the search goes on from there. Together with projection this enumerates final states in one search.
"""

from __future__ import annotations

from typing import Any

from treville.analysis.facts import Bounds, SetBounds
from treville.analysis.relations import NotEncodable, analyse_relations
from treville.encoding.acyclicity import Encoding
from treville.formulas.formula import TRUE, Literal
from treville.models.model import Model, NodeId
from treville.relations import EventId
from treville.solving.lazy.reasons import Fact, Known, Reasons, Whole
from treville.solving.solution import ExecutionReader, IsTrue, evaluate_execution


class LazyModel:
    """Rejects executions that violate the model. `checks` and `clauses` count its work."""

    def __init__(self, encoding: Encoding, model: Model) -> None:
        self.encoding = encoding
        self.model = model
        self.facts = encoding.facts
        self.memory = encoding.memory
        self.reader = ExecutionReader(encoding)
        self.same_address = self._address_literals()
        self.solver_literals: list[int] = []
        self.errors: list[BaseException] = []
        self.checks = 0
        self.clauses = 0
        self._bounds: list[Bounds | SetBounds] | None = None

    def _address_literals(self) -> dict[tuple[EventId, EventId], Literal]:
        """Literals of all pairs that may but need not be in `loc`; they must exist before solving."""
        loc = self.facts.relations["loc"]
        pairs = (loc.may - loc.must).pairs()
        return {pair: self.memory.values.same_address(*pair) for pair in pairs}

    # -- clingo's propagator interface -------------------------------------------------------------------

    def init(self, init: Any) -> None:
        """Learn how the solver names our literals."""
        import clingo

        init.check_mode = clingo.PropagatorCheckMode.Total
        atoms = range(1, self.encoding.formula.atoms + 1)
        self.solver_literals = [0, *(init.solver_literal(atom) for atom in atoms)]

    def check(self, control: Any) -> None:
        """Judge a total assignment. After a clause clingo may ask once more before it goes on: where some
        literals are neither true nor false there is no execution yet."""
        assignment, names = control.assignment, self.solver_literals
        if not assignment.is_total:
            return

        def is_true(literal: Literal) -> bool:
            return bool(assignment.is_true(names[literal] if literal > 0 else -names[-literal]))

        try:
            self.checks += 1
            blamed = self._blame(is_true)
        except BaseException as error:
            self.errors.append(error)
            raise
        if blamed is not None:
            self.clauses += 1
            clause = [-names[literal] if literal > 0 else names[-literal] for literal in blamed]
            if control.add_clause(clause, lock=True):
                control.propagate()

    def flags(self, is_true: IsTrue) -> list[str]:
        """The flags that a solution raises, undefined behaviour included."""
        evaluation = evaluate_execution(self.model, self.reader.execution(is_true))
        return evaluation.flags + evaluation.undefined

    # -- blame ---------------------------------------------------------------------------------------------

    def _blame(self, is_true: IsTrue) -> list[Literal] | None:
        """Literals that hold and cannot hold together, or None if the execution is consistent."""
        execution = self.reader.execution(is_true)
        evaluation = evaluate_execution(self.model, execution)
        if evaluation.consistent:
            return None
        numbers = self.reader.executed(is_true)
        best: set[Literal] | None = None
        reasons = Reasons(
            self.model, len(numbers), execution.sets, execution.relations, evaluation.values,
            self._known(numbers),
        )  # fmt: skip
        for axiom in evaluation.violated:
            try:
                facts = reasons.of(axiom)
            except Whole:
                continue
            literals = {self.memory.executed[numbers[event]] for event in reasons.executed}
            for fact in facts:
                literals |= self._literals(fact, numbers, is_true)
            literals.discard(TRUE)
            if best is None or len(literals) < len(best):
                best = literals
        if best is None:
            return [atom if is_true(atom) else -atom for atom in self.encoding.formula.choices]
        return sorted(best)

    def _known(self, numbers: list[EventId]) -> Known:
        """What the relation analysis has decided, in terms of the executed events."""
        if self._bounds is None:
            try:
                self._bounds = analyse_relations(self.model, self.facts)
            except NotEncodable:
                self._bounds = []
        bounds = self._bounds

        def known(holds: bool, node: NodeId, source: EventId, target: EventId) -> bool:
            if not bounds:
                return False
            found = bounds[node].must if holds else bounds[node].may
            if isinstance(found, int):
                inside = found >> numbers[source] & 1
            else:
                inside = found.rows[numbers[source]] >> numbers[target] & 1
            return bool(inside) == holds

        return known

    def _literals(self, fact: Fact, numbers: list[EventId], is_true: IsTrue) -> set[Literal]:
        """Literals that make the fact hold (given that its events are executed)."""
        source, target = numbers[fact.source], numbers[fact.target]
        if fact.name == "fr":
            return self._from_read(fact.holds, source, target, is_true)
        if fact.name == "FW":
            addresses = self.facts.addresses(source) & self.facts.observed
            last = self.encoding.formula.any_of([[self.memory.last(source, a)] for a in addresses])
            return {last if fact.holds else -last}
        bounds = self.facts.relations.get(fact.name)
        if bounds is None or bounds.must.rows[source] >> target & 1:
            return set()
        if not bounds.may.rows[source] >> target & 1:
            return set()
        if fact.name == "co":
            return self._coherent(fact.holds, source, target)
        literal = self._literal(fact.name, source, target)
        return {literal if fact.holds else -literal}

    def _coherent(self, holds: bool, first: EventId, second: EventId) -> set[Literal]:
        """Given that both writes are executed, a pair that depends on that alone holds."""
        literals = self.memory.coherent_because(first, second)
        return set(literals) if holds else {-literals[0]}

    def _literal(self, name: str, source: EventId, target: EventId) -> Literal:
        if name == "rf":
            return self.memory.reads_from(source, target)
        if name == "loc":
            return self.same_address[source, target]
        return self.memory.values.condition(self.facts.conditions[name][source, target])

    def _from_read(self, holds: bool, read: EventId, write: EventId, is_true: IsTrue) -> set[Literal]:
        for source, literal in self.memory.sources.get(read, []):
            if is_true(literal):
                return {literal, *self._coherent(holds, source, write)} - {TRUE}
        return set()
