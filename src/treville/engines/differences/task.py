"""What is asked about one direction of portability, and what a difference is (paper 004, definitions 11, 12).

A difference is an execution that one model allows and the other forbids. Trace portability asks whether there
is one; state portability whether one ends in a state that the forbidding model cannot reach at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from treville.engines.contract import GaveUp, Proved, Refuted, State
from treville.engines.differences.subjects import Subject
from treville.engines.features import Features, features_of
from treville.events.execution import Execution
from treville.models.model import Model
from treville.passes.joint import Side
from treville.records import NamedTuple, dataclass
from treville.results import Budget

NEW, LOST = "new", "lost"


@dataclass(frozen=True, slots=True)
class DifferenceTask:
    """Is there an execution that one side allows and the other forbids? `direction` is for the answer: does
    the target add it (`new`) or lack it (`lost`)? `by_state`: one that ends in a state
    which the forbidding side cannot reach. `dead` looks at syntactically dead executions (first, for states;
    only, for traces)."""

    subject: Subject
    direction: str
    allowing: Side
    forbidding: Side
    by_state: bool
    dead: bool
    bound: int
    budget: Budget
    features: Features

    @property
    def compiled(self) -> bool:
        """Does each side see its own compilation of the program?"""
        return bool(self.allowing.name)


def difference_task(
    subject: Subject,
    direction: str,
    sides: tuple[Side, Side],
    *,
    by_state: bool,
    dead: bool,
    bound: int,
    budget: Budget,
) -> DifferenceTask:
    """The task for two sides, the allowing one first."""
    allowing, forbidding = sides
    places = dict(features_of(subject.program, forbidding.view, None).places)
    places.update(features_of(subject.program, allowing.view, None).places)
    return DifferenceTask(
        subject, direction, allowing, forbidding, by_state, dead, bound, budget, Features(places)
    )


class Difference(NamedTuple):
    """An execution that one model allows and the other forbids. `execution` may only be called while the
    difference is being handed over: it reads the solver's current solution."""

    state: State
    execution: Callable[[], Execution]


OnDifference: TypeAlias = Callable[[Difference], bool]


class Search(Protocol):
    """Finds the executions of one program that one model allows and another forbids."""

    @property
    def engine(self) -> str:
        """How it was done, by the name that users know."""

    @property
    def bound_reached(self) -> bool:
        """Was some run cut at the loop bound?"""

    def differences(self, on_difference: OnDifference, *, states: bool, dead: bool) -> None:
        """Hand over differences until told to stop; with `states`, at least one for each state of theirs;
        with `dead` only syntactically dead ones."""

    def reachable(self, state: State) -> bool:
        """Does the forbidding model allow some execution that ends in the state?"""

    def some_run_ends(self) -> bool:
        """Does the allowing model have a run that counts? To be asked after the differences."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference that answers the question with no. `direction` says whether the target adds it (`new`)
    or lacks it (`lost`). `execution` is as the model that forbids it sees it, `allowed` as the other one
    does: where a program was compiled for both, their fences differ."""

    direction: str
    state: State
    execution: Execution
    allowed: Execution
    allowed_by: Model
    forbidden_by: Model


Comparison: TypeAlias = Proved | Refuted[Finding] | GaveUp
