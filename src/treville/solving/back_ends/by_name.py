"""Formulas -> solvers by name: the four back ends behind one interface, and what they count."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from treville.formulas.formula import Formula, Literal
from treville.solving.back_ends.clasp import Clasp, Solver


class BackEnd(StrEnum):
    """Who solves formulas; only clasp knows rules and acyclic graphs, and can be limited and joined."""

    CLASP = "clasp"
    Z3 = "z3"
    SAT = "sat"
    CADICAL = "cadical"


def make_solver(
    name: BackEnd, formula: Formula, projected: Sequence[Literal] | None = None, rarely_restarts: bool = False
) -> Solver:
    """A solver that holds the formula. With `projected`, solutions that agree on these literals count as one.
    `rarely_restarts`: see `Clasp`."""
    match name:
        case BackEnd.CLASP:
            return Clasp(formula, projected, rarely_restarts)
        case BackEnd.Z3:
            from treville.solving.back_ends.z3 import Z3

            return Z3(formula, projected)
        case BackEnd.SAT | BackEnd.CADICAL:
            from treville.solving.back_ends.sat import SatSolver

            return SatSolver(formula, projected, "cadical195" if name is BackEnd.CADICAL else "glucose4")
