"""Integer arithmetic of Power: moves, sums, logic, shifts, rotations with masks, extensions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from treville.programs.ir import Const, Expr, Op, Reg
from treville.programs.litmus.assembly import ThreadBuilder
from treville.programs.litmus.literals import parse_number
from treville.programs.operators import wrap


class _SetField(Protocol):
    def __call__(
        self, builder: ThreadBuilder, field: str, left: Expr, right: Expr, bits: int, logical: bool = False
    ) -> None: ...


_THREE_REGISTERS = {
    "add": ("add", 64), "xor": ("xor", 64), "and": ("and", 64), "or": ("or", 64), "sub": ("sub", 64),
    "mulld": ("mul", 64), "divd": ("sdiv", 64), "divdu": ("udiv", 64), "mull": ("mul", 64),
    "div": ("sdiv", 64), "sld": ("shl", 64), "srd": ("lshr", 64), "srad": ("ashr", 64),
}  # fmt: skip
_WORD_OPERATIONS = {
    "mullw": ("mul", "sext"), "divw": ("sdiv", "sext"), "divwu": ("udiv", "zext"),
    "slw": ("shl", "zext"), "srw": ("lshr", "zext"), "sraw": ("ashr", "sext"),
}  # fmt: skip
_INVERTED = {
    "nor": ("or", True), "nand": ("and", True), "eqv": ("xor", True),
    "andc": ("and", False), "orc": ("or", False),
}  # fmt: skip
_IMMEDIATE = {"addi": "add", "subi": "sub", "ori": "or", "xori": "xor", "andi": "and", "mulli": "mul"}
_SHIFTED_IMMEDIATE = {"addis": "add", "oris": "or", "xoris": "xor", "andis": "and"}
_SHIFTS = {
    "slwi": ("shl", "zext", 32), "srwi": ("lshr", "zext", 32), "srawi": ("ashr", "sext", 32),
    "sldi": ("shl", "sext", 64), "srdi": ("lshr", "sext", 64), "sradi": ("ashr", "sext", 64),
}  # fmt: skip
_EXTENSIONS = {"extsw": 32, "extsh": 16, "extsb": 8}
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)$")
_ZERO = Const(0)


class Arithmetic:
    """Decodes the instructions that touch registers only. `register` checks a register's name, `set_field`
    compares into a condition field (for the forms with a dot)."""

    def __init__(
        self, wide: bool, register: Callable[[ThreadBuilder, str], str], set_field: _SetField
    ) -> None:
        self.wide, self.register, self.set_field = wide, register, set_field

    def decode(self, builder: ThreadBuilder, name: str, operands: list[str]) -> bool:
        """Emit the instruction; False if it is none of these."""
        if name == "nop":
            return True
        base = name.rstrip(".")
        value = self.value(builder, base, operands)
        if value is None:
            return False
        if base in ("andi", "andis") and name == base:
            raise builder.error(f"{base} always sets CR0, write {base}.")
        target = self.register(builder, operands[0])
        builder.local(target, value)
        if name.endswith("."):
            self.set_field(builder, "CR0", Reg(target), _ZERO, 64)
        return True

    def value(self, builder: ThreadBuilder, name: str, operands: list[str]) -> Expr | None:
        """What the instruction computes, or None if it is unknown."""
        if name in ("li", "lis"):
            self.expect(builder, operands, 2)
            number = self.number(builder, operands[1])
            return Const(number if name == "li" else number << 16)
        if name in _IMMEDIATE or name in _SHIFTED_IMMEDIATE:
            return self.immediate(builder, name, operands)
        if name in _THREE_REGISTERS:
            operator, bits = _THREE_REGISTERS[name]
            return Op(operator, self.two(builder, operands), bits)
        if name == "mr":
            return self.source(builder, operands, 2)
        if name in ("neg", "not"):
            return Op(name, (self.source(builder, operands, 2),), 64)
        if name == "subf":
            first, second = self.two(builder, operands)
            return Op("sub", (second, first), 64)
        if name in _INVERTED:
            return self.inverted(builder, name, operands)
        if name in _WORD_OPERATIONS:
            operator, extension = _WORD_OPERATIONS[name]
            return Op(extension, (Op(operator, self.two(builder, operands), 32),), 32)
        return self.shifted(builder, name, operands)

    def immediate(self, builder: ThreadBuilder, name: str, operands: list[str]) -> Expr:
        """A register and a number; register 0 as the base of a sum is the number 0."""
        source = self.source(builder, operands, 3)
        number = self.number(builder, operands[2])
        operator = _IMMEDIATE.get(name) or _SHIFTED_IMMEDIATE[name]
        if name in _SHIFTED_IMMEDIATE:
            number <<= 16
        if operator == "and" or (operator in ("or", "xor") and number < 0):
            number &= 0xFFFFFFFF if name in _SHIFTED_IMMEDIATE else 0xFFFF
        if source == Reg("r0") and name in ("addi", "addis", "subi"):
            return Const(number if name != "subi" else -number)
        return Op(operator, (source, Const(number)), 64)

    def inverted(self, builder: ThreadBuilder, name: str, operands: list[str]) -> Expr:
        """Logic with a complemented result (`nor`) or second operand (`andc`)."""
        operator, after = _INVERTED[name]
        first, second = self.two(builder, operands)
        if after:
            return Op("not", (Op(operator, (first, second), 64),), 64)
        return Op(operator, (first, Op("not", (second,), 64)), 64)

    def shifted(self, builder: ThreadBuilder, name: str, operands: list[str]) -> Expr | None:
        """Shifts by a number, rotations under a mask, extensions."""
        if name in _SHIFTS:
            operator, extension, bits = _SHIFTS[name]
            source = self.source(builder, operands, 3)
            distance = Const(self.number(builder, operands[2]) % bits)
            return Op(extension, (Op(operator, (source, distance), bits),), bits)
        if name in _EXTENSIONS:
            return Op("sext", (self.source(builder, operands, 2),), _EXTENSIONS[name])
        if name in ("clrldi", "clrlwi"):
            source = self.source(builder, operands, 3)
            kept = (64 if name == "clrldi" else 32) - self.number(builder, operands[2])
            return Op("and", (source, Const(wrap((1 << max(0, min(kept, 64))) - 1, 64))), 64)
        if name in ("rlwinm", "rlwimi"):
            source = self.source(builder, operands, 5)
            count, first, last = (self.number(builder, text) % 32 for text in operands[2:])
            return self.rotate(builder, name, operands[0], source, (count, first, last))
        if name == "rotlwi":
            source = self.source(builder, operands, 3)
            count = self.number(builder, operands[2]) % 32
            return self.rotate(builder, "rlwinm", operands[0], source, (count, 0, 31))
        return None

    def rotate(
        self, builder: ThreadBuilder, name: str, target: str, source: Expr, how: tuple[int, int, int]
    ) -> Expr:
        """Rotate the low word left; keep the bits from the first to the last (numbered from the left), zeros
        or, for `rlwimi`, the target's bits elsewhere. A mask that wraps covers the upper word too."""
        count, first, last = how
        left = Op("shl", (source, Const(count)), 32)
        right = Op("lshr", (source, Const(32 - count)), 32)
        word: Expr = Op("zext", (Op("or", (left, right), 32) if count else source,), 32)
        mask = _mask(first + 32, last + 32)
        if first > last:
            word = Op("or", (word, Op("shl", (word, Const(32)), 64)), 64)
        rotated = Op("and", (word, Const(mask)), 64)
        if name == "rlwinm":
            return rotated
        rest = Op("and", (Reg(self.register(builder, target)), Const(~mask)), 64)
        return Op("or", (rotated, rest), 64)

    # -- operands ----------------------------------------------------------------------------------

    def expect(self, builder: ThreadBuilder, operands: list[str], count: int) -> None:
        """Refuse another number of operands."""
        if len(operands) != count:
            raise builder.error(f"expected {count} operands")

    def source(self, builder: ThreadBuilder, operands: list[str], count: int) -> Reg:
        """The second operand, a register."""
        self.expect(builder, operands, count)
        return Reg(self.register(builder, operands[1]))

    def two(self, builder: ThreadBuilder, operands: list[str]) -> tuple[Reg, Reg]:
        """The second and third operand, both registers."""
        return self.source(builder, operands, 3), Reg(self.register(builder, operands[2]))

    def number(self, builder: ThreadBuilder, text: str) -> int:
        """A number operand."""
        if not _NUMBER.match(text):
            raise builder.error(f"expected a number, found '{text}'")
        return parse_number(text)


def _mask(first: int, last: int) -> int:
    """Ones from bit `first` to bit `last` of 64, numbered from the left; around the end if first > last."""
    ones = (1 << 64) - 1
    if first <= last:
        return wrap((ones >> first) & ~(ones >> (last + 1)), 64)
    return wrap(ones & ~((ones >> (last + 1)) & ~(ones >> first)), 64)
