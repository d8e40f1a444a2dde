"""Formulas for a solver that knows clauses, rules with least-fixpoint meaning, and acyclic graphs.

A literal is a non-zero int, negative for the negation of an atom; atom 1 is true. A `choice` atom is free;
a defined atom is true exactly when the body of one of its rules is, and rules that depend on each
other in a cycle have their least solution (normal logic programs under stable models; without such
cycles this is plain equivalence). Gates are hash-consed and folded.

Literals and the vertices of the graph are types of their own to the type checker, and ints when the program
runs. TRUE and FALSE are those of literals; conditions of programs have others (`events.symbolic_terms`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from treville.records import dataclass, field
from treville.results import TooLarge

if TYPE_CHECKING:

    class Literal(int):
        """An atom of a formula, negative for its negation."""

        def __neg__(self) -> Literal: ...

        def __abs__(self) -> Literal: ...

    class Vertex(int):
        """A node of the graph that must have no cycle."""

    def _vertices(first: int, end: int) -> Sequence[Vertex]: ...

else:
    Literal = Vertex = int
    _vertices = range

TRUE: Final = Literal(1)
FALSE: Final = Literal(-1)
Edge: TypeAlias = tuple[Vertex, Vertex, Literal]


class TooManyRules(TooLarge):
    """The formula has grown beyond its limit; enforcing the model lazily may still answer."""


_PAIRWISE_UP_TO = 5


@dataclass(slots=True)
class Formula:
    """What is handed to a solver: see `solving.back_ends.clasp`."""

    atoms: int = 1
    choices: list[Literal] = field(default_factory=list)
    rules: list[tuple[Literal, Sequence[Literal]]] = field(default_factory=list)
    forbidden: list[Sequence[Literal]] = field(default_factory=list)
    at_most_one_of: list[Sequence[Literal]] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    graph_nodes: int = 0
    max_rules: int | None = None
    _gates: dict[tuple[Literal, ...], Literal] = field(default_factory=dict)
    _definitions: dict[frozenset[tuple[Literal, ...]], Literal] = field(default_factory=dict)

    def choice(self) -> Literal:
        """A new free atom."""
        made = self.atom()
        self.choices.append(made)
        return made

    def atom(self) -> Literal:
        """A new atom that the caller defines by rules."""
        self.atoms += 1
        return Literal(self.atoms)

    def all_atoms(self) -> Iterable[Literal]:
        """All atoms, the true one first."""
        return map(Literal, range(TRUE, self.atoms + 1))

    def rule(self, head: Literal, body: Iterable[Literal]) -> None:
        """The atom holds if all literals of the body do."""
        kept = self._conjunction(body)
        if kept is not None:
            self.rules.append((head, kept))
            self._check_size()

    def both(self, *literals: Literal) -> Literal:
        """The conjunction as a literal."""
        kept = self._conjunction(literals)
        if kept is None:
            return FALSE
        if len(kept) <= 1:
            return kept[0] if kept else TRUE
        found = self._gates.get(kept)
        if found is None:
            found = self._gates[kept] = self._gate(kept)
        return found

    def _gate(self, literals: tuple[Literal, ...]) -> Literal:
        """A new atom that holds exactly if all literals do."""
        atom = self.atom()
        self.rules.append((atom, literals))
        return atom

    def either(self, literals: Iterable[Literal]) -> Literal:
        """The disjunction as a literal. Not for definitions that may be recursive: see `any_of`."""
        return -self.both(*[-literal for literal in literals])

    def any_of(self, bodies: Iterable[Iterable[Literal]]) -> Literal:
        """A literal that holds exactly if all literals of some body do, positive in all of them."""
        kept = []
        for body in bodies:
            conjunction = self._conjunction(body)
            if conjunction is not None:
                if not conjunction:
                    return TRUE
                kept.append(conjunction)
        distinct = frozenset(kept)
        if len(distinct) <= 1:
            return self.both(*kept[0]) if kept else FALSE
        found = self._definitions.get(distinct)
        if found is None:
            found = self._definitions[distinct] = self.atom()
            self.rules.extend([(found, body) for body in distinct])
            self._check_size()
        return found

    def _check_size(self) -> None:
        if self.max_rules is not None and len(self.rules) > self.max_rules:
            raise TooManyRules(f"more than {self.max_rules} rules are needed", "use --engine lazy")

    def forbid(self, *literals: Literal) -> None:
        """Not all of the literals hold."""
        kept = self._conjunction(literals)
        if kept is not None:
            self.forbidden.append(kept)

    def forbid_apart(self, *literals: Literal) -> None:
        """The same for literals of different atoms, none of them constant: there is nothing to fold, and most
        clauses of large formulas are of this kind."""
        self.forbidden.append(literals)

    def require(self, *literals: Literal) -> None:
        """Some literal holds: a clause."""
        self.forbid(*[-literal for literal in literals])

    def equal(self, one: Literal, other: Literal) -> None:
        """Both literals hold or none."""
        self.forbid(one, -other)
        self.forbid(-one, other)

    def equal_where(self, condition: Literal, pairs: Iterable[tuple[Literal, Literal]]) -> None:
        """Where the condition holds, so do both literals of each pair or none. Most clauses of programs with
        arithmetic are made here, so those of three different atoms are not looked at twice."""
        out = self.forbidden
        for one, other in pairs:
            if one == other:
                continue
            first, second = abs(one), abs(other)
            if first in (second, TRUE) or second == TRUE or abs(condition) in (first, second, TRUE):
                self.forbid(condition, one, -other)
                self.forbid(condition, -one, other)
            else:
                out.append((condition, one, -other))
                out.append((condition, -one, other))

    def exactly_one(self, literals: list[Literal], condition: Literal = TRUE) -> None:
        """One of the literals holds if the condition does; never two."""
        self.require(*literals, -condition)
        self.at_most_one(literals)

    def at_most_one(self, literals: list[Literal]) -> None:
        """No two of the literals hold."""
        if len(literals) > _PAIRWISE_UP_TO:
            self.at_most_one_of.append(literals)
            return
        for index, one in enumerate(literals):
            for other in literals[:index]:
                self.forbid(one, other)

    def edge(self, source: Vertex, target: Vertex, condition: Literal) -> None:
        """An edge of the graph that must have no cycle, present if the condition holds."""
        if condition != FALSE:
            self.edges.append((source, target, condition))

    def size(self) -> int:
        """How many constraints there are."""
        return len(self.rules) + len(self.forbidden) + len(self.at_most_one_of) + len(self.edges)

    def vertices(self, count: int) -> Sequence[Vertex]:
        """So many new nodes of the acyclic graph."""
        first = self.graph_nodes
        self.graph_nodes += count
        return _vertices(first, self.graph_nodes)

    @staticmethod
    def _conjunction(literals: Iterable[Literal]) -> tuple[Literal, ...] | None:
        """Sorted and without repetitions; None if it is false."""
        kept = set(literals)
        kept.discard(TRUE)
        if FALSE in kept:
            return None
        if len(kept) > 1:
            for literal in kept:
                if -literal in kept:
                    return None
            return tuple(sorted(kept))
        return tuple(kept)
