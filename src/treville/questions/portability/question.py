"""What is asked about portability, and what an answer holds (paper 004, definitions 11 and 12).

A difference is an execution that one model allows and the other forbids. Trace portability asks whether there
is one; state portability whether one ends in a state that the forbidding model cannot reach at all.
"""

from __future__ import annotations

from treville.engines.differences.task import Finding
from treville.models.model import Model
from treville.records import dataclass, field
from treville.results import Verdict
from treville.results.defaults import BOUND

NOTIONS = ("trace", "state")
DIRECTIONS = ("new", "both")
OBSERVED = ("condition", "all")
ENGINES = ("auto", "enumerate", "eager", "lazy")
SOLVERS = ("clasp", "certificates", "z3", "sat")


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
    bound: int = BOUND
    engine: str = "auto"
    dead: bool = False
    solver: str = "clasp"


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
