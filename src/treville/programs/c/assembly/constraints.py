"""LLVM's constraints of inline assembly -> operands: which are written, which are registers, memory, numbers.

`"=&r,=*m,0,i,~{memory}"` lists outputs, then inputs, then what is clobbered. `*` means memory by its address;
a number ties an input to an output; `{ax}` names a register, `{@ccz}` a flag.
"""

from __future__ import annotations

import re

from treville.programs.c.llvm import Type, Value
from treville.records import dataclass, field

FLAG = "@cc"
_REGISTER_CLASSES = frozenset("rqRlb")
_OF_VALUES = frozenset("QAgX")  # registers to some, if it is no memory whose address is given
_NUMBERS = frozenset("insIJKLMNOPGZEe")
_PART = re.compile(r"\{[^}]*\}|[^,{]+")


class BadConstraint(Exception):
    """A constraint that has no reading here; carries it."""


@dataclass(slots=True)
class Operand:
    """`%0` of a template. `pointer`: the address of its memory; `value`: what it is at first; `output`: the
    number among the results of the call. An operand that may be a register is one, also if it may be memory:
    then `pointer` is where the register comes from and goes to."""

    constraint: str
    written: bool = False
    pointer: tuple[Type, Value] | None = None
    value: tuple[Type, Value] | None = None
    output: int | None = None
    kind: Type | None = None
    register: str = ""  # its name in the dialect, once it has one

    @property
    def fixed(self) -> str:
        """The register that the constraint names, if it does."""
        named = re.search(r"\{(?!@)([^}]*)\}", self.constraint)
        return named.group(1) if named else ""

    @property
    def flag(self) -> str:
        """The condition whose flag it is: `z` for `{@ccz}`."""
        named = re.search(r"\{@cc(\w+)\}", self.constraint)
        return named.group(1) if named else ""

    @property
    def in_memory(self) -> bool:
        """Is it nothing but memory?"""
        return self.pointer is not None and not self.may_be_register

    @property
    def may_be_register(self) -> bool:
        """Does some register class suit it? (`Q` with an address is AArch64's kind of memory.)"""
        letters = set(re.sub(r"\{[^}]*\}", "r", self.constraint))
        return bool(letters & (_REGISTER_CLASSES if self.pointer else _REGISTER_CLASSES | _OF_VALUES))

    @property
    def may_be_number(self) -> bool:
        """May it stand for a constant?"""
        return bool(set(re.sub(r"\{[^}]*\}", "", self.constraint)) & _NUMBERS)


@dataclass(slots=True)
class Operands:
    """All operands of a piece of assembly; `clobbered` are names of registers, and `memory`."""

    operands: list[Operand] = field(default_factory=list)
    clobbered: set[str] = field(default_factory=set)


def read_constraints(text: str, arguments: list[tuple[Type, Value]]) -> Operands:
    """The operands that a list of constraints describes, with the arguments of the call."""
    found = Operands()
    given = iter(arguments)
    outputs = 0
    for part in _parts(text):
        if part.startswith("~"):
            found.clobbered.add(part[1:].strip("{}"))
            continue
        written = part.startswith("=")
        letters = part.lstrip("=&%")
        indirect = "*" in letters
        letters = letters.replace("*", "").replace("&", "")
        if not letters or letters.startswith(("!", "+")):
            raise BadConstraint(part)
        operand = Operand(letters, written)
        if written and not indirect:
            operand.output, outputs = outputs, outputs + 1
        elif indirect:
            operand.pointer = _next(given, part)
        else:
            operand.value = _next(given, part)
        _add(found.operands, operand)
    return found


def _parts(text: str) -> list[str]:
    """At commas outside braces."""
    parts, current = [""], re.split(r"(\{[^}]*\})", text)
    for piece in current:
        if piece.startswith("{"):
            parts[-1] += piece
            continue
        first, *rest = piece.split(",")
        parts[-1] += first
        parts += rest
    return [part for part in parts if part]


def _next(given: object, part: str) -> tuple[Type, Value]:
    argument = next(given, None)  # type: ignore[call-overload]
    if argument is None:
        raise BadConstraint(part)
    return argument  # type: ignore[no-any-return]


def _add(operands: list[Operand], operand: Operand) -> None:
    """An input that is tied to an output is its first value, but has a number of its own in the template."""
    if operand.constraint.isdigit():
        number = int(operand.constraint)
        if number >= len(operands) or operands[number].flag:
            raise BadConstraint(operand.constraint)
        if operand.value is not None:
            operands[number].value = operand.value
        operand = operands[number]
    operands.append(operand)
