"""`treville sequentialise`: a program with threads as a sequential one, within bounds (paper 001).

source -> passes -> narrow ints -> steps of threads -> C
"""

from __future__ import annotations

from treville.engines.features import Feature
from treville.engines.task import ProgramTask, program_task, ready_task
from treville.machines.by_model import machine_of
from treville.passes.fresh_memory import FreshCells, with_any_contents
from treville.passes.program import Context, Source, lower
from treville.programs.ir import LOCATION_BASE, LOCATION_STRIDE, Allocate, Load, Program
from treville.programs.litmus.test import LitmusTest
from treville.programs.litmus.whole import asserting
from treville.programs.narrow import narrowed
from treville.records import dataclass
from treville.results import Budget, InputError, Unsupported
from treville.results.properties import Property
from treville.sequential.abstraction import BUFFERS, LISTS
from treville.sequential.dialects import Dialect
from treville.sequential.emit import Emission, emitted
from treville.sequential.locations import Locations
from treville.sequential.plan import Plan, moved_unset, plan_of
from treville.sequential.rounds import Bounds

SMAS = {"lists": LISTS, "reference": BUFFERS}
_REFUSED = (Feature.EXCLUSIVES, Feature.COMPUTED_JUMPS, Feature.READ_COPY_UPDATE, Feature.LOCATED_FENCES)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is written: bounds of loops, rounds, timestamps, nodes and bits; which abstraction, for whom.
    `addresses` and `blocks`: so many locations behind pointers, and allocated objects (0: all)."""

    bounds: Bounds
    bound: int
    bits: int
    dialect: Dialect
    sma: str = "lists"
    addresses: int = 0
    blocks: int = 0


@dataclass(frozen=True, slots=True)
class Sequential:
    """A sequential program and the threads that it was made of."""

    text: str
    plan: Plan

    @property
    def addresses(self) -> int:
        """Locations that are reached through computed addresses alone."""
        return Locations(self.plan, False, 0).behind

    @property
    def blocks(self) -> int:
        """Objects that may be allocated."""
        return len(self.plan.symbolic.heap)


def sequentialised(
    source: Source | LitmusTest, context: Context, wanted: Wanted, name: str, budget: Budget | None = None
) -> Sequential:
    """The sequential program of what a front end made of a file, or of a litmus test, whose condition becomes
    an assertion. Raises `Unsupported` and `InputError`."""
    task = _task(source, context, wanted.bound, budget or Budget())
    model = machine_of(task.model)
    if model is None:
        raise InputError(
            f"no shared memory abstraction does what {task.model.name} says", None, "ask for sc, tso or pso"
        )
    _refuse(task)
    plan = _plan(task.program, model, wanted, task.budget)
    how = Emission(
        wanted.bounds, wanted.bound, wanted.bits, wanted.dialect, SMAS[wanted.sma], name, wanted.addresses,
        wanted.blocks,
    )  # fmt: skip
    return Sequential(emitted(plan, how), plan)


def _task(source: Source | LitmusTest, context: Context, bound: int, budget: Budget) -> ProgramTask:
    if not isinstance(source, LitmusTest):
        return program_task(source, context, bound, budget)
    asked = Context(context.model, Property.ASSERTION, source.dialect)
    return ready_task(lower(asserting(source), asked), context.model, Property.ASSERTION, bound, budget)


def _plan(program: Program, model: str, wanted: Wanted, budget: Budget) -> Plan:
    """The threads of the program. Fresh memory that may be moved holds any numbers at first."""
    if _moves(program):
        unfilled = plan_of(program, model, wanted.bound, budget)
        moved = moved_unset(unfilled)
        _refuse_asked(unfilled, moved)
        program = with_any_contents(program, moved) if moved else program
    return plan_of(narrowed(program, wanted.bits), model, wanted.bound, budget)


def _refuse_asked(plan: Plan, moved: FreshCells) -> None:
    """Who asks whether anybody wrote a cell finds 0 where nobody did, so that it cannot hold any number."""
    for step in (step for thread in plan.threads for step in thread.steps):
        if not isinstance(step.instruction, Load) or not step.instruction.zeroed:
            continue
        for cell in step.cells:
            offset = (cell - LOCATION_BASE) % LOCATION_STRIDE
            made = plan.symbolic.unset.get(cell - offset)
            if made is not None and offset in moved.get(id(made), {}):
                what = "a lock that may be copied before it is set, in a sequential program"
                raise Unsupported(what, step.instruction.span)


def _moves(program: Program) -> bool:
    blind = any(isinstance(i, Load) and i.blind for i in program.instructions())
    return blind and any(isinstance(i, Allocate) and not i.zeroed for i in program.instructions())


def _refuse(task: ProgramTask) -> None:
    for feature in _REFUSED:
        if feature in task.features:
            place = task.features.places[feature]
            raise Unsupported(f"{feature.value} in a sequential program", place)
