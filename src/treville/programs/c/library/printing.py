"""Printing: output is not looked at; text that goes into memory is what the format and constants give."""

from __future__ import annotations

import re

from treville.programs import ir
from treville.programs.c.library.calls import Call, Handler
from treville.programs.c.library.verification import ignored
from treville.programs.c.llvm import LocalName, Type, Value
from treville.programs.c.private import is_read
from treville.programs.grids import Cell

_PARTS = re.compile(r"([^%]+)|(%(?:%|[^a-zA-Z]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z]))")
_SIMPLE = re.compile(r"%(0?\d*)(?:l|ll|z|j|)([diuxXcs])")


def _refuse_counting(here: Call, formats: int) -> None:
    """`%n` writes how much was printed."""
    text = here.body.translation.text_of(here.operands[formats][1]) if formats < len(here.operands) else None
    if text is not None and re.search(r"%[^%a-zA-Z]*(?:hh|h|ll|l|z|j|t)?n", text.replace("%%", "")):
        raise here.body.unsupported(f"{here.name} with %n")


def _print(formats: int) -> Handler:
    def handle(here: Call) -> None:
        _refuse_counting(here, formats)
        ignored(here)

    return handle


def _print_into(here: Call, size: int | None) -> None:
    """Text in a buffer: what it is where all of it is constant; nothing where nobody looks. Argument `size`
    says how much of it there may be."""
    formats = 1 if size is None else 2
    _refuse_counting(here, formats)
    text = _printed(here, formats)
    if text is None:
        if _is_looked_at(here):
            raise here.body.unsupported(
                f"{here.name} of values that are not constant, into memory that is read"
            )
        return
    room = here.argument(size) if size is not None else ir.Const(len(text) + 1)
    if not isinstance(room, ir.Const):
        raise here.body.unsupported(f"{here.name} of a size that is not constant")
    here.returns(ir.Const(len(text)))
    for at, byte in enumerate([*text[: max(0, room.value - 1)], 0] if room.value else []):
        cell = Cell(at, 8)
        here.body.memory.write_cell(here.frame, here.operands[0], cell, ir.Const(byte))


def _is_looked_at(here: Call) -> bool:
    """Does anybody use the text, or its length?"""
    target, private, function = here.operands[0][1], here.frame.private, here.frame.function
    result = LocalName(here.instruction.result or "")
    instructions = [i for block in function.blocks for i in block.instructions]
    used = (value for i in instructions for value in (*(v for _, v in i.operands), *(v for v, _ in i.cases)))
    if result in used:
        return True
    found = private.get(target.name) if isinstance(target, LocalName) else None
    return found is None or is_read(function, private, found.variable)


def _printed(here: Call, formats: int) -> bytes | None:
    """The text that a format and constants give; None if it cannot be told."""
    text = here.body.translation.text_of(here.operands[formats][1])
    if text is None:
        return None
    given = iter(here.operands[formats + 1 :])
    found = ""
    for plain, conversion in _PARTS.findall(text):
        if plain or conversion == "%%":
            found += plain or "%"
            continue
        operand = next(given, None)
        word = _converted(here, conversion, operand) if operand is not None else None
        if word is None:
            return None
        found += word
    return found.encode()


def _converted(here: Call, conversion: str, operand: tuple[Type, Value]) -> str | None:
    """What `%5d` and the like print of a constant."""
    match = _SIMPLE.fullmatch(conversion)
    if match is None:
        return None
    width, kind = match.groups()
    if kind == "s":
        word = here.body.translation.text_of(operand[1])
        return None if word is None or width.startswith("0") else word.rjust(int(width or 0))
    value = here.body.value(here.frame, *operand)
    if not isinstance(value, ir.Const):
        return None
    if kind == "c":
        return None if width or not 0 < value.value < 128 else chr(value.value)
    number = value.value if kind in "di" else value.value & ((1 << here.body.bits(operand[0])) - 1)
    return format(number, width + ("d" if kind in "diu" else kind))


FUNCTIONS: dict[str, Handler] = {
    "printf": _print(0), "fprintf": _print(1), "vprintf": _print(0), "vfprintf": _print(1),
    "sprintf": lambda here: _print_into(here, None), "snprintf": lambda here: _print_into(here, 1),
}  # fmt: skip
