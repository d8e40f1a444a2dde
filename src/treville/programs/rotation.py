"""A loop that waits with its test in front -> the same loop with its test behind.

    v := first                        v := first
    head: if not v: go to end         if not v: go to end
          v := read                   body: v := read
          go to head                        if v: go to body
    end:                              end:

In front, the test looks at what the iteration before has read; behind, at what its own iteration has read, so
that nothing is carried from one iteration to the next and the loop is seen to wait only (`programs.spin`). A
copy of the test takes the place of the jump back; it computes and branches, so a run has the same events as
before.
"""

from __future__ import annotations

from treville.programs.ir import Branch, Instruction, Local, Program, ReadPrivate, Thread
from treville.programs.spin import backward_jumps, obstacle
from treville.records import replace


def with_tests_behind(program: Program) -> Program:
    """The program whose waiting loops all have their tests behind."""
    return program.rewritten(_rotated)


def _rotated(thread: Thread) -> Thread:
    for jump, head in reversed(backward_jumps(thread)):
        back = thread.instructions[jump]
        if isinstance(back, Branch) and back.condition is None and obstacle(thread, head, jump):
            thread = _with_test_behind(thread, head, jump) or thread
    return thread


def _with_test_behind(thread: Thread, head: int, jump: int) -> Thread | None:
    """The thread with the loop's test in place of its jump back; None if the loop does not only wait then."""
    test = _test(thread, head, jump)
    rotated = thread.rewritten(test if at == jump else [each] for at, each in enumerate(thread.instructions))
    new = range(jump, jump + len(test))
    jumps = [(at, to) for at, to in backward_jumps(rotated) if at in new]
    waits = [obstacle(rotated, to, at) is None for at, to in jumps]
    return rotated if waits == [True] else None


def _test(thread: Thread, head: int, jump: int) -> list[Instruction]:
    """Copies of a loop's first instructions if they compute, branch, and go on elsewhere; else none."""
    found: list[Instruction] = []
    for instruction in thread.instructions[head:jump]:
        if not isinstance(instruction, Local | ReadPrivate | Branch):
            return []
        found.append(replace(instruction))
        if isinstance(instruction, Branch) and instruction.condition is None:
            return found if len(found) > 1 else []
    return []
