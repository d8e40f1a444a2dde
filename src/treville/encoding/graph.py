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
from typing import NamedTuple

from treville.relations import Relation, elements

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


def reduced(rows: Sequence[int], implied: Sequence[int], implying: Sequence[int]) -> list[int]:
    """Rows without the pairs that two others make up for: `implied[e]` are the events that are executed
    whenever e is, `implying[e]` those that e is executed with. Rows that form a circle stay as they are."""
    if not Relation(list(rows)).is_acyclic():
        return list(rows)
    kept = []
    for source, row in enumerate(rows):
        left = candidates = row
        while candidates:
            low = candidates & -candidates
            middle = low.bit_length() - 1
            covered = rows[middle] & row
            if not implied[source] >> middle & 1:
                covered &= implying[middle]
            left &= ~covered
            candidates &= ~(covered | low)
        kept.append(left)
    return kept


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


def strong_components(rows: Sequence[int]) -> Iterator[int]:
    """The sets of nodes that lead to each other, each once. A path is followed, and what it comes back to is
    merged with all that it went through (P. Purdom, BIT 10, 1970): one operation on sets for each node."""
    done = 0
    for root in range(len(rows)):
        if done >> root & 1:
            continue
        path = [(1 << root, rows[root])]
        on_path = 1 << root
        while path:
            members, following = path.pop()
            following &= ~(done | members)
            if following & on_path & ~members:
                others, theirs = path.pop()
                path.append((others | members, theirs | following))
            elif following:
                path.append((members, following))
                node = following & -following
                path.append((node, rows[node.bit_length() - 1]))
                on_path |= node
            else:
                on_path ^= members
                done |= members
                yield members
