"""Operands of AArch64 instructions: text -> registers, numbers, shifted registers, addresses.

`X0` and `W0` are one register of the IR, named `X0`, which holds a signed 64-bit number. The zero register is
the constant 0 when read and nothing when written. See the Arm ARM (DDI 0487), part C1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Const, Expr, Local, Op, Reg
from treville.programs.litmus.assembly import ThreadBuilder
from treville.programs.litmus.initial import code_address
from treville.programs.litmus.layout import Sections
from treville.programs.operators import wrap
from treville.records import NamedTuple

ZERO = Const(0)
ONE = Const(1)


class BadOperands(Exception):
    """The operands do not fit the instruction; carries what was expected."""


class Register(NamedTuple):
    """A register operand: its name in the IR (None for the zero register) and how many bits are seen."""

    name: str | None
    bits: int

    @property
    def value(self) -> Expr:
        """What reading it gives, for operators of its width."""
        return ZERO if self.name is None else Reg(self.name)


class Builder(ThreadBuilder):
    """A thread under construction.

    `exact` False promises that all values of the test are small and not negative, so that writing a W
    register needs no zero-extension. `flags` names the condition flags that some instruction reads. `prefix`
    stands before labels while the code of another thread is copied; `owner` is the thread it belongs to.
    """

    def __init__(
        self,
        sections: Sections,
        program: ProgramDraft,
        thread: ThreadDraft,
        owner: int,
        exact: bool,
        flags: str,
    ) -> None:
        super().__init__(sections, program, thread)
        self.owner, self.exact, self.flags = owner, exact, flags
        self.prefix = ""

    def write(self, target: Register, value: Expr) -> None:
        """`target := value`, where a W register gets the low half and zeros above it."""
        if target.name is None:
            return
        if target.bits == 32:
            if isinstance(value, Const):
                value = Const(value.value & 0xFFFF_FFFF)
            elif self.exact:
                value = Op("zext", (value,), 32)
        self.emit(Local(target.name, value))

    def go_to(self, target: str, condition: Expr | None = None) -> None:
        """Branch to a label, or to `.+8`, of the code's own thread."""
        self.branch(self.prefix + self.resolve(target), condition)

    def resolve(self, target: str) -> str:
        """A label, or the name of the line so many bytes away."""
        if target[0] != "." or len(target) < 2 or target[1] not in "+-":
            return target
        return f"line#{self.line + int(target[1:], 0) // 4}"

    @property
    def line(self) -> int:
        """The number of the current line in the code that it belongs to."""
        return self.index - self.first_index

    first_index = 0

    def code_address(self, label: str) -> Const:
        """The code address of a label of the code's own thread."""
        return Const(code_address(self.program, self.owner, self.resolve(label)))


Emit: TypeAlias = Callable[[Builder], None]


class Compiled(NamedTuple):
    """One instruction's text, ready to be added to threads. `wide`: it can make negative or large values;
    `flags`: the condition flags that it reads; `indirect`: it jumps to an address in a register; `bits`:
    the width of its memory access."""

    emit: Emit
    wide: bool = False
    flags: str = ""
    indirect: bool = False
    bits: int = 0


Handler: TypeAlias = Callable[[list[str]], Compiled]

_OPERANDS = re.compile(r"\[[^\]]*\]\s*!?|[^,\[\]]+")
_REGISTER = re.compile(r"(?:([xw])(?:(\d+)|(zr)|(%\w+))|(w?sp)|(lr)|(fp)|(%\w+))$", re.IGNORECASE)
_NUMBER = re.compile(r"#?\s*(-?(?:0[xX][0-9a-fA-F]+|\d+))$")
_MODIFIER = re.compile(
    r"(lsl|lsr|asr|ror|uxtb|uxth|uxtw|uxtx|sxtb|sxth|sxtw|sxtx)\s*#?\s*(\d+|0x[0-9a-f]+)?$", re.IGNORECASE
)
_LABEL = re.compile(r"[A-Za-z_.$][\w.$]*$|\.[+-](?:0[xX][0-9a-fA-F]+|\d+)$")


def split_operands(text: str) -> list[str]:
    """`W0,[X1,#4]!` -> `W0`, `[X1,#4]!`"""
    return [word for word in map(str.strip, _OPERANDS.findall(text)) if word]


def find_register(word: str) -> Register | None:
    """The register of that name, if it is one."""
    match = _REGISTER.match(word)
    if match is None:
        return None
    letter, number, zero, symbolic, stack, link, frame, bare = match.groups()
    if letter is not None:
        bits = 64 if letter in "xX" else 32
        if zero is not None:
            return Register(None, bits)
        if symbolic is not None:
            return Register(symbolic, bits)
        return Register(f"X{int(number)}", bits) if int(number) <= 30 else None
    if stack is not None:
        return Register("SP", 64 if len(stack) == 2 else 32)
    if bare is not None:
        return Register(bare, 64)
    return Register("X30" if link is not None else "X29" if frame is not None else None, 64)


def register(word: str) -> Register:
    """The register of that name; anything else does not fit."""
    found = find_register(word)
    if found is None:
        raise BadOperands(f"a register instead of '{word}'")
    return found


