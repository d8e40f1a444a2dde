"""A growing list of states -> for every literal the states in which it holds, as a mask.

For every slot that is asked for, the states are kept by value. Masks of literals are made of those, so a
state costs something once per slot and not once per literal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treville.parameterised.backward.instances import put_in
from treville.parameterised.states.machine import Machine, State, compiled
from treville.parameterised.system import Literal, Term

Place = tuple[int, ...]


class StateTable:
    """Masks over `states`, which may grow at its end."""

    def __init__(self, machine: Machine, states: list[State]) -> None:
        self.machine = machine
        self.states = states
        # Slot -> (how many states were looked at, value -> mask).
        self.columns: dict[int, tuple[int, dict[Any, int]]] = {}
        self.makers: dict[tuple[Literal, Place], Callable[[], int]] = {}
        self.made: dict[tuple[Literal, Place], tuple[int, int]] = {}

    def mask(self, literal: Literal, place: Place) -> int:
        """The states in which the literal holds for the processes in `place`."""
        key = (literal, place)
        count, mask = self.made.get(key, (0, 0))
        if count != len(self.states):
            maker = self.makers.get(key)
            if maker is None:
                maker = self.makers[key] = self._maker(literal, place)
            mask = maker()
            self.made[key] = (len(self.states), mask)
        return mask

    def _everywhere(self) -> int:
        return (1 << len(self.states)) - 1

    def _maker(self, literal: Literal, place: Place) -> Callable[[], int]:
        cubes = put_in(((literal,),), dict(enumerate(place)))
        if not cubes:
            return lambda: 0
        if not cubes[0]:
            return self._everywhere
        op, left, right = (*cubes[0][0], None)[:3]
        if op not in ("=", "!"):
            return _Checked(self.states, compiled(f"lambda s: {self.machine.literal(cubes[0][0])}"))
        if op == "=":
            return lambda: self._equal(left, right)
        return lambda: self._everywhere() & ~self._equal(left, right)

    def _equal(self, left: Term, right: Term) -> int:
        if left[0] in "kp":
            left, right = right, left
        values = self._column(self.machine.slots[left])
        if right[0] in "kp":
            return values.get(right[1], 0)
        others = self._column(self.machine.slots[right])
        found = 0
        for value, mask in values.items():
            found |= mask & others.get(value, 0)
        return found

    def _column(self, slot: int) -> dict[Any, int]:
        count, masks = self.columns.get(slot, (0, {}))
        if count < len(self.states):
            new = [values[slot] for values, _ in self.states[count:]]
            new.reverse()
            for value in sorted(set(new)):
                bits = "".join(["1" if other == value else "0" for other in new])
                masks[value] = masks.get(value, 0) | int(bits, 2) << count
            self.columns[slot] = (len(self.states), masks)
        return masks


class _Checked:
    """A mask that needs a look at every state; only new ones are looked at."""

    def __init__(self, states: list[State], check: Callable[[Any], bool]) -> None:
        self.states, self.check = states, check
        self.count = self.mask = 0

    def __call__(self) -> int:
        if self.count < len(self.states):
            check, new = self.check, self.states[self.count :]
            bits = "".join(["1" if check(values) else "0" for values, _ in reversed(new)])
            self.mask |= int(bits, 2) << self.count
            self.count = len(self.states)
        return self.mask
