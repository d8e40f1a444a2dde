"""A program -> the same program with narrower ints: whatever has at most 32 bits has fewer (paper 001, VI).

Pointers and other numbers of 64 bits stay as they are. Runs of the narrow program need not be runs of the
program, so whoever finds something in one has to run it again at full width.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from treville.programs.flow import operands
from treville.programs.ir import (
    Const,
    Expr,
    Havoc,
    Instruction,
    Location,
    Nondet,
    Op,
    Program,
    Reg,
    Select,
    Store,
    StoreExclusive,
    Thread,
    WritePrivate,
)
from treville.programs.operators import wrap
from treville.records import replace

WIDTH = 32  # of an int


def narrowed(program: Program, bits: int) -> Program:
    """The program whose ints have so many bits."""
    if bits >= WIDTH:
        return program
    locations = {name: _location(location, bits) for name, location in program.locations.items()}
    return replace(program, locations=locations).rewritten(partial(_thread, bits=bits))


def _location(location: Location, bits: int) -> Location:
    initial = location.initial
    if location.bits <= WIDTH:
        initial = tuple(wrap(value, min(bits, location.bits)) for value in initial)
    parts = tuple(
        (offset, width, wrap(value, min(bits, width)) if width <= WIDTH else value)
        for offset, width, value in location.parts
    )
    return replace(location, initial=initial, parts=parts)


def _thread(thread: Thread, bits: int) -> Thread:
    code = tuple(_instruction(instruction, bits) for instruction in thread.instructions)
    return replace(thread, instructions=code)


def _instruction(instruction: Instruction, bits: int) -> Instruction:
    """Expressions are narrowed wherever they are; what is loaded is narrow because what is stored is."""
    changed: dict[str, Any] = {}
    for name, expression in operands(instruction):
        narrow = _expression(expression, bits)
        if narrow != expression:
            changed[name] = narrow
    if isinstance(instruction, Nondet):
        changed["bits"] = _width(instruction.bits, bits)
    elif isinstance(instruction, Havoc):
        changed["values"] = tuple(dict.fromkeys(wrap(value, bits) for value in instruction.values))
    elif isinstance(instruction, Store | StoreExclusive | WritePrivate) and instruction.bits <= WIDTH:
        value = changed.get("value", instruction.value)
        changed["value"] = Op("sext", (value,), _width(instruction.bits, bits))
    return replace(instruction, **changed) if changed else instruction


def _width(own: int, bits: int) -> int:
    return min(own, bits) if own <= WIDTH else own


def _expression(expression: Expr, bits: int) -> Expr:
    if isinstance(expression, Const | Reg):
        return expression
    if isinstance(expression, Select):
        return Select(*(_expression(part, bits) for part in expression))
    width = _width(expression.bits, bits)
    args = tuple(_argument(argument, bits, width) for argument in expression.args)
    return Op(expression.name, args, width)


def _argument(argument: Expr, bits: int, width: int) -> Expr:
    """Constants of narrow operators are narrow, too."""
    if isinstance(argument, Const) and width <= WIDTH:
        return Const(wrap(argument.value, width))
    return _expression(argument, bits)