def take(operands: list[str], count: int, shape: str) -> list[str]:
    """The operands, if there are so many."""
    if len(operands) != count:
        raise BadOperands(shape)
    return operands


def number(word: str) -> int:
    """`#1`, `1`, `#0x10`, `#-1`"""
    match = _NUMBER.match(word)
    if match is None or len(word) > 40:
        raise BadOperands(f"a number instead of '{word}'")
    digits = match.group(1)
    return int(digits, 16 if "x" in digits.lower() else 10)


def is_number(word: str) -> bool:
    """Is this an immediate operand?"""
    return _NUMBER.match(word) is not None


def label(word: str) -> str:
    """A label or `.+8`."""
    if not _LABEL.match(word):
        raise BadOperands(f"a label instead of '{word}'")
    return word


def small(value: int) -> bool:
    """Is the number a small one that is not negative?"""
    return 0 <= value < 1 << 30


def modified(value: Expr, bits: int, word: str) -> Expr:
    """A register's value with a shift or an extension applied: `LSL #2`, `SXTW`, `UXTB 1`."""
    match = _MODIFIER.match(word)
    if match is None:
        raise BadOperands(f"a shift or an extension instead of '{word}'")
    kind = match.group(1).lower()
    amount = int(match.group(2), 0) if match.group(2) else 0
    if amount >= bits:
        raise BadOperands(f"a shift by less than {bits}")
    if kind[1:3] == "xt":
        width = {"b": 8, "h": 16, "w": 32, "x": 64}[kind[3]]
        if width < 64:
            value = Op("zext" if kind[0] == "u" else "sext", (value,), width)
        kind = "lsl"
    return shifted(kind, value, Const(amount), bits) if amount else value


_SHIFTS = {"lsl": "shl", "lsr": "lshr", "asr": "ashr"}


def shifted(kind: str, value: Expr, amount: Expr, bits: int) -> Expr:
    """A shift or rotation by an amount that is less than the width."""
    if kind != "ror":
        return Op(_SHIFTS[kind], (value, amount), bits)
    back = Op("and", (Op("neg", (amount,), bits), Const(bits - 1)), bits)
    return Op("or", (Op("lshr", (value, amount), bits), Op("shl", (value, back), bits)), bits)


def second_operand(words: list[str], bits: int) -> tuple[Expr, bool]:
    """The last operand of an arithmetic instruction and whether it can be large: a number with an optional
    shift, or a register with an optional shift or extension."""
    if not words or len(words) > 2:
        raise BadOperands("a register or a number as the last operand")
    if is_number(words[0]):
        value = number(words[0])
        if len(words) == 2:
            match = _MODIFIER.match(words[1])
            if match is None or match.group(1).lower() != "lsl":
                raise BadOperands(f"LSL #12 instead of '{words[1]}'")
            value <<= int(match.group(2) or "0", 0) & 63
        return Const(wrap(value, bits)), not small(value)
    found = register(words[0])
    if len(words) == 2:
        return modified(found.value, bits, words[1]), True
    return found.value, False


class Address(NamedTuple):
    """`[X1,#4]!` and the like: the address of the access, and what is done to the base register."""

    base: Register
    where: Expr
    before: int | None = None
    after: int | None = None

    def open(self, builder: Builder) -> None:
        """Update the base register before the access."""
        if self.before is not None:
            self._update(builder, self.before)

    def close(self, builder: Builder) -> None:
        """Update the base register behind the access."""
        if self.after is not None:
            self._update(builder, self.after)

    def _update(self, builder: Builder, offset: int) -> None:
        if self.base.name is not None and offset:
            builder.local(self.base.name, Op("add", (self.base.value, Const(offset))))


def address(words: list[str]) -> Address:
    """The address operand and, for post-indexing, the number behind it."""
    word = words[0] if words else ""
    before_access = word.endswith("!")
    inner = word.rstrip("! \t")
    if not (inner.startswith("[") and inner.endswith("]")) or len(words) > 2:
        raise BadOperands(f"an address like [X1] instead of '{word}'")
    parts = [part.strip() for part in inner[1:-1].split(",")]
    base = register(parts[0])
    if len(words) == 2:
        if len(parts) > 1 or before_access:
            raise BadOperands("either an offset or post-indexing")
        return Address(base, base.value, after=number(words[1]))
    if len(parts) == 1:
        return Address(base, base.value)
    if is_number(parts[1]) and len(parts) == 2:
        offset = number(parts[1])
        if before_access:
            return Address(base, base.value, before=offset)
        return Address(base, Op("add", (base.value, Const(offset))) if offset else base.value)
    return _indexed(base, parts, before_access)


def _indexed(base: Register, parts: list[str], before_access: bool) -> Address:
    if before_access or len(parts) > 3:
        raise BadOperands("an address like [X1,W2,SXTW]")
    index = register(parts[1])
    value = index.value
    if len(parts) == 3:
        value = modified(value, 64, parts[2])
    elif index.bits == 32:
        value = Op("sext", (value,), 32)
    return Address(base, Op("add", (base.value, value)))
