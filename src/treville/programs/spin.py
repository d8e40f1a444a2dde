"""Finds the loops of a thread that only wait: iterations that change nothing and that nothing depends on.

An iteration of such a loop reads memory and jumps back, and no register carries anything from one iteration
to the next or out of the loop but from the last iteration. Leaving out all iterations but the last gives an
execution of the same program with fewer events, so nothing is lost by letting a thread that would go round
again wait for ever instead (paper 004, section 4.4: spin loops need no unrolling).
"""

from __future__ import annotations

from typing import NamedTuple

from treville.programs.ir import (
    Allocate,
    Branch,
    Const,
    Expr,
    Fence,
    IndirectBranch,
    Instruction,
    Load,
    Local,
    Op,
    ReadPrivate,
    Reg,
    Select,
    Store,
    StoreExclusive,
    Thread,
    WritePrivate,
)
from treville.records import fields

_ACTIONS: dict[type[Instruction], str] = {
    Store: "writes memory",
    StoreExclusive: "writes memory",
    WritePrivate: "writes a local object",
    Allocate: "allocates memory",
}


class Obstacle(NamedTuple):
    """Why a loop does more than wait: a reason, and the instruction that it speaks of."""

    reason: str
    instruction: Instruction


def spin_jumps(thread: Thread) -> set[int]:
    """The positions of the backward jumps of loops that only wait."""
    if any(isinstance(instruction, IndirectBranch) for instruction in thread.instructions):
        return set()
    return {jump for jump, head in backward_jumps(thread) if obstacle(thread, head, jump) is None}


def backward_jumps(thread: Thread) -> list[tuple[int, int]]:
    """The positions of the jumps that lead back, and where they lead."""
    return [
        (position, thread.labels[instruction.target])
        for position, instruction in enumerate(thread.instructions)
        if isinstance(instruction, Branch) and thread.labels[instruction.target] <= position
    ]


def obstacle(thread: Thread, head: int, last: int) -> Obstacle | None:
    """What keeps the loop between two positions from being one that only waits."""
    for position in range(head, last + 1):
        instruction = thread.instructions[position]
        if not isinstance(instruction, Load | Local | ReadPrivate | Fence | Branch):
            return Obstacle(_ACTIONS.get(type(instruction), "does more than read"), instruction)
        if isinstance(instruction, Load) and (instruction.link or instruction.exclusive):
            return Obstacle("updates memory", instruction)
        if isinstance(instruction, Branch) and thread.labels[instruction.target] <= position != last:
            return Obstacle("is a loop inside, or a second way back", instruction)
    entry = _entered_elsewhere(thread, head, last)
    return Obstacle("jumps into the loop", entry) if entry else _dependency(thread, head, last)


def _entered_elsewhere(thread: Thread, head: int, last: int) -> Instruction | None:
    for position, instruction in enumerate(thread.instructions):
        outside = not head <= position <= last
        if outside and isinstance(instruction, Branch) and head < thread.labels[instruction.target] <= last:
            return instruction
    return None


def _dependency(thread: Thread, head: int, last: int) -> Obstacle | None:
    """Is some register that the loop sets not set anew before it is used, in the loop or behind it?"""
    code = thread.instructions
    changed = {register for p in range(head, last + 1) if (register := _defined(code[p])) is not None}
    outside = {
        register
        for position, instruction in enumerate(code)
        if not head <= position <= last
        for register in used_registers(instruction)
    }
    wanted = changed & outside
    set_before: dict[int, set[str]] = {head: set()}
    for position in range(head, last + 1):
        known = set_before.get(position)
        if known is None:
            continue  # not reachable from the head
        instruction = code[position]
        if used_registers(instruction) & changed - known:
            return Obstacle("uses what an earlier iteration computed", instruction)
        register = _defined(instruction)
        after = known if register is None else known | {register}
        for target in _targets(thread, position):
            if head <= target <= last and target > position:
                set_before[target] = set_before[target] & after if target in set_before else after
            elif not head <= target <= last and not wanted <= after:
                return Obstacle("leaves with what an earlier iteration computed", instruction)
    return None


def _targets(thread: Thread, position: int) -> list[int]:
    instruction = thread.instructions[position]
    if not isinstance(instruction, Branch):
        return [position + 1]
    target = thread.labels[instruction.target]
    return [target] if instruction.condition is None else [target, position + 1]


def _defined(instruction: Instruction) -> str | None:
    if isinstance(instruction, Load | Local | ReadPrivate):
        return instruction.register
    return None


_NAMES: dict[type[object], tuple[str, ...]] = {}


def field_names(instruction: Instruction) -> tuple[str, ...]:
    """The names of its fields, which are looked up once for each kind of instruction."""
    kind = type(instruction)
    found = _NAMES.get(kind)
    if found is None:
        found = _NAMES[kind] = tuple(field.name for field in fields(instruction))
    return found


def used_registers(instruction: Instruction) -> set[str]:
    """The registers whose values an instruction uses."""
    found: set[str] = set()
    for name in field_names(instruction):
        value = getattr(instruction, name)
        if isinstance(value, Const | Reg | Op | Select):
            found |= registers_of(value)
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
