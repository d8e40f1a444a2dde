"""The locations of a sequential program: their numbers, names, addresses, and what they hold at first.

Those that have names in the code come with their own numbers. Those that are reached through computed
addresses alone may be fewer than there are: then any so many of them are tracked, each run chooses which, and
runs that need another one do not count (paper 001, section IV: `V` locations, addresses arbitrary but fixed).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from treville.sequential.plan import Plan


class Locations:
    """Locations with lists first, then those that are chosen, then those without lists. `buffered`: are there
    lists at all? `most`: so many locations behind addresses are tracked, 0 for all."""

    def __init__(self, plan: Plan, buffered: bool, most: int) -> None:
        steps = [step for thread in plan.threads for step in thread.steps]
        by_name = {step.cells[0] for step in steps if len(step.cells) == 1}
        behind = [cell for cell in plan.cells if cell not in by_name]
        self.plan, self.buffered = plan, buffered
        self.by_address = any(len(step.cells) > 1 for step in steps)
        self.behind = len(behind)
        self.choices = behind if 0 < most < len(behind) else []
        self.slots = most if self.choices else 0
        kept = [cell for cell in plan.cells if cell not in self.choices]
        plain = {cell for cell in plan.plain if buffered}
        self.first = [cell for cell in kept if cell not in plain]
        self.last = [cell for cell in kept if cell in plain]
        shown = [plan.symbolic.program.show_value(cell) for cell in (*self.first, *self.last)]
        self.names = dict(zip((*self.first, *self.last), _names(shown), strict=True))

    @property
    def lists(self) -> int:
        """How many locations the abstraction has."""
        return len(self.first) + self.slots

    @property
    def count(self) -> int:
        """How many locations there are."""
        return self.lists + len(self.last)

    def text(self) -> str:
        """Numbers, contents and addresses."""
        numbered = [*enumerate(self.first), *enumerate(self.last, self.lists)]
        program = self.plan.symbolic.program
        lines = ["/* The locations. */", "enum {"]
        lines += [
            f"    {self.names[cell]} = {place}, /* {program.show_value(cell)} */" for place, cell in numbered
        ] or ["    NOTHING_HAS_A_NAME"]
        lines += ["};", "/* What each location holds at first. */"]
        lines.append(f"static word initial[V] = {{{_list(self._initial(self.first))}}};")
        if self.last:
            lines.append(f"static word plain[PLAIN] = {{{_list(self._initial(self.last))}}};")
        if self.by_address:
            addresses = [*self.first, *[0] * self.slots, *self.last]
            lines.append("/* Where each location is. */")
            lines.append(f"static long long address[{self.count}] = {{{_list(addresses)}}};")
        return "\n".join([*lines, *self._chosen()])

    def _chosen(self) -> Iterator[str]:
        if not self.slots:
            return
        first, count = len(self.first), len(self.choices)
        initial = _list(self._initial(self.choices))
        yield f"/* Of the others {self.slots} are tracked, whichever the run chooses. */"
        yield f"static long long other_address[{count}] = {{{_list(self.choices)}}};"
        yield f"static word other_initial[{count}] = {{{initial}}};"
        yield "void choose_locations(void)"
        yield "{"
        yield "    uint least = 0;"
        yield f"    for (uint v = {first}; v < {first + self.slots}; v++) {{"
        yield f"        uint i = guess({count});"
        yield "        assume(i >= least);"
        yield "        least = i + 1;"
        yield "        address[v] = other_address[i];"
        yield "        initial[v] = other_initial[i];"
        yield "    }"
        yield "}"

    def _initial(self, cells: Sequence[int]) -> list[int]:
        return [self.plan.facts.values.initial.get(cell, 0) for cell in cells]


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers) or "0"


def _names(shown: Sequence[str]) -> list[str]:
    """Names of C for locations, all different."""
    found: list[str] = []
    for name in shown:
        plain = "at_" + re.sub(r"\W+", "_", name).strip("_")
        found.append(plain if plain not in found else f"{plain}_{len(found)}")
    return found
