"""Operands of X86 and X86_64: registers with their parts, numbers, and addresses in either syntax."""

from __future__ import annotations

import re
from typing import TypeAlias

from treville.programs.ir import Const, Expr, Op, Reg
from treville.programs.litmus.assembly import ThreadBuilder
from treville.programs.litmus.literals import parse_number
from treville.records import NamedTuple
from treville.results import InputError, Source

FLAGS = ("ZF", "SF", "CF", "OF")


class Register(NamedTuple):
    """A register or a part of it: the IR register, and which bits."""

    name: str
    bits: int
    shift: int = 0


class Immediate(NamedTuple):
    """A number."""

    value: int


class Memory(NamedTuple):
    """An address. `cell_bits` is the width of the global there, 0 if that is not known; `bits` that of the
    access."""

    address: Expr
    cell_bits: int
    bits: int = 32


Operand: TypeAlias = Register | Immediate | Memory

_LETTERS = ("a", "b", "c", "d")
_POINTERS = ("si", "di", "bp", "sp")


def _all_parts() -> dict[str, Register]:
    """Every register name of the 64-bit machine in lower case -> the 64-bit register and the part."""
    parts: dict[str, Register] = {}
    for letter in _LETTERS:
        whole = f"r{letter}x"
        parts |= {whole: Register(whole, 64), f"e{letter}x": Register(whole, 32)}
        parts |= {f"{letter}x": Register(whole, 16)}
        parts |= {f"{letter}l": Register(whole, 8), f"{letter}h": Register(whole, 8, 8)}
    for pointer in _POINTERS:
        whole = f"r{pointer}"
        parts |= {whole: Register(whole, 64), f"e{pointer}": Register(whole, 32)}
        parts |= {pointer: Register(whole, 16), f"{pointer}l": Register(whole, 8)}
    for number in range(8, 16):
        whole = f"r{number}"
        parts |= {whole: Register(whole, 64), f"{whole}d": Register(whole, 32)}
        parts |= {f"{whole}w": Register(whole, 16), f"{whole}b": Register(whole, 8)}
    for special in ("rip", "cs", "ds", "es", "fs", "gs", "ss"):
        parts[special] = Register(special, 64)
    parts["eip"] = Register("rip", 32)
    return parts


_LONG = _all_parts()
_SHORT = {
    name: Register("E" + part.name[1:].upper(), part.bits, part.shift)
    for name, part in _LONG.items()
    if part.bits <= 32 and name[0] != "r" and not re.match(r"r\d", part.name)
}
_NAME = re.compile(r"%?[A-Za-z_.][\w.]*$")
_NUMBER = re.compile(r"\$?(-?0[xX][0-9a-fA-F]+|-?\d+)$")
_BRACKETS = re.compile(r"\[([^\[\]]*+)\]$")
_SCALED = re.compile(
    r"(?:%\w+\s*:\s*)?(-?0[xX][0-9a-fA-F]+|-?\d+)?\s*\(\s*([%\w.]+)\s*(?:,\s*([%\w]+)\s*(?:,\s*(\d+)\s*)?)?\)$"
)
_RELATIVE = re.compile(r"([A-Za-z_.][\w.]*(?:\s*[+-]\s*\d+)?)\s*\(\s*%?rip\s*\)$", re.IGNORECASE)
_SUM = re.compile(r"([%A-Za-z_.][\w.]*)\s*(?:([+-])\s*(0[xX][0-9a-fA-F]+|\d+))?$")


