"""Template relations: trees whose operators and leaves a solver chooses (paper 004, section 6.4.1).

A template is a complete binary tree. A leaf is one of the base relations; an inner node applies an operator
to its children, or hands on its left one (`eq`), so that smaller trees are among the larger ones. Over one
execution every node has a literal for each pair of events. Closures are least fixpoints, which the solver
knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from treville.formulas.formula import FALSE, Formula, Literal
from treville.models.model import Operator
from treville.questions.synthesis.terms import Term, made
from treville.records import dataclass, field

Matrix: TypeAlias = list[list[Literal]]
# A base relation of one execution, as rows of masks.
Rows: TypeAlias = Sequence[int]

_BINARY = (Operator.UNION, Operator.INTERSECTION, Operator.COMPOSITION)
_UNARY = (Operator.PLUS, Operator.STAR, Operator.INVERSE)


@dataclass(slots=True)
class Template:
    """A tree of a depth. `operators` has a literal for each operator of an inner node, None for handing on;
    `leaves` one for each base relation. The last `minus` of the base relations may only be subtracted."""

    formula: Formula
    depth: int
    base: Sequence[Term]
    minus: int
    operators: dict[int, dict[Operator | None, Literal]] = field(default_factory=dict)
    leaves: dict[int, list[Literal]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        first_leaf = (1 << self.depth) - 1
        for node in range((1 << (self.depth + 1)) - 1):
            if node >= first_leaf:
                self.leaves[node] = [self.formula.choice() for _ in self.base]
                _exactly_one(self.formula, self.leaves[node])
            else:
                self.operators[node] = self._operators(2 * node + 1 >= first_leaf)
        self._restrict_subtracted()

    def _operators(self, lowest: bool) -> dict[Operator | None, Literal]:
        known: list[Operator | None] = [None, *_UNARY, *_BINARY]
        if self.minus and lowest:
            known.append(Operator.DIFFERENCE)
        found = {op: self.formula.choice() for op in known}
        _exactly_one(self.formula, list(found.values()))
        return found

    def _restrict_subtracted(self) -> None:
        """Subtracted relations are on the right of a difference, and nothing else is."""
        plain = len(self.base) - self.minus
        for node, literals in self.leaves.items():
            parent, is_right = (node - 1) // 2, node % 2 == 0
            taken = self.operators.get(parent, {}).get(Operator.DIFFERENCE, FALSE) if is_right else FALSE
            for place, literal in enumerate(literals):
                if place < plain:
                    self.formula.forbid(literal, taken)
                else:
                    self.formula.forbid(literal, -taken)

    def costs(self) -> dict[Literal, int]:
        """Every operator counts; handing on does not."""
        return {
            literal: 1
            for choices in self.operators.values()
            for op, literal in choices.items()
            if op is not None
        }

    # -- over one execution ----------------------------------------------------------------------

    def over(self, n: int, rows: Sequence[Rows]) -> Matrix:
        """The relation at the root over an execution of so many events, given its base relations."""
        values: dict[int, Matrix] = {}
        for node in sorted([*self.leaves, *self.operators], reverse=True):
            if node in self.leaves:
                values[node] = self._leaf(node, n, rows)
            else:
                values[node] = self._inner(node, n, values[2 * node + 1], values[2 * node + 2])
        return values[0]

    def _leaf(self, node: int, n: int, rows: Sequence[Rows]) -> Matrix:
        literals = self.leaves[node]
        return [
            [
                self.formula.any_of(
                    [literal]
                    for literal, relation in zip(literals, rows, strict=True)
                    if relation[i] >> j & 1
                )
                for j in range(n)
            ]
            for i in range(n)
        ]

    def _inner(self, node: int, n: int, left: Matrix, right: Matrix) -> Matrix:
        chosen = self.operators[node]
        closure = closed(self.formula, left, n)

        def bodies(i: int, j: int) -> Iterator[list[Literal]]:
            yield [chosen[None], left[i][j]]
            yield [chosen[Operator.PLUS], closure[i][j]]
            yield [chosen[Operator.STAR], closure[i][j]]
            if i == j:
                yield [chosen[Operator.STAR]]
            yield [chosen[Operator.INVERSE], left[j][i]]
            yield [chosen[Operator.UNION], left[i][j]]
            yield [chosen[Operator.UNION], right[i][j]]
            yield [chosen[Operator.INTERSECTION], left[i][j], right[i][j]]
            if Operator.DIFFERENCE in chosen:
                yield [chosen[Operator.DIFFERENCE], left[i][j], -right[i][j]]
            for k in range(n):
                yield [chosen[Operator.COMPOSITION], left[i][k], right[k][j]]

        return [[self.formula.any_of(bodies(i, j)) for j in range(n)] for i in range(n)]

    # -- a solution ------------------------------------------------------------------------------

    def term(self, holds: Callable[[Literal], bool], node: int = 0) -> Term:
        """The term that a solution chose."""
        if node in self.leaves:
            places = [place for place, literal in enumerate(self.leaves[node]) if holds(literal)]
            return self.base[places[0]]
        op = next(op for op, literal in self.operators[node].items() if holds(literal))
        left = self.term(holds, 2 * node + 1)
        if op is None:
            return left
        if op in _UNARY:
            return made(op, left)
        return made(op, left, self.term(holds, 2 * node + 2))

    def choices(self) -> list[Literal]:
        """The literals that make up a solution."""
        found = [literal for literals in self.leaves.values() for literal in literals]
        return found + [literal for each in self.operators.values() for literal in each.values()]


def closed(formula: Formula, matrix: Matrix, n: int) -> Matrix:
    """The transitive closure, as a least fixpoint."""
    out = [[formula.atom() for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if matrix[i][j] == FALSE:
                continue
            formula.rule(out[i][j], [matrix[i][j]])
            for k in range(n):
                formula.rule(out[i][k], [matrix[i][j], out[j][k]])
    return out


def require_acyclic(formula: Formula, matrix: Matrix, n: int, condition: Literal) -> None:
    """Where the condition holds there is no cycle."""
    events = formula.vertices(n)
    for i in range(n):
        for j in range(n):
            formula.edge(events[i], events[j], formula.both(condition, matrix[i][j]))


def _exactly_one(formula: Formula, literals: list[Literal]) -> None:
    formula.require(*literals)
    formula.at_most_one_of.append(literals)
