"""What a synthesis is asked: requirements on tests, and the space of models to look in."""

from __future__ import annotations

from enum import StrEnum

from treville.models.model import Model
from treville.programs.litmus.test import Condition, LitmusTest, Not, Quantifier
from treville.records import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class Requirement:
    """Some final state of the test satisfies the condition (`allowed`), or none does."""

    test: LitmusTest
    condition: Condition
    allowed: bool
    file: str

    @property
    def name(self) -> str:
        """The test's name."""
        return self.test.name


def of_folder(test: LitmusTest, allowed: bool, file: str) -> Requirement:
    """A test that was given as allowed or forbidden. A condition `forall f` is allowed if f can be reached
    and forbidden if its negation cannot (section 6.1)."""
    negated = test.quantifier is Quantifier.FORALL and not allowed
    return Requirement(test, Not(test.condition) if negated else test.condition, allowed, file)


def of_observation(test: LitmusTest, observation: str, file: str) -> list[Requirement]:
    """What Never, Sometimes or Always say of the proposition of a test and of its negation."""
    inside, outside = test.condition, Not(test.condition)
    match observation:
        case "Never":
            return [Requirement(test, inside, False, file)]
        case "Always":
            return [Requirement(test, outside, False, file), Requirement(test, inside, True, file)]
        case _:
            return [Requirement(test, inside, True, file), Requirement(test, outside, True, file)]


class Method(StrEnum):
    """How models are looked for."""

    AUTO = "auto"
    ENUMERATE = "enumerate"
    PARTS = "parts"
    TEMPLATE = "template"


class Dropping(StrEnum):
    """Which terms are not listed again: those equal on all executions, those whose normal form is another
    (section 6.3.1), or only those that are written the same."""

    OBSERVED = "observed"
    NORMAL = "normal"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Space:
    """Where models are looked for. `base` and `minus` are names of cat; `axioms` and `size` are the most that
    a model may have (None: as the method likes); `weaker` is known to hold; `sketch` is a model with
    holes."""

    base: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()
    axioms: int | None = None
    size: int | None = None
    recursion: int = 0
    method: Method = Method.AUTO
    weaker: Model | None = None
    dropping: Dropping = Dropping.OBSERVED


@dataclass(frozen=True, slots=True)
class Problem:
    """Requirements on tests of one dialect, and where to look. `exhausted` are shapes of sketches that do not
    explain some of the requirements, so that they need not be tried again with more of them."""

    dialect: str
    requirements: tuple[Requirement, ...]
    space: Space = field(default_factory=Space)
    exhausted: set[tuple[str, int, int]] = field(default_factory=set)
