"""A register with compare-and-set: `cas` with the value [old new] writes new where old is there."""

from __future__ import annotations

from treville.histories.history import Operation
from treville.histories.objects.register import Register
from treville.histories.objects.specification import State
from treville.histories.values import listed


class CasRegister(Register):
    """States are values. A `cas` that found another value is a `fail`, which did not happen."""

    name = "register with compare-and-set"
    functions = frozenset({"read", "write", "cas"})

    def step(self, state: State, operation: Operation) -> tuple[State] | None:
        """A write, a read of the state, or a change of the state that must be there."""
        if operation.function != "cas":
            return super().step(state, operation)
        old, new = listed(operation, 2)
        return (new,) if state == old else None
