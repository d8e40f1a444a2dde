"""Atomic blocks inside atomic blocks: the outermost one is the block, the others are left out.

An atomic function may call another, or `__VERIFIER_atomic_begin` itself. How deep each instruction is follows
from the ways that lead to it; where two of them disagree the program has no blocks that could be followed.
"""

from __future__ import annotations

from treville.programs.ir import (
    AtomicBegin,
    AtomicEnd,
    Branch,
    Const,
    IndirectBranch,
    Instruction,
    Local,
    Program,
    Stop,
    Thread,
)
from treville.records import replace
from treville.results import Unsupported

_NOTHING = "nothing"
_END = "end of thread"


def with_flat_blocks(program: Program) -> Program:
    """The program without blocks in blocks."""
    return program.rewritten(_flattened) if program.has(AtomicBegin, AtomicEnd) else program


def _flattened(thread: Thread) -> Thread:
    depths = _depths(thread)
    code = tuple(
        _without(instruction) if _is_inner(instruction, depth) else instruction
        for instruction, depth in zip(thread.instructions, depths, strict=False)
    )
    return replace(thread, instructions=code)


def _is_inner(instruction: Instruction, depth: int | None) -> bool:
    """Does it begin or end a block that is inside another?"""
    if depth is None:
        return False
    return (isinstance(instruction, AtomicBegin) and depth > 0) or (
        isinstance(instruction, AtomicEnd) and depth > 1
    )


def _without(instruction: Instruction) -> Instruction:
    return Local(_NOTHING, Const(0), text=instruction.text, span=instruction.span, index=instruction.index)


def _depths(thread: Thread) -> list[int | None]:
    """How many blocks each instruction is in, before it is executed; None where nobody gets."""
    count = len(thread.instructions)
    depths: list[int | None] = [None] * (count + 1)
    end = thread.labels.get(_END, count)  # where a thread leaves, it leaves its blocks too
    pending = sorted({0, end})
    for start in pending:
        depths[start] = 0
    while pending:
        at = pending.pop()
        if at == count:
            continue
        instruction = thread.instructions[at]
        after = (depths[at] or 0) + isinstance(instruction, AtomicBegin) - isinstance(instruction, AtomicEnd)
        for following in _successors(thread, at, instruction):
            if following == end:
                continue
            if depths[following] is None:
                depths[following] = max(0, after)
                pending.append(following)
            elif depths[following] != max(0, after):
                raise Unsupported("an atomic block that is left on some ways only", instruction.span)
    return depths


def _successors(thread: Thread, at: int, instruction: Instruction) -> list[int]:
    if isinstance(instruction, Stop | IndirectBranch):
        return []
    if not isinstance(instruction, Branch):
        return [at + 1]
    target = thread.labels[instruction.target]
    return [target] if instruction.condition is None else [target, at + 1]
