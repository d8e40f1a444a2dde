"""The loops of a program, by the places where people see them, and the bounds that people give them.

A loop is a backward jump and what lies between it and its target. What is inlined in several threads is one
line of the source, so a bound given for that line holds for all copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from treville.programs.ir import Instruction, Place, Program, Thread
from treville.programs.spin import Obstacle, backward_jumps, obstacle
from treville.records import NamedTuple
from treville.results import InputError


class Loop(NamedTuple):
    """A loop of a thread: the positions of its first instruction and of the jump back, and what keeps it from
    only waiting, if anything."""

    thread: str
    head: int
    jump: int
    place: Place | None
    obstacle: Obstacle | None


def loops_of(program: Program) -> list[Loop]:
    """All loops, thread by thread."""
    found = []
    for name, thread in [("main", program.threads[0]), *program.functions.items()]:
        for jump, head in backward_jumps(thread):
            place = place_of(thread.instructions[jump])
            found.append(Loop(name, head, jump, place, obstacle(thread, head, jump)))
    return found


def place_of(instruction: Instruction) -> Place | None:
    """Where an instruction stands in the source, if that is known."""
    span = instruction.span
    return None if span is None else (span.file, span.line)


def bounds_of_heads(thread: Thread, bounds: Mapping[Place, int]) -> dict[int, int]:
    """The bounds of those loops of a thread that have one of their own, by the loop's first position."""
    found: dict[int, int] = {}
    for jump, head in backward_jumps(thread) if bounds else ():
        place = place_of(thread.instructions[jump])
        if place is not None and place in bounds:
            found[head] = max(bounds[place], found.get(head, 0))
    return found


def given_bounds(program: Program, wanted: Iterable[str]) -> dict[Place, int]:
    """The bounds that `LINE=K` or `FILE:LINE=K` give to loops; refuses lines on which no loop is."""
    places = sorted({loop.place for loop in loops_of(program) if loop.place is not None})
    bounds: dict[Place, int] = {}
    for text in wanted:
        where, _, bound = text.rpartition("=")
        file, _, line = where.rpartition(":")
        if not (line.isdecimal() and bound.isdecimal() and int(bound) > 0):
            raise InputError(f"'{text}' is not a bound of a loop", hint="write LINE=K or FILE:LINE=K")
        meant = [place for place in places if place[1] == int(line) and _is_in(place[0], file)]
        if not meant:
            raise InputError(f"there is no loop in line {where}", hint=_known(places))
        bounds.update(dict.fromkeys(meant, int(bound)))
    return bounds


def _is_in(file: str, given: str) -> bool:
    return not given or Path(file) == Path(given) or Path(file).name == given


def _known(places: list[Place]) -> str:
    if not places:
        return "the program has no loops"
    return "loops are in " + ", ".join(f"{file}:{line}" for file, line in places)
