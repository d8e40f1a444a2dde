"""A program -> nothing, or an error: is the IR well formed? The last of the passes that rewrite programs.

What is checked here every engine may rely on. A program that fails is a bug of Treville, not of its input.
"""

from __future__ import annotations

from treville.programs.ir import (
    AtomicBegin,
    AtomicEnd,
    Branch,
    Fence,
    Instruction,
    Load,
    Nondet,
    Program,
    Spawn,
    Store,
    Thread,
)


class MalformedProgram(Exception):
    """A pass or a front end made a program that means nothing."""


def verify(program: Program) -> None:
    """Raise `MalformedProgram` unless labels, threads and halves of updates fit together."""
    for thread in program.bodies:
        _labels(thread)
        _updates(thread)
        for instruction in thread.instructions:
            _instruction(program, thread, instruction)


def _labels(thread: Thread) -> None:
    end = len(thread.instructions)
    for name, place in thread.labels.items():
        if not 0 <= place <= end:
            raise MalformedProgram(f"{thread.name}: the label {name} is outside the code")
    for name in thread.code_addresses.values():
        if name not in thread.labels:
            raise MalformedProgram(f"{thread.name}: no label {name}")


def _updates(thread: Thread) -> None:
    """The write half of an update follows a read half of the same source instruction."""
    read: int | None = None
    depth = 0
    for instruction in thread.instructions:
        if isinstance(instruction, Load) and instruction.link:
            read = instruction.index
        elif isinstance(instruction, Store) and instruction.link and read != instruction.index:
            raise MalformedProgram(f"{thread.name}: half an update: {instruction.text}")
        depth += isinstance(instruction, AtomicBegin) - isinstance(instruction, AtomicEnd)
    if thread.instructions and depth < 0:
        raise MalformedProgram(f"{thread.name}: an atomic block ends more often than it begins")


def _instruction(program: Program, thread: Thread, instruction: Instruction) -> None:
    if isinstance(instruction, Branch):
        for label in (instruction.target, instruction.until):
            if label is not None and label not in thread.labels:
                raise MalformedProgram(f"{thread.name}: no label {label}")
    elif isinstance(instruction, Spawn) and instruction.function not in program.functions:
        raise MalformedProgram(f"{thread.name}: no thread runs {instruction.function}")
    elif isinstance(instruction, Load | Store) and instruction.bits <= 0:
        raise MalformedProgram(f"{thread.name}: an access of {instruction.bits} bits")
    elif isinstance(instruction, Nondet) and instruction.bits < 2:
        raise MalformedProgram(f"{thread.name}: any number of {instruction.bits} bits")
    elif isinstance(instruction, Fence) and not instruction.tags:
        raise MalformedProgram(f"{thread.name}: a fence without a kind")
