"""The two symbolic questions with a chosen encoding and a chosen solver.

`states` lists the final states of a litmus test, `reach` looks for a failing assertion of a whole program,
with the encodings of `encoding.contract` and the solvers below. Both answer with what the default engine
answers with, and count constraints by relation and, where the solver tells, its search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from treville.encoding.contract import ENCODINGS, SiblingEncoding, encode_test, encode_whole
from treville.encoding.executions import Encoding, addresses_of
from treville.events.execution import Execution
from treville.formulas.formula import FALSE, TRUE, Formula
from treville.models.model import Model
from treville.programs.ir import Instruction, Program
from treville.programs.litmus.states import satisfied
from treville.programs.litmus.test import LitmusTest
from treville.results import Budget, InputError, TooLarge
from treville.solving.outcomes import MAX_STATES, Observation, State, known_coherent
from treville.solving.reachability import Reachability
from treville.solving.solution import ExecutionReader, IsTrue
from treville.solving.solver import Clasp, Solver, satisfiable

SOLVERS = ("clasp", "z3", "sat", "cadical")


@dataclass(slots=True)
class Counted:
    """What was built and how the search went: `variables`, `constraints` (clauses, rules and edges), those by
    relation, and the solver's own numbers where it tells (`conflicts`, `propagations`)."""

    variables: int = 0
    constraints: int = 0
    relations: dict[str, int] = field(default_factory=dict)
    search: dict[str, int] = field(default_factory=dict)

    @property
    def efficacy(self) -> float | None:
        """Propagations per conflict (paper 003, section 6), where both are known."""
        conflicts, propagations = self.search.get("conflicts"), self.search.get("propagations")
        return propagations / conflicts if conflicts and propagations is not None else None


@dataclass(slots=True)
class SiblingStates:
    """The final states of a test, and whether some run was cut at the bound."""

    states: set[State]
    bound_reached: bool
    counted: Counted


@dataclass(slots=True)
class SiblingReachability(Reachability):
    """The answer of `reach`, with what was counted."""

    counted: Counted = field(default_factory=Counted)


def make_solver(name: str, formula: Formula, projected: Sequence[int] | None = None) -> Solver:
    """A solver that holds the formula."""
    if name == "clasp":
        return Clasp(formula, projected)
    if name == "z3":
        from treville.solving.z3_solver import Z3

        return Z3(formula, projected)
    if name in ("sat", "cadical"):
        from treville.solving.sat_solver import SatSolver

        return SatSolver(formula, projected, "cadical195" if name == "cadical" else "glucose4")
    raise InputError(f"there is no solver {name!r}", hint=f"solvers: {', '.join(SOLVERS)}")


def _check(encoding: str) -> None:
    if encoding not in ENCODINGS:
        raise InputError(f"there is no encoding {encoding!r}", hint=f"encodings: {', '.join(ENCODINGS)}")


def states(
    test: LitmusTest, model: Model, bound: int, budget: Budget, encoding: str = "acyclicity",
    solver: str = "clasp",
) -> SiblingStates:  # fmt: skip
    """All final states of a litmus test."""
    _check(encoding)
    observed = addresses_of(test.observed)
    encoded = encode_test(test.program, model, bound, budget, known_coherent(model), observed, encoding)
    observation = Observation(encoded, test)
    holder = make_solver(solver, encoded.formula, observation.projected())
    found: set[State] = set()

    def on_solution(is_true: IsTrue) -> bool:
        if test.filter is None or satisfied(test.filter, lambda o: observation.value(o, is_true)):
            found.add(observation.state(is_true))
        return len(found) < MAX_STATES

    holder.enumerate(budget, on_solution)
    if len(found) >= MAX_STATES:
        raise TooLarge(f"more than {MAX_STATES} final states", "use --engine auto")
    return SiblingStates(found, encoded.bound_reached, count(encoded, holder))


def reach(
    program: Program, model: Model, bound: int, budget: Budget, encoding: str = "acyclicity",
    solver: str = "clasp",
) -> SiblingReachability:  # fmt: skip
    """Look for a consistent execution of a compiled program in which an assertion fails."""
    _check(encoding)
    encoded = encode_whole(program, model, bound, budget, known_coherent(model), encoding)
    reader = ExecutionReader(encoded)
    violated = encoded.formula.either([literal for literal, _ in encoded.ways_to_fail()])
    answer = SiblingReachability(thread_names=encoded.facts.symbolic.thread_names)
    holder = make_solver(solver, encoded.formula)

    def on_solution(is_true: IsTrue) -> bool:
        answer.failed, answer.execution = _failure(encoded, reader, is_true)
        return False

    holder.enumerate(budget, on_solution, [violated])
    if answer.execution is None:
        answer.complete = not satisfiable(holder, budget, [encoded.cut])
    answer.counted = count(encoded, holder)
    answer.stats = {
        "threads": len(answer.thread_names),
        "events": encoded.facts.live.bit_count(),
        "variables": answer.counted.variables,
        "constraints": answer.counted.constraints,
        **{f"constraints of {name}": number for name, number in answer.counted.relations.items()},
        **answer.counted.search,
    }
    return answer


def _failure(
    encoded: Encoding, reader: ExecutionReader, is_true: IsTrue
) -> tuple[list[Instruction], Execution]:
    def holds(literal: int) -> bool:
        return literal == TRUE or (literal != FALSE and is_true(literal))

    failed = [failing for literal, failing in encoded.ways_to_fail() if holds(literal)]
    return failed, reader.execution(holds)


def count(encoded: Encoding, solver: Any) -> Counted:
    """What the encoding and the solver count. Solvers without graphs count their clocks too."""
    formula = encoded.formula
    counted = Counted(
        formula.atoms,
        len(formula.rules) + len(formula.forbidden) + len(formula.at_most_one_of) + len(formula.edges),
    )
    if hasattr(solver, "size"):
        counted.variables, counted.constraints = solver.size()
    counted.relations = encoded.stats() if isinstance(encoded, SiblingEncoding) else {}
    counted.search = _search(solver)
    return counted


def _search(solver: Any) -> dict[str, int]:
    if isinstance(solver, Clasp):
        solving = solver.control.statistics["solving"]["solvers"]
        return {"conflicts": int(solving["conflicts"]), "choices": int(solving["choices"])}
    return dict(solver.search())
