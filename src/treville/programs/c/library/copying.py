"""Memory: copying and filling.

Copies go piece by piece. The pieces are the cells of a variable where its type is known, else words; what
does not suit the cells that the rest of the program uses is cut to them by `programs.cells`.
"""

from __future__ import annotations

from collections.abc import Callable

from treville.programs import ir
from treville.programs.c.library import variable_arguments
from treville.programs.c.library.calls import ONE, ZERO, Call, Handler
from treville.programs.c.library.intrinsics import intrinsic
from treville.programs.c.library.layouts import repeated, used_as
from treville.programs.c.llvm import size_of
from treville.programs.grids import Cell, chopped, padded

_COPIES = ("llvm.memcpy", "llvm.memmove")
_MOST_COMPARED = 64  # bytes that are compared without a loop
_ONES = 0x0101010101010101


def llvm_function(here: Call) -> None:
    """LLVM's own functions."""
    if here.name.startswith("llvm.memset"):
        _fill(here)
    elif here.name.startswith(_COPIES):
        _copy(here)
    elif here.name.startswith("llvm.va_start"):
        variable_arguments.start(here)
    elif here.name.startswith("llvm.va_copy"):
        variable_arguments.copy(here)
    elif not intrinsic(here):
        raise here.body.unsupported(f"the LLVM intrinsic {here.name}")


# -- pieces ---------------------------------------------------------------------------------------------


def _pieces(here: Call, length: int, *operands: int) -> list[Cell]:
    """The pieces of what a copy or a fill is about, by what the operands point to."""
    for number in operands:
        cells = here.body.memory.cells_of(here.frame, here.operands[number][1])
        if cells:
            return padded(cells, length)
    for number in operands:
        kind = used_as(here, here.operands[number][1])
        if kind is not None and size_of(kind):
            return padded(repeated(here, kind, length), length)
    return padded([(offset, size * 8) for offset, size in chopped(0, length)], length)


def _step(here: Call, *operands: int) -> int:
    """The bytes of the cells behind pointers if all are alike, else 1."""
    for number in operands:
        cells = here.body.memory.cells_of(here.frame, here.operands[number][1])
        kind = used_as(here, here.operands[number][1]) if cells is None else None
        cells = here.body.memory.layout(kind) if kind is not None else cells
        widths = {bits for _, bits in cells or ()}
        if widths:
            return widths.pop() // 8 if len(widths) == 1 else 1
    return 1


def _for_each(here: Call, step: int, does: Callable[[ir.Expr], None], backwards: bool = False) -> None:
    """Code that does something for each `step` bytes of as many as the third argument says."""
    body, length = here.body, _length(here)
    at, again, done = ir.Reg(body.fresh("at")), body.fresh("piece"), body.fresh("all pieces")
    if step > 1:
        whole = body.fresh("whole pieces")
        body.emit(ir.Branch(whole, ir.Op("eq", (ir.Op("urem", (length, ir.Const(step)), 64), ZERO), 64)))
        body.emit(ir.Stop(cut=True, reason="a copy that ends inside of an element"))
        body.label(whole)
    body.set(at.name, length if backwards else ZERO)
    body.label(again)
    body.emit(ir.Branch(done, ir.Op("uge", (ZERO, at) if backwards else (at, length), 64)))
    if backwards:
        body.set(at.name, ir.Op("sub", (at, ir.Const(step)), 64))
    does(at)
    if not backwards:
        body.set(at.name, ir.Op("add", (at, ir.Const(step)), 64))
    body.emit(ir.Branch(again))
    body.label(done)


def _length(here: Call) -> ir.Expr:
    """The length of a copy, computed once."""
    return here.body.set(here.body.fresh("length"), here.argument(2))


# -- copying and filling ----------------------------------------------------------------------------------


def _fill(here: Call) -> None:
    """memset."""
    memory, frame, target = here.body.memory, here.frame, here.operands[0]
    length = here.argument(2)
    if isinstance(length, ir.Const):
        for cell in _pieces(here, length.value, 0):
            value = _bytes(here, cell.bits)
            new = here.body.set(memory.copied(cell), value) if cell.padding else value
            memory.write_cell(frame, target, cell, new)
        return
    step = _step(here, 0)
    element = Cell(0, step * 8)
    filled = here.body.set(here.body.fresh("bytes"), _bytes(here, element.bits))
    _for_each(here, step, lambda at: memory.write_cell(frame, target, element, filled, at))


