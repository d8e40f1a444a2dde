"""What is asked about portability, and what an answer holds (paper 004, definitions 11 and 12).

A difference is an execution that one model allows and the other forbids. Trace portability asks whether there
is one; state portability whether one ends in a state that the forbidding model cannot reach at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from treville.events.execution import Execution
from treville.models.model import Model
from treville.programs.litmus.states import FinalValue
from treville.results import Verdict

State = tuple[FinalValue, ...]

NOTIONS = ("trace", "state")
DIRECTIONS = ("new", "both")
OBSERVED = ("condition", "all")
ENGINES = ("auto", "enumerate", "eager", "lazy")
CERTIFICATES = "certificates"  # clasp, with recursive relations by certificates instead of its rules
SOLVERS = ("clasp", CERTIFICATES, "z3", "sat")
NEW, LOST = "new", "lost"


@dataclass(frozen=True, slots=True)
class Question:
    """Does a test behave under `target` as it does under `source`?

    `direction` "new": nothing happens on the target that does not happen on the source; "both": nothing is
    lost either. `observe` "all": states range over every register and location. `dead` looks at
    syntactically dead executions (first, for states; only, for traces). `solver` is for the eager engine:
    but for clasp, which has rules, all get certificates of least fixpoints."""

    source: Model
    target: Model
    notion: str = "state"
    direction: str = "new"
    observe: str = "condition"
    bound: int = 2
    engine: str = "auto"
    dead: bool = False
    solver: str = "clasp"


class Difference(NamedTuple):
    """An execution that one model allows and the other forbids. `execution` may only be called while the
    difference is being handed over: it reads the solver's current solution."""

    state: State
    execution: Callable[[], Execution]


OnDifference = Callable[[Difference], bool]


class Search(Protocol):
    """Finds the executions of one program that one model allows and another forbids."""

    @property
    def bound_reached(self) -> bool:
        """Was some run cut at the loop bound?"""

    def differences(self, on_difference: OnDifference, *, states: bool, dead: bool) -> None:
        """Hand over differences until told to stop; with `states`, at least one for each state of theirs;
        with `dead` only syntactically dead ones."""

    def reachable(self, state: State) -> bool:
        """Does the forbidding model allow some execution that ends in the state?"""


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


@dataclass(slots=True)
class Portability:
    """The answer. `differences` counts the differing executions or states that were looked at,
    `complete` says that no loop was cut at the bound."""

    verdict: Verdict
    findings: list[Finding] = field(default_factory=list)
    reason: str = ""
    complete: bool = True
    engine: str = ""
    differences: int = 0
    seconds: float = 0.0
