"""Marks of variables without a value (`unset`) after LLVM's passes: which of them say something."""

from __future__ import annotations

import re
from collections.abc import Mapping

from treville.programs.c.llvm import (
    Function,
    GlobalName,
    LlvmInstruction,
    LocalName,
    Module,
    Opaque,
    Value,
)
from treville.programs.c.marks import READ, UNSET
from treville.programs.c.private import Private, private_variables

_MARKED_PART = re.compile(r" unset \d+")


NO_VALUE: Value = Opaque("unset")  # what is stored where the life of a private variable begins


def without_idle_marks(module: Module) -> None:
    """Drop the marks that say nothing: of shared variables that stayed in memory, of those that have a value.
    Private ones get `NO_VALUE`."""
    for function in module.functions.values():
        instructions = [i for block in function.blocks for i in block.instructions]
        given = {i.result for i in instructions if i.result and is_mark(i, UNSET)}
        if given or any(is_mark(i, READ) for i in instructions):
            _forget(instructions, given, private_variables(function))
            idle = _Idle(given, maybe_unset(function), _addresses_of_locals(instructions))
            _drop(function, idle)


def _forget(instructions: list[LlvmInstruction], given: set[str], private: Mapping[str, Private]) -> None:
    for each in instructions:
        names = [_local(value) for _, value in each.operands]
        if each.opcode == "store" and names[0] in given and names[1] in private:
            each.operands[0] = (each.operands[0][0], NO_VALUE)


class _Idle:
    """Tells which instructions say nothing."""

    def __init__(self, given: set[str], unset: frozenset[str], in_memory: set[str]) -> None:
        self.given, self.unset, self.in_memory = given, unset, in_memory

    def __call__(self, each: LlvmInstruction) -> bool:
        values = [local for _, value in each.operands if (local := _local(value))]
        if each.opcode == "store":
            return len(values) == 2 and values[0] in self.given and values[1] in self.in_memory
        return is_mark(each, READ) and not self.unset.intersection(values)


def _drop(function: Function, idle: _Idle) -> None:
    for block in function.blocks:
        block.instructions = [each for each in block.instructions if not idle(each)]
    used = {name for block in function.blocks for i in block.instructions for name in _used(i)}

    def is_needed(each: LlvmInstruction) -> bool:
        is_ours = is_mark(each, UNSET) or _MARKED_PART.search(each.result or "") is not None
        return each.result in used or not is_ours

    for block in function.blocks:
        block.instructions = [each for each in block.instructions if is_needed(each)]


def is_mark(instruction: LlvmInstruction, *kinds: str) -> bool:
    """Is it a call of one of the functions that only marks have?"""
    callee = instruction.operands[0][1] if instruction.opcode == "call" else None
    return isinstance(callee, GlobalName) and callee.name.startswith(kinds)


def maybe_unset(function: Function) -> frozenset[str]:
    """The values that may be those of a variable that has none: the marks', and what phis make of them."""
    instructions = [i for block in function.blocks for i in block.instructions]
    found = {i.result for i in instructions if i.result and is_mark(i, UNSET)}
    phis = [(i.result, i.cases) for i in instructions if i.opcode == "phi" and i.result]
    changed = bool(found)
    while changed:
        new = {name for name, cases in phis if any(_local(value) in found for value, _ in cases)} - found
        found |= new
        changed = bool(new)
    return frozenset(found)


def _addresses_of_locals(instructions: list[LlvmInstruction]) -> set[str]:
    found: set[str] = set()
    for each in instructions:
        derived = each.opcode == "getelementptr" and _local(each.operands[0][1]) in found
        if each.result and (each.opcode == "alloca" or derived):
            found.add(each.result)
    return found


def _used(instruction: LlvmInstruction) -> list[str]:
    values = [value for _, value in instruction.operands] + [value for value, _ in instruction.cases]
    return [name for value in values if (name := _local(value))]


def _local(value: Value) -> str:
    return value.name if isinstance(value, LocalName) else ""
