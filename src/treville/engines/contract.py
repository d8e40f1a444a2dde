"""The contract of everything that answers: `suits(task)` and `run(task, work)`.

A question is a frozen task. Questions that are decided end in `Proved`, `Refuted` with an execution, or
`GaveUp`; questions for outcomes end in `States` or `GaveUp`. Work is counted in units that are the same on
every machine (states, conflicts, candidates), so that who answers does not depend on how fast it is. What an
engine does not declare to support it refuses; what it raises stays inside.

An engine object serves one task: asked again with more work it goes on where it stopped.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from treville.engines.features import Feature, Features
from treville.events.execution import Execution
from treville.programs.ir import Instruction, Program
from treville.programs.litmus.states import FinalValue
from treville.records import dataclass, field
from treville.results import Budget, BudgetExceeded, OutOfWork, Span, TrevilleError, Unsupported
from treville.results.properties import Property

Stats: TypeAlias = Mapping[str, Any]
State: TypeAlias = tuple[FinalValue, ...]
_NO_STATS: Stats = MappingProxyType({})


class AnyTask(Protocol):
    """What every task has."""

    @property
    def features(self) -> Features:
        """What an engine must know."""

    @property
    def budget(self) -> Budget:
        """Seconds and bytes of the whole question."""


T = TypeVar("T", bound=AnyTask)
A = TypeVar("A")
E = TypeVar("E")


# -- how engines end -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Proved:
    """No execution violates the property; with a `bound`, loops that go round more often do not matter.
    `also` are other properties of which the search showed the same."""

    bound: int | None = None
    stats: Stats = field(default_factory=lambda: _NO_STATS)
    also: frozenset[Property] = frozenset()


@dataclass(frozen=True, slots=True)
class Refuted(Generic[E]):
    """An execution that the model allows and that answers the question with no; `evidence` says how."""

    execution: Execution
    evidence: E
    bound: int | None = None
    stats: Stats = field(default_factory=lambda: _NO_STATS)


@dataclass(frozen=True, slots=True)
class GaveUp:
    """No answer. `more`: with more work there may be one. `error` is what the engine raised, if it did. Where
    it ended at a bound, `cut` are the loops and calls that were not done again."""

    reason: str
    advice: str = ""
    more: bool = False
    error: TrevilleError | None = None
    bound: int | None = None
    cut: tuple[Instruction, ...] = ()
    stats: Stats = field(default_factory=lambda: _NO_STATS)


@dataclass(frozen=True, slots=True)
class States:
    """The final states of a test, each with its number of consistent executions (None where an engine does
    not count), and the flags that some execution raises. `cut`: some run was cut at the bound, `unfinished`:
    one that might end otherwise in a later round. Not `complete`: there are too many states to list; those
    listed satisfy the condition and violate it wherever there are such."""

    counts: Mapping[State, int | None]
    flags: frozenset[str] = frozenset()
    cut: bool = False
    complete: bool = True
    unfinished: bool = False
    stats: Stats = field(default_factory=lambda: _NO_STATS)


@dataclass(frozen=True, slots=True)
class Failure:
    """How a program goes wrong in an execution: what fails (`message` tells more of the first), or where the
    threads `waiting` wait for ever. `program` is what was run, in which a pass may have added something."""

    program: Program
    thread_names: tuple[str, ...] = ()
    failed: tuple[Instruction, ...] = ()
    message: str = ""
    waiting: tuple[int, ...] = ()


Decision: TypeAlias = Proved | Refuted[Failure] | GaveUp


# -- engines ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Suitability:
    """Yes, or no and `because`; `span` is the place in the input, if there is one, `hint` what to do."""

    because: str = ""
    span: Span | None = None
    hint: str = ""

    def __bool__(self) -> bool:
        return not self.because

    def refusal(self) -> GaveUp:
        """How an engine that does not suit ends."""
        return GaveUp(self.because, self.hint, error=Unsupported(self.because, self.span, self.hint))


YES = Suitability()


class Engine(ABC, Generic[T, A]):
    """One way to answer. Subclasses say their `name`, what they support, and how they search."""

    name: str
    supports: frozenset[Feature]

    def suits(self, task: T) -> Suitability:
        """Can the engine answer for the task at all?"""
        for feature, place in task.features.beyond(self.supports):
            because = f"the engine {self.name} does not know {feature.value}"
            return Suitability(because, place, "leave the choice of the engine out")
        return self.fits(task)

    def fits(self, task: T) -> Suitability:
        """What else must be true of a task that has only features which the engine supports."""
        del task
        return YES

    def run(self, task: T, work: int | None = None) -> A | GaveUp:
        """Search with so many units of work (None: as long as it takes); asked again, go on."""
        suitable = self.suits(task)
        if not suitable:
            return suitable.refusal()
        outer, task.budget.engine = task.budget.engine, self.name
        try:
            return self.search(task, task.budget.slice(work, self.name))
        except OutOfWork as error:
            return GaveUp(error.reason, error.advice, more=True)
        except BudgetExceeded as error:
            return GaveUp(error.reason, error.advice, error=error)
        except Unsupported as error:
            return GaveUp(error.complaint, error.hint, error=error)
        except RecursionError:
            reason = "recursion, or threads that start threads, go too deep"
            return GaveUp(reason, "lower --bound", error=BudgetExceeded(reason, "lower --bound"))
        finally:
            task.budget.engine = outer

    def left(self) -> float:
        """About how many units of work the search still takes, as far as it can tell after a while."""
        return math.inf

    @abstractmethod
    def search(self, task: T, budget: Budget) -> A | GaveUp:
        """The engine itself. It spends the budget's units of work, and may raise what `run` catches."""
