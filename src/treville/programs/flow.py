"""The flow of data and control through single instructions: what each reads, sets and leads to.

Whoever follows registers or jumps asks here, and every `match` is exhaustive: an instruction that nobody
thought of is an error of the type checker, not a register that seems to keep its value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from treville.programs.ir import (
    Allocate,
    Assert,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Branch,
    Const,
    Expr,
    Fence,
    Free,
    Havoc,
    IndirectBranch,
    Instruction,
    Join,
    Load,
    Local,
    Nondet,
    Op,
    ReadPrivate,
    Reg,
    Select,
    Spawn,
    Stop,
    Store,
    StoreExclusive,
    Thread,
    WritePrivate,
)
from treville.records import fields

# What was found for each kind of instruction, since asking for fields and matching are slow: the names of its
# fields, the field that names the register that it sets, and the kinds behind which a thread goes on with the
# next instruction.
_NAMES: dict[type[Instruction], tuple[str, ...]] = {}
_FIELDS: dict[type[Instruction], str | None] = {}
_STRAIGHT: set[type[Instruction]] = set()


def operands(instruction: Instruction) -> Iterator[tuple[str, Expr]]:
    """The expressions of an instruction, by the names of its fields."""
    kind = type(instruction)
    if kind not in _NAMES:
        _NAMES[kind] = tuple(field.name for field in fields(instruction))
    for name in _NAMES[kind]:
        value = getattr(instruction, name)
        if isinstance(value, Const | Reg | Op | Select):
            yield name, value


def used_registers(instruction: Instruction) -> set[str]:
    """The registers whose values an instruction uses."""
    found: set[str] = set()
    for _, expression in operands(instruction):
        found |= registers_of(expression)
    return found


def registers_of(expression: Expr) -> set[str]:
    """The registers that an expression reads."""
    found: set[str] = set()
    pending = [expression]
    while pending:
        part = pending.pop()
        if isinstance(part, Reg):
            found.add(part.name)
        elif isinstance(part, Op):
            pending.extend(part.args)
        elif isinstance(part, Select):
            pending += [part.condition, part.then, part.otherwise]
    return found


def defined_register(instruction: Instruction) -> str | None:
    """The register that an instruction sets, if any."""
    kind = type(instruction)
    if kind not in _FIELDS:
        _FIELDS[kind] = _register_field(instruction)
    field = _FIELDS[kind]
    return None if field is None else getattr(instruction, field)


def _register_field(instruction: Instruction) -> str | None:
    match instruction:
        case Local() | Load() | ReadPrivate() | Havoc() | Nondet() | Allocate() | Spawn():
            return "register"
        case StoreExclusive():
            return "status"
        case Store() | WritePrivate() | Fence() | Free() | AtomicBegin() | AtomicEnd():
            return None
        case Branch() | IndirectBranch() | Assume() | Assert() | Stop() | Join():
            return None
        case _:
            assert_never(instruction)


def successors(thread: Thread, position: int) -> list[int]:
    """Where a thread may go on behind the instruction at a position; behind a `Stop` as if it did."""
    instruction = thread.instructions[position]
    if type(instruction) in _STRAIGHT:
        return [position + 1]
    match instruction:
        case Branch():
            target = thread.labels[instruction.target]
            return [target] if instruction.condition is None else [target, position + 1]
        case IndirectBranch():
            return [thread.labels[label] for label in thread.code_addresses.values()]
        case Local() | Load() | ReadPrivate() | Havoc() | Nondet() | Allocate() | Spawn() | StoreExclusive():
            pass
        case Store() | WritePrivate() | Fence() | Free() | AtomicBegin() | AtomicEnd():
            pass
        case Assume() | Assert() | Stop() | Join():
            pass
        case _:
            assert_never(instruction)
    _STRAIGHT.add(type(instruction))
    return [position + 1]
