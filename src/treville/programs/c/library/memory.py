"""Memory: allocation, and copying and filling it; LLVM's intrinsics."""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.body import bits_of
from treville.programs.c.library.calls import Call, Handler


def _malloc(here: Call) -> None:
    register = here.body.name(here.frame, here.instruction)
    here.body.emit(ir.Allocate(register, here.argument(0), f"malloc in line {here.instruction.line}"))


def _calloc(here: Call) -> None:
    register = here.body.name(here.frame, here.instruction)
    size = ir.Op("mul", (here.argument(0), here.argument(1)), 64)
    name = f"calloc in line {here.instruction.line}"
    here.body.emit(ir.Allocate(register, size, name, zeroed=True))


def _free(here: Call) -> None:
    del here


def intrinsic(here: Call) -> None:
    """LLVM's own functions."""
    name = here.name
    if name.startswith(
        ("llvm.dbg", "llvm.lifetime", "llvm.stack", "llvm.va_", "llvm.prefetch", "llvm.assume")
    ):
        return
    if name.startswith("llvm.expect"):
        here.returns(here.argument(0))
    elif name.startswith(("llvm.umin", "llvm.umax", "llvm.smin", "llvm.smax")):
        operator = {"umin": "ult", "umax": "ugt", "smin": "lt", "smax": "gt"}[name[5:9]]
        left, right = here.argument(0), here.argument(1)
        here.returns(ir.Select(ir.Op(operator, (left, right), bits_of(here.instruction.type)), left, right))
    elif name.startswith("llvm.threadlocal.address"):
        here.body.point_to_thread_local(here.frame, here.instruction)
    elif name.startswith("llvm.memset"):
        _set_bytes(here)
    elif name.startswith(("llvm.memcpy", "llvm.memmove")):
        _copy_bytes(here)
    elif name.startswith(("llvm.trap", "llvm.debugtrap")):
        here.body.emit(ir.Stop(reason=name))
    else:
        raise here.body.unsupported(f"the LLVM intrinsic {name}")


def _set_bytes(here: Call) -> None:
    """memset of a variable whose cells are known, with a repeated byte."""
    byte, length = here.argument(1), here.argument(2)
    cells = here.body.cells_of(here.frame, here.operands[0][1])
    if not isinstance(byte, ir.Const) or not isinstance(length, ir.Const) or cells is None:
        raise here.body.unsupported("memset of memory whose layout is not known")
    for offset, bits in cells:
        if offset + bits // 8 <= length.value:
            value = int.from_bytes(bytes([byte.value & 255]) * (bits // 8), "little")
            here.body.store_cell(here.frame, here.operands[0], offset, ir.Const(value), bits)


def _copy_bytes(here: Call) -> None:
    """memcpy between variables whose cells are known, cell by cell."""
    length = here.argument(2)
    cells = here.body.cells_of(here.frame, here.operands[0][1]) or here.body.cells_of(
        here.frame, here.operands[1][1]
    )
    if cells is None or not isinstance(length, ir.Const):
        raise here.body.unsupported("memcpy of memory whose layout is not known")
    for offset, bits in cells:
        if offset + bits // 8 <= length.value:
            value = here.body.load_cell(here.frame, here.operands[1], offset, bits)
            here.body.store_cell(here.frame, here.operands[0], offset, value, bits)


def _malloc_at(here: Call, size: int) -> None:
    register = here.body.name(here.frame, here.instruction)
    here.body.emit(ir.Allocate(register, here.argument(size), f"allocated in line {here.instruction.line}"))


FUNCTIONS: dict[str, Handler] = {
    "malloc": _malloc,
    "aligned_alloc": lambda here: _malloc_at(here, 1),
    "alloca": _malloc,
    "calloc": _calloc,
    "free": _free,
}
