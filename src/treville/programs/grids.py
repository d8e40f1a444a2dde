"""Objects and the accesses that reach them -> cells that suit all accesses (see `programs.cells`)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import pairwise, takewhile
from math import gcd
from typing import TypeAlias

from treville.programs import ir
from treville.programs.places import Object, Reached, Spots
from treville.records import NamedTuple, dataclass, field

COPY = "COPY"  # the tag of accesses that may go cell by cell: what memcpy and memset do
LARGEST = 1024  # bytes of an object whose elements are looked at one by one
_WIDTHS = (8, 4, 2, 1)


class Piece(NamedTuple):
    """A cell that an access reaches: where it begins from the start of the access, and its bytes."""

    start: int
    size: int


def is_write(reached: Reached) -> bool:
    """Does the access write?"""
    return isinstance(reached.access, ir.Store | ir.StoreExclusive | ir.WritePrivate)


def is_whole(reached: Reached) -> bool:
    """Must the access stay one event?"""
    access = reached.access
    if isinstance(access, ir.ReadPrivate | ir.WritePrivate):
        return False
    plain = "NA" in access.tags and not isinstance(access, ir.StoreExclusive)
    return not plain or getattr(access, "link", False) or getattr(access, "exclusive", False)


def is_copy(reached: Reached) -> bool:
    """May the access go cell by cell, whatever cells there are?"""
    access = reached.access
    return not isinstance(access, ir.ReadPrivate | ir.WritePrivate) and COPY in access.tags


@dataclass
class Grid:
    """Where the cells of an object begin and end. A large object, or one of unknown size, with elements at
    computed places has the same cells in every `period` bytes."""

    object: Object
    steps: tuple[int, ...]
    marks: list[int] = field(default_factory=list)
    period: int = 0
    declared: set[tuple[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.declared = set(self.object.cells)
        if any(self.steps) and not 0 < self.object.size <= LARGEST:
            self.period = gcd(*self.steps)

    def same(self, place: int) -> int:
        """What stands for the place and for those like it."""
        return place % self.period if self.period else place

    def mark(self, place: int) -> bool:
        """Let a cell begin or end here; is that new?"""
        place = self.same(place)
        at = bisect_left(self.marks, place)
        if at < len(self.marks) and self.marks[at] == place:
            return False
        self.marks.insert(at, place)
        return True

    def inside(self, start: int, end: int) -> list[int]:
        """The marks between two places."""
        if not self.period:
            return self.marks[bisect_right(self.marks, start) : bisect_left(self.marks, end)]
        return [place for place in range(start + 1, end) if self._is_marked(place)]

    def _is_marked(self, place: int) -> bool:
        place = self.same(place)
        at = bisect_left(self.marks, place)
        return at < len(self.marks) and self.marks[at] == place

    def around(self, start: int, end: int) -> tuple[int, int]:
        """The beginning of the cell at `start` and the end of the one in front of `end`."""
        if self.period:
            below = next((p for p in range(start, start - self.period, -1) if self._is_marked(p)), start)
            above = next((p for p in range(end, end + self.period) if self._is_marked(p)), end)
            return below, above
        below = bisect_right(self.marks, start)
        above = bisect_left(self.marks, end)
        return (
            self.marks[below - 1] if below else start,
            self.marks[above] if above < len(self.marks) else end,
        )

    def instances(self, spots: Spots, width: int, strict: bool) -> list[int]:
        """Where an access of so many bytes may begin. At a computed index it stays in its array, if `strict`:
        where it begins at two declared cells of its width, it goes on as long as it finds such cells."""
        found: set[int] = set()
        for start, step in spots:
            if not step:
                found.add(start)
            elif self.period:
                found.add(start % self.period)
            else:
                first = start % step if self.object.is_private else max(start, start % step)
                places = range(first, self.object.size, step)
                array = list(takewhile(lambda place: (place, width * 8) in self.declared, places))
                found.update(array if len(array) > 1 and strict and not self.object.is_private else places)
        return sorted(found)

    def leads_out(self, start: int, width: int) -> bool:
        """Does an access of so many bytes begin inside of the object and end behind it?"""
        return not self.period and start < self.object.size < start + width

    def cells(self) -> list[tuple[int, int]]:
        """(offset, size) of all cells of an object of known size."""
        size = self.object.size
        marks = [0, *self.inside(0, size), size]
        return [piece for start, end in pairwise(marks) for piece in chopped(start, end)]


def chopped(start: int, end: int) -> list[tuple[int, int]]:
    """(offset, size) of cells of usual sizes between two places."""
    if end - start in _WIDTHS:
        return [(start, end - start)]
    found = []
    while start < end:
        size = next(w for w in _WIDTHS if start % w == 0 and start + w <= end)
        found.append((start, size))
        start += size
    return found


class Cell(NamedTuple):
    """A cell of a type, or of the `padding` between its members."""

    offset: int
    bits: int
    padding: bool = False


def padded(cells: Iterable[tuple[int, int]], size: int) -> list[Cell]:
    """The cells (offset, bits) within `size` bytes, with cells for what lies between them.

    >>> [tuple(cell) for cell in padded([(0, 8), (4, 32)], 6)]
    [(0, 8, False), (1, 8, True), (2, 16, True), (4, 16, False)]
    """
    found: list[Cell] = []
    at = 0
    for offset, bits in [*cells, (size, 0)]:
        start, end = min(offset, size), min(offset + bits // 8, size)
        found += [Cell(place, length * 8, padding=True) for place, length in chopped(at, start)]
        found += [Cell(place, length * 8) for place, length in chopped(max(at, start), end)]
        at = max(at, end)
    return found


def is_uniform(group: list[Reached], objects: list[Object]) -> bool:
    """Are all accesses and cells of some objects of one width, one beside the other? Most arrays are."""
    widths = {reached.access.bits for reached in group}
    targets = {target for reached in group for target in reached.targets}
    widths |= {bits for target in targets for _, bits in objects[target].cells}
    size = max(widths) // 8
    spots = {spot for reached in group for found in reached.targets.values() for spot in found}
    return (
        len(widths) == 1
        and size in _WIDTHS
        and all(start % size == 0 and step % size == 0 for start, step in spots)
        and all(offset % size == 0 for target in targets for offset, _ in objects[target].cells)
        and all(objects[target].size % size == 0 for target in targets)
    )


# What makes accesses alike.
_Kind: TypeAlias = tuple[int, bool, bool, bool, frozenset[tuple[int, Spots]]]


def _kind(reached: Reached) -> _Kind:
    told = is_write(reached), is_whole(reached), is_copy(reached)
    return (reached.access.bits, *told, frozenset(reached.targets.items()))


# An access and the places where it may begin.
Footprint: TypeAlias = list[tuple[Grid, int]]


class Component:
    """The cells of objects that have common accesses."""

    def __init__(self, group: list[Reached], objects: list[Object], strict: bool = True) -> None:
        """`strict`: accesses at computed indices stay in the arrays that were declared."""
        self.group = group
        steps: dict[int, set[int]] = {}
        for reached in group:
            for target, spots in reached.targets.items():
                steps.setdefault(target, set()).update(step for _, step in spots)
        self.grids = {target: Grid(objects[target], tuple(found)) for target, found in steps.items()}
        self.alike: dict[_Kind, tuple[Reached, Footprint]] = {}  # one of all accesses that are alike
        for reached in group:
            if (kind := _kind(reached)) not in self.alike:
                self.alike[kind] = (reached, self._footprint(reached, strict))
        self.footprints = [self.alike[_kind(reached)][1] for reached in group]

    def _footprint(self, reached: Reached, strict: bool) -> Footprint:
        """Where an access may begin."""
        return [
            (self.grids[target], start)
            for target, spots in reached.targets.items()
            for start in self.grids[target].instances(spots, bytes_of(reached), strict)
        ]

    def reaches_like(self, other: Component) -> bool:
        """Do accesses go to as many places as they do there?"""
        return [*map(len, self.footprints)] == [*map(len, other.footprints)]

    def solve(self) -> bool:
        """Find cells that suit all accesses; False if an access that must stay whole is in the way."""
        accesses = list(self.alike.values())
        decisive = [pair for pair in accesses if is_write(pair[0]) or is_whole(pair[0])]
        for reached, footprint in decisive:
            for grid, start in footprint:
                grid.mark(start)
                grid.mark(start + bytes_of(reached))
        for reached, footprint in accesses:
            for grid, start in footprint:
                if grid.leads_out(start, bytes_of(reached)):
                    grid.mark(grid.object.size)  # what is behind it is a cell that is in no object
        firm = [pair for pair in decisive if not is_copy(pair[0])]
        written = {id(grid): _inside(grid, firm) for grid in self.grids.values()}
        others = [pair for pair in accesses if not (is_write(pair[0]) or is_whole(pair[0]))]
        for reached, footprint in others:
            for grid, start in footprint:
                for place in (start, start + bytes_of(reached)):
                    if grid.same(place) not in written[id(grid)]:
                        grid.mark(place)
        self._keep_declared(accesses)
        while sum(self._settle(reached, footprint) for reached, footprint in accesses):
            pass
        return all(_pieces(*pair) == (Piece(0, bytes_of(pair[0])),) for pair in accesses if is_whole(pair[0]))

    def _keep_declared(self, accesses: list[tuple[Reached, Footprint]]) -> None:
        """What no access reaches across stays as it was declared."""
        for grid in self.grids.values():
            crossed = _inside(grid, [pair for pair in accesses if not is_copy(pair[0])])
            for offset, bits in grid.object.cells:
                for place in (offset, offset + bits // 8):
                    if grid.same(place) not in crossed:
                        grid.mark(place)

    def _settle(self, reached: Reached, footprint: Footprint) -> bool:
        """Let all places of an access have cells alike, of usual sizes; does that change any?"""
        width, changed = bytes_of(reached), False
        shapes = [_shape(grid, start, width) for grid, start in footprint]
        marks = {piece.start for shape in shapes for piece in shape if 0 < piece.start < width}
        if len(set(shapes)) > 1:
            marks |= {0, width}
        for shape in shapes:
            for piece in shape:
                if piece.size not in _WIDTHS:
                    marks |= {at for at, _ in chopped(piece.start, piece.start + piece.size)}
        for grid, start in footprint:
            for place in marks:
                changed |= grid.mark(start + place)
        return changed

    def taken_apart(self) -> int:
        """How many kinds of accesses that are no copies are taken apart."""
        firm = [pair for pair in self.alike.values() if not is_copy(pair[0])]
        return sum(_pieces(*pair) not in ((), (Piece(0, bytes_of(pair[0])),)) for pair in firm)

    def pieces(self) -> dict[tuple[int, int], tuple[Piece, ...]]:
        """The cells of each access, for those that reach other than one of their own width."""
        found = {}
        of_kind = {kind: _pieces(*pair) for kind, pair in self.alike.items()}
        for reached in self.group:
            pieces = of_kind[_kind(reached)]
            if pieces and pieces != (Piece(0, bytes_of(reached)),):
                found[reached.body, reached.position] = pieces
        return found


def bytes_of(reached: Reached) -> int:
    """How many bytes an access reaches."""
    return max(1, (reached.access.bits + 7) // 8)


def _inside(grid: Grid, accesses: list[tuple[Reached, Footprint]]) -> set[int]:
    """The places strictly inside of what accesses reach in an object."""
    return {
        grid.same(place)
        for reached, footprint in accesses
        for to, start in footprint
        if to is grid
        for place in range(start + 1, start + bytes_of(reached))
    }


def _shape(grid: Grid, start: int, width: int) -> tuple[Piece, ...]:
    """The cells that an access at a place reaches."""
    below, above = grid.around(start, start + width)
    marks = [below, *grid.inside(below, above), above]
    return tuple(Piece(begin - start, end - begin) for begin, end in pairwise(marks))


def _pieces(reached: Reached, footprint: Footprint) -> tuple[Piece, ...]:
    """The cells of an access, which are alike wherever it goes."""
    return _shape(*footprint[0], bytes_of(reached)) if footprint else ()
