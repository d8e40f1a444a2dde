"""`treville sequentialise`: a program with threads as a sequential one, within bounds (paper 001).

source -> passes -> narrow ints -> steps of threads -> C
"""

from __future__ import annotations

from treville.engines.features import Feature
from treville.engines.task import ProgramTask, program_task
from treville.machines.by_model import machine_of
from treville.passes.program import Context, Source
from treville.programs.narrow import narrowed
from treville.records import dataclass
from treville.results import Budget, InputError, Unsupported
from treville.sequential.abstraction import BUFFERS, LISTS
from treville.sequential.dialects import Dialect
from treville.sequential.emit import Emission, emitted
from treville.sequential.plan import Plan, plan_of
from treville.sequential.rounds import Bounds

SMAS = {"lists": LISTS, "reference": BUFFERS}
_REFUSED = (Feature.EXCLUSIVES, Feature.COMPUTED_JUMPS, Feature.READ_COPY_UPDATE, Feature.LOCATED_FENCES)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is written: bounds of loops, rounds, timestamps, nodes and bits; which abstraction, for whom.
    `addresses` and `blocks`: at most so many locations behind pointers, and allocated objects (0: any)."""

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
        """Locations that are reached through computed addresses."""
        steps = [step for thread in self.plan.threads for step in thread.steps]
        return len({cell for step in steps if len(step.cells) > 1 for cell in step.cells})

    @property
    def blocks(self) -> int:
        """Objects that may be allocated."""
        return len(self.plan.symbolic.objects)


def sequentialised(
    source: Source, context: Context, wanted: Wanted, name: str, budget: Budget | None = None
) -> Sequential:
    """The sequential program of what a front end made of a file. Raises `Unsupported` and `InputError`."""
    task = program_task(source, context, wanted.bound, budget or Budget())
    model = machine_of(task.model)
    if model is None:
        raise InputError(
            f"no shared memory abstraction does what {task.model.name} says", None, "ask for sc, tso or pso"
        )
    _refuse(task)
    program = narrowed(task.program, wanted.bits)
    plan = plan_of(program, model, wanted.bound, task.budget)
    how = Emission(wanted.bounds, wanted.bound, wanted.bits, wanted.dialect, SMAS[wanted.sma], name)
    made = Sequential(emitted(plan, how), plan)
    for option, most, found, what in (
        ("--addresses", wanted.addresses, made.addresses, "locations that are reached through pointers"),
        ("--blocks", wanted.blocks, made.blocks, "objects that may be allocated"),
    ):
        if most and found > most:
            raise InputError(
                f"{name} has {found} {what}: {option} {most} would lose some", None, "leave it out"
            )
    return made


def _refuse(task: ProgramTask) -> None:
    for feature in _REFUSED:
        if feature in task.features:
            place = task.features.places[feature]
            raise Unsupported(f"{feature.value} in a sequential program", place)
