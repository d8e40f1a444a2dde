"""Operands of ARM: registers with their aliases, flexible second operands, addresses, register lists."""

from __future__ import annotations

import re

from treville.programs.ir import Const, Expr, Op, Reg
from treville.programs.litmus.assembly import ThreadBuilder
from treville.programs.litmus.initial import RegisterNamer
from treville.programs.litmus.literals import parse_number
from treville.programs.operators import wrap
from treville.records import dataclass
from treville.results import InputError, Source

_ALIASES = {
    "FP": "R11", "IP": "R12", "R13": "SP", "SP": "SP", "R14": "LR", "LR": "LR", "R15": "PC", "PC": "PC",
    "SL": "R10",
    **{f"R{number}": f"R{number}" for number in range(13)},
}  # fmt: skip
_FLAGS = frozenset("NZCV")
_NUMBER = re.compile(r"#?\s*([+-]?(?:0[xX][0-9a-fA-F]+|\d+))$")
_SHIFT = re.compile(r"(LSL|LSR|ASR|ROR)\s*#?\s*(\d+|0[xX][0-9a-fA-F]+)$", re.IGNORECASE)
_SHIFTS = {"LSL": "shl", "LSR": "lshr", "ASR": "ashr"}
_BRACKETS = re.compile(r"\[([^\[\]]*)\]\s*(!?)$")


@dataclass(slots=True)
class Address:
    """Where an access goes; with write-back also what its base register becomes (`updated` holds it)."""

    access: Expr
    base: str = ""
    write_back: Expr | None = None
    updated: str = ""


def register_namer(source: Source) -> RegisterNamer:
    """The register namer of `assembly.read_assembly`."""

    def namer(_thread: int, name: str, offset: int) -> tuple[str, str]:
        if name[0] == "%":
            return name, name[1:]
        found = _ALIASES.get(name.upper()) or (name.upper() if name.upper() in _FLAGS else None)
        if found is None:
            raise InputError(f"unknown register '{name}'", source.span(offset, len(name)))
        return found, found

    return namer


def register(builder: ThreadBuilder, text: str) -> str:
    """The IR name of a register operand."""
    found = _ALIASES.get(text.upper())
    if found is None:
        if text[:1] == "%" and text[1:].replace("_", "a").isalnum():
            return text
        raise builder.error(f"expected a register, found '{text}'")
    if found == "PC":
        raise builder.unsupported("the program counter as an operand")
    return found


def split_operands(text: str) -> list[str]:
    """Operands at commas outside of brackets and braces."""
    text = text.strip()
    if not text:
        return []
    if "[" not in text and "{" not in text:
        return [part.strip() for part in text.split(",")]
    parts: list[str] = []
    depth = start = 0
    for position, sign in enumerate(text):
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return parts


def parse_number_operand(builder: ThreadBuilder, text: str) -> int:
    """`#1`, `#0x10`, `1`."""
    match = _NUMBER.match(text)
    if match is None:
        raise builder.error(f"expected a number, found '{text}'")
    return wrap(parse_number(match.group(1).lstrip("+")), 32)


def parse_flexible(builder: ThreadBuilder, operands: list[str]) -> Expr:
    """A number, a register, or a register and a shift."""
    if not operands or len(operands) > 2:
        raise builder.error("expected a register or a number")
    if len(operands) == 1 and (operands[0][:1] == "#" or _NUMBER.match(operands[0])):
        return Const(parse_number_operand(builder, operands[0]))
    value: Expr = Reg(register(builder, operands[0]))
    return value if len(operands) == 1 else _shifted(builder, value, operands[1])


def _shifted(builder: ThreadBuilder, value: Expr, text: str) -> Expr:
    match = _SHIFT.match(text)
    if match is None:
        raise builder.error(f"expected a shift like LSL #2, found '{text}'")
    name, count = match.group(1).upper(), parse_number(match.group(2))
    if name != "ROR":
        return Op(_SHIFTS[name], (value, Const(count)), 32)
    left = Op("shl", (value, Const((32 - count) % 32)), 32)
    return Op("or", (Op("lshr", (value, Const(count % 32)), 32), left), 32)


def parse_address(builder: ThreadBuilder, operands: list[str]) -> Address:
    """`[R0]`, `[R0,#4]`, `[R0,R1,LSL #2]`, `[R0,#4]!`, `[R0],#4`; a bare register as well."""
    if not operands or len(operands) > 3:
        raise builder.error("expected an address")
    match = _BRACKETS.match(operands[0])
    if match is None:
        if len(operands) != 1:
            raise builder.error(f"expected an address like [R0], found '{operands[0]}'")
        return Address(Reg(register(builder, operands[0])))
    inside = [part.strip() for part in match.group(1).split(",")]
    base = register(builder, inside[0])
    access = _plus(builder, base, inside[1:])
    if match.group(2):
        return Address(access, base, access)
    if len(operands) > 1:
        return Address(access, base, _plus(builder, base, operands[1:]))
    return Address(access)


def _plus(builder: ThreadBuilder, base: str, operands: list[str]) -> Expr:
    """The base register and an offset: none, a number, or a register that may be shifted or subtracted."""
    if not operands:
        return Reg(base)
    operator = "add"
    if operands[0].startswith(("+", "-")) and not _NUMBER.match(operands[0]):
        operator = "sub" if operands[0][0] == "-" else "add"
        operands = [operands[0][1:], *operands[1:]]
    offset = parse_flexible(builder, operands)
    return Reg(base) if offset == Const(0) else Op(operator, (Reg(base), offset), 32)


def parse_list(builder: ThreadBuilder, text: str) -> list[str]:
    """`{R1,R2-R4}`, in rising order."""
    if not (text.startswith("{") and text.endswith("}")):
        raise builder.error(f"expected a list of registers, found '{text}'")
    found: list[str] = []
    for part in text[1:-1].split(","):
        first, dash, last = part.strip().partition("-")
        low = register(builder, first.strip())
        if not dash:
            found.append(low)
            continue
        high = register(builder, last.strip())
        if not (low[1:].isdigit() and high[1:].isdigit()):
            raise builder.error(f"unreadable range of registers '{part.strip()}'")
        found.extend(f"R{number}" for number in range(int(low[1:]), int(high[1:]) + 1))
    if not found:
        raise builder.error("an empty list of registers")
    return found
