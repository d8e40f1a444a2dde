"""A C program whose accesses are of any widths -> the same program where each cell has one width.

The one place that says which cells an object has. LLVM reads a small struct, a union or a row of bit-fields
as one word, and gives objects initial values by their own types, so declared cells and accesses, or several
accesses, overlap in parts. Writes (and atomic accesses) decide: a cell is what all writes to it write as a
whole. A wide access becomes accesses to all its cells, a narrow read one to the cell around it, and the
initial value of a cell is made of the bytes that were declared there.

An access that is taken apart is no longer one event, which makes no difference unless another thread's
accesses race with it: where that may be, it is tagged as a `PART` (see `questions.mixed_sizes`).
What cannot be done (an atomic access that overlaps others, places that are not known) is left as it is;
engines refuse accesses that overlap.
"""

from __future__ import annotations

from collections.abc import Iterable

from treville.fences import PART
from treville.programs import ir
from treville.programs.grids import COPY, Component, Footprint, Grid, Piece, is_copy, is_uniform, is_write
from treville.programs.padding import idle_padding
from treville.programs.places import Object, Places, Reached
from treville.programs.starting import bodies_run_once
from treville.records import dataclass, field, replace


def with_one_width_per_cell(program: ir.Program) -> ir.Program:
    """The program whose accesses go to whole cells, as far as its places are known."""
    places = Places(program)
    accesses = list(places.accesses())
    rewriting = _Rewriting(places, [Grid(each, ()) for each in places.objects])
    shared, once = places.shared(), bodies_run_once(program)
    known = all(reached.targets for reached in accesses)
    footprints: list[tuple[Reached, Footprint]] = []
    for group in _groups(len(places.objects), accesses):
        if is_uniform(group, places.objects):
            continue
        component = _solved(group, places.objects)
        footprints += zip(group, component.footprints, strict=True)
        if component.solve():
            rewriting.use(component, _may_race(group, shared, once, known))
    if known:
        rewriting.idle = idle_padding(footprints)
    return rewriting.program(program)


def _solved(group: list[Reached], objects: list[Object]) -> Component:
    """Cells for accesses. That an index leads out of its array, into what was declared as something else, is
    believed where it makes no difference (initial values may hide that it is all one array)."""
    component = Component(group, objects)
    anywhere = Component(group, objects, strict=False)
    if component.reaches_like(anywhere) or not anywhere.solve():
        return component
    worse = component.solve() and anywhere.taken_apart() > component.taken_apart()
    return component if worse else anywhere


# -- which accesses have to do with each other ------------------------------------------------------------


def _groups(objects: int, accesses: Iterable[Reached]) -> list[list[Reached]]:
    """Accesses that reach common objects."""
    leader = list(range(objects))

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = number = leader[leader[number]]
        return number

    known = [reached for reached in accesses if reached.targets]
    for reached in known:
        first, *others = map(find, reached.targets)
        for other in others:
            leader[find(other)] = find(first)
    groups: dict[int, list[Reached]] = {}
    for reached in known:
        groups.setdefault(find(next(iter(reached.targets))), []).append(reached)
    return list(groups.values())


def _may_race(group: list[Reached], shared: set[int], once: set[int], known: bool) -> bool:
    """May two threads reach the same memory, and one write it? `known`: all accesses to it are known."""
    reached = {target for access in group for target in access.targets}
    if reached.isdisjoint(shared) or not known:
        return not reached.isdisjoint(shared)
    if not any(map(is_write, group)):
        return False
    bodies = {access.body for access in group}
    return len(bodies) > 1 or not bodies <= once


# -- the program with these cells -------------------------------------------------------------------------


