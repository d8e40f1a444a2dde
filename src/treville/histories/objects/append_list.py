"""A list: `append` adds a value at its end, `read` returns all values in order."""

from __future__ import annotations

from treville.histories.history import Operation, Value
from treville.histories.objects.specification import State
from treville.histories.values import as_text, listed, values_of


class AppendList:
    """States are tuples of values; the initial value 0 or nil is the empty list."""

    name = "list with append"
    functions = frozenset({"read", "append"})
    read_only = frozenset({"read"})

    def start(self, initial: Value) -> State:
        """The list of an initial value."""
        return () if initial in (None, 0) else values_of(initial)

    def step(self, state: State, operation: Operation) -> tuple[State] | None:
        """A longer list, or the same where it was read."""
        assert isinstance(state, tuple)
        if operation.function == "append":
            return ((*state, operation.value),)
        return (state,) if (operation.value is None and not state) or state == listed(operation) else None

    def show(self, state: State) -> Value:
        """The list as text."""
        assert isinstance(state, tuple)
        return as_text(list(state))
