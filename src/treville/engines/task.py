"""Tasks: what is asked of engines. Frozen, and complete: an engine needs nothing else.

`ProgramTask` asks whether a whole program can violate a property, `OutcomeTask` for the final states of a
litmus test.
"""

from __future__ import annotations

from treville.analysis.alias_names import FLOW, Alias
from treville.engines.features import Features, features_of
from treville.models.model import Model
from treville.passes.model import model_for
from treville.passes.program import Context, Lowering, Ready, Source, lower
from treville.programs.ir import Program
from treville.programs.litmus.test import LitmusTest
from treville.records import dataclass, field, replace
from treville.results import Budget
from treville.results.properties import Property


@dataclass(frozen=True, slots=True)
class RoundBounds:
    """What the engine `rounds` was asked for: rounds, timestamps, nodes of a list, bits of an int. 0: as many
    as it takes."""

    rounds: int = 0
    timestamps: int = 0
    nodes: int = 0
    bits: int = 0


@dataclass(frozen=True, slots=True)
class ProgramTask:
    """Can the program violate the property under the model? `bound` is that of loops and recursion; None
    makes it grow until the answer is conclusive. Program and model are those after all passes."""

    program: Program
    model: Model
    property: Property
    bound: int | None
    budget: Budget
    features: Features
    lowering: Lowering | Ready
    alias: Alias = FLOW
    rounds: RoundBounds = field(default_factory=RoundBounds)

    def with_recursion(self, depth: int) -> ProgramTask:
        """The same task where recursion is inlined so many times."""
        program = self.lowering.program(depth)
        return self if program is self.program else replace(self, program=program)


def program_task(
    source: Source,
    context: Context,
    bound: int | None = None,
    budget: Budget | None = None,
    alias: Alias = FLOW,
    rounds: RoundBounds = RoundBounds(),  # noqa: B008 - frozen
) -> ProgramTask:
    """The task of a file: passes are run here."""
    budget = budget or Budget()
    goal = context.property
    assert goal is not None
    lowering = Lowering(source, context)
    with budget.stage("front end"):
        program = lowering.program(bound or 1)
    model = model_for(context.model, program, goal)
    features = features_of(program, model, goal)
    return ProgramTask(program, model, goal, bound, budget, features, lowering, alias, rounds)


def ready_task(
    program: Program,
    model: Model,
    prop: Property = Property.SAFETY,
    bound: int | None = None,
    budget: Budget | None = None,
    alias: Alias = FLOW,
    rounds: RoundBounds = RoundBounds(),  # noqa: B008 - frozen
) -> ProgramTask:
    """The task of a program that has gone through its passes already."""
    model = model_for(model, program, prop)
    features = features_of(program, model, prop)
    return ProgramTask(
        program, model, prop, bound, budget or Budget(), features, Ready(program), alias, rounds
    )


@dataclass(frozen=True, slots=True)
class OutcomeTask:
    """Which final states can the test reach under the model? Both are those after all passes."""

    test: LitmusTest
    model: Model
    bound: int
    budget: Budget
    features: Features
    alias: Alias = FLOW


def outcome_task(
    test: LitmusTest, model: Model, bound: int, budget: Budget | None = None, alias: Alias = FLOW
) -> OutcomeTask:
    """The task of a litmus test: passes are run here."""
    program = lower(test.program, Context(model, None, test.dialect))
    seen = test if program is test.program else replace(test, program=program)
    features = features_of(program, model, None)
    return OutcomeTask(seen, model, bound, budget or Budget(), features, alias)
