"""What the engines that explore states share: how their limits grow, and what their answers become."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from treville.engines.contract import Decision, Failure, GaveUp, Proved, Refuted
from treville.engines.features import Feature
from treville.engines.task import ProgramTask
from treville.events.execution import Execution
from treville.machines.states import MOST_STATES, Answer, LimitReached, TooManyStates
from treville.programs.ir import Instruction
from treville.results import Budget, OutOfWork
from treville.results.verdict import Verdict

# What the machines do with every program that has it.
OF_MACHINES = frozenset(
    {
        Feature.LOOPS, Feature.CHOICES, Feature.ANY_NUMBERS, Feature.ASSUMPTIONS, Feature.WAITING_FOR_VALUES,
        Feature.COMPUTED_ADDRESSES, Feature.UPDATES, Feature.CONDITIONAL_STORES, Feature.FENCES,
        Feature.ASSERTIONS, Feature.RECURSION, Feature.THREADS, Feature.JOINS, Feature.ALLOCATION,
        Feature.FRESH_MEMORY, Feature.UNSET_CONTENTS, Feature.PRIVATE_OBJECTS, Feature.FLAGS,
        Feature.RECURSIVE_RELATIONS,
    }
)  # fmt: skip


class Limit:
    """The number of states that an engine may have seen by now: it grows with every slice of work."""

    def __init__(self) -> None:
        self.states = 0

    def grow(self, budget: Budget) -> int:
        """The limit after another slice."""
        self.states = MOST_STATES if budget.units is None else min(MOST_STATES, self.states + budget.units)
        return self.states

    def explored(self, explore: Callable[[], Answer]) -> Answer | GaveUp:
        """What a search ends in; running into the limit raises `OutOfWork` unless there is none larger."""
        try:
            return explore()
        except LimitReached:
            if self.states >= MOST_STATES:
                return GaveUp(f"more than {MOST_STATES} states", stats={"states": self.states})
            raise OutOfWork(f"more than {self.states} states") from None
        except TooManyStates as error:
            return GaveUp(str(error))


def decided(
    task: ProgramTask,
    answer: Answer | GaveUp,
    execution: Execution | None = None,
    waiting: Sequence[tuple[int, Instruction]] = (),
) -> Decision:
    """The answer of a machine as a decision, with the execution that its failing run is."""
    if isinstance(answer, GaveUp):
        return answer
    stats = {"states": answer.states}
    match answer.verdict:
        case Verdict.PASS:
            return Proved(stats=stats)
        case Verdict.UNKNOWN:
            return GaveUp("a loop or recursion that the machine does not finish", stats=stats)
        case Verdict.FAIL:
            failure = Failure(
                task.program,
                tuple(name or "main" for name in answer.bodies),
                tuple(place for _, place in waiting) if answer.failed is None else (answer.failed,),
                answer.message,
                tuple(thread for thread, _ in waiting),
            )
            return Refuted(execution or _execution(task, answer), failure, stats=stats)
        case _:
            assert_never(answer.verdict)


def _execution(task: ProgramTask, answer: Answer) -> Execution:
    from treville.machines.buffers.trace import Trace

    return Trace(task.program, answer).execution()
