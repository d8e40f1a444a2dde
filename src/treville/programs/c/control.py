"""The blocks of a function: where the branches of a conditional meet again, and which are in loops.

Up to where they meet, events depend on a conditional in the kernel's model. Processors keep the dependency
for all that follows, so this matters to `lkmm` only.
"""

from __future__ import annotations

from treville.programs.c.llvm import Block, Function
from treville.relations import elements
from treville.relations.graphs import components


def meeting_points(function: Function) -> dict[str, str | None]:
    """For every block the first one that all paths from it to the end go through (None: the end itself)."""
    numbers = {block.name: number for number, block in enumerate(function.blocks)}
    successors = [_successors(function, number, numbers) for number in range(len(numbers))]
    everything = (1 << len(numbers)) - 1
    after = [everything] * len(numbers)
    changed = True
    while changed:
        changed = False
        for number in reversed(range(len(numbers))):
            common = everything if successors[number] else 0
            for successor in successors[number]:
                common &= after[successor]
            if common | 1 << number != after[number]:
                after[number], changed = common | 1 << number, True
    return {block.name: _nearest(function, after, number) for number, block in enumerate(function.blocks)}


def blocks_in_loops(function: Function) -> list[Block]:
    """The blocks that can be reached from themselves."""
    numbers = {block.name: number for number, block in enumerate(function.blocks)}
    successors = [_successors(function, number, numbers) for number in range(len(numbers))]
    loops = [nodes for nodes in components(successors) if len(nodes) > 1 or nodes[0] in successors[nodes[0]]]
    return [function.blocks[number] for nodes in loops for number in nodes]


def _successors(function: Function, number: int, numbers: dict[str, int]) -> list[int]:
    last = function.blocks[number].instructions[-1]
    if last.opcode not in ("br", "switch"):
        return []
    cases = [label for _, label in last.cases] if last.opcode == "switch" else []
    return [numbers[label] for label in (*last.labels, *cases)]


def _nearest(function: Function, after: list[int], number: int) -> str | None:
    """Among the blocks on all paths, the one that has all others of them behind it."""
    others = list(elements(after[number] & ~(1 << number)))
    if not others:
        return None
    return function.blocks[max(others, key=lambda other: after[other].bit_count())].name