def _bytes(here: Call, bits: int) -> ir.Expr:
    """The byte of a memset, as often as it fits."""
    byte = here.argument(1)
    if isinstance(byte, ir.Const):
        return ir.Const(int.from_bytes(bytes([byte.value & 255]) * (bits // 8), "little"))
    return ir.Op("mul", (ir.Op("zext", (byte,), 8), ir.Const(_ONES & ((1 << bits) - 1))), bits)


def _copy(here: Call) -> None:
    """memcpy and memmove; what is of a known length is all read before anything is written."""
    memory, frame, target, source = here.body.memory, here.frame, here.operands[0], here.operands[1]
    length = here.argument(2)
    if isinstance(length, ir.Const):
        _require_apart(here, length)
        pieces = _pieces(here, length.value, 0, 1)
        values = [memory.read_cell(frame, source, cell) for cell in pieces]
        for cell, value in zip(pieces, values, strict=True):
            memory.write_cell(frame, target, cell, value)
        return
    _require_apart(here, length)
    step = _step(here, 0, 1)

    def one(at: ir.Expr) -> None:
        value = memory.read_cell(frame, source, Cell(0, step * 8), at)
        memory.write_cell(frame, target, Cell(0, step * 8), value, at)

    places = [memory.place_of(frame, operand[1]) for operand in (target, source)]
    if "memmove" not in here.name or (places[0] or target)[0] != (places[1] or source)[0]:
        _for_each(here, step, one)
        return
    ends = [here.argument(number) if place is None else place[1] for number, place in enumerate(places)]
    _move(here, step, ends, one)


def _require_apart(here: Call, length: ir.Expr) -> None:
    """What memcpy copies does not overlap with its target; an object may be assigned to itself."""
    places = [here.body.memory.place_of(here.frame, operand[1]) for operand in here.operands[:2]]
    objects = {place[0] if place is not None else "" for place in places}
    if "memcpy" not in here.name or len(objects) > 1:
        return
    target, source = (place[1] if place is not None else here.argument(n) for n, place in enumerate(places))
    apart: ir.Expr
    if isinstance(length, ir.Const) and isinstance(target, ir.Const) and isinstance(source, ir.Const):
        apart = ir.Const(int(abs(target.value - source.value) >= length.value or target == source))
    else:
        distance = ir.Op("sub", (target, source), 64)
        back = ir.Op("sub", (source, target), 64)
        far = ir.Select(ir.Op("uge", (distance, length), 64), ir.Op("uge", (back, length), 64), ZERO)
        apart = ir.Select(ir.Op("eq", (target, source), 64), ONE, far)
    if apart != ONE:
        told = "a copy by memcpy between places that overlap is reached"
        here.body.emit(ir.Assert(apart, told, undefined=True, fatal=False))


def _move(here: Call, step: int, ends: list[ir.Expr], one: Callable[[ir.Expr], None]) -> None:
    """memmove: backwards where the target is behind the source."""
    body, behind, done = here.body, here.body.fresh("behind"), here.body.fresh("moved")
    body.emit(ir.Branch(behind, ir.Op("ugt", (ends[0], ends[1]), 64)))
    _for_each(here, step, one)
    body.emit(ir.Branch(done))
    body.label(behind)
    _for_each(here, step, one, backwards=True)
    body.label(done)


# -- comparing ----------------------------------------------------------------------------------------------

_BYTE = Cell(0, 8)


def _compare(here: Call) -> None:
    """memcmp: the difference of the first bytes that differ."""
    body, length = here.body, here.argument(2)
    if not isinstance(length, ir.Const) or length.value > _MOST_COMPARED:
        _compare_one_by_one(here)
        return
    result: ir.Expr = ZERO
    for offset in reversed(range(length.value)):
        difference = _difference(here, ir.Const(offset))
        result = body.set(body.fresh("compared"), ir.Select(difference, difference, result))
    here.returns(result)


def _difference(here: Call, at: ir.Expr) -> ir.Expr:
    """Of two bytes."""
    bytes_there = [here.body.memory.read_cell(here.frame, here.operands[n], _BYTE, at) for n in (0, 1)]
    unsigned = tuple(ir.Op("zext", (byte,), 8) for byte in bytes_there)
    return here.body.set(here.body.fresh("difference"), ir.Op("sub", unsigned, 32))


def _compare_one_by_one(here: Call) -> None:
    """Until bytes differ."""
    body, length = here.body, _length(here)
    at, again, done = ir.Reg(body.fresh("at")), body.fresh("byte"), body.fresh("compared")
    result = body.set(body.fresh("result"), ZERO)
    body.set(at.name, ZERO)
    body.label(again)
    body.emit(ir.Branch(done, ir.Op("uge", (at, length), 64)))
    body.set(result.name, _difference(here, at))
    body.set(at.name, ir.Op("add", (at, ir.Const(1)), 64))
    body.emit(ir.Branch(again, ir.Op("eq", (result, ZERO), 32)))
    body.label(done)
    here.returns(result)


def _returning_target(handler: Handler) -> Handler:
    """The C functions return their first argument."""

    def handle(here: Call) -> None:
        handler(here)
        if here.instruction.result is not None:
            here.returns(here.argument(0))

    return handle


def _checked(handler: Handler) -> Handler:
    """A function of a fortified library: the last argument is the object's size, which is known anyway."""

    def handle(here: Call) -> None:
        here.operands = here.operands[:3]
        handler(here)

    return handle


_WRITING: dict[str, Handler] = {
    "memset": _returning_target(_fill),
    "memcpy": _returning_target(_copy),
    "memmove": _returning_target(_copy),
}
FUNCTIONS: dict[str, Handler] = {
    **_WRITING,
    **{f"__{name}_chk": _checked(handler) for name, handler in _WRITING.items()},
    "memcmp": _compare,
    "bcmp": _compare,
}
