"""How deep loops and recursion are unrolled, growing where runs were cut.

A loop that no run repeated beyond its bound need not be unrolled further, however deep the others are, so
only those that were cut get a larger bound. Work grows at least with the bounds, which double, so all
searches together cost little more than the last one (paper 004, section 4.4, has one bound for all loops).
"""

from __future__ import annotations

from collections.abc import Collection

from treville.programs.ir import Instruction, Place, Program, Stop
from treville.programs.loops import place_of
from treville.records import dataclass, field, replace

# `--bound auto` stops here; loops go on up to the second number if all that was done so far took little work.
DEEPEST = 16
DEEPEST_IF_CHEAP = 1_024
_SHALLOW = 2


@dataclass(slots=True)
class Depth:
    """Bounds of loops, and of recursion. `asked` is the bound for all of them, None to go on until the answer
    is conclusive or at `DEEPEST`, unless it is `cheap` to go on. Most mistakes show at a small bound, so the
    first search is shallow in any case."""

    asked: int | None
    cheap: bool = False
    bound: int = 1
    recursion: int = 1
    loops: dict[Place, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.asked is not None and self.asked <= _SHALLOW:
            self.bound = self.recursion = self.asked

    def apply(self, program: Program) -> Program:
        """The program with the bounds of its loops; those that it has already are the user's."""
        return replace(program, loop_bounds={**self.loops, **program.loop_bounds})

    @property
    def deepest(self) -> int:
        """The bound that the answer is for."""
        return self.asked or max(self.bound, self.recursion, *self.loops.values(), 1)

    def deepen(self, cut: Collection[Instruction], given: Collection[Place]) -> bool:
        """Raise the bounds of what was cut, all bounds where that is not known; false if none can be raised.
        Loops with `given` bounds keep them."""
        before = (self.bound, self.recursion, dict(self.loops))
        places = {place_of(instruction) for instruction in cut if not isinstance(instruction, Stop)}
        if not cut or any(isinstance(instruction, Stop) for instruction in cut):
            self.recursion = self._next(self.recursion, DEEPEST)
        for place in places:
            if place is not None and place not in given:
                self.loops[place] = self._next(self.loops.get(place, self.bound), self._deepest_loop)
        if not cut or None in places:
            self.bound = self._next(self.bound, self._deepest_loop)
            self.loops = {place: max(own, self.bound) for place, own in self.loops.items()}
        return before != (self.bound, self.recursion, self.loops)

    @property
    def _deepest_loop(self) -> int:
        return DEEPEST_IF_CHEAP if self.cheap else DEEPEST

    def _next(self, bound: int, deepest: int) -> int:
        if self.asked is not None:
            return self.asked
        return 2 * bound if 2 * bound <= deepest else bound
