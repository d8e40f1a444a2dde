"""Memory: allocation, copying and filling.

Copies go cell by cell, so the layout must be known: that of a variable, or for the heap that of the struct of
that size. Where the guess is wrong, cells overlap in parts, which the analysis refuses.
"""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.library.calls import Call, Handler
from treville.programs.c.library.intrinsics import intrinsic
from treville.programs.c.llvm import IntType, LocalName, StructType, Type, Value, size_of

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


# -- the heap -------------------------------------------------------------------------------------------


def _allocate(here: Call, size: ir.Expr, zeroed: bool = False, heap: bool = True) -> None:
    register = here.body.name(here.frame, here.instruction)
    name = f"{here.name} in line {here.instruction.line}"
    here.body.emit(ir.Allocate(register, size, name, zeroed=zeroed, heap=heap))


def _malloc(here: Call) -> None:
    _allocate(here, here.argument(0))


def _on_the_stack(here: Call) -> None:
    _allocate(here, here.argument(0), heap=False)


def _aligned(here: Call) -> None:
    _allocate(here, here.argument(1))


def _calloc(here: Call) -> None:
    _allocate(here, ir.Op("mul", (here.argument(0), here.argument(1)), 64), zeroed=True)


def _posix_memalign(here: Call) -> None:
    register = here.body.fresh("allocated")
    name = f"{here.name} in line {here.instruction.line}"
    here.body.emit(ir.Allocate(register, here.argument(2), name, heap=True))
    here.write(0, ir.Reg(register), 64)
    here.nothing()


def _free(here: Call) -> None:
    here.body.emit(ir.Free(here.argument(0)))


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
        kind = _used_as(here, here.operands[number][1])
        if kind is not None and length.value % max(1, size_of(kind)) == 0:
            return _repeated(here, kind, length.value)
    layouts = {tuple(here.body.memory.layout(k)) for k in _structs(here) if size_of(k) == length.value}
    if len(layouts) == 1:
        return list(layouts.pop())
    raise here.body.unsupported(f"{_plain(here)} of memory whose layout is not known")


def _plain(here: Call) -> str:
    return next((name for name in ("memset", "memmove", "memcpy") if name in here.name), here.name)


def _up_to(cells: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    return [(offset, bits) for offset, bits in cells if offset + bits // 8 <= length]


def _repeated(here: Call, kind: Type, length: int) -> list[tuple[int, int]]:
    step = size_of(kind)
    cells = here.body.memory.layout(kind)
    return [(start + offset, bits) for start in range(0, length, step) for offset, bits in cells]


def _used_as(here: Call, value: Value) -> Type | None:
    """The type whose elements the function reaches through a pointer, if it is one."""
    if not isinstance(value, LocalName):
        return None
    found = set()
    for instruction in (i for block in here.frame.function.blocks for i in block.instructions):
        if instruction.opcode == "getelementptr" and instruction.operands[0][1] == value:
            if instruction.source_type not in (None, IntType(8)):
                found.add(instruction.source_type)
        elif instruction.opcode == "load" and instruction.operands[0][1] == value:
            found.add(instruction.type)
        elif instruction.opcode == "store" and instruction.operands[1][1] == value:
            found.add(instruction.operands[0][0])
    structs = {kind for kind in found if isinstance(kind, StructType)}
    chosen = structs or found
    return chosen.pop() if len(chosen) == 1 else None


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
    "malloc": _malloc,
    "alloca": _on_the_stack,
    "__builtin_alloca": _on_the_stack,
    "valloc": _malloc,
    "aligned_alloc": _aligned,
    "memalign": _aligned,
    "posix_memalign": _posix_memalign,
    "calloc": _calloc,
    "free": _free,
    "memset": _returning_target(_fill),
    "memcpy": _returning_target(_copy),
    "memmove": _returning_target(_copy),
}
