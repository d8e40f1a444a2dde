"""Memory: copying and filling.

Copies go cell by cell, so the layout must be known: that of a variable, or for the heap that of the struct of
that size. Where the guess is wrong, cells overlap in parts, which the analysis refuses.
"""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.library.calls import Call, Handler
from treville.programs.c.library.intrinsics import intrinsic
from treville.programs.c.library.layouts import repeated, used_as
from treville.programs.c.llvm import StructType, size_of

_COPIES = ("llvm.memcpy", "llvm.memmove")


def llvm_function(here: Call) -> None:
    """LLVM's own functions."""
    if here.name.startswith("llvm.memset"):
        _fill(here)
    elif here.name.startswith(_COPIES):
        _copy(here)
    elif here.name.startswith("llvm.objectsize"):
        here.returns(ir.Const(-1))
    elif not intrinsic(here):
        raise here.body.unsupported(f"the LLVM intrinsic {here.name}")


# -- copying --------------------------------------------------------------------------------------------


def _cells(here: Call, *operands: int) -> list[tuple[int, int]]:
    """The cells that a copy or a fill is about, by what the operands point to."""
    length = here.argument(2)
    if not isinstance(length, ir.Const):
        raise here.body.unsupported(f"{_plain(here)} of a length that is not constant")
    for number in operands:
        cells = here.body.memory.cells_of(here.frame, here.operands[number][1])
        if cells is not None and (found := _up_to(cells, length.value)):
            return found
    for number in operands:
        kind = used_as(here, here.operands[number][1])
        if kind is not None and length.value % max(1, size_of(kind)) == 0:
            return repeated(here, kind, length.value)
    layouts = {tuple(here.body.memory.layout(k)) for k in _structs(here) if size_of(k) == length.value}
    if len(layouts) == 1:
        return list(layouts.pop())
    raise here.body.unsupported(f"{_plain(here)} of memory whose layout is not known")


def _plain(here: Call) -> str:
    return next((name for name in ("memset", "memmove", "memcpy") if name in here.name), here.name)


def _up_to(cells: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    return [(offset, bits) for offset, bits in cells if offset + bits // 8 <= length]


def _structs(here: Call) -> set[StructType]:
    module = here.body.translation.module
    return {kind for kind in module.types if isinstance(kind, StructType)}


def _fill(here: Call) -> None:
    """memset with a byte that is known."""
    byte = here.argument(1)
    if not isinstance(byte, ir.Const):
        raise here.body.unsupported("memset with a byte that is not constant")
    for offset, bits in _cells(here, 0):
        value = int.from_bytes(bytes([byte.value & 255]) * (bits // 8), "little")
        here.body.memory.write_cell(here.frame, here.operands[0], offset, ir.Const(value), bits)


def _copy(here: Call) -> None:
    """memcpy; all is read before anything is written, as memmove needs."""
    memory, cells = here.body.memory, _cells(here, 0, 1)
    values = [memory.read_cell(here.frame, here.operands[1], offset, bits) for offset, bits in cells]
    for (offset, bits), value in zip(cells, values, strict=True):
        memory.write_cell(here.frame, here.operands[0], offset, value, bits)


def _returning_target(handler: Handler) -> Handler:
    """The C functions return their first argument."""

    def handle(here: Call) -> None:
        handler(here)
        if here.instruction.result is not None:
            here.returns(here.argument(0))

    return handle


FUNCTIONS: dict[str, Handler] = {
    "memset": _returning_target(_fill),
    "memcpy": _returning_target(_copy),
    "memmove": _returning_target(_copy),
}
