"""A program's IR -> the traces of its threads: every way to run each one when reads may return any value
that some write might have put into memory.

This is the concrete sibling of `events.symbolic`: registers hold numbers, every read branches over the
values that may be there, and those sets of values grow to a fixpoint. Litmus tests have few values, so
traces are few, and running them is cheaper than building formulas. `events.run` runs one thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from treville.events.kinds import WRITE, EventKind
from treville.programs.ir import (
    LOCATION_BASE,
    LOCATION_STRIDE,
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
from treville.results import Budget, TooLarge

if TYPE_CHECKING:
    from treville.events.run import ThreadRunner

NO_PAIR = -1
INITIAL = -1


class Value(NamedTuple):
    """A register's content: the number, and masks of the thread's reads that it depends on.

    `data` and `pick` are syntactic, as the architectures define them; `origin` leaves out what cancels
    (`r1 xor r1`), so it tells whether a value could justify itself out of thin air.
    """

    number: int
    data: int = 0
    pick: int = 0
    origin: int = 0


class Shape(NamedTuple):
    """All of an event but its value; dependencies are masks of earlier events of the same thread.

    `instruction` counts executed source instructions, so two events of one instruction share it. `pair` is
    the read half of the read-modify-write that this write completes."""

    kind: EventKind
    tags: frozenset[str]
    address: int | None
    instruction: int
    addr: int = 0
    data: int = 0
    ctrl: int = 0
    pick_addr: int = 0
    pick_data: int = 0
    pick_ctrl: int = 0
    pair: int = NO_PAIR
    exclusive: bool = False
    parallel: bool = False


class Trace(NamedTuple):
    """One run of a thread: the shapes of its events, their values, and the final registers.

    `origins[i]` masks the reads that the i-th event's value or address came from; `positions[i]` is
    the index of its IR instruction in the thread.
    """

    shapes: tuple[Shape, ...]
    values: tuple[int | None, ...]
    registers: dict[str, Value]
    origins: tuple[int, ...]
    positions: tuple[int, ...]


@dataclass(slots=True)
class Memory:
    """Which values may be found at each address: the initial one, and those that each thread writes.

    `widths` gives the bits of every cell that has a neighbour, which a larger access would touch too."""

    initial: dict[int, int] = field(default_factory=dict)
    written: dict[int, dict[int, set[int]]] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    widths: dict[int, int] = field(default_factory=dict)

    @staticmethod
    def of(program: Program) -> Memory:
        """The memory before the program starts."""
        sizes = [len(location.initial) * location.cell_bytes for location in program.locations.values()]
        widths = {
            location.address + cell * location.cell_bytes: location.bits
            for location in program.locations.values()
            if len(location.initial) > 1
            for cell in range(len(location.initial))
        }
        return Memory(initial=initial_memory(program), sizes=sizes, widths=widths)

    @property
    def end(self) -> int:
        """The first address above all globals."""
        return LOCATION_BASE + LOCATION_STRIDE * len(self.sizes)

    def size_at(self, address: int) -> int:
        """The size in bytes of the global in whose range the address lies."""
        return self.sizes[(address - LOCATION_BASE) // LOCATION_STRIDE]

    def add(self, thread: int, address: int, value: int) -> bool:
        """Record a write; True if it is new."""
        values = self.written.setdefault(address, {}).setdefault(thread, set())
        if value in values:
            return False
        values.add(value)
        return True

    def readable(self, address: int) -> list[int]:
        """Every value that may be read at the address."""
        values = {self.initial.get(address, 0)}
        for by_thread in self.written.get(address, {}).values():
            values |= by_thread
        return sorted(values)

    def readable_coherently(self, thread: int, address: int, own: int | None) -> list[int]:
        """As `readable` for a thread whose last write there was `own` (None: it wrote nothing yet)."""
        values = {self.initial.get(address, 0) if own is None else own}
        for writer, by_thread in self.written.get(address, {}).items():
            if writer != thread:
                values |= by_thread
        return sorted(values)


class Effort:
    """How much may be listed before another engine should take over; unlimited with None."""

    __slots__ = ("left",)

    def __init__(self, limit: int | None = None) -> None:
        self.left = limit

    def spend(self) -> None:
        """Count one trace, selection or candidate; raises `TooLarge` when all is spent."""
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise TooLarge("too many candidate executions to list", "use --engine eager")


@dataclass(slots=True)
class Traces:
    """The traces of every thread, the initial memory, and whether some run was cut at the loop bound."""

    threads: list[list[Trace]]
    initial: dict[int, int]
    bound_reached: bool = False


def program_traces(
    program: Program, bound: int, budget: Budget, coherent: bool, effort: Effort | None = None
) -> Traces:
    """Every trace of every thread, as a fixpoint over the values in memory.

    With `coherent` the model is known to imply coherence per location, so a read cannot miss the thread's
    own last write; this keeps counters from feeding themselves. Every value is justified by a chain of
    distinct writes, so as many rounds as there are stores (at the bound) suffice.
    """
    from treville.events.run import ThreadRunner

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
    return Traces(found, memory.initial, any(runner.bound_reached for runner in runners))


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

    Only values must not justify each other in a circle; whether control may is the model's decision, as in
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


def initial_memory(program: Program) -> dict[int, int]:
    """The initial value of every declared cell, by address."""
    return {
        location.address + cell * location.cell_bytes: value
        for location in program.locations.values()
        for cell, value in enumerate(location.initial)
    }


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
