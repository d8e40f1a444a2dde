"""Formulas whose gates are clauses: for solvers of clauses, which need no rules and no fixpoints.

A gate is a free atom that clauses make equal to what it stands for, so nothing has to be translated before a
SAT solver gets it, and no atom has a second one for its body.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.records import dataclass, field


@dataclass(slots=True)
class Gates(Formula):
    """A formula of clauses."""

    _selections: dict[tuple[Literal, ...], Literal] = field(default_factory=dict)

    def _gate(self, literals: tuple[Literal, ...]) -> Literal:
        gate, out = self.choice(), self.forbidden
        for literal in literals:
            out.append((gate, -literal))
        out.append((-gate, *literals))
        return gate

    def any_of(self, bodies: Iterable[Iterable[Literal]]) -> Literal:
        """A literal that holds exactly if all literals of some body do."""
        return self.either([self.both(*body) for body in bodies])

    def at_most_one(self, literals: list[Literal]) -> None:
        """No two of the literals hold: `seen` holds from the first true one on."""
        seen = FALSE
        for literal in literals:
            self.forbid(seen, literal)
            seen = self.either([seen, literal])

    def select(self, chosen: Sequence[Literal], bits: Sequence[Literal]) -> Literal:
        """The bit whose literal holds; exactly one of the literals does."""
        first = bits[0]
        if all(bit == first for bit in bits):
            return first
        known = [bit for when, bit in zip(chosen, bits, strict=True) if when == TRUE]
        if known:
            return known[0]
        if all(bit in (TRUE, FALSE) for bit in bits):
            return self.either([when for when, bit in zip(chosen, bits, strict=True) if bit == TRUE])
        key = (*chosen, *bits)
        found = self._selections.get(key)
        if found is None:
            found = self._selections[key] = self.choice()
            for when, bit in zip(chosen, bits, strict=True):
                self.forbid(when, bit, -found)
                self.forbid(when, -bit, found)
        return found

    def clauses(self) -> list[list[Literal]]:
        """All clauses, the true atom among them."""
        clauses = [[-literal for literal in body] for body in self.forbidden]
        clauses.append([TRUE])
        return clauses
