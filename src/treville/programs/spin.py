"""Finds the loops of a thread that only wait: rounds that change nothing and that nothing depends on.

A round of such a loop reads memory and jumps back, and no register carries anything from one round to the
next or out of the loop but from the last round. Leaving out all rounds but the last gives an execution of the
same program with fewer events, so nothing is lost by letting a thread that would go round again wait
for ever instead (paper 004, section 4.4: spin loops need no unrolling).
"""

from __future__ import annotations

from treville.programs.ir import (
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
    Thread,
)


def spin_jumps(thread: Thread) -> set[int]:
    """The positions of the backward jumps of loops that only wait."""
    found: set[int] = set()
    if any(isinstance(instruction, IndirectBranch) for instruction in thread.instructions):
        return found
    for position, instruction in enumerate(thread.instructions):
        if isinstance(instruction, Branch) and thread.labels[instruction.target] <= position:
            head = thread.labels[instruction.target]
            if _only_waits(thread, head, position):
                found.add(position)
    return found


def _only_waits(thread: Thread, head: int, last: int) -> bool:
    body = range(head, last + 1)
    for position in body:
        instruction = thread.instructions[position]
        harmless = isinstance(instruction, Load | Local | ReadPrivate | Fence | Branch)
        if not harmless or (isinstance(instruction, Load) and (instruction.link or instruction.exclusive)):
            return False
        if isinstance(instruction, Branch) and thread.labels[instruction.target] <= position != last:
            return False  # a loop inside, or a second way back
    if _entered_elsewhere(thread, head, last):
        return False
    return _rounds_are_independent(thread, head, last)


def _entered_elsewhere(thread: Thread, head: int, last: int) -> bool:
    for position, instruction in enumerate(thread.instructions):
        outside = not head <= position <= last
        if outside and isinstance(instruction, Branch) and head < thread.labels[instruction.target] <= last:
            return True
    return False


def _rounds_are_independent(thread: Thread, head: int, last: int) -> bool:
    """Is every register that the loop sets set anew before it is used, in the loop or behind it?"""
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
            return False
        register = _defined(instruction)
        after = known if register is None else known | {register}
        for target in _targets(thread, position):
            if head <= target <= last and target > position:
                set_before[target] = set_before[target] & after if target in set_before else after
            elif not head <= target <= last and not wanted <= after:
                return False
    return True


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


def used_registers(instruction: Instruction) -> set[str]:
    """The registers whose values an instruction uses."""
    found: set[str] = set()
    for name in instruction.__dataclass_fields__:
        value = getattr(instruction, name)
        if isinstance(value, Const | Reg | Op | Select):
            found |= _registers(value)
    return found


def _registers(expression: Expr) -> set[str]:
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
