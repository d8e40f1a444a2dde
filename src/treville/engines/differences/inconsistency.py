"""Violation of a model as a formula: a guessed cycle, loop or pair (paper 004, section 5.5.3).

Consistency needs relations to be no smaller than they are; inconsistency needs them to be no larger as well,
so that a guessed violation is a real one. Pairs are literals with exact least-fixpoint meaning
(`encoding.relations`), so it remains to guess which axiom fails and where. A guessed cycle is a set of edges,
not empty, in which every edge is followed by another one: in a finite graph that holds a cycle.
"""

from __future__ import annotations

from collections.abc import Sequence

from treville.analysis.relations import analyse_relations
from treville.encoding.axioms import AxiomEncoding
from treville.encoding.memory import Encoded
from treville.encoding.relations import RelationEncoding
from treville.formulas.formula import FALSE, Formula, Literal
from treville.models.model import Axiom, AxiomKind, Model, NodeId
from treville.relations import EventId, elements
from treville.relations.graphs import strong_components
from treville.results import Budget


def inconsistency(encoding: Encoded, model: Model, axioms: Sequence[Axiom], budget: Budget) -> Literal:
    """A literal that holds in solutions that guess a violation of one of the model's axioms."""
    if not axioms:
        return FALSE
    relations = _relations(encoding, model)
    tests = AxiomEncoding(encoding.formula, model, relations)
    violations = []
    for axiom in axioms:
        budget.check()
        violations.append(_violation(axiom, tests, relations))
    relations.finish()
    return encoding.formula.either(violations)


def require_consistency(encoding: Encoded, model: Model, axioms: Sequence[Axiom], budget: Budget) -> None:
    """Keep only executions that satisfy these axioms of the model."""
    if not axioms:
        return
    relations = _relations(encoding, model)
    encoder = AxiomEncoding(encoding.formula, model, relations)
    for axiom in axioms:
        budget.check()
        encoder.require(axiom)
    relations.finish()


def _relations(encoding: Encoded, model: Model) -> RelationEncoding:
    bounds = analyse_relations(model, encoding.facts)
    return RelationEncoding(encoding.formula, model, bounds, encoding.memory)


def _violation(axiom: Axiom, axioms: AxiomEncoding, relations: RelationEncoding) -> Literal:
    """A literal that can only hold where the axiom is violated, and can hold wherever it is."""
    if axiom.kind is AxiomKind.ACYCLIC and not axiom.negated:
        return _guessed_cycle(axiom.node, relations)
    return -axioms.test(axiom)


def _guessed_cycle(node: NodeId, relations: RelationEncoding) -> Literal:
    formula = relations.formula
    edges = _edges_on_cycles(node, relations)
    leaving: dict[EventId, list[Literal]] = {}
    for (source, _), chosen in edges.items():
        leaving.setdefault(source, []).append(chosen)
    for (_, target), chosen in edges.items():
        formula.require(-chosen, *leaving.get(target, []))
    if not edges:
        return FALSE
    return formula.any_of([[chosen] for chosen in edges.values()])


def _edges_on_cycles(node: NodeId, relations: RelationEncoding) -> dict[tuple[EventId, EventId], Literal]:
    """For each pair that may lie on a cycle, an atom that guesses it: it can only hold if the pair does."""
    may = relations.relation(node).may
    found = {}
    for component in strong_components(may.rows):
        for source in elements(component):
            for target in elements(may.rows[source] & component):
                literal = relations.pair(node, source, target)
                if literal != FALSE:
                    found[source, target] = _guess(relations.formula, literal)
    return found


def _guess(formula: Formula, literal: Literal) -> Literal:
    chosen = formula.choice()
    formula.forbid(chosen, -literal)
    return chosen
