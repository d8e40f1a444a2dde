"""A machine -> the initial states of its instance, as `init` and the assumptions describe them.

Unconstrained numbers are taken from the machine's bounds. Where combinations are too many, what nobody
mentions gets one value, and the rest is sampled, the same way every time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, product
from math import prod
from random import Random
from typing import Any

from treville.parameterised.backward.instances import arrangements, put_in
from treville.parameterised.states.machine import Buffers, Check, Machine, State, Values, compiled
from treville.parameterised.system import Cube, Disjunction, Literal, Property, terms_of


def initial_states(
    machine: Machine, assumptions: tuple[Property, ...] = (), known: Cube | None = None
) -> Iterator[State]:
    """Initial states; at most as many as the bounds say.

    With `known` literals only states that satisfy them, and what neither they nor `init` mention gets one
    arbitrary value.
    """
    buffers: Buffers = ((),) * machine.processes if machine.weak else ()
    start = _Start(machine, assumptions, known)
    for outside in (False, True):
        if outside and known is not None and _holds_everybody(machine, assumptions):
            return
        found = 0
        for values in start.values(outside=outside):
            found += 1
            yield values, buffers
        if found:
            return


def _holds_everybody(machine: Machine, assumptions: tuple[Property, ...]) -> bool:
    """Are there initial states whose process variables all name processes of the instance?"""
    state = next(initial_states(machine, assumptions), None)
    if state is None:
        return False
    slots = zip(state[0], machine.slot_symbol, strict=True)
    return all(value >= 0 for value, symbol in slots if symbol.type.kind == "proc")


class _Start:
    """What `init`, the assumptions and the known literals say: fixed values, and checks for the others."""

    def __init__(self, machine: Machine, assumptions: tuple[Property, ...], known: Cube | None) -> None:
        self.machine, self.known = machine, known
        self.checks = self._checks(assumptions)
        self.fixed: dict[int, Any] = {}
        for cubes, names in self._constraints():
            ready = put_in(cubes, names)
            if len(ready) == 1:
                for literal in ready[0]:
                    self._fix(literal)
        if known is not None:
            for literal in known:
                self._fix(literal)
            self.checks.append(compiled(f"lambda s: {machine.source((known,), {})}"))

    def _constraints(self) -> Iterator[tuple[Disjunction, dict[int, int]]]:
        """The parts of `init` with the processes that they speak of."""
        for constraint in self.machine.system.initial:
            for chosen in arrangements(range(self.machine.processes), constraint.count):
                yield constraint.cubes, {**self.machine.named, **dict(enumerate(chosen))}

    def _checks(self, assumptions: tuple[Property, ...]) -> list[Check]:
        machine, checks = self.machine, []
        for cubes, names in self._constraints():
            text = machine.source(cubes, names)
            if text != "True":
                checks.append(compiled(f"lambda s: {text}"))
        for assumption in assumptions:
            for chosen in arrangements(range(machine.processes), assumption.parameters):
                text = machine.source((assumption.cube,), {**machine.named, **dict(enumerate(chosen))})
                checks.append(compiled(f"lambda s: not ({text})"))
        return checks

    def _fix(self, literal: Literal) -> None:
        slots = self.machine.slots
        if literal[0] == "=":
            left, right = literal[1], literal[2]
            if left[0] in "kp":
                left, right = right, left
            if right[0] in "kp" and left[0] in "av":
                self.fixed[slots[left]] = right[1]
        elif literal[0] == "L" and literal[1] == "=" and len(literal[2]) == 1:
            (term, factor), constant = literal[2][0], literal[3]
            self.fixed[slots[term]] = -constant if factor == 1 else -constant / factor

    def values(self, *, outside: bool) -> Iterator[Values]:
        """Values that pass the checks. With `outside`, process variables name nobody of the instance:
        some files say so of a process that takes part in nothing."""
        found: set[Values] = set()
        limit = self.machine.bounds.initial_states
        narrow = wide = self._choices(outside=outside)
        if self.known is None:
            wide = self._choices(outside=outside, all_values=True)
        for values in chain(islice(product(*narrow), 50 * limit), _samples(wide, 2 * limit)):
            if values not in found and all(check(values) for check in self.checks):
                found.add(values)
                yield values
                if len(found) >= limit:
                    return

    def _choices(self, *, outside: bool, all_values: bool = False) -> list[tuple[Any, ...]]:
        """Per slot the values to try; what nobody mentions gets one value where all would be too many."""
        machine = self.machine
        choices = []
        for slot in range(len(machine.slots)):
            if slot in self.fixed:
                choices.append((self.fixed[slot],))
            elif outside and machine.slot_symbol[slot].type.kind == "proc":
                choices.append((-1,))
            else:
                choices.append(machine.any_value(slot))
        mentioned = self._mentioned()
        for kinds in (("abstract", "int", "real"), ("enum", "proc")):
            if all_values or (
                self.known is None and prod(map(len, choices)) <= machine.bounds.initial_states
            ):
                break
            for slot, symbol in enumerate(machine.slot_symbol):
                if slot not in mentioned and symbol.type.kind in kinds:
                    choices[slot] = choices[slot][:1]
        return choices

    def _mentioned(self) -> set[int]:
        """Slots that the known literals or the initial constraints of this instance mention."""
        slots = self.machine.slots
        cubes = [self.known or ()]
        for disjunction, names in self._constraints():
            cubes += put_in(disjunction, names)
        terms = {term for cube in cubes for literal in cube for term in terms_of(literal)}
        # Constants can be mentioned by assumptions alone.
        rigid = {slot for slot, symbol in enumerate(self.machine.slot_symbol) if symbol.rigid}
        return {slots[term] for term in terms if term in slots} | rigid


def _samples(choices: list[tuple[Any, ...]], count: int) -> Iterator[Values]:
    """Some of the combinations, the same ones every time; none where there is no choice."""
    random = Random(0)
    if all(choices) and prod(map(len, choices)) > 1:
        for _ in range(count):
            yield tuple(random.choice(values) for values in choices)
