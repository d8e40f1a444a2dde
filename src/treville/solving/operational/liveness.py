"""A thread's code -> for each position the registers whose value can still matter.

States that differ only in registers which nobody will read are the same state.
"""

from __future__ import annotations

from treville.programs import ir


def live_registers(thread: ir.Thread) -> list[frozenset[str]]:
    """For each position the registers whose value can still matter."""
    count = len(thread.instructions)
    live: list[frozenset[str]] = [frozenset() for _ in range(count + 1)]
    changed = True
    while changed:
        changed = False
        for position in reversed(range(count)):
            instruction = thread.instructions[position]
            after: frozenset[str] = frozenset()
            for following in _successors(thread, position):
                after |= live[following]
            found = after - {getattr(instruction, "register", None) or ""} | _used(instruction)
            if found != live[position]:
                live[position] = found
                changed = True
    return live


def _successors(thread: ir.Thread, position: int) -> list[int]:
    instruction = thread.instructions[position]
    if isinstance(instruction, ir.Branch):
        target = thread.labels[instruction.target]
        return [target] if instruction.condition is None else [target, position + 1]
    return [position + 1]


def _used(instruction: ir.Instruction) -> frozenset[str]:
    names: set[str] = set()
    for part in ("value", "address", "condition", "when", "argument", "thread", "size", "offset"):
        expression = getattr(instruction, part, None)
        if expression is not None:
            _registers(expression, names)
    return frozenset(names)


def _registers(expression: ir.Expr, names: set[str]) -> None:
    if isinstance(expression, ir.Reg):
        names.add(expression.name)
    elif isinstance(expression, ir.Op):
        for argument in expression.args:
            _registers(argument, names)
    elif isinstance(expression, ir.Select):
        for argument in expression:
            _registers(argument, names)
