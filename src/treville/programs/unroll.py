"""A thread with loops -> an acyclic graph of instruction copies, each loop unrolled to a bound.

A jump to the same or an earlier instruction is a backward jump; a thread may take the backward jumps to one
target `bound` times in all, and where it would take one more it is cut (herd7's `-unroll`). Copies are
kept apart by how often each loop that can still be repeated was repeated, so paths join again behind a loop
(paper 004, section 4.4; control flow as in section 4.5.1).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TypeAlias

from treville.programs.ir import Branch, IndirectBranch, Instruction, Thread
from treville.results import BudgetExceeded

EXIT = -1
CUT = -2
WAIT = -3
MAX_STEPS = 200_000

# When an edge is taken: always (None), if the branch's condition holds (True) or not (False), or if the
# indirect branch's target is that code address (an int).
Choice: TypeAlias = "bool | int | None"
Counts: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Step:
    """One copy of the instruction at `position`; `edges` lead to later steps, to EXIT, CUT or WAIT."""

    position: int
    instruction: Instruction
    edges: list[tuple[Choice, int]] = field(default_factory=list)


@dataclass(slots=True)
class Unrolled:
    """The steps of a thread in an order in which every edge leads forward; the first one is the entry."""

    steps: list[Step]
    may_be_cut: bool = False


def unroll(
    thread: Thread,
    bound: int,
    bounds: dict[int, int] | None = None,
    anew: bool = False,
    spins: Collection[int] = (),
) -> Unrolled:
    """Unroll every loop of the thread; linear in the number of copies. `bounds` gives the loops that start
    at certain positions bounds of their own. With `anew` an inner loop has its whole bound in each round of
    the outer one (as C's users expect), otherwise the bound is for all rounds together (as herd7's do).
    Backward jumps in `spins` lead nowhere: there the thread waits (see `programs.spin`)."""
    bounds = bounds or {}
    instructions = thread.instructions
    end = len(instructions)
    if end == 0:
        return Unrolled([])
    repeatable = _repeatable(thread, anew)
    start: tuple[int, Counts] = (0, ())
    edges: dict[tuple[int, Counts], list[tuple[Choice, tuple[int, Counts] | int]]] = {}
    order: list[tuple[int, Counts]] = []
    stack: list[tuple[tuple[int, Counts], bool]] = [(start, False)]
    while stack:
        copy, finished = stack.pop()
        if finished:
            order.append(copy)
            continue
        if copy in edges:
            continue
        if len(edges) >= MAX_STEPS:
            raise BudgetExceeded("a thread unrolls to too many instructions", "lower --bound")
        position, counts = copy
        out = edges[copy] = []
        stack.append((copy, True))
        for choice, target in _successors(thread, position):
            limit = bounds.get(target, bound)
            kept = _outside(counts, target, position) if anew and target <= position else counts
            following: tuple[int, Counts] | int = WAIT
            if target > position or position not in spins:
                following = _follow(position, target, kept, limit, repeatable, end)
            out.append((choice, following))
            if not isinstance(following, int):
                stack.append((following, False))
    return _number(instructions, edges, order[::-1])


def _successors(thread: Thread, position: int) -> list[tuple[Choice, int]]:
    instruction = thread.instructions[position]
    if isinstance(instruction, Branch):
        target = thread.labels[instruction.target]
        if instruction.condition is None:
            return [(None, target)]
        return [(True, target), (False, position + 1)]
    if isinstance(instruction, IndirectBranch):
        return [(address, thread.labels[label]) for address, label in thread.code_addresses.items()]
    return [(None, position + 1)]


def _repeatable(thread: Thread, anew: bool) -> list[frozenset[int]]:
    """For each position the targets of backward jumps that can still be taken from there. With `anew` not
    those that can only be taken after their count begins again in another round of an outer loop."""
    end = len(thread.instructions)
    targets: list[set[int]] = [set() for _ in range(end + 1)]
    successors = [_successors(thread, position) for position in range(end)]
    changed = True
    while changed:
        changed = False
        for position in reversed(range(end)):
            before = len(targets[position])
            for _, target in successors[position]:
                if target > position:
                    targets[position] |= targets[target]
                    continue
                inside = range(target + 1, position + 1) if anew else range(0)
                targets[position] |= {found for found in targets[target] if found not in inside}
                targets[position].add(target)
            changed = changed or len(targets[position]) != before
    return [frozenset(found) for found in targets]


def _outside(counts: Counts, target: int, position: int) -> Counts:
    """The counts without those of loops inside the one that is repeated."""
    return tuple(item for item in counts if not target < item[0] <= position)


def _follow(
    position: int, target: int, counts: Counts, bound: int, repeatable: list[frozenset[int]], end: int
) -> tuple[int, Counts] | int:
    """The copy that a step from `position` to `target` leads to, or EXIT or CUT."""
    if target >= end:
        return EXIT
    taken = dict(counts)
    if target <= position:
        taken[target] = taken.get(target, 0) + 1
        if taken[target] > bound:
            return CUT
    return target, tuple(sorted(item for item in taken.items() if item[0] in repeatable[target]))


def _number(
    instructions: list[Instruction],
    edges: dict[tuple[int, Counts], list[tuple[Choice, tuple[int, Counts] | int]]],
    order: list[tuple[int, Counts]],
) -> Unrolled:
    number = {copy: index for index, copy in enumerate(order)}
    result = Unrolled([])
    for copy in order:
        step = Step(copy[0], instructions[copy[0]])
        for choice, following in edges[copy]:
            target = following if isinstance(following, int) else number[following]
            step.edges.append((choice, target))
            result.may_be_cut = result.may_be_cut or target == CUT
        result.steps.append(step)
    return result
