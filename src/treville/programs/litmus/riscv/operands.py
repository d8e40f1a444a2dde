"""Operands of RISC-V instructions: text -> registers, numbers, labels and addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from treville.programs.ir import Const, Expr, Op, Reg
from treville.programs.litmus.assembly import ThreadBuilder
from treville.programs.litmus.riscv.registers import register_name
from treville.records import NamedTuple

Emit: TypeAlias = Callable[[ThreadBuilder], None]


class Compiled(NamedTuple):
    """One instruction's text, ready to be added to threads. `wide`: it can make values that do not fit into
    a non-negative `int`; `bits`: the width of its memory access."""

    emit: Emit
    wide: bool = False
    bits: int = 0


Handler: TypeAlias = Callable[[list[str]], Compiled]


class BadOperands(Exception):
    """The operands do not fit the instruction; carries what was expected."""


ZERO = Const(0)
_MEMORY = re.compile(r"(-?(?:0[xX][0-9a-fA-F]+|\d+))?\s*\(\s*(\w+)\s*\)$")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)$")
_LABEL = re.compile(r"[A-Za-z_.$][\w.$]*$")


def nothing(builder: ThreadBuilder) -> None:
    """Add no IR."""


def take(operands: list[str], count: int, shape: str) -> list[str]:
    """The operands, if there are so many."""
    if len(operands) != count:
        raise BadOperands(shape)
    return operands


def register(word: str) -> str:
    """The register of that name; anything else does not fit."""
    name = register_name(word)
    if name is None:
        raise BadOperands(f"a register instead of '{word}'")
    return name


def source(word: str) -> Expr:
    """What reading a register gives."""
    name = register(word)
    return ZERO if name == "x0" else Reg(name)


def number(word: str) -> int:
    """A number in decimal or hexadecimal."""
    if not _NUMBER.match(word) or len(word) > 40:
        raise BadOperands(f"a number instead of '{word}'")
    return int(word, 16 if "x" in word.lower() else 10)


def label(word: str) -> str:
    """A label of the source."""
    if not _LABEL.match(word):
        raise BadOperands(f"a label instead of '{word}'")
    return word


def address(word: str) -> tuple[Expr, str]:
    """`8(x6)` or `(x6)`: the address and the base register."""
    match = _MEMORY.match(word)
    if match is None:
        raise BadOperands(f"an address like 0(x6) instead of '{word}'")
    base = source(match.group(2))
    offset = number(match.group(1)) if match.group(1) else 0
    return (base if offset == 0 else Op("add", (base, Const(offset)))), register(match.group(2))
