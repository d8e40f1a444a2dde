"""A program's IR -> the traces of its threads: every path through each one when reads may return any value
that some write might have put into memory.

This is the concrete counterpart of `events.symbolic`: registers hold numbers, every read branches over the
values that may be there, and those sets of values grow to a fixpoint. Litmus tests have few values, so
traces are few, and running them is cheaper than building formulas. `events.running` runs one thread.
"""

from __future__ import annotations

from treville.events.kinds import WRITE
from treville.events.running import ThreadRunner
from treville.events.trace import Effort, Memory, Trace
from treville.programs.ir import (
    Branch,
    Const,
    Expr,
    Local,
    Op,
    Program,
    Select,
    Store,
    StoreExclusive,
)
from treville.programs.operators import wrap
from treville.records import dataclass
from treville.results import Budget

INITIAL = -1


@dataclass(slots=True)
class Traces:
    """The traces of every thread, the initial memory, whether some run was cut at the loop bound, and whether
    that happened to one whose last round changed something."""

    threads: list[list[Trace]]
    initial: dict[int, int]
    bound_reached: bool = False
    was_cut: bool = False


def program_traces(
    program: Program, bound: int, budget: Budget, coherent: bool, effort: Effort | None = None
) -> Traces:
    """Every trace of every thread, as a fixpoint over the values in memory.

    With `coherent` the model is known to imply coherence per location, so a read cannot miss the thread's
    own last write; this keeps counters from feeding themselves. Every value is justified by a chain of
    distinct writes, so as many rounds as there are stores (at the bound) suffice.
    """
    memory = Memory.of(program)
    _offer_constants(memory, program)
    runners = [
        ThreadRunner(thread, index, memory, bound, budget, coherent, effort or Effort())
        for index, thread in enumerate(program.threads)
    ]
    found = [runner.traces() for runner in runners]
    _settle(program, bound, memory, runners, found)
    if any(len(ways) == 1 for runner in runners for ways in runner.decisions.values()):
        _offer_everything(memory, program, runners)
        found = [runner.traces() for runner in runners]
        _settle(program, bound, memory, runners, found)
    reached = any(runner.bound_reached for runner in runners)
    return Traces(found, memory.initial, reached, any(runner.was_cut for runner in runners))


def _settle(
    program: Program, bound: int, memory: Memory, runners: list[ThreadRunner], found: list[list[Trace]]
) -> None:
    """Run threads again until no new value is written."""
    stores = sum(isinstance(i, (Store, StoreExclusive)) for t in program.threads for i in t.instructions)
    for _ in range(stores * bound + 1):
        changed = _record_writes(memory, found)
        if not changed:
            break
        for index, runner in enumerate(runners):
            if runner.addresses_read & changed:
                found[index] = runner.traces()


def _offer_constants(memory: Memory, program: Program) -> None:
    """Let reads find the constants that stores can write, whether or not a run has reached the store yet.

    Only values must not justify each other in a cycle; whether control may is the model's decision, as in
    herd7: under C11 two threads may take branches because of each other's stores."""
    for index, thread in enumerate(program.threads):
        for instruction in thread.instructions:
            if not isinstance(instruction, Store):
                continue
            address, value = instruction.address, instruction.value
            if isinstance(address, Const) and isinstance(value, Const) and address.value in memory.initial:
                memory.add(index, address.value, wrap(value.value, instruction.bits))


def _offer_everything(memory: Memory, program: Program, runners: list[ThreadRunner]) -> None:
    """Let reads find every constant of the program, where some `if` went only one way so far: what lies on
    the other way may justify it. Reads that no write answers in the end are dropped with their traces."""
    constants: set[int] = set()
    for thread in program.threads:
        for instruction in thread.instructions:
            if isinstance(instruction, Local | Store):
                constants |= _constants(instruction.value)
            elif isinstance(instruction, Branch) and instruction.condition is not None:
                constants |= _constants(instruction.condition)
    for address in set().union(*(runner.addresses_read for runner in runners)):
        for value in constants:
            memory.add(INITIAL, address, value)


def _constants(expression: Expr) -> set[int]:
    if isinstance(expression, Const):
        return {expression.value}
    if isinstance(expression, Op):
        return set().union(*(_constants(argument) for argument in expression.args))
    if isinstance(expression, Select):
        return _constants(expression.then) | _constants(expression.otherwise)
    return set()


def _record_writes(memory: Memory, found: list[list[Trace]]) -> set[int]:
    """Put every value written by some trace into memory; the addresses where that was new."""
    changed = set()
    for thread, traces in enumerate(found):
        for trace in traces:
            for shape, value in zip(trace.shapes, trace.values, strict=True):
                if shape.kind is not WRITE or shape.address is None or value is None:
                    continue
                if memory.add(thread, shape.address, value):
                    changed.add(shape.address)
    return changed
