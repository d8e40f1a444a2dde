"""What goes wrong with freed objects: literals of an encoding, and what an execution tells of it.

An access uses an object after it was freed if it reads what the end of the cell wrote, or overwrites it. An
object is freed twice if two frees of it are executed, whatever their order.
"""

from __future__ import annotations

from collections.abc import Iterator

from treville.encoding.acyclicity import Encoding
from treville.events.execution import Execution
from treville.events.kinds import READ
from treville.formulas.formula import FALSE, Literal
from treville.models.model import Model
from treville.models.use_after_free import uses_after_free, uses_before_allocation
from treville.programs.ir import FREED, Free, Instruction, Load, Store
from treville.relations import elements
from treville.results.properties import UNORDERED
from treville.solving.solution import evaluate_execution


def errors_of_freeing(encoding: Encoding) -> Iterator[tuple[Literal, Instruction, str]]:
    """The literal of each error that coherence tells, with the instruction and what is wrong with it."""
    facts, memory = encoding.facts, encoding.memory
    events = facts.symbolic.events
    for end in elements(facts.sets[FREED].may if FREED in facts.sets else 0):
        freeing = events[end].instruction
        initial = facts.sets["IW"].may | 1 << end
        for access in elements(facts.relations["loc"].may.rows[end] & facts.sets["M"].may & ~initial):
            instruction = events[access].instruction
            if isinstance(instruction, Free):
                literal = memory.coherence(end, access) if not instruction.offset else FALSE
            elif events[access].kind is READ:
                literal = memory.reads_from(end, access)
            else:
                literal = memory.coherence(end, access)
            if literal != FALSE:
                yield literal, instruction, message(instruction, freeing)


def message(instruction: Instruction, freeing: Instruction) -> str:
    """What is wrong with an access to a freed object, or with freeing it again."""
    line = f" in line {freeing.span.line}" if freeing.span else ""
    if isinstance(freeing, Free) and freeing.local:
        return f"use of a local variable whose life ends{line}"
    what = "double free" if isinstance(instruction, Free) else "use after free"
    return f"{what} (freed{line})" if line else what


def unordered_uses(
    model: Model, execution: Execution, instructions: list[Instruction | None]
) -> list[tuple[Instruction, str]]:
    """The accesses of an execution that do not happen in the life of their object, by the model's flags, and
    what is wrong with them. `instructions` are those of the execution's events."""
    found: list[tuple[Instruction, str]] = []
    judged = evaluate_execution(model, execution)
    for begin, access in uses_before_allocation(judged):
        used, made = instructions[access], instructions[begin]
        if used is not None and made is not None:
            line = f" in line {made.span.line}" if made.span else ""
            found.append((used, f"{UNORDERED}{line}"))
    for access, end in uses_after_free(judged):
        used, freeing = instructions[access], instructions[end]
        if isinstance(used, Load | Store) and freeing is not None:
            found.append((used, message(used, freeing)))
    return found
