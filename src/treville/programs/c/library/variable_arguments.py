"""Functions with `...`: `va_start` lays out what the call gave as if all of it had been passed in memory.

What a `va_list` is differs between machines, and compilers put `va_arg` together from its members; all of
them look into memory once the registers for arguments are used up, so a list that says so is enough.
"""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.accesses import COPYING, PLAIN
from treville.programs.c.library.calls import Call
from treville.programs.c.llvm import align_of, size_of
from treville.programs.grids import Cell

SLOT = 8
# By the beginning of the target: offset, bits and value of the members; None: where the arguments are.
_SYSTEM_V = ((0, 32, 48), (4, 32, 176), (8, 64, None), (16, 64, 0))
_AAPCS = ((0, 64, None), (8, 64, 0), (16, 64, 0), (24, 32, 0), (28, 32, 0))
_POINTER = ((0, 64, None),)


def _members(here: Call) -> tuple[tuple[int, int, int | None], ...]:
    target = here.body.translation.module.target or "x86_64"
    simple = any(system in target for system in ("windows", "apple", "darwin", "macos"))
    if target.startswith("x86_64") and "windows" not in target:
        return _SYSTEM_V
    if target.startswith(("aarch64", "arm64")) or simple:
        return _POINTER if simple else _AAPCS
    raise here.body.unsupported(f"variable arguments on {target}")


def start(here: Call) -> None:
    """va_start: the arguments in memory, and a list that points to them."""
    area = _area(here)
    for offset, bits, value in _members(here):
        new = area if value is None else ir.Const(value)
        here.body.memory.write_cell(here.frame, here.operands[0], Cell(offset, bits), new)


def copy(here: Call) -> None:
    """va_copy: another list at the same place."""
    memory, frame = here.body.memory, here.frame
    for offset, bits, _ in _members(here):
        value = memory.read_cell(frame, here.operands[1], Cell(offset, bits))
        memory.write_cell(frame, here.operands[0], Cell(offset, bits), value)


def _area(here: Call) -> ir.Expr:
    """The arguments, one after the other."""
    body, at = here.body, 0
    area = ir.Reg(body.fresh("arguments"))
    stores: list[tuple[int, ir.Expr, int, frozenset[str]]] = []
    code: list[ir.Instruction] = []
    for kind, value, copied in here.frame.more:
        if copied is None:
            stores.append((at, value, body.bits(kind), PLAIN))
        elif align_of(copied) > SLOT:
            raise body.unsupported("a struct of large alignment among variable arguments")
        else:
            for cell in body.memory.whole_layout(copied):
                part = body.memory.copied(cell)
                code.append(ir.Load(part, ir.plus(value, cell.offset), COPYING, cell.bits))
                stores.append((at + cell.offset, ir.Reg(part), cell.bits, COPYING))
        size = SLOT if copied is None else size_of(copied)
        at += (size + SLOT - 1) // SLOT * SLOT
    body.emit(ir.Allocate(area.name, ir.Const(at), "arguments"))
    for instruction in code:
        body.emit(instruction)
    for offset, value, bits, tags in stores:
        body.emit(ir.Store(ir.plus(area, offset), value, tags, bits))
    return area
