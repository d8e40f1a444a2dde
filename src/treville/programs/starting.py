"""When a program's threads are there: what runs before any is started, and what one thread only runs."""

from __future__ import annotations

from treville.programs.ir import Branch, Program, Spawn, Thread
from treville.programs.spin import backward_jumps


def before_threads(main: Thread) -> int:
    """So many instructions of the first thread are executed before any other thread is there."""
    spawns = [at for at, i in enumerate(main.instructions) if isinstance(i, Spawn)]
    jumps = [(at, i.target) for at, i in enumerate(main.instructions) if isinstance(i, Branch)]
    first, before = min(spawns, default=len(main.instructions)), -1
    while first != before:
        before = first
        first = min([first, *(main.labels[target] for at, target in jumps if at >= first)])
    return first


def bodies_run_once(program: Program) -> set[int]:
    """The bodies that one thread only runs: the first, and what is started once."""
    starts: dict[str, int] = {}
    for number, body in enumerate(program.bodies):
        loops = [range(head, jump + 1) for jump, head in backward_jumps(body)]
        for position, instruction in enumerate(body.instructions):
            if isinstance(instruction, Spawn):
                again = number > 0 or any(position in loop for loop in loops)
                starts[instruction.function] = starts.get(instruction.function, 0) + 1 + again
    first = len(program.threads)
    return {0} | {n for n, name in enumerate(program.functions, first) if starts.get(name) == 1}
