"""Arithmetic of LLVM -> IR: operators, comparisons and casts, with assertions where C gives no meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.llvm import ArrayType, LlvmInstruction, StructType

if TYPE_CHECKING:
    from treville.programs.c.body import Body, Frame

BINARY = frozenset(
    ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "sdiv", "udiv", "srem", "urem", "icmp")
)
CASTS = frozenset(("trunc", "zext", "sext", "ptrtoint", "inttoptr", "bitcast", "freeze", "addrspacecast"))
_DIVISIONS = frozenset(("sdiv", "udiv", "srem", "urem"))
_PREDICATES = {"slt": "lt", "sle": "le", "sgt": "gt", "sge": "ge"}


class Arithmetic:
    """What one thread computes."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def binary(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """An operator of two numbers, or a comparison."""
        kind = instruction.operands[0][0]
        args = tuple(self.body.value(frame, *operand) for operand in instruction.operands)
        operator = instruction.opcode
        if operator == "icmp":
            predicate = instruction.words[-1]
            operator = _PREDICATES.get(predicate, predicate)
        bits = self.body.bits(kind)
        if operator in _DIVISIONS:
            self._can_divide(operator, args, bits)
        if operator in ("shl", "lshr", "ashr"):
            args = (args[0], ir.Op("zext", (args[1],), bits))
            self._can_shift(args[1], bits)
        self.body.set(self.body.name(frame, instruction), ir.Op(operator, args, bits))
        if instruction.result in frame.unset:
            self._note_unset(frame, instruction, args, bits)

    def _note_unset(
        self, frame: Frame, instruction: LlvmInstruction, args: Sequence[ir.Expr], bits: int
    ) -> None:
        """Which bits of a result nobody set: shifts move them, and masks take some away."""
        kind, operator = instruction.type, instruction.opcode
        found = [self.body.unset_bits(frame, *operand)[0] for operand in instruction.operands]
        if operator in ("shl", "lshr", "ashr"):
            unset: ir.Expr = ir.Op(operator, (found[0], args[1]), bits)
        else:
            for here, there in ((0, 1), (1, 0)):
                if isinstance(known := args[there], ir.Const) and operator != "xor":
                    mask = known.value if operator == "and" else ~known.value
                    found[here] = ir.Op("and", (found[here], ir.Const(mask)), bits)
            unset = ir.Op("or", tuple(found), bits)
        self.body.note_unset(self.body.name(frame, instruction), kind, [unset])

    def _can_divide(self, operator: str, args: Sequence[ir.Expr], bits: int) -> None:
        """Nothing is divided by zero, nor the least number by -1: what comes out is no number of the type."""
        number, by = args
        if not isinstance(by, ir.Const) or not by.value:
            divides = ir.Op("ne", (by, ir.Const(0)), bits)
            self.body.emit(ir.Assert(divides, "a division by zero is reached", undefined=True))
        least, minus = ir.Const(-(1 << bits - 1)), ir.Const(-1)
        is_small = isinstance(number, ir.Const) and number != least
        if operator[0] == "s" and not is_small and (by == minus or not isinstance(by, ir.Const)):
            other = ir.Op("ne", (number, least), bits)
            fits = other if by == minus else ir.Select(ir.Op("eq", (by, minus), bits), other, ir.Const(1))
            self.body.emit(ir.Assert(fits, "a division that overflows is reached", undefined=True))

    def _can_shift(self, by: ir.Expr, bits: int) -> None:
        """A number is not shifted by more bits than it has."""
        known = by.args[0] if isinstance(by, ir.Op) else by
        if isinstance(known, ir.Const) and 0 <= known.value < bits:
            return
        fits = ir.Op("ult", (by, ir.Const(bits)), 64)
        told = "a shift by more bits than there are is reached"
        self.body.emit(ir.Assert(fits, told, undefined=True, fatal=False))

    def cast(self, frame: Frame, instruction: LlvmInstruction) -> None:
        """A value at another width."""
        if isinstance(instruction.type, (StructType, ArrayType)):
            values = self.body.scalars(frame, *instruction.operands[0])
            self.body.assign(self.body.name(frame, instruction), instruction.type, values)
            if instruction.result in frame.unset:
                unset = self.body.unset_bits(frame, *instruction.operands[0])
                self.body.note_unset(self.body.name(frame, instruction), instruction.type, unset)
            return
        source, value = instruction.operands[0]
        name = self.body.name(frame, instruction)
        self.body.set(name, self._at_width(instruction, self.body.value(frame, source, value)))
        if instruction.result in frame.unset:
            (unset_bits,) = self.body.unset_bits(frame, source, value)
            self.body.note_unset(name, instruction.type, [self._at_width(instruction, unset_bits)])

    def _at_width(self, instruction: LlvmInstruction, operand: ir.Expr) -> ir.Expr:
        before, after = self.body.bits(instruction.operands[0][0]), self.body.bits(instruction.type)
        if instruction.opcode in ("zext", "inttoptr", "ptrtoint") and after > before:
            return ir.Op("zext", (operand,), before)
        return ir.Op("sext", (operand,), min(before, after)) if after != before else operand
