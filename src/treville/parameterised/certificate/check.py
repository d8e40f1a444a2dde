"""An independent check of a PASS.

z3 checks that the negations of the visited cubes are an inductive invariant: of states under SC
(`interleavings`), of runs and moments under TSO (`timeline`), and in the same way under PSO
unless a cell is contested. Then the order of writes is chosen with a view to the whole run, so a step does
not lead from one order to the next, and the check is a finite one: instances with two and three processes are
explored on the machine with store buffers, and no state may be unsafe or meet a cube without open events.
"""

from __future__ import annotations

from treville.parameterised.backward.pending import contested
from treville.parameterised.certificate.interleavings import Checker, Refuted
from treville.parameterised.certificate.timeline import TimelineChecker
from treville.parameterised.decide import Answer, is_rigid
from treville.parameterised.logic.cube import Node
from treville.parameterised.logic.terms import rename_literal
from treville.parameterised.states.forward import explore
from treville.parameterised.system import NAMED, Property
from treville.records import dataclass
from treville.results import Budget, BudgetExceeded, Unsupported

_MOST_STATES = 20_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the invariant is right (None: not checked to the end), and what was checked."""

    right: bool | None
    text: str


def certify(answer: Answer, budget: Budget) -> Outcome:
    """Check the invariant of a PASS; running out of the budget is not a success."""
    try:
        finite = answer.system.model == "pso" and contested(answer.system)
        return _by_instances(answer, budget) if finite else _by_z3(answer, budget)
    except BudgetExceeded as error:
        return Outcome(None, f"the invariant was not checked to the end: {error.reason}")


# Finite instances


def _by_instances(answer: Answer, budget: Budget) -> Outcome:
    system = answer.system
    assumptions = tuple(p for p in system.invariants if is_rigid(system, p))
    sizes = (
        [system.processes]
        if system.named
        else [n for n in (2, 3) if not system.processes or n <= system.processes]
    )
    plain = [_property(answer, node) for node in answer.cubes() if not node.frontier.after and system.unsafe]
    complete = True
    for size in sizes:
        result = explore(
            system, size, assumptions=assumptions, most=_MOST_STATES, budget=budget,
            properties=(*system.unsafe, *plain),
        )  # fmt: skip
        if result.unsafe is not None:
            return Outcome(False, f"an instance with {size} processes contradicts the invariant")
        complete &= result.complete
    how = "all states" if complete else f"up to {_MOST_STATES} states"
    shown = " and ".join(map(str, sizes))
    return Outcome(True, f"checked on instances with {shown} processes ({how}, buffers of 2 entries)")


def _property(answer: Answer, node: Node) -> Property:
    """The cube as a property; named processes are meant by their names."""
    system = answer.system
    names = {i: NAMED + i for i in range(node.processes)} if system.named else {}
    literals = tuple(rename_literal(literal, names) for literal in node.literals)
    return Property("", 0 if system.named else node.processes, literals, system.unsafe[0].span)


# z3


def _by_z3(answer: Answer, budget: Budget) -> Outcome:
    try:
        import z3
    except ImportError:
        raise Unsupported("--certify without z3; install the extra 'z3-solver'") from None
    make = Checker if answer.system.model == "sc" else TimelineChecker
    try:
        queries = make(z3, answer, budget).run()
    except Refuted as error:
        return Outcome(False, str(error))
    return Outcome(True, f"z3 confirms the invariant: initiation, consecution, safety ({queries} queries)")
