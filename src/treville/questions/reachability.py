"""`treville check`: can a program violate a property under a model? (paper 004, chapter 4)

Compiled program -> its states, if they are few -> else unroll, events, analysis, encoding, solving, at
one bound after the other. Under SC, TSO and PSO a machine with store buffers explores the states, under RC11
one with views; the answer needs no bound, and lock-free structures with their read-modify-writes suit it
better than the solver, whose strength are long straight threads. So with `auto` the two take turns, which get
longer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from treville.analysis.aliases import FLOW
from treville.models.model import Model
from treville.programs.ir import (
    Allocate,
    Assert,
    Assume,
    AtomicBegin,
    Free,
    Instruction,
    Load,
    Program,
    Thread,
)
from treville.questions.depth import Depth
from treville.results import Budget, BudgetExceeded, Unsupported, Verdict
from treville.results.properties import ASSERTION, MEMORY, RACE
from treville.solving.operational.trace import VIEWS, Begun, reach_by_states
from treville.solving.reachability import Reachability, reach_failure

# Turns: the machine for so many states, then the solver for so many seconds (None: all there are).
TURNS: tuple[tuple[int, float | None], ...] = ((2_500, None), (150_000, 0))
TURNS_WITH_BLOCKS: tuple[tuple[int, float | None], ...] = ((30_000, None), (150_000, 0))
TURNS_WITH_UPDATES: tuple[tuple[int, float | None], ...] = ((5_000, 2), (80_000, 15), (400_000, None))
TURNS_WITH_VIEWS: tuple[tuple[int, float | None], ...] = ((1_200, 4), (60_000, 15), (400_000, None))
MOST_STATES = 400_000
MOST_VIEWS = 20_000
FIRST_EFFORT = 5_000  # conflicts, at a bound that is not the last one
FIRST_LOOK = 2_500  # states, for a failing interleaving
ENGINES = ("auto", "states", "eager", "lazy")


@dataclass(frozen=True, slots=True)
class Search:
    """What to search for, one of `PROPERTIES`, and how: an engine, and for the solver an encoding and a back
    end."""

    engine: str = "auto"
    encoding: str = "acyclicity"
    solver: str = "clasp"
    goal: str = ASSERTION
    alias: str = FLOW

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
    if search.goal == MEMORY:
        of_memory = replace(search, goal=ASSERTION)
        return reachability(
            lambda depth: _without_assertions(compiled(depth)), model, bound, budget, of_memory
        )
    first = compiled(bound or 1)
    if search.engine == "states":
        explored = _explore(first, model, budget, search, MOST_STATES, Begun())
        if explored is None or explored.verdict is Verdict.UNKNOWN:
            raise BudgetExceeded("too many states, or values that the machine does not have")
        return explored
    depth = Depth(bound)
    if search.engine != "auto" or not search.usual or search.alias != FLOW:
        return _deepen(compiled, model, depth, budget, search)
    explorable, looked, last, begun = True, False, None, Begun()
    for states, seconds in _turns(first, model, search.goal):
        explored = _explore(first, model, budget, search, states, begun) if explorable else None
        if explored is not None and explored.verdict is not Verdict.UNKNOWN:
            return explored
        explorable = explored is not None
        if not looked and not explorable:
            explored = _crowd(first, model, budget, search)
            if explored is not None:
                return explored
        if not looked and not (explorable and model.shipped == VIEWS and _has_updates(first)):
            explored = _look(first, model, budget, search)  # views of updates have seen interleavings enough
            if explored is not None:
                return explored
        looked = True
        if seconds != 0:
            turn = _share(budget, seconds if explorable else None)
            last = _deepened(compiled, model, depth, turn, search)
            if isinstance(last, Answer) and last.verdict is not Verdict.UNKNOWN:
                return last
        if not explorable:
            break
    if isinstance(last, BudgetExceeded | Unsupported):
        raise last
    assert last is not None
    return last


def _without_assertions(program: Program) -> Program:
    """The program where a run simply ends at an assertion that does not hold."""

    def ends(instruction: Instruction) -> Instruction:
        if not isinstance(instruction, Assert) or instruction.memory:
            return instruction
        return Assume(instruction.condition, span=instruction.span, text=instruction.text)

    def without(thread: Thread) -> Thread:
        return replace(thread, instructions=[ends(instruction) for instruction in thread.instructions])

    threads = [without(thread) for thread in program.threads]
    functions = {name: without(thread) for name, thread in program.functions.items()}
    return replace(program, threads=threads, functions=functions)


def _share(budget: Budget, seconds: float | None) -> Budget:
    """At most so many seconds of what is left of a budget."""
    left = budget.remaining()
    if seconds is None or (left is not None and left <= seconds):
        return budget
    return Budget(seconds, budget.memory, stages=budget.stages)


def _deepened(
    compiled: Callable[[int], Program], model: Model, depth: Depth, budget: Budget, search: Search
) -> Answer | BudgetExceeded | Unsupported:
    """The answer of the solver, or why it has none: the machine may have one."""
    try:
        return _deepen(compiled, model, depth, budget, search)
    except (BudgetExceeded, Unsupported) as error:
        return error


def _explore(
    program: Program, model: Model, budget: Budget, search: Search, limit: int, begun: Begun
) -> Answer | None:
    """The answer from all states: UNKNOWN if there are more of them, None if it makes no sense to go on."""
    with budget.stage("states"):
        found = reach_by_states(program, model, budget, limit, search.goal, begun)
    if found is None:
        return None
    verdict = Verdict.PASS if found.execution is None else Verdict.FAIL
    verdict = verdict if found.complete else Verdict.UNKNOWN
    return Answer(verdict, found, None, program, _used(model, program, search.goal))


def _crowd(program: Program, model: Model, budget: Budget, search: Search) -> Answer | None:
    """PASS if any number of threads is safe where they are started without end."""
    from treville.solving.operational.crowds import crowd_is_safe
    from treville.solving.operational.trace import machine_of

    machine = machine_of(model)
    if search.goal != ASSERTION or machine is None:
        return None
    with budget.stage("views"):
        views = crowd_is_safe(program, machine, MOST_VIEWS, budget)
    if views is None:
        return None
    found = Reachability(complete=True, stats={"views": views})
    return Answer(Verdict.PASS, found, None, program, _used(model, program, search.goal))


def _look(program: Program, model: Model, budget: Budget, search: Search) -> Answer | None:
    """A failing interleaving that the model allows, if one is found soon."""
    from treville.questions.interleavings import failing_interleaving

    if search.goal != ASSERTION:
        return None
    used = _used(model, program, search.goal)
    with budget.stage("interleavings"):
        found = failing_interleaving(program, used, budget, FIRST_LOOK)
    return None if found is None else Answer(Verdict.FAIL, found, None, program, used)


def _deepen(
    compiled: Callable[[int], Program], model: Model, depth: Depth, budget: Budget, search: Search
) -> Answer:
    """The answer of the solver at the depth, or at growing ones until it is conclusive. Where a deeper search
    has to follow, one that takes long is given up; the last one is not."""
    depth.limited = budget.seconds is not None
    effort = None if depth.asked is not None and depth.bound >= depth.asked else FIRST_EFFORT
    while True:
        budget.check()
        given = compiled(depth.recursion)
        program = depth.apply(given)
        used = _used(model, program, search.goal)
        found = _solve(program, used, depth.bound, budget, search, effort)
        verdict = Verdict.FAIL if found.execution is not None else Verdict.PASS
        if found.execution is None and not found.complete:
            verdict = Verdict.UNKNOWN
        answer = Answer(verdict, found, depth.deepest, found.program or program, used)
        if verdict is not Verdict.UNKNOWN:
            return answer
        deeper = depth.deepen(found.cut, given.loop_bounds)
        if not deeper and not found.hasty:
            return answer
        effort = None if depth.asked is not None or not deeper or effort is None else 2 * effort


def _solve(
    program: Program, model: Model, bound: int, budget: Budget, search: Search, effort: int | None
) -> Reachability:
    if not search.usual:
        from treville.solving.siblings import reach

        return reach(program, model, bound, budget, search.encoding, search.solver)
    lazy = {"eager": False, "lazy": True}.get(search.engine)
    return reach_failure(program, model, bound, budget, lazy, search.goal, search.alias, effort)


def _used(model: Model, program: Program, goal: str) -> Model:
    """The model, with the axiom for atomic blocks and notions of races and of lifetimes where they are
    needed."""
    from treville.models.lifetimes import with_lifetimes
    from treville.models.races import with_races

    if goal == RACE:
        model = with_races(model)
    elif goal == ASSERTION and program.has(Free):
        model = with_lifetimes(model)
    return with_blocks(model, program)


def with_blocks(model: Model, program: Program) -> Model:
    """The model, with the axiom for atomic blocks if the program has any."""
    from treville.models.blocks import with_atomic_blocks

    return with_atomic_blocks(model) if program.has(AtomicBegin) else model


def _turns(program: Program, model: Model, goal: str) -> tuple[tuple[int, float | None], ...]:
    if not _has_updates(program):
        return TURNS_WITH_BLOCKS if program.has(AtomicBegin) and goal != RACE else TURNS
    turns = TURNS_WITH_VIEWS if model.shipped == VIEWS else TURNS_WITH_UPDATES
    return turns[1:] if program.has(Allocate) else turns  # pointers suit the machines


def _has_updates(program: Program) -> bool:
    """Does the program have read-modify-writes?"""
    return any(isinstance(i, Load) and i.link for i in program.instructions())
