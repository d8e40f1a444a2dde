"""The value of a sketch whose holes are filled with unions of parts, a choice of its own for each execution.

A `Slot` is a part that a hole may contain. Growing the choice only forbids more, since holes occur positively
(`sketches.py`); that is what makes maximal choices that still allow an execution, and minimal ones that still
forbid it, worth learning from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from treville.models.model import Model, Operator
from treville.questions.synthesis.evaluation import Evaluator, apply
from treville.questions.synthesis.listing import Executions, Value
from treville.questions.synthesis.terms import Term
from treville.records import dataclass


class Recursion(Enum):
    """How a part mentions its own hole h: not at all, as `part; h`, as `h; part`, or as `h; h`."""

    NONE = "none"
    BEFORE = "before"
    AFTER = "after"
    SQUARE = "square"


# What holes are made of: the union of the slots of each kind.
Parts: TypeAlias = dict[tuple[str, Recursion], Value]


@dataclass(frozen=True, slots=True)
class Slot:
    """A part that a hole may contain, its value in all executions, and what it costs."""

    hole: str
    term: Term
    value: Value
    recursion: Recursion = Recursion.NONE

    @property
    def cost(self) -> int:
        """Its size."""
        return self.term.size


class Filling:
    """A sketch over some executions, and values of slots over them."""

    def __init__(
        self,
        sketch: Model,
        holes: Sequence[str],
        world: Executions,
        slots: Sequence[Slot],
        take: Callable[[Value], Value] | None = None,
    ) -> None:
        self.world = world
        self.slots = slots
        self.holes = holes
        self._take = take
        self._values: dict[int, Value] = {}
        self.evaluator = Evaluator(sketch, world)
        self.nothing: Value = (0,) * len(world.groups)

    def value(self, number: int) -> Value:
        """The value of a slot here."""
        found = self._values.get(number)
        if found is None:
            whole = self.slots[number].value
            found = self._values[number] = whole if self._take is None else self._take(whole)
        return found

    def forbidden(self, choice: Mapping[int, int]) -> int:
        """The executions that the sketch forbids, where slot i is chosen in the executions `choice[i]`."""
        self.evaluator.run(self.contents(choice))
        return self.evaluator.violated()

    def contents(self, choice: Mapping[int, int]) -> dict[str, Value]:
        """The value of each hole."""
        parts: Parts = {}
        for number, executions in choice.items():
            self._add(parts, number, executions)
        return self._holes(parts)

    def _add(self, parts: Parts, number: int, executions: int) -> None:
        """One more slot, chosen in these executions."""
        slot, value = self.slots[number], self.value(number)
        if executions != self.world.all:
            value = tuple(a & b for a, b in zip(value, self.world.chosen(executions), strict=True))
        key = (slot.hole, slot.recursion)
        before = parts.get(key, self.nothing)
        parts[key] = tuple(a | b for a, b in zip(before, value, strict=True))

    def _holes(self, parts: Parts) -> dict[str, Value]:
        return {hole: self._closed(hole, parts) for hole in self.holes}

    def _closed(self, hole: str, parts: Parts) -> Value:
        """The least value of a hole whose parts mention it."""
        start = parts.get((hole, Recursion.NONE), self.nothing)
        before = parts.get((hole, Recursion.BEFORE))
        after = parts.get((hole, Recursion.AFTER))
        square = parts.get((hole, Recursion.SQUARE))
        if before is None and after is None and square is None:
            return start
        value = start
        while True:
            more = [start]
            if before is not None:
                more.append(apply(self.world, Operator.COMPOSITION, before, value))
            if after is not None:
                more.append(apply(self.world, Operator.COMPOSITION, value, after))
            if square is not None:
                twice = apply(self.world, Operator.COMPOSITION, value, value)
                more.append(apply(self.world, Operator.INTERSECTION, twice, square))
            following = value
            for each in more:
                following = apply(self.world, Operator.UNION, following, each)
            if following == value:
                return value
            value = following

    # -- learning --------------------------------------------------------------------------------

    def grown(self, chosen: Sequence[int]) -> list[list[int]]:
        """For each execution, none of which the choice forbids: the slots outside of a largest choice that
        contains it and does not forbid the execution. One of them has to be chosen."""
        everything = self.world.all
        parts: Parts = {}
        for number in chosen:
            self._add(parts, number, everything)
        outside: list[list[int]] = [[] for _ in self.world.listed]
        inside = self._holes(parts)
        for number in self._others(chosen):
            slot = self.slots[number]
            if slot.recursion is Recursion.NONE and not _exceeds(self.value(number), inside[slot.hole]):
                continue
            more = dict(parts)
            self._add(more, number, everything)
            grown = self._holes(more)
            self.evaluator.run(grown)
            killed = self.evaluator.violated()
            if not killed:
                parts, inside = more, grown
            elif killed != everything:
                self._add(parts, number, everything & ~killed)
                inside = self._holes(parts)
            for execution in self.world.numbers(killed):
                outside[execution].append(number)
        return outside

    def shrunk(self, chosen: Sequence[int]) -> list[list[int]]:
        """For each execution, all of which the choice forbids: a least part of it that still does."""
        everything = self.world.all
        choice = dict.fromkeys(chosen, everything)
        for number in sorted(chosen, key=lambda each: -self.slots[each].cost):
            without = {other: mask for other, mask in choice.items() if other != number}
            alive = everything & ~self.forbidden(without)
            if alive:
                choice[number] = alive
            else:
                del choice[number]
        kept: list[list[int]] = [[] for _ in self.world.listed]
        for number, mask in choice.items():
            for execution in self.world.numbers(mask):
                kept[execution].append(number)
        return kept

    def _others(self, chosen: Sequence[int]) -> list[int]:
        """The slots that are not chosen and mean something here, small ones last: what is left outside is
        what one would like to choose."""
        taken = set(chosen)
        others = [
            number for number in range(len(self.slots)) if number not in taken and any(self.value(number))
        ]
        return sorted(others, key=lambda each: -self.slots[each].cost)


def _exceeds(value: Value, other: Value) -> bool:
    """Has the first a pair that the second has not?"""
    return any(a & ~b for a, b in zip(value, other, strict=True))
