"""The contract of a sequential object: which functions it has, and what each does to a state."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

from treville.histories.history import Operation, Value

State = Hashable


class SequentialObject(Protocol):
    """`functions` are those of the log, in lower case; `read_only` are those that never change a state."""

    name: str
    functions: frozenset[str]
    read_only: frozenset[str]

    def start(self, initial: Value) -> State:
        """The state of a key with this initial value."""

    def step(self, state: State, operation: Operation) -> tuple[State] | None:
        """The state after the operation with its result, or None where that result is impossible. Operations
        that may not have happened (`info`) have no result; read-only ones of them are never asked."""

    def show(self, state: State) -> Value:
        """The state as a value that `start` turns into it again."""
