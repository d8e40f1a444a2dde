"""Axioms that are enforced lazily -> the part of them that is cheap to encode all the same.

What an acyclic relation surely contains can be ordered before any execution was looked at, and so can what is
made of base relations by unions, compositions and closures. Recursive definitions are represented by the
pairs that they must have and those that they have without recursion. So a formula with these edges allows all
consistent executions and some others; the lazy method of `solving.lazy` forbids the rest, and has to look at
fewer. Arithmetic needs this: without an order of reads and writes most of what satisfies it is inconsistent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from treville.encoding.automaton import EPSILON, Automaton, Leaf
from treville.encoding.axioms import AxiomEncoding
from treville.encoding.relations import RelationEncoding
from treville.models.model import Axiom, AxiomKind, ClosureOperator, Model, NodeId, Operator
from treville.models.recognise import is_from_read
from treville.relations import EventId


def weaken(encoder: AxiomEncoding, axiom: Axiom) -> None:
    """Add what is cheap of an axiom; nothing unless it asks for acyclicity."""
    if _forbids_cycles(axiom):
        encoder.require_acyclic(axiom.node, Weakened)


def _forbids_cycles(axiom: Axiom) -> bool:
    return axiom.kind is AxiomKind.ACYCLIC and axiom.is_constraint and not axiom.negated


class Weakened(Automaton):
    """An automaton some of whose words are left out. All axioms of the model must be enforced."""

    def __init__(self, model: Model, relations: RelationEncoding, blocks: dict[EventId, EventId]) -> None:
        super().__init__(model, relations, blocks)
        self.acyclic = {axiom.node for axiom in model.axioms if _forbids_cycles(axiom)}

    def connect(self, node: NodeId, first: int, second: int) -> None:
        """Make words of a node lead from one state to another."""
        definition = self.model.nodes[node]
        op, args = definition.op, definition.args
        bounds = self.relations.relation(node)
        if not any(bounds.may.rows):
            return
        if bounds.static:
            self.transitions.append((first, second, node))
        elif self._reads_apart(node, first, second):
            return
        elif op is Operator.UNION or (op is Operator.PLUS and first == second):
            for argument in args:
                self.connect(argument, first, second)
        elif op is Operator.COMPOSITION and not self.blocks:
            middle = self._state()
            self.connect(args[0], first, middle)
            self.connect(args[1], middle, second)
        elif op in (Operator.OPTIONAL, Operator.STAR, Operator.PLUS) and first != second:
            self._connect_some(op, args[0], first, second)
        else:
            for leaf in self._alternatives(node, None, frozenset()):
                self.add(first, second, leaf)

    def _alternatives(
        self, node: NodeId, rows: list[int] | None, inside: frozenset[NodeId]
    ) -> Iterator[Leaf]:
        """Parts of a node's pairs that have simple definitions, where rows have them; `inside` are the
        recursive definitions that it is a part of."""
        definition = self.model.nodes[node]
        bounds = self.relations.relation(node)
        if bounds.static or self._simple(node):
            yield Leaf(node, rows)
        elif definition.op is Operator.UNION:
            for argument in definition.args:
                yield from self._alternatives(argument, rows, inside)
        elif definition.op is Operator.INTERSECTION and (split := self._fixed_part(node)) is not None:
            yield from self._alternatives(split[0], _common(rows, split[1]), inside)
        elif definition.op is Operator.FIXPOINT and node not in inside:
            yield from self._alternatives(self.relations.body(node), rows, inside | {node})
        else:
            yield Leaf(node, rows, sure=True)

    def _fixed_part(self, node: NodeId) -> tuple[NodeId, list[int]] | None:
        """An intersection with a relation that does not depend on the execution: the other one, and that."""
        one, other = self.model.nodes[node].args
        for varying, fixed in ((one, other), (other, one)):
            if self.relations.relation(fixed).static:
                return varying, self.relations.relation(fixed).may.rows
        return None

    def _connect_some(self, op: ClosureOperator, argument: NodeId, first: int, second: int) -> None:
        """An option or a closure; one step of a closure that could be cyclic by itself."""
        if op is not Operator.OPTIONAL and self._cycles_are_forbidden(argument):
            self._connect_closure(op, argument, first, second)
            return
        self.connect(argument, first, second)
        if op is not Operator.PLUS:
            self.transitions.append((first, second, EPSILON))

    def _cycles_are_forbidden(self, node: NodeId) -> bool:
        """Is a cycle of the node, that is no single event, one that the model forbids anyway?"""
        if self._has_empty_words(node):
            return False
        return self.relations.relation(node).may.is_acyclic() or any(
            self._consists_of(node, self._united(goal)) for goal in self.acyclic
        )

    def _united(self, node: NodeId) -> set[NodeId]:
        """The node and what it is a union of."""
        definition = self.model.nodes[node]
        if definition.op is not Operator.UNION:
            return {node}
        return {node}.union(*(self._united(argument) for argument in definition.args))

    def _consists_of(self, node: NodeId, steps: set[NodeId]) -> bool:
        """Is every pair of the node a path of steps, or an event and itself?"""
        definition = self.model.nodes[node]
        op, args = definition.op, definition.args
        if node in steps:
            return True
        match op:
            case Operator.ID | Operator.IDENTITY_ON | Operator.EMPTY:
                return True
            case Operator.UNION | Operator.COMPOSITION | Operator.OPTIONAL | Operator.PLUS | Operator.STAR:
                return all(self._consists_of(argument, steps) for argument in args)
            case Operator.INTERSECTION:
                return any(self._consists_of(argument, steps) for argument in args)
            case Operator.DIFFERENCE:
                return self._consists_of(args[0], steps)
            case Operator.BASE | Operator.UNIVERSE | Operator.COMPLEMENT | Operator.PRODUCT:
                return False
            case Operator.INVERSE | Operator.DOMAIN | Operator.RANGE | Operator.FIXPOINT:
                return False
            case _:
                assert_never(op)

    def _has_empty_words(self, node: NodeId, inside: frozenset[NodeId] = frozenset()) -> bool:
        """May the node relate an event to itself without a step? `inside`: see `_alternatives`."""
        definition = self.model.nodes[node]
        op, args = definition.op, definition.args
        match op:
            case Operator.FIXPOINT:
                return node not in inside and self._has_empty_words(
                    self.relations.body(node), inside | {node}
                )
            case Operator.COMPOSITION | Operator.INTERSECTION:
                return all(self._has_empty_words(argument, inside) for argument in args)
            case Operator.UNION | Operator.PLUS | Operator.INVERSE:
                return any(self._has_empty_words(argument, inside) for argument in args)
            case Operator.DIFFERENCE:
                return self._has_empty_words(args[0], inside)
            case Operator.BASE | Operator.EMPTY:
                return False
            case Operator.ID | Operator.IDENTITY_ON | Operator.OPTIONAL | Operator.STAR:
                return True
            case Operator.UNIVERSE | Operator.COMPLEMENT | Operator.PRODUCT:
                return True
            case Operator.DOMAIN | Operator.RANGE:
                raise AssertionError(f"{op} is a set")
            case _:
                assert_never(op)

    def _simple(self, node: NodeId) -> bool:
        """Is the set or relation made of base ones without steps, closures or recursion?"""
        if is_from_read(self.model, node):
            return True
        op, args = self.model.nodes[node].op, self.model.nodes[node].args
        match op:
            case Operator.COMPOSITION | Operator.OPTIONAL | Operator.PLUS | Operator.STAR | Operator.FIXPOINT:
                return False
            case Operator.BASE | Operator.EMPTY | Operator.UNIVERSE | Operator.ID:
                return True
            case Operator.UNION | Operator.INTERSECTION | Operator.DIFFERENCE | Operator.COMPLEMENT:
                return all(self._simple(argument) for argument in args)
            case (
                Operator.PRODUCT | Operator.IDENTITY_ON | Operator.INVERSE | Operator.DOMAIN | Operator.RANGE
            ):
                return all(self._simple(argument) for argument in args)
            case _:
                assert_never(op)


def _common(rows: list[int] | None, others: list[int]) -> list[int]:
    return others if rows is None else [one & other for one, other in zip(rows, others, strict=True)]