class Registers:
    """The register file of a test: 32-bit or 64-bit, and whether values may exceed 31 bits.

    Where they may not, parts of registers are read and written as if they were the whole.
    """

    def __init__(self, source: Source, long_mode: bool, wide: bool) -> None:
        self.source, self.long_mode, self.wide = source, long_mode, wide
        self.known = _LONG if long_mode else _SHORT

    def namer(self, _thread: int, name: str, offset: int) -> tuple[str, str]:
        """The register namer of `assembly.read_assembly`."""
        found = self.find(name)
        if found is not None:
            return found.name, name.lstrip("%").lower() if self.long_mode else found.name
        if name.upper() in FLAGS:
            return name.upper(), name.upper()
        if name[0] == "%":
            return name, name[1:]
        raise InputError(f"unknown register '{name}'", self.source.span(offset, len(name)))

    def find(self, name: str) -> Register | None:
        """The register of that name, with or without `%`."""
        return self.known.get(name.lower().lstrip("%"))

    def plain(self, register: Register) -> bool:
        """Is writing this register the same as writing the whole one?"""
        return register.bits == (64 if self.long_mode else 32) or (register.bits == 32 and not self.wide)

    def value(self, register: Register) -> Expr:
        """The signed value of a register or of a part."""
        whole = Reg(register.name)
        if self.plain(register):
            return whole
        if register.shift:
            return Op("sext", (Op("lshr", (whole, Const(register.shift)), 64),), register.bits)
        return Op("sext", (whole,), register.bits)

    def updated(self, register: Register, value: Expr) -> Expr:
        """What the whole register becomes when the part is assigned: 32-bit writes clear the upper half,
        narrower ones keep the rest."""
        if self.plain(register):
            return value
        if register.bits == 32:
            return Op("zext", (value,), 32)
        mask = ((1 << register.bits) - 1) << register.shift
        part = Op("zext", (value,), register.bits)
        moved: Expr = Op("shl", (part, Const(register.shift)), 64) if register.shift else part
        whole_bits = 64 if self.long_mode else 32
        return Op("or", (Op("and", (Reg(register.name), Const(~mask)), whole_bits), moved), whole_bits)

    def accumulator(self, bits: int) -> Register:
        """The register that CMPXCHG compares with."""
        return Register("rax" if self.long_mode else "EAX", bits)


def split_operands(text: str) -> list[str]:
    """Operands at top-level commas."""
    text = text.strip()
    if not text:
        return []
    if "(" not in text:
        return [part.strip() for part in text.split(",")]
    parts: list[str] = []
    depth = start = 0
    for position, sign in enumerate(text):
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return parts


def parse_operand(builder: ThreadBuilder, registers: Registers, text: str) -> Operand:
    """An operand in either syntax."""
    if _NAME.match(text):
        found = registers.find(text)
        if found is not None:
            return found
        if text[0] == "%":
            return Register(text, 64 if registers.long_mode else 32)
        raise builder.error(f"unknown register '{text}'", "memory is written [x] or (x)")
    number = _NUMBER.match(text)
    if number is not None:
        return Immediate(parse_number(number.group(1)))
    if text.startswith("$") and _NAME.match(text[1:]):
        return Immediate(builder.program.location(text[1:]).address)
    return _parse_address(builder, registers, text)


def _parse_address(builder: ThreadBuilder, registers: Registers, text: str) -> Memory:
    text = re.sub(r"^(?:[dq]word\s+)?ptr\s+", "", text, flags=re.IGNORECASE)
    brackets = _BRACKETS.search(text)
    if brackets is not None:
        before = text[: brackets.start()].strip()
        distance = _NUMBER.match(before)
        if before and distance is None:
            raise builder.error(f"unreadable operand '{text}'")
        inside = brackets.group(1).strip()
        return _sum(builder, registers, inside, parse_number(distance.group(1)) if distance else 0)
    relative = _RELATIVE.match(text)
    if relative is not None:
        return _sum(builder, registers, relative.group(1), 0)
    scaled = _SCALED.match(text)
    if scaled is None:
        raise builder.error(f"unreadable operand '{text}'")
    displacement, base, index, scale = scaled.groups()
    found = _sum(builder, registers, base, parse_number(displacement) if displacement else 0)
    if index is None:
        return found
    indexed = _base(builder, registers, index)[0]
    factor = parse_number(scale) if scale else 1
    return Memory(Op("add", (found.address, Op("mul", (indexed, Const(factor))))), 0)


def _sum(builder: ThreadBuilder, registers: Registers, text: str, displacement: int) -> Memory:
    """`x`, `x+4`, `EAX`, `EAX-8`, each with a displacement."""
    match = _SUM.match(text)
    if match is None:
        raise builder.error(f"unreadable address '{text}'")
    name, sign, number = match.groups()
    if number:
        displacement += parse_number(number) if sign == "+" else -parse_number(number)
    base, cell_bits = _base(builder, registers, name)
    if displacement == 0:
        return Memory(base, cell_bits)
    if isinstance(base, Const):
        return Memory(Const(base.value + displacement), cell_bits)
    return Memory(Op("add", (base, Const(displacement))), cell_bits)


def _base(builder: ThreadBuilder, registers: Registers, name: str) -> tuple[Expr, int]:
    found = registers.find(name)
    if found is not None:
        return Reg(found.name), 0
    if name[0] == "%":
        return Reg(name), 0
    location = builder.program.location(name)
    return Const(location.address), location.bits
