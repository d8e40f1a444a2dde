"""Which cells of private variables have a value, and an error where one that has none is looked at.

Beside an array or a struct that is not filled where it begins there is another variable of the same shape,
whose bits are set where the first one was written. Copies take these bits along. Private variables cost no
events, and `programs.live` drops what nobody asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.llvm import Function, GlobalName, LlvmInstruction, LocalName, Number, Value
from treville.programs.c.marks import BEGIN
from treville.programs.c.private import Private
from treville.results.properties import NEVER_SET

if TYPE_CHECKING:
    from treville.programs.c.body import Body, Frame

SET = " is set"  # the name of the variable beside another
NONE = ir.Const(0)
_ALL_BITS = ir.Const(-1)
_FILLING = ("llvm.memset", "llvm.memcpy", "llvm.memmove", "llvm.va_")


class SetCells:
    """The notes of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._copied: dict[str, ir.Expr] = {}  # of registers with what copies read: the bits nobody set

    def watch(self, frame: Frame, variable: str, size: int | None) -> None:
        """From here on it is known which cells of a variable have a value; `size` in bytes."""
        if not _is_filled_first(frame.function, frame.private, variable, size):
            place = frame.prefix + variable
            frame.watched.add(place)
            if place in self.body.thread.private:
                self.body.thread.private[place + SET] = self.body.thread.private[place]

    def forget(self, frame: Frame, place: tuple[str, ir.Expr], bits: int) -> None:
        """A cell has no value any more; at first none has."""
        if id(self.body.here) in self.body.translation.threads.in_loops:
            self._write(frame, place, bits, ir.Const(0))

    def forget_all(self, frame: Frame, variable: str) -> None:
        """No cell of a variable has a value any more."""
        for offset, bits in self.body.thread.private.get(variable, ()):
            self.forget(frame, (variable, ir.Const(offset)), bits)

    def note(self, frame: Frame, place: tuple[str, ir.Expr], bits: int, unset: ir.Expr) -> None:
        """A cell was written with a value of which nobody set some bits."""
        known = _ALL_BITS if unset == NONE else ir.Op("not", (unset,), bits)
        self._write(frame, place, bits, known)

    def _write(self, frame: Frame, place: tuple[str, ir.Expr], bits: int, value: ir.Expr) -> None:
        if place[0] in frame.watched:
            self.body.emit(ir.WritePrivate(place[0] + SET, place[1], value, bits))

    def take_along(self, frame: Frame, place: tuple[str, ir.Expr], bits: int, register: str) -> None:
        """A cell was read to be copied."""
        self._copied[register] = self.missing(frame, place, bits)

    def take(self, register: str, unset: ir.Expr) -> None:
        """Something was read to be copied, of which nobody set some bits."""
        self._copied[register] = unset

    def of_copied(self, value: ir.Expr) -> ir.Expr:
        """The bits of a value that nobody set, if it was read to be copied."""
        return self._copied.get(value.name, NONE) if isinstance(value, ir.Reg) else NONE

    def missing(self, frame: Frame, place: tuple[str, ir.Expr], bits: int) -> ir.Expr:
        """The bits of a cell that nobody set."""
        return ir.Op("not", (self._read(place, bits),), bits) if place[0] in frame.watched else NONE

    def require(self, frame: Frame, place: tuple[str, ir.Expr], bits: int) -> None:
        """A cell that is looked at has a value; a run goes on where nobody asks."""
        if place[0] in frame.watched:
            has_value = ir.Op("eq", (self._read(place, bits), _ALL_BITS), bits)
            self.body.emit(ir.Assert(has_value, NEVER_SET, memory=True, fatal=False))

    def _read(self, place: tuple[str, ir.Expr], bits: int) -> ir.Reg:
        found = ir.Reg(self.body.fresh("set"))
        self.body.emit(ir.ReadPrivate(found.name, place[0] + SET, place[1], bits))
        return found


def is_looked_at(function: Function, name: str) -> bool:
    """Does anybody use a value?"""
    value: Value = LocalName(name)
    return any(
        value in (operand for _, operand in i.operands) or value in (case for case, _ in i.cases)
        for block in function.blocks
        for i in block.instructions
    )


def _is_filled_first(
    function: Function, private: dict[str, Private], variable: str, size: int | None
) -> bool:
    """Is the first that happens to a variable that it is filled?"""
    names = {name for name, pointer in private.items() if pointer.variable == variable}
    for instruction in (i for block in function.blocks for i in block.instructions):
        used = names.intersection(
            value.name for _, value in instruction.operands if isinstance(value, LocalName)
        )
        if used and instruction.opcode != "getelementptr" and not _is_begin(instruction):
            return _fills(instruction, variable, size)
    return True


def _is_begin(instruction: LlvmInstruction) -> bool:
    return instruction.opcode == "call" and instruction.operands[0][1] == GlobalName(BEGIN)


def _fills(instruction: LlvmInstruction, variable: str, size: int | None) -> bool:
    callee = instruction.operands[0][1] if instruction.opcode == "call" else None
    if not isinstance(callee, GlobalName) or not callee.name.startswith(_FILLING):
        return False
    if callee.name.startswith("llvm.va_"):
        return True
    whole = instruction.operands[3][1] == Number(size) if size is not None else False
    return whole and instruction.operands[1][1] == LocalName(variable)