@dataclass
class _Rewriting:
    """Accesses by body and position: the `pieces` of some, which of these are a `PART`, and those that move
    padding that nobody looks at."""

    places: Places
    grids: list[Grid]
    pieces: dict[tuple[int, int], tuple[Piece, ...]] = field(default_factory=dict)
    parts: set[tuple[int, int]] = field(default_factory=set)
    idle: set[tuple[int, int]] = field(default_factory=set)
    made: int = 0

    def use(self, component: Component, may_race: bool) -> None:
        """Take the cells of some objects."""
        for number, grid in component.grids.items():
            self.grids[number] = grid
        self.pieces |= component.pieces()
        if may_race:
            self.parts |= {(each.body, each.position) for each in component.group if not is_copy(each)}

    def program(self, program: ir.Program) -> ir.Program:
        """The program with other accesses and initial values."""
        bodies = iter([self._body(number, body) for number, body in enumerate(program.bodies)])
        locations = {
            name: self._location(number, location)
            for number, (name, location) in enumerate(program.locations.items())
        }
        return replace(program.rewritten(lambda _: next(bodies)), locations=locations)

    def _location(self, number: int, location: ir.Location) -> ir.Location:
        grid = self.grids[number]
        if not grid.marks or not location.parts:
            return location
        cells = [(offset, size * 8) for offset, size in grid.cells()]
        if cells == [(offset, bits) for offset, bits, _ in location.parts]:
            return location
        return replace(location, parts=recomposed(location.parts, cells))

    def _body(self, number: int, body: ir.Thread) -> ir.Thread:
        private = dict(body.private)
        for name in body.private:
            grid = self.grids[self.places.private(number, name)]
            if grid.marks:
                private[name] = tuple((offset, size * 8) for offset, size in grid.cells())
        code = (self._instruction((number, at), each) for at, each in enumerate(body.instructions))
        return replace(body, private=private).rewritten(code)

    def _instruction(self, key: tuple[int, int], instruction: ir.Instruction) -> list[ir.Instruction]:
        if key in self.idle:
            return []
        if isinstance(instruction, ir.Load | ir.Store) and COPY in instruction.tags:
            instruction = replace(instruction, tags=instruction.tags - {COPY})
            if isinstance(instruction, ir.Load):
                instruction = replace(instruction, blind=True)
        pieces = self.pieces.get(key)
        if pieces is None:
            return [instruction]
        if isinstance(instruction, ir.Load | ir.Store) and key in self.parts:
            instruction = replace(instruction, tags=instruction.tags | {PART})
        if isinstance(instruction, ir.Load) and len(pieces) > 1 and instruction.unset:
            instruction = replace(instruction, blind=True)  # a struct as a number, as it is handed on
        if isinstance(instruction, ir.Load | ir.ReadPrivate):
            found = self._read(instruction, pieces)
        else:
            assert isinstance(instruction, ir.Store | ir.WritePrivate)
            found = self._write(instruction, pieces)
        for new in found:
            ir.place(new, instruction.text, instruction.span, instruction.index)
        return found

    def _read(self, access: ir.Load | ir.ReadPrivate, pieces: tuple[Piece, ...]) -> list[ir.Instruction]:
        """Read all cells, then put the value together."""
        code: list[ir.Instruction] = []
        found: list[tuple[Piece, str]] = []
        unset = access.unset if isinstance(access, ir.Load) else ""
        for piece in pieces:
            self.made += 1
            register = f"{access.register or '_'}:{self.made}"
            found.append((piece, register))
            read = _at(access, piece, register=register)
            if isinstance(read, ir.Load) and unset:
                code.append(ir.Local(f"{unset}:{self.made}", ir.Const(0)))
                read = replace(read, unset=f"{unset}:{self.made}")
            elif isinstance(read, ir.Load) and read.bits > access.bits:
                read = replace(read, looks=(-piece.start, -piece.start + access.bits // 8))
            code.append(read)
        if access.register is not None and found:
            code.append(ir.Local(access.register, _composed(found, access.bits)))
        if unset:
            there = [(piece, unset + name[len(access.register or "_") :]) for piece, name in found]
            code.append(ir.Local(unset, _composed(there, access.bits)))
        return code

    def _write(self, access: ir.Store | ir.WritePrivate, pieces: tuple[Piece, ...]) -> list[ir.Instruction]:
        """Write each cell's share of the value."""
        code: list[ir.Instruction] = []
        value = access.value
        if not isinstance(value, ir.Const | ir.Reg):
            self.made += 1
            code.append(ir.Local(f"written:{self.made}", value))
            value = ir.Reg(f"written:{self.made}")
        for piece in pieces:
            new = _at(access, piece, value=_share(value, piece, access.bits))
            if isinstance(new, ir.Store) and new.unset is not None:
                new = replace(new, unset=_share(new.unset, piece, access.bits))
            code.append(new)
        return code


def _composed(found: list[tuple[Piece, str]], bits: int) -> ir.Expr:
    """A value of what registers have of it."""
    whole: ir.Expr = ir.Const(0)
    for number, (piece, register) in enumerate(found):
        value: ir.Expr = ir.Op("zext", (ir.Reg(register),), piece.size * 8)
        if piece.start < 0:
            value = ir.Op("lshr", (ir.Reg(register), ir.Const(-8 * piece.start)), piece.size * 8)
        elif piece.start:
            value = ir.Op("shl", (value, ir.Const(8 * piece.start)), bits)
        whole = ir.Op("or", (whole, value), bits) if number else value
    return ir.Op("sext", (whole,), bits)


def _share(value: ir.Expr, piece: Piece, bits: int) -> ir.Expr:
    """What a cell gets of a value."""
    share = ir.Op("lshr", (value, ir.Const(8 * piece.start)), bits) if piece.start else value
    return ir.Op("sext", (share,), piece.size * 8)


def _at(
    access: ir.Load | ir.Store | ir.ReadPrivate | ir.WritePrivate, piece: Piece, **changed: ir.Expr | str
) -> ir.Instruction:
    """The access to one cell."""
    bits = piece.size * 8
    if isinstance(access, ir.ReadPrivate | ir.WritePrivate):
        return replace(access, offset=ir.plus(access.offset, piece.start), bits=bits, **changed)  # type: ignore[arg-type]
    return replace(access, address=ir.plus(access.address, piece.start), bits=bits, **changed)  # type: ignore[arg-type]


def recomposed(
    parts: Iterable[tuple[int, int, int]], cells: Iterable[tuple[int, int]]
) -> tuple[tuple[int, int, int], ...]:
    """Initial values of cells (offset, bits), by the bytes of what was declared.

    >>> recomposed([(0, 32, 1), (4, 32, 2)], [(0, 64)])
    ((0, 64, 8589934593),)
    """
    declared = sorted(parts)
    size = max((offset + bits // 8 for offset, bits, _ in declared), default=0)
    memory = bytearray(size)
    for offset, bits, value in declared:
        length = bits // 8
        memory[offset : offset + length] = (value & ((1 << bits) - 1)).to_bytes(length, "little")
    return tuple(
        (offset, bits, int.from_bytes(memory[offset : offset + bits // 8], "little", signed=True))
        for offset, bits in cells
    )
