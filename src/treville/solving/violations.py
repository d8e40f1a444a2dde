"""A property of a whole program -> the literal of its violation in an encoding of the program's executions.

Assertions and accesses outside objects are literals of the encoding; data races are flags of the model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from treville.encoding.executions import Encoding
from treville.encoding.formula import TRUE
from treville.models.model import Model
from treville.models.races import races_of
from treville.programs.ir import Instruction
from treville.results.properties import RACE


class Part(NamedTuple):
    """What can take part in a violation: an instruction, and the thread that waits there if one does."""

    literal: int
    instruction: Instruction
    thread: int | None = None


@dataclass(slots=True)
class Violation:
    """The literal that the property is violated. `unsure`: only where evaluating the model on the execution
    says so too, because its flags could not be encoded."""

    literal: int
    parts: list[Part] = field(default_factory=list)
    unsure: bool = False


def violation(encoding: Encoding, model: Model, goal: str) -> Violation:
    """What an execution must do to violate the property. Make it before the formula goes to a solver."""
    if goal == RACE:
        return _race(encoding, model)
    parts = [Part(literal, failing) for literal, failing in encoding.ways_to_fail()]
    return Violation(encoding.formula.either([part.literal for part in parts]), parts)


def _race(encoding: Encoding, model: Model) -> Violation:
    names = [axiom.name for axiom in races_of(model)]
    if any(name not in encoding.flags for name in names):
        return Violation(TRUE, unsure=True)
    return Violation(encoding.formula.either([encoding.flags[name] for name in names]))
