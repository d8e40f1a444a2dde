"""`treville check`: can a program violate a property under a model? (paper 004, chapter 4)

    source -> passes -> task -> engines, as the schedule has them -> the execution, judged again

Under SC, TSO and PSO a machine with store buffers explores the states, under RC11 one with views; these
answers need no bound, and lock-free structures with their read-modify-writes suit them better than a solver,
whose strength are long straight threads. Which engine gets how much work is in `engines.schedule`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from treville.analysis.alias_names import FLOW, Alias
from treville.engines.contract import Decision, Failure, GaveUp, Proved, Refuted
from treville.engines.registry import AUTO, DECIDE, STATES
from treville.engines.schedule import ALL_STATES, Slice, run, slices_for
from treville.engines.task import ProgramTask, RoundBounds, program_task, ready_task
from treville.models.evaluate import Evaluation, evaluate
from treville.models.model import Model
from treville.models.races import defines_races
from treville.passes.program import Context, Source, lower
from treville.programs.litmus.test import LitmusTest
from treville.programs.litmus.whole import asserting
from treville.programs.operators import wrap
from treville.questions.mixed_sizes import needs_no_races, races_of_parts, with_doubt
from treville.records import dataclass, replace
from treville.results import Budget, Unsupported, Verdict
from treville.results.properties import Property


@dataclass(frozen=True, slots=True)
class Answer:
    """A decision with the engine that made it and the task it was made for."""

    decision: Decision
    engine: str
    task: ProgramTask

    @property
    def verdict(self) -> Verdict:
        """The decision in one word."""
        match self.decision:
            case Proved():
                return Verdict.PASS
            case Refuted():
                return Verdict.FAIL
            case GaveUp():
                return Verdict.UNKNOWN


def reachability(
    source: Source,
    context: Context,
    bound: int | None = None,
    budget: Budget | None = None,
    engine: str = AUTO,
    alias: Alias = FLOW,
    rounds: RoundBounds = RoundBounds(),  # noqa: B008 - it is frozen
) -> Answer:
    """The answer for what a front end made of a file. `bound` None deepens until the answer is conclusive;
    `engine` is a name of `engines.registry`."""
    task = program_task(source, context, bound, budget, alias, rounds)
    races = races_of_parts(task, source, context, alias) if needs_no_races(task) else None
    if isinstance(races, GaveUp) and isinstance(races.error, Unsupported):
        return Answer(races, "", task)
    scheduled = run(task, _slices(task, engine), DECIDE)
    if isinstance(scheduled.answer, Refuted):
        judge_again(scheduled.answer, task.model)
    decision = scheduled.answer if races is None else with_doubt(scheduled.answer, races)
    return Answer(decision, scheduled.engine, task)


def in_turn(goal: Property, model: Model, ask: Callable[[Property], Answer]) -> Iterator[Answer]:
    """The answers to all that a property asks. Safety asks for data races, too, where the model says what
    they are, unless the proof that nothing else goes wrong has shown that there are none."""
    answer = ask(goal)
    yield answer
    if goal is not Property.SAFETY or not defines_races(model):
        return
    if isinstance(answer.decision, Proved) and Property.RACE in answer.decision.also:
        yield replace(answer, task=replace(answer.task, property=Property.RACE))
    else:
        yield ask(Property.RACE)


def condition_in_rounds(
    test: LitmusTest, model: Model, bound: int | None, budget: Budget, rounds: RoundBounds
) -> Decision:
    """Whether a litmus test can reach the state of its condition (for `forall`: miss it), as a whole program
    that is run in rounds: `Refuted` if it can."""
    program = lower(asserting(test), Context(model, Property.ASSERTION, test.dialect))
    task = ready_task(program, model, Property.ASSERTION, bound, budget, rounds=rounds)
    decision = run(task, (Slice("rounds"),), DECIDE).answer
    if isinstance(decision, Refuted):
        judge_again(decision, task.model)
    return decision


def _slices(task: ProgramTask, engine: str) -> tuple[Slice, ...]:
    if engine == STATES:
        return ALL_STATES
    return slices_for(task) if engine == AUTO else (Slice(engine),)


class WrongWitness(Exception):
    """The engine's execution is not allowed by the model: a bug in Treville."""


def judge_again(refuted: Refuted[Failure], model: Model) -> Evaluation:
    """Raise unless reads have the values of their sources and the relation algebra, which knows nothing of
    the engine, finds the execution consistent."""
    execution = refuted.execution
    seen: set[int] = set()
    for write, read in execution.relations["rf"].pairs():
        source, event = execution.events[write], execution.events[read]
        found = None if source.value is None else wrap(source.value, event.bits)
        if read in seen or (source.address, found) != (event.address, event.value):
            line = event.span.line if event.span else "?"
            raise WrongWitness(f"the read of line {line} has a wrong source")
        seen.add(read)
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations, everything=False)
    if judged.violated:
        raise WrongWitness(f"the execution violates {judged.violated[0].name} of {model.name}")
    return judged
