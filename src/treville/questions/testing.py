"""Could these reads and writes happen under a model? Testing as reachability (paper 004, section 4.4).

The accesses of each thread become a straight-line program; an assumption after each load keeps only the
executions in which it returns the recorded value. The test succeeds under the model exactly when some
consistent execution is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from treville.enumeration.candidates import Engine
from treville.enumeration.concrete import to_execution
from treville.events.execution import INIT_THREAD, Event, Execution
from treville.events.trace import Effort
from treville.models.evaluate import evaluate
from treville.models.model import Model
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Assume, Const, Havoc, Instruction, Load, Op, Reg, Store
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.records import NamedTuple, dataclass
from treville.results import Budget, TooLarge

# Listing candidates stops being the fastest way beyond this many.
_MAX_EFFORT = 20_000


Place: TypeAlias = tuple[int, int]


class Access(NamedTuple):
    """A recorded read or write; an `optional` write may have happened or not."""

    is_write: bool
    location: str
    value: int
    optional: bool = False


def recorded_program(
    name: str, threads: Sequence[Sequence[Access]], initial: Mapping[str, int], model: Model
) -> LitmusTest:
    """The accesses as a program that can only do what was recorded; for models of C and of the Linux kernel
    accesses are relaxed atomics and READ_ONCE/WRITE_ONCE."""
    bases = model.base_names()
    tags = frozenset({"A", "RLX"} if "RLX" in bases else {"Once"} if "Once" in bases else ())
    program = ProgramDraft()
    for location, value in initial.items():
        program.location(location).initial = [value]
    for number, accesses in enumerate(threads):
        instructions: list[Instruction] = []
        for index, access in enumerate(accesses):
            instructions += _instructions(program, access, index, tags)
        program.threads.append(ThreadDraft(f"P{number}", instructions))
    return LitmusTest(name, "X86", program.finished())


def _instructions(
    program: ProgramDraft, access: Access, index: int, tags: frozenset[str]
) -> list[Instruction]:
    address, value = Const(program.location(access.location).address), Const(access.value)
    if access.is_write:
        if not access.optional:
            return [Store(address, value, tags, text=str(index), index=index)]
        happened = f"happened{index}"
        return [
            Havoc(happened, (0, 1), index=index),
            Store(address, value, tags, when=Reg(happened), text=str(index), index=index),
        ]
    seen = f"seen{index}"
    return [
        Load(seen, address, tags, text=str(index), index=index),
        Assume(Op("eq", (Reg(seen), value)), index=index),
    ]


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The answer: whether an execution exists, which engine found out, and where each read's value came
    from (thread and position of read and write, None for the initial value) if the engine tells."""

    succeeds: bool
    engine: str
    sources: dict[Place, Place | None] | None = None


def run_test(test: LitmusTest, model: Model, budget: Budget) -> RecordedAnswer:
    """Look for a consistent execution of a recorded program. Raises `BudgetExceeded`."""
    try:
        found = next(Engine(test, model, 1, budget, Effort(_MAX_EFFORT)).consistent(), None)
    except TooLarge:
        return RecordedAnswer(bool(outcomes(test, model, 1, budget, "eager").states), "symbolic")
    if found is None:
        return RecordedAnswer(False, "enumerate")
    execution = to_execution(test, found[0])
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations)
    if judged.violated:
        raise AssertionError(f"the explicit engine and the evaluator disagree on {test.name}")
    return RecordedAnswer(True, "enumerate", _sources(execution))


def _sources(execution: Execution) -> dict[Place, Place | None]:
    events = execution.events
    return {
        _place(events[read]): (None if events[write].thread == INIT_THREAD else _place(events[write]))
        for write, read in execution.relations["rf"].pairs()
    }


def _place(event: Event) -> Place:
    """The thread and position of the access behind an event, which its text carries."""
    return event.thread, int(event.text)
