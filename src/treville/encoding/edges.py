"""Pairs that hold whenever both events are executed -> few edges of the acyclic graph.

Program order and what follows from it relates each event of a thread to all later ones, so that pairs grow
with the square of a loop bound. Two ways to have fewer edges with the same paths:

* an edge is left out if two others make up for it in every execution that has its ends (*reduction*);
* events that lead to the same others share a *row*, a node of its own that leads there, and a row leads to
  smaller rows instead of to their members. An event leads to its row if it is executed. What is not executed
  has no way out, so that it does not matter where a row leads to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from treville.records import NamedTuple
from treville.relations import elements

# A row is a detour for the solver, so it has to save something.
_WORTH = 2
# How many smaller rows are tried as parts of a row.
_LOOKED_AT = 12


class Rows(NamedTuple):
    """Shared rows: `of` is the number of the row of each event (None: it leads nowhere); row i leads to the
    rows `parts[i]` and to the events `members[i]`."""

    of: list[int | None]
    parts: list[list[int]]
    members: list[int]

    def edges(self) -> int:
        """How many edges this takes."""
        first = sum(number is not None for number in self.of)
        return first + sum(map(len, self.parts)) + sum(mask.bit_count() for mask in self.members)


def shared(rows: Sequence[int]) -> Rows:
    """Rows shared by events, each made of smaller ones where there are some."""
    result = Rows([None] * len(rows), [], [])
    numbers: dict[int, int] = {}
    recent: list[int] = []
    for event in range(len(rows) - 1, -1, -1):
        row = rows[event]
        if not row:
            continue
        if row not in numbers:
            numbers[row] = len(result.parts)
            _take_apart(row, [*reversed(recent), *_first_of(rows, row)], numbers, result)
            recent = [*recent[1 - _LOOKED_AT :], row]
        result.of[event] = numbers[row]
    return result


def _first_of(rows: Sequence[int], row: int) -> Iterator[int]:
    """The rows of the first members of a row: in an order they are parts of it."""
    return (rows[member] for member in islice(elements(row), _LOOKED_AT))


def _take_apart(row: int, candidates: list[int], numbers: dict[int, int], result: Rows) -> None:
    left, parts = row, []
    for part in candidates:
        if part in numbers and part & ~row == 0 and part != row and (part & left).bit_count() > 1:
            parts.append(numbers[part])
            left &= ~part
            if left & left - 1 == 0:
                break
    result.parts.append(parts)
    result.members.append(left)


def worth_sharing(rows: Sequence[int], found: Rows) -> bool:
    """Do shared rows save enough edges?"""
    return sum(row.bit_count() for row in rows) > _WORTH * found.edges()
