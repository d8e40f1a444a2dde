"""A thread with loops -> copies of its instructions without a cycle, each loop unrolled to a bound.

A jump to the same or an earlier instruction is a backward jump; a thread may take the backward jumps to one
target `bound` times in all, and where it would take one more it is cut (herd7's `-unroll`). Copies are
kept apart by how often each loop that can still be repeated was repeated, so paths join again behind a loop
(paper 004, section 4.4; control flow as in section 4.5.1).

A copy says itself where it comes in the order: the counts of all loops, outermost first, then its position.
Whoever takes the smallest copy that was reached has seen all that lead to it, so copies are made only where a
walk really gets: loops nested in loops have very many, of which known conditions exclude most.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping
from typing import TypeAlias

from treville.programs.ir import Branch, IndirectBranch, Instruction, Thread
from treville.records import dataclass, field
from treville.results import BudgetExceeded

EXIT = -1
CUT = -2
WAIT = -3
MAX_STEPS = 200_000
MAX_REPETITIONS = 20_000

# When an edge is taken: always (None), if the branch's condition holds (True) or not (False), or if the
# indirect branch's target is that code address (an int).
Choice: TypeAlias = "bool | int | None"
Copy: TypeAlias = tuple[int, ...]
_GONE = 1 << 60  # the count of a loop that cannot be repeated any more: after all counts


class Unrolling:
    """The copies of a thread's instructions, made on demand.

    `bounds` gives the loops that start at certain positions bounds of their own. With `anew` an inner loop
    has its whole bound in each iteration of the outer one (as C's users expect), otherwise the bound is for
    all iterations together (as herd7's do). Backward jumps in `spins` lead nowhere: there the thread waits
    (see `programs.spin`)."""

    def __init__(
        self,
        thread: Thread,
        bound: int,
        bounds: Mapping[int, int] | None = None,
        anew: bool = False,
        spins: Collection[int] = (),
    ) -> None:
        self.bound = bound
        self.bounds = bounds or {}
        self.anew = anew
        self.spins = spins
        self.end = len(thread.instructions)
        self.edges = [_successors(thread, position) for position in range(self.end)]
        self.heads = sorted({to for at, edges in enumerate(self.edges) for _, to in edges if to <= at})
        self._index = {head: index for index, head in enumerate(self.heads)}
        masks = self._repeatable()
        self._alive = [tuple(bool(mask >> i & 1) for i in range(len(self.heads))) for mask in masks]

    def first(self) -> Copy:
        """The copy where the thread starts."""
        return (*(0 if alive else _GONE for alive in self._alive[0]), 0)

    def follow(self, copy: Copy, target: int, beyond: bool = False) -> Copy | int:
        """The copy that a step from a copy to a position leads to, or EXIT, CUT or WAIT; no cut with
        `beyond`."""
        position = copy[-1]
        if target > position:
            if target >= self.end:
                return EXIT
            if self._alive[target] == self._alive[position]:
                return (*copy[:-1], target)
            counts = copy
        else:
            if position in self.spins:
                return WAIT
            index = self._index[target]
            count = copy[index] + 1
            if count > self.bounds.get(target, self.bound) and not beyond:
                return CUT
            if count > MAX_REPETITIONS:
                raise BudgetExceeded("a loop that does not depend on memory runs too long", "shorten it")
            counts = (*copy[:index], count, *self._inner(copy, index, position))
        alive = self._alive[target]
        return (*(count if still else _GONE for count, still in zip(counts, alive, strict=False)), target)

    def _inner(self, copy: Copy, index: int, position: int) -> Copy:
        """The counts of the loops that start behind the one that is repeated."""
        rest = copy[index + 1 : -1]
        if not self.anew:
            return rest
        heads = self.heads[index + 1 :]
        return tuple(0 if head <= position else count for head, count in zip(heads, rest, strict=True))

    def _repeatable(self) -> list[int]:
        """For each position a mask of the loops that can still be repeated from there. With `anew` not those
        that can only be repeated after their count begins again in another iteration of an outer loop."""
        masks = [0] * (self.end + 1)
        inside = {
            (head, at): sum(1 << i for i, other in enumerate(self.heads) if head < other <= at)
            for at, edges in enumerate(self.edges)
            for _, head in edges
            if head <= at and self.anew
        }
        changed = True
        while changed:
            changed = False
            for position in reversed(range(self.end)):
                mask = masks[position]
                for _, target in self.edges[position]:
                    mask |= masks[target] & ~inside.get((target, position), 0)
                    if target <= position:
                        mask |= 1 << self._index[target]
                changed = changed or mask != masks[position]
                masks[position] = mask
        return masks


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


@dataclass(slots=True)
class Step:
    """One copy of the instruction at `position`; `edges` lead to later steps, to EXIT, CUT or WAIT."""

    position: int
    instruction: Instruction
    edges: list[tuple[Choice, int]] = field(default_factory=list)


def unroll(thread: Thread, unrolling: Unrolling) -> list[Step]:
    """All steps of a thread in an order in which every edge leads forward; the first one is the entry."""
    if not unrolling.end:
        return []
    edges: dict[Copy, list[tuple[Choice, Copy | int]]] = {}
    pending = [unrolling.first()]
    while pending:
        copy = heapq.heappop(pending)
        if copy in edges:
            continue
        if len(edges) >= MAX_STEPS:
            raise BudgetExceeded("a thread unrolls to too many instructions", "lower --bound")
        edges[copy] = [(when, unrolling.follow(copy, to)) for when, to in unrolling.edges[copy[-1]]]
        for _, following in edges[copy]:
            if not isinstance(following, int):
                heapq.heappush(pending, following)
    number = {copy: index for index, copy in enumerate(edges)}
    steps = []
    for copy, out in edges.items():
        leads = [(when, to if isinstance(to, int) else number[to]) for when, to in out]
        steps.append(Step(copy[-1], thread.instructions[copy[-1]], leads))
    return steps
