"""`treville check`: can a program violate a property under a model? (paper 004, chapter 4)

Compiled program -> its states, if they are few -> else unroll, events, analysis, encoding, solving, at
one bound after the other. Under SC, TSO and PSO a machine with store buffers explores the states; its answer
needs no bound, and lock-free structures with their read-modify-writes suit it better than the solver, whose
strength are long straight threads. So with `auto` the machine gets a short try, then the solver, and where
the solver does not end soon or cannot do it, the machine a long one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from treville.models.model import Model
from treville.programs.ir import AtomicBegin, Load, Program
from treville.results import Budget, BudgetExceeded, Verdict
from treville.results.properties import ASSERTION, RACE
from treville.solving.reachability import Reachability, reach_failure

# `--bound auto` tries these one after the other, and with a time limit goes on doubling.
AUTOMATIC_BOUNDS = (1, 2, 4, 8, 16)
FEW_STATES = 2_500
MANY_STATES = 150_000
QUICK_SECONDS = 6.0
ENGINES = ("auto", "states", "eager", "lazy")


@dataclass(frozen=True, slots=True)
class Search:
    """What to search for, one of `PROPERTIES`, and how: an engine, and for the solver an encoding and a back
    end."""

    engine: str = "auto"
    encoding: str = "acyclicity"
    solver: str = "clasp"
    goal: str = ASSERTION

    @property
    def usual(self) -> bool:
        """The default encoding and back end?"""
        return (self.encoding, self.solver) == ("acyclicity", "clasp")


@dataclass(slots=True)
class Answer:
    """A verdict with what was found, in which program under which model; `bound` None: in all states."""

    verdict: Verdict
    found: Reachability
    bound: int | None
    program: Program
    model: Model


def reachability(
    compiled: Callable[[int], Program], model: Model, bound: int | None, budget: Budget, search: Search
) -> Answer:
    """The answer for the program that `compiled` gives for a bound (of recursion). `bound` None deepens until
    the answer is conclusive; raises `BudgetExceeded` when there is no answer in time."""
    first = compiled(bound or AUTOMATIC_BOUNDS[0])
    machine = search.engine == "states" or (search.engine == "auto" and search.usual and search.goal != RACE)
    few = MANY_STATES if search.engine == "states" else FEW_STATES
    if machine and (answer := _explore(first, model, budget, search, few)):
        return answer
    if search.engine == "states":
        raise BudgetExceeded("too many states, or values that the machine with store buffers does not have")
    suits_machine = machine and _has_updates(first) and model.name in ("sc", "svcomp", "tso", "pso")
    seconds = min(QUICK_SECONDS, budget.remaining() or QUICK_SECONDS)
    quick = Budget(seconds, budget.memory, stages=budget.stages)
    try:
        answer = _deepen(compiled, model, bound, quick if suits_machine else budget, search)
        if answer.verdict is not Verdict.UNKNOWN or not machine:
            return answer
        return _explore(first, model, budget, search, MANY_STATES) or answer
    except BudgetExceeded:
        if not machine:
            raise
        if explored := _explore(first, model, budget, search, MANY_STATES):
            return explored
        if not suits_machine:
            raise
    return _deepen(compiled, model, bound, budget, search)


def _explore(program: Program, model: Model, budget: Budget, search: Search, limit: int) -> Answer | None:
    """The answer from all states, if there is a conclusive one."""
    from treville.solving.operational.trace import reach_by_states

    with budget.stage("states"):
        found = reach_by_states(program, model, budget, limit, search.goal)
    if found is None or not found.complete:
        return None
    verdict = Verdict.PASS if found.execution is None else Verdict.FAIL
    return Answer(verdict, found, None, program, _used(model, program, search.goal))


def _deepen(
    compiled: Callable[[int], Program], model: Model, bound: int | None, budget: Budget, search: Search
) -> Answer:
    """The answer of the solver at the bound, or at growing ones until it is conclusive."""
    answer = None
    for current in iter([bound]) if bound else _bounds(budget.seconds is not None):
        budget.check()
        program = compiled(current)
        used = _used(model, program, search.goal)
        found = _solve(program, used, current, budget, search)
        verdict = Verdict.FAIL if found.execution is not None else Verdict.PASS
        if found.execution is None and not found.complete:
            verdict = Verdict.UNKNOWN
        answer = Answer(verdict, found, current, program, used)
        if verdict is not Verdict.UNKNOWN:
            break
    assert answer is not None
    return answer


def _bounds(limited: bool) -> Iterator[int]:
    yield from AUTOMATIC_BOUNDS
    bound = AUTOMATIC_BOUNDS[-1]
    while limited:
        bound *= 2
        yield bound


def _solve(program: Program, model: Model, bound: int, budget: Budget, search: Search) -> Reachability:
    if not search.usual:
        from treville.solving.siblings import reach

        return reach(program, model, bound, budget, search.encoding, search.solver)
    lazy = {"eager": False, "lazy": True}.get(search.engine)
    return reach_failure(program, model, bound, budget, lazy, search.goal)


def _used(model: Model, program: Program, goal: str) -> Model:
    """The model, with the axiom for atomic blocks and a notion of races where they are needed."""
    from treville.models.races import with_races

    return with_blocks(with_races(model) if goal == RACE else model, program)


def with_blocks(model: Model, program: Program) -> Model:
    """The model, with the axiom for atomic blocks if the program has any."""
    from treville.models.blocks import with_atomic_blocks

    threads = [*program.threads, *program.functions.values()]
    has_blocks = any(isinstance(i, AtomicBegin) for thread in threads for i in thread.instructions)
    return with_atomic_blocks(model) if has_blocks else model


def _has_updates(program: Program) -> bool:
    """Does the program have read-modify-writes?"""
    threads = [*program.threads, *program.functions.values()]
    return any(isinstance(i, Load) and i.link for thread in threads for i in thread.instructions)
