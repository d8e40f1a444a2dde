"""For every position of a thread, the registers and private cells whose values can still matter there.

A value that is only used to compute values that do not matter does not matter either, so that the
counter of a loop that nobody looks at is forgotten.
"""

from __future__ import annotations

from treville.programs.flow import defined_register, successors, used_registers
from treville.programs.ir import Const, Instruction, Local, ReadPrivate, Thread, WritePrivate


def cell(name: str, offset: int | str) -> str:
    """How a cell of a private object is called; `*` as offset means any of them."""
    return f"{name}\0{offset}"


def live_names(thread: Thread, at_end: frozenset[str] = frozenset()) -> list[frozenset[str]]:
    """The live names at each position; the last entry is for the end, where those `at_end` are."""
    count = len(thread.instructions)
    following = [successors(thread, position) for position in range(count)]
    used = [frozenset(used_registers(instruction)) for instruction in thread.instructions]
    written = [_written(instruction) for instruction in thread.instructions]
    live: list[frozenset[str]] = [*[frozenset[str]()] * count, at_end]
    predecessors: list[list[int]] = [[] for _ in live]
    for position, targets in enumerate(following):
        for target in targets:
            predecessors[target].append(position)
    pending = set(range(count))
    while pending:  # backwards, and again where a loop closes
        for position in sorted(pending, reverse=True):
            pending.discard(position)
            first, *others = following[position]
            after = live[first].union(*(live[other] for other in others)) if others else live[first]
            found = _before(thread.instructions[position], used[position], written[position], after)
            if found != live[position]:
                live[position] = found
                pending.update(predecessors[position])
    return live


def is_live(name: str, live: frozenset[str]) -> bool:
    """Does the value of a register or cell matter?"""
    return name in live or ("\0" in name and cell(name.split("\0")[0], "*") in live)


def _before(
    instruction: Instruction, used: frozenset[str], written: str | None, after: frozenset[str]
) -> frozenset[str]:
    if isinstance(instruction, Local | ReadPrivate | WritePrivate) and not _matters(instruction, after):
        return after
    found = (after - {written} if written in after else after) | used
    if isinstance(instruction, ReadPrivate):
        offset = instruction.offset
        found |= {cell(instruction.object, offset.value if isinstance(offset, Const) else "*")}
    return found


def _matters(instruction: Local | ReadPrivate | WritePrivate, after: frozenset[str]) -> bool:
    if not isinstance(instruction, WritePrivate):
        return instruction.register in after
    if isinstance(instruction.offset, Const):
        return is_live(cell(instruction.object, instruction.offset.value), after)
    return any(name.startswith(f"{instruction.object}\0") for name in after)


def _written(instruction: Instruction) -> str | None:
    """The name that surely has a new value afterwards."""
    if isinstance(instruction, WritePrivate):
        offset = instruction.offset
        return cell(instruction.object, offset.value) if isinstance(offset, Const) else None
    return defined_register(instruction)
