"""Formulas -> solvers by name: the four back ends behind one interface, and what they count."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treville.formulas.formula import Formula, Literal
    from treville.solving.back_ends.clasp import Solver


class BackEnd(StrEnum):
    """Who solves formulas; only clasp knows rules and acyclic graphs, and can be limited and joined.

    Those with `any` look for any fixpoint of recursive definitions where that is enough (`polarity`)."""

    CLASP = "clasp"
    Z3 = "z3"
    SAT = "sat"
    CADICAL = "cadical"
    Z3_ANY = "z3-any"
    SAT_ANY = "sat-any"


def make_solver(
    name: BackEnd, formula: Formula, projected: Sequence[Literal] | None = None, rarely_restarts: bool = False
) -> Solver:
    """A solver that holds the formula. With `projected`, solutions that agree on these literals count as one.
    `rarely_restarts`: see `Clasp`."""
    match name:
        case BackEnd.CLASP:
            from treville.solving.back_ends.clasp import Clasp

            return Clasp(formula, projected, rarely_restarts)
        case BackEnd.Z3 | BackEnd.Z3_ANY:
            from treville.solving.back_ends.z3 import Z3

            return Z3(formula, projected, name is BackEnd.Z3_ANY)
        case BackEnd.SAT | BackEnd.CADICAL | BackEnd.SAT_ANY:
            from treville.solving.back_ends.sat import SatSolver

            engine = "cadical195" if name is BackEnd.CADICAL else "glucose4"
            return SatSolver(formula, projected, engine, name is BackEnd.SAT_ANY)
