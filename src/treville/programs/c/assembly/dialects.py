"""How each architecture writes operands, and which registers inline assembly may be given.

A name is written (`%r8d`, `w9`) and meant (`r8`, `X9` of the litmus readers' IR).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from treville.programs.c.llvm import IntType, PointerType, Type
from treville.programs.litmus.riscv.registers import register_name
from treville.records import dataclass


class NotWritten(Exception):
    """There is no way to write this; carries what."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One architecture. `name` is that of its litmus tests; `registers` those that operands may get, by the
    names of the IR; `write_register` of a name, a type and a modifier; `named` what a constraint's name
    means; `flag` an instruction that puts a condition into a register."""

    name: str
    triples: tuple[str, ...]
    comment: str
    registers: tuple[str, ...]
    write_register: Callable[[str, Type, str], str]
    memory: str
    number: str
    mentions: Callable[[str], set[str]]
    flag: str = ""

    def write_memory(self, register: str, modifier: str) -> str:
        """An address in a register."""
        if self.name == "PPC" and modifier in ("U", "X"):
            return ""
        if self.name == "PPC" and modifier == "y":
            return f"r0,{register}"
        if modifier and not (self.name == "AArch64" and modifier in "wx"):
            raise NotWritten(f"memory with the modifier '{modifier}'")
        return self.memory.format(self.write_register(register, PointerType(), ""))

    def write_number(self, value: int, modifier: str) -> str:
        """A constant."""
        if modifier and modifier not in "cPwxzk":
            raise NotWritten(f"a number with the modifier '{modifier}'")
        return str(value) if modifier and modifier in "cP" else self.number.format(value)


# -- x86-64 ----------------------------------------------------------------------------------------

_LETTERS = {"ax", "bx", "cx", "dx"}
_X86_FREE = ("r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rsi", "rdi", "rbx", "rcx", "rdx")
_X86_BITS = {"b": 8, "w": 16, "k": 32, "q": 64, "": 0}


def _x86_register(name: str, kind: Type, modifier: str) -> str:
    if modifier not in _X86_BITS:
        raise NotWritten(f"a register with the modifier '{modifier}'")
    bits = _X86_BITS[modifier] or _bits(kind)
    if name[1:].isdigit():
        return "%" + name + {64: "", 32: "d", 16: "w", 8: "b"}[bits]
    stem = name[1:]
    if bits == 8:
        return f"%{stem[0]}l" if stem in _LETTERS else f"%{stem}l"
    return "%" + {64: "r", 32: "e", 16: ""}[bits] + stem


def x86_family(name: str) -> str:
    """The 64-bit register that a part belongs to; `ax` -> `rax`."""
    plain = name.lower().lstrip("%")
    if match := re.fullmatch(r"(r\d+)[dwb]?", plain):
        return match.group(1)
    if match := re.fullmatch(r"[re]?([a-d]x|[sd]i|[sb]p)", plain):
        return f"r{match.group(1)}"
    if match := re.fullmatch(r"([a-d])[lh]|([sd]i|[sb]p)l", plain):
        return f"r{match.group(1)}x" if match.group(1) else f"r{match.group(2)}"
    return plain


def _x86_mentions(text: str) -> set[str]:
    return {x86_family(word) for word in re.findall(r"%([a-z]\w*)", text.lower())} | {"rax", "rsp", "rbp"}


# -- the others ------------------------------------------------------------------------------------


def _numbered(prefix: str, meant: str) -> Callable[[str], set[str]]:
    """The registers that a text mentions."""

    def mentions(text: str) -> set[str]:
        return {f"{meant}{number}" for number in re.findall(rf"\b{prefix}(\d+)\b", text.lower())}

    return mentions


def _arm64_register(name: str, _kind: Type, modifier: str) -> str:
    if modifier not in ("", "w", "x"):
        raise NotWritten(f"a register with the modifier '{modifier}'")
    return ("w" if modifier == "w" else "x") + name[1:]


def _plain_register(name: str, _kind: Type, modifier: str) -> str:
    if modifier not in ("", "z"):
        raise NotWritten(f"a register with the modifier '{modifier}'")
    return name


def _riscv_mentions(text: str) -> set[str]:
    names = (register_name(word) for word in re.findall(r"\b[a-z]\w*\b", text.lower()))
    return {name for name in names if name is not None}


def _bits(kind: Type) -> int:
    bits = kind.bits if isinstance(kind, IntType) else 64
    if bits not in (8, 16, 32, 64):
        raise NotWritten(f"a register of {bits} bits")
    return bits


DIALECTS = (
    Dialect(
        "X86_64", ("x86_64", "amd64"), "#", _X86_FREE, _x86_register, "({})", "${}", _x86_mentions,
        flag="set{condition} {low}",
    ),
    Dialect(
        "AArch64", ("aarch64", "arm64"), "@", tuple(f"X{n}" for n in range(28, 7, -1)), _arm64_register,
        "[{}]", "{}", _numbered("[xw]", "X"), flag="cset {low}, {condition}",
    ),
    Dialect(
        "ARM", ("arm", "thumb"), "@", tuple(f"R{n}" for n in range(12, 3, -1)), _plain_register,
        "[{}]", "#{}", _numbered("r", "R"),
    ),
    Dialect(
        "PPC", ("powerpc", "ppc"), "#", tuple(f"r{n}" for n in range(31, 13, -1)), _plain_register,
        "0({})", "{}", _numbered("r", "r"),
    ),
    Dialect(
        "RISCV", ("riscv",), "#", tuple(f"x{n}" for n in range(31, 17, -1)), _plain_register, "0({})", "{}",
        _riscv_mentions,
    ),
)  # fmt: skip


def dialect_of(triple: str) -> Dialect | None:
    """The dialect of a target."""
    architecture = triple.split("-")[0].lower()
    return next((d for d in DIALECTS if architecture.startswith(d.triples)), None)


_CHARACTERISTIC = {
    "ARM": r"ldrex\w*|strex\w*|teq",
    "AArch64": (
        r"ld(?:a|ax|ap|x)?r[bh]?|st(?:l|lx|x)?r[bh]?|cbn?z|tbn?z|b\.\w+|casp?(?:a|l|al)?[bh]?|swp(?:a|l|al)?[bh]?"
        r"|(?:ld|st)(?:add|clr|set|eor|[su]max|[su]min)(?:a|l|al)?[bh]?|ldp|stp|ld[a]?xp|st[l]?xp|cset"
    ),
    "PPC": r"l[wdbh]arx|st[wdbh]cx\.|lwz\w*|stw\w*|cmpl?[wd]i?|li|b(?:ne|eq)[+-]|ldx?|stdx?|mr",
    "RISCV": r"(?:lr|sc)\.[wd][.\w]*|amo\w+\.[wd][.\w]*|l[wdbh]u?|s[wdbh]|b(?:ne|eq)z|li|mv",
}


def guess(templates: list[str], own: str = "") -> str:
    """The dialect of pieces of assembly, by their instructions; empty if they may be anybody's. It is
    `own` where any of them looks so, but for 32-bit Arm, whose others look like those of AArch64."""
    words = [
        match.group(1).lower()
        for template in templates
        for part in re.split(r"\\0A|;|\n", template.replace("\\09", " "))
        if (match := re.match(r"\s*(?:[\w.$]+:\s*)*([A-Za-z][\w.+-]*)", part))
    ]
    scores = {name: sum(bool(re.fullmatch(like, w)) for w in words) for name, like in _CHARACTERISTIC.items()}
    if scores["ARM"]:
        return "ARM"
    if scores.get(own):
        return own
    most = max(scores.values())
    best = [name for name, score in scores.items() if score == most]
    return best[0] if most and len(best) == 1 else ""


def dialect_for(triple: str, templates: list[str]) -> Dialect | None:
    """The dialect of a module's assembly. Programs for other machines may be compiled for AArch64, since that
    matters to nothing but their assembly, whose instructions tell."""
    own = dialect_of(triple)
    if own is None or own.name != "AArch64":
        return own
    meant = guess(templates, own.name)
    return next((dialect for dialect in DIALECTS if dialect.name == meant), own)
