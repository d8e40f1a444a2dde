"""Axioms that are enforced lazily -> the part of them that is cheap to encode all the same.

What an acyclic relation surely contains can be ordered before any execution was looked at, and so can base
relations that it is a union of. Compositions, recursion and the like are represented by the pairs that they
must have. So a formula with these edges allows all consistent executions and some others; the lazy method of
`solving.lazy` forbids the rest, and has to look at fewer. Arithmetic needs this: without an order of reads
and writes most of what satisfies it is inconsistent.
"""

from __future__ import annotations

from treville.encoding.axioms import Automaton, AxiomEncoding
from treville.encoding.relations import RelationEncoding
from treville.models.model import Axiom, Model

_SIMPLE = (
    "base", "union", "inter", "diff", "inverse", "product", "identity", "id", "empty", "universe",
    "complement", "domain", "range",
)  # fmt: skip


def weaken(encoder: AxiomEncoding, axiom: Axiom) -> None:
    """Add what is cheap of an axiom; nothing unless it asks for acyclicity."""
    if axiom.kind == "acyclic" and not (axiom.negated or axiom.flag or axiom.undefined):
        encoder.require_acyclic(axiom.node, Weakened)


class Weakened(Automaton):
    """An automaton some of whose words are left out."""

    def __init__(self, model: Model, relations: RelationEncoding, blocks: dict[int, int]) -> None:
        super().__init__(model, relations, blocks)
        self.exact: set[int] = set()

    def connect(self, node: int, first: int, second: int) -> None:
        """Make words of a node lead from one state to another (there is only one)."""
        definition = self.model.nodes[node]
        op, args = definition.op, definition.args
        bounds = self.relations.relation(node)
        if not any(bounds.may.rows):
            return
        if self.relations.is_from_read(definition):
            self.exact.add(node)
            self._connect_from_read(node, first, second)
        elif bounds.static or self._simple(node):
            self.exact.add(node)
            self.transitions.append((first, second, node))
        elif op == "union":
            for argument in args:
                self.connect(argument, first, second)
        elif op == "plus":
            self.connect(args[0], first, second)
        else:
            self.transitions.append((first, second, node))

    def row(self, leaf: int, source: int) -> int:
        """The events that a transition may lead to."""
        if leaf < 0 or leaf in self.exact:
            return super().row(leaf, source)
        return self.relations.relation(leaf).must.rows[source]

    def _simple(self, node: int) -> bool:
        """Is the set or relation made of base ones without steps, closures or recursion?"""
        definition = self.model.nodes[node]
        if self.relations.is_from_read(definition):
            return True
        return definition.op in _SIMPLE and all(self._simple(argument) for argument in definition.args)
