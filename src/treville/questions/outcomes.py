"""`treville litmus`: which final states can a litmus test reach under a model? (paper 004, chapter 2)"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from treville.programs.litmus.test import LitmusTest

State: TypeAlias = "tuple[int | tuple[int, ...], ...]"


@dataclass(slots=True)
class Outcomes:
    """The answer for one test and one model.

    `states` maps each reachable final state (values in the order of `test.observed`) to the number of
    consistent executions that end in it, or to None where the engine does not count. `positive` and
    `negative` count executions as herd7 does. `holds` is None where the behaviour is undefined (a data
    race in C). `observation` is Never, Sometimes or Always.
    """

    test: LitmusTest
    model: str
    states: dict[State, int | None]
    holds: bool | None
    observation: str
    positive: int | None
    negative: int | None
    flags: list[str] = field(default_factory=list)
    bound_reached: bool = False
    engine: str = ""
    seconds: float = 0.0
