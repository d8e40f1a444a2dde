"""PPC (Power) litmus tests -> IR.

Registers have 64 bits; words are loaded with zeros above, stored as signed 32-bit numbers. A condition
register field holds the difference of what was compared, so one register carries all its bits and the
dependencies of both operands; `stwcx.` sets CR0 to its status. Where a test only moves small positive
numbers around, the extensions are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from treville.programs.ir import Const, Expr, Load, Op, Reg, StoreExclusive
from treville.programs.litmus.assembly import PLAIN, ThreadBuilder, read_assembly
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.literals import parse_number
from treville.programs.litmus.ppc.arithmetic import Arithmetic
from treville.programs.litmus.test import LitmusTest
from treville.results import InputError, Source

EXCLUSIVE = frozenset(("X",))
FAILED = 1 << 40
"""What a condition field holds after a failed store conditional: neither less, nor equal, nor greater."""

_INSTRUCTION = re.compile(r"\s*([a-z][a-z0-9]*\.?[+-]?)\s*(.*)", re.DOTALL | re.IGNORECASE)
_REGISTER = re.compile(r"(?:r(\d{1,2})|(%[A-Za-z_]\w*))$", re.IGNORECASE)
_DISPLACED = re.compile(r"(-?0[xX][0-9a-fA-F]+|-?\d+)\s*\(\s*([%\w]+)\s*\)$")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)$")
_FIELD = re.compile(r"cr([0-7])$", re.IGNORECASE)
_NARROW = re.compile(
    r"(?:li|lwzx?|stwx?|lwarx|stwcx|addi?|xor|and|or|mr|cmpwi?|beq|bne|b|[hl]w?sync|sync|isync|eieio|nop"
    r"|[rp]\d+|\d{1,8}|[a-z]\w?|lc\d+)$"
)
_WORD = re.compile(r"\w+|-")

_FENCES = {
    "sync": "SYNC", "hwsync": "SYNC", "msync": "SYNC", "lwsync": "LWSYNC", "isync": "ISYNC", "eieio": "EIEIO",
}  # fmt: skip
_BRANCHES = {"eq": "eq", "ne": "ne", "lt": "lt", "ge": "ge", "nl": "ge", "gt": "gt", "le": "le", "ng": "le"}
_WORDS = {"w": 32, "d": 64}
_NARROWER = frozenset(
    f"{access}{suffix}"
    for access in ("lbz", "lhz", "lha", "stb", "sth", "lbar", "lhar")
    for suffix in ("", "u", "x", "ux")
) | {"lbarx", "lharx", "stbcx.", "sthcx."}
_LOADS = {
    "lwz": 32, "lwzx": 32, "lwzu": 32, "lwzux": 32, "lwa": 32, "lwax": 32, "lwarx": 32,
    "ld": 64, "ldx": 64, "ldu": 64, "ldux": 64, "ldarx": 64,
}  # fmt: skip
_STORES = {
    "stw": 32, "stwx": 32, "stwu": 32, "stwux": 32, "stwcx.": 32,
    "std": 64, "stdx": 64, "stdu": 64, "stdux": 64, "stdcx.": 64,
}  # fmt: skip
_DOUBLE = re.compile(r"\b(?:ld|ldx|ldu|ldux|ldarx|std|stdx|stdu|stdux|stdcx)\b", re.IGNORECASE)

Handler: TypeAlias = Callable[[ThreadBuilder, str, list[str]], None]


def read(sections: Sections, source: Source) -> LitmusTest:
    """Read a PPC test."""
    wide = sections.fragment or _may_be_wide(sections.program.text + " " + sections.initial.text)
    double = not sections.fragment and _DOUBLE.search(sections.program.text) is not None
    decoder = _Decoder(wide, double)

    def namer(_thread: int, name: str, offset: int) -> tuple[str, str]:
        register = _REGISTER.match(name)
        if register is None or int(register.group(1) or 0) > 31:
            if _FIELD.match(name) or name.upper() in ("LR", "CTR"):
                return name.upper(), name.upper()
            raise InputError(f"unknown register '{name}'", source.span(offset, len(name)))
        return (name, name[1:]) if register.group(2) else (name.lower(), name.lower())

    return read_assembly(sections, "PPC", decoder.decode, namer, default_bits=64 if double else 32, wide=wide)


def _may_be_wide(text: str) -> bool:
    """Might a register hold more than 31 bits? Only moves of small positive numbers are sure not to."""
    return any(_NARROW.match(word) is None for word in set(_WORD.findall(text.lower())))


class _Decoder:
    """Turns instructions into IR; one per test."""

    def __init__(self, wide: bool, double: bool) -> None:
        self.wide, self.double = wide, double
        self.arithmetic = Arithmetic(wide, self.register, self.set_field)

    def decode(self, builder: ThreadBuilder, text: str) -> None:
        """The decoder of `assembly.read_assembly`."""
        match = _INSTRUCTION.match(text)
        if match is None:
            raise builder.error("expected an instruction")
        name = match.group(1).lower().rstrip("+-")
        rest = match.group(2).strip()
        operands = [part.strip() for part in rest.split(",")] if rest else []
        if name in _LOADS:
            self.load(builder, name, operands)
        elif name in _STORES:
            self.store(builder, name, operands)
        elif name in _FENCES:
            builder.fence(_FENCES[name] if operands != ["1"] else "LWSYNC")
        elif name[0] == "b" and (name in ("b", "bl", "blr", "bctr", "bdnz") or name[1:] in _BRANCHES):
            self.branch(builder, name, operands)
        elif name.startswith("cmp"):
            self.compare(builder, name, operands)
        elif name in _NARROWER:
            raise builder.unsupported(f"mixed-size accesses ('{name}')")
        elif name in ("mtlr", "mflr", "mfcr", "dcbf", "dcbt", "dcbst"):
            self.special(builder, name, operands)
        elif not self.arithmetic.decode(builder, name, operands):
            raise builder.unsupported(f"the instruction '{name}'")

    # -- operands ----------------------------------------------------------------------------------

    def register(self, builder: ThreadBuilder, text: str) -> str:
        """The IR name of a register operand."""
        match = _REGISTER.match(text)
        if match is None or int(match.group(1) or 0) > 31:
            raise builder.error(f"expected a register, found '{text}'")
        return text if match.group(2) else text.lower()

    def address(self, builder: ThreadBuilder, operands: list[str], indexed: bool) -> tuple[Expr, str]:
        """The address of an access and the register that an update form writes."""
        if indexed:
            if len(operands) != 3:
                raise builder.error("expected three registers")
            first, second = (self.register(builder, text) for text in operands[1:])
            address: Expr = Reg(second)
            # Register 0 as the first of two means the number 0.
            return (address if first == "r0" else Op("add", (Reg(first), address))), first
        text = operands[1] if len(operands) == 2 else f"{operands[1]}({operands[-1]})"
        match = _DISPLACED.match(text) if len(operands) <= 3 else None
        if match is None:
            raise builder.error("expected an address like 0(r1)")
        base = self.register(builder, match.group(2))
        displacement = parse_number(match.group(1))
        return (Reg(base) if displacement == 0 else Op("add", (Reg(base), Const(displacement)))), base

    def check_width(self, builder: ThreadBuilder, bits: int) -> None:
        """Words and doublewords in one test would overlap."""
        if self.double and bits != 64:
            raise builder.unsupported("mixed-size accesses (words and doublewords in one test)")

    # -- memory ------------------------------------------------------------------------------------

    def load(self, builder: ThreadBuilder, name: str, operands: list[str]) -> None:
        """Loads of words and doublewords, plain, indexed, with update, or reserving."""
        bits = _LOADS[name]
        self.check_width(builder, bits)
        if len(operands) < 2:
            raise builder.error("expected a register and an address")
        target = self.register(builder, operands[0])
        address, base = self.address(builder, operands, name.endswith("x"))
        update = name.rstrip("x").endswith("u")
        if update:
            builder.local(new := builder.fresh("address"), address)
            address = Reg(new)
        reserving = name.endswith("arx")
        extension = ("sext" if name.startswith("lwa") and not reserving else "zext") if self.wide else ""
        loaded = builder.fresh("loaded") if extension and bits == 32 else target
        builder.emit(Load(loaded, address, EXCLUSIVE if reserving else PLAIN, bits, exclusive=reserving))
        if loaded != target:
            builder.local(target, Op(extension, (Reg(loaded),), 32))
        if update and base != target:
            builder.local(base, address)

    def store(self, builder: ThreadBuilder, name: str, operands: list[str]) -> None:
        """Stores of words and doublewords, plain, indexed, with update, or conditional."""
        bits = _STORES[name]
        self.check_width(builder, bits)
        if len(operands) < 2:
            raise builder.error("expected a register and an address")
        value: Expr = Reg(self.register(builder, operands[0]))
        conditional = name.endswith(".")
        address, base = self.address(builder, operands, name.rstrip(".").endswith("x"))
        if self.wide and bits == 32:
            value = Op("sext", (value,), 32)
        if conditional:
            self.store_conditional(builder, address, value, bits)
            return
        builder.store(address, value, PLAIN, bits)
        if name.rstrip("x").endswith("u"):
            builder.local(base, address)

    def store_conditional(self, builder: ThreadBuilder, address: Expr, value: Expr, bits: int) -> None:
        """`stwcx.`: CR0 says whether it stored, and depends on all that the instruction reads."""
        status = builder.fresh("status")
        nothing = Op("and", (Op("or", (value, address)), Const(0)))
        builder.local(read := builder.fresh("read"), nothing)
        builder.emit(StoreExclusive(status, address, value, EXCLUSIVE, bits, success=0, failure=FAILED))
        builder.local("CR0", Op("or", (Reg(status), Reg(read))))

    # -- comparisons and branches ------------------------------------------------------------------

    def compare(self, builder: ThreadBuilder, name: str, operands: list[str]) -> None:
        """`cmpw`, `cmplwi`, `cmpd`, ... into a field of the condition register."""
        match = re.fullmatch(r"cmp(l?)([wd])(i?)", name)
        if match is None:
            raise builder.unsupported(f"the instruction '{name}'")
        logical, width, immediate = match.groups()
        field = "CR0"
        if len(operands) == 3:
            named = _FIELD.match(operands[0]) or re.match(r"([0-7])$", operands[0])
            if named is None:
                raise builder.error(f"expected a field cr0 to cr7, found '{operands[0]}'")
            field = f"CR{named.group(1)}"
            operands = operands[1:]
        if len(operands) != 2:
            raise builder.error("expected two operands")
        left: Expr = Reg(self.register(builder, operands[0]))
        right: Expr
        if immediate:
            right = Const(self.number(builder, operands[1]) & (0xFFFF if logical else -1))
        else:
            right = Reg(self.register(builder, operands[1]))
        self.set_field(builder, field, left, right, _WORDS[width], bool(logical))

    def set_field(
        self, builder: ThreadBuilder, field: str, left: Expr, right: Expr, bits: int, logical: bool = False
    ) -> None:
        """Let a condition field say how two numbers compare at a width."""
        if bits == 64 and self.wide:
            less = "ult" if logical else "lt"
            difference = Op("sub", (Op(less, (right, left), 64), Op(less, (left, right), 64)))
        elif self.wide:
            extension = "zext" if logical else "sext"
            difference = Op("sub", (Op(extension, (left,), 32), Op(extension, (right,), 32)))
        else:
            difference = Op("sub", (left, right))
        builder.local(field, difference)

    def branch(self, builder: ThreadBuilder, name: str, operands: list[str]) -> None:
        """Branches on a field, CR0 where none is named; `blr` leaves the thread."""
        if name == "blr":
            builder.exit()
            return
        if name in ("bl", "bctr", "bdnz"):
            raise builder.unsupported(f"the instruction '{name}'")
        field = "CR0"
        if len(operands) == 2 and (named := _FIELD.match(operands[0])):
            field = f"CR{named.group(1)}"
            operands = operands[1:]
        if len(operands) != 1 or not re.fullmatch(r"[A-Za-z_.$][\w.$]*", operands[0]):
            raise builder.error("expected a label")
        builder.branch(operands[0], None if name == "b" else _condition(_BRANCHES[name[1:]], Reg(field)))

    def number(self, builder: ThreadBuilder, text: str) -> int:
        """A number operand."""
        if not _NUMBER.match(text):
            raise builder.error(f"expected a number, found '{text}'")
        return parse_number(text)

    # -- the rest ----------------------------------------------------------------------------------

    def special(self, builder: ThreadBuilder, name: str, operands: list[str]) -> None:
        """Moves from and to special registers; cache hints do nothing."""
        if name in ("dcbf", "dcbt", "dcbst"):
            return
        if len(operands) != 1:
            raise builder.error("expected one register")
        register = self.register(builder, operands[0])
        if name == "mtlr":
            builder.local("LR", Reg(register))
        elif name == "mflr":
            builder.local(register, Reg("LR"))
        else:
            field = Reg("CR0")
            bits = [Op("mul", (_condition(c, field), Const(v))) for c, v in (("lt", 8), ("gt", 4), ("eq", 2))]
            builder.local(register, Op("or", (bits[0], Op("or", (bits[1], bits[2])))))


def _condition(name: str, field: Reg) -> Expr:
    """What a branch condition says about a condition field."""
    zero = Const(0)
    if name in ("eq", "ne", "lt", "ge"):
        return Op(name, (field, zero))
    if name == "gt":
        return Op("and", (Op("gt", (field, zero)), Op("ne", (field, Const(FAILED)))))
    return Op("or", (Op("le", (field, zero)), Op("eq", (field, Const(FAILED)))))
