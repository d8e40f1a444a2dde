"""A register: `read` returns what was written last."""

from __future__ import annotations

from treville.histories.history import Operation, Value
from treville.histories.objects.specification import State


class Register:
    """States are values."""

    name = "register"
    functions = frozenset({"read", "write"})
    read_only = frozenset({"read"})

    def start(self, initial: Value) -> State:
        """The value itself."""
        return initial

    def step(self, state: State, operation: Operation) -> tuple[State] | None:
        """What is written, or the state where it was read."""
        if operation.function == "write":
            return (operation.value,)
        return (state,) if state == operation.value else None

    def show(self, state: State) -> Value:
        """The state itself."""
        assert state is None or isinstance(state, int | float | str)
        return state
