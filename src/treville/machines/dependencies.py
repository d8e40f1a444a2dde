"""What happened in a run of the machine -> which reads each event depends on.

The machine computes numbers and forgets where they come from, so each thread is run once more along the log,
with registers that carry the reads they were computed from. Address, data and control dependencies are those
of `events.symbolic_whole` (paper 004, section 2.2); models that know them can then judge the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TypeVar

from treville.events.evaluation import decided, evaluate, written
from treville.events.trace import Value
from treville.machines.states import Log
from treville.programs import ir
from treville.programs.flow import defined_register
from treville.programs.operators import wrap
from treville.records import NamedTuple, dataclass, field

DEPENDENCIES = ("addr", "data", "ctrl", "pick-addr", "pick-data", "pick-ctrl")
_ZERO = Value(0)
_Name = TypeVar("_Name", str, int)


class Needs(NamedTuple):
    """Masks of the reads that an event depends on, and its number among the thread's instructions."""

    addr: int
    data: int
    ctrl: int
    pick_addr: int
    pick_data: int
    pick_ctrl: int
    order: int

    def are_among(self, others: Needs) -> bool:
        """Does another event depend in each way on all of these reads?"""
        return not any(mine & ~other for mine, other in zip(self[:-1], others[:-1], strict=True))


class Along:
    """Runs the threads of a program along a log."""

    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.threads = {0: Walk(program.threads[0], 0)}

    def event(self, entry: Log, number: int) -> Needs:
        """What the event of that number depends on; the thread goes on behind it."""
        assert entry.instruction is not None
        thread = self.threads[entry.thread]
        thread.run_to(entry.instruction)
        needs = thread.needs(entry.instruction)
        thread.go_on(Value(entry.value, 1 << number))
        return needs

    def other(self, entry: Log) -> None:
        """Something happened that is no event: a start, a join, an allocation, a choice."""
        instruction = entry.instruction
        assert instruction is not None
        thread = self.threads[entry.thread]
        thread.run_to(instruction)
        if isinstance(instruction, ir.Spawn):
            argument = evaluate(instruction.argument, thread.registers).number
            body = self.program.functions[instruction.function]
            self.threads[entry.address] = Walk(body, entry.address, argument)
        thread.go_on(Value(entry.value if entry.kind == "H" else entry.address))


@dataclass(slots=True)
class _Scopes:
    """The reads that open branches depend on, by the position where each branch's scope ends."""

    data: dict[int | None, int] = field(default_factory=dict)
    pick: dict[int | None, int] = field(default_factory=dict)

    def open(self, end: int | None, condition: Value) -> None:
        self.data[end] = self.data.get(end, 0) | condition.data
        self.pick[end] = self.pick.get(end, 0) | condition.pick

    def close(self, position: int, passed: bool = False) -> None:
        """Close the scopes that end here, or with `passed` those that a jump from here leaves."""
        for scopes in (self.data, self.pick):
            for end in list(scopes):
                if end is not None and (end == position or (passed and end <= position)):
                    del scopes[end]


class Walk:
    """One thread on its way."""

    def __init__(self, body: ir.Thread, number: int, argument: int = 0) -> None:
        self.body = body
        self.registers = {name: Value(value) for name, value in body.registers.items()}
        self.registers[ir.OWN_NUMBER] = Value(number)
        if body.parameter:
            self.registers[body.parameter] = Value(argument)
        self.cells: dict[str, dict[int, Value]] = {}
        self.position = 0
        self.scopes = _Scopes()
        self.order = 0
        self.last = (-1, -1)

    def run_to(self, goal: ir.Instruction) -> None:
        """Go on up to an instruction, which the thread does next."""
        while (instruction := self.body.instructions[self.position]) is not goal or self._is_skipped(goal):
            self.scopes.close(self.position)
            if isinstance(instruction, ir.Branch):
                self._branch(instruction)
                continue
            if isinstance(instruction, ir.Local):
                self.registers[instruction.register] = evaluate(instruction.value, self.registers)
            elif isinstance(instruction, ir.ReadPrivate):
                self._read(instruction)
            elif isinstance(instruction, ir.WritePrivate):
                self._write(instruction)
            self.position += 1
        self.scopes.close(self.position)

    def depends_on_all_of(self, other: Walk, live: Set[str]) -> bool:
        """Does what follows depend on all reads that it depends on in another walk to the same place, where
        these registers matter?"""
        if not _covers(
            self.registers, {name: other.registers[name] for name in live & other.registers.keys()}
        ):
            return False
        for name, cells in other.cells.items():
            if not _covers(self.cells.get(name, {}), cells):
                return False
        pairs = ((self.scopes.data, other.scopes.data), (self.scopes.pick, other.scopes.pick))
        return all(not mask & ~mine.get(end, 0) for mine, theirs in pairs for end, mask in theirs.items())

    def go_on(self, result: Value) -> None:
        """Pass the instruction, whose result goes to its register."""
        register = defined_register(self.body.instructions[self.position])
        if register is not None:
            self.registers[register] = result
        self.position += 1

    def needs(self, instruction: ir.Instruction) -> Needs:
        """What the event of the instruction depends on."""
        if self.last[0] != instruction.index or self.last[1] > self.position:
            self.order += 1
        self.last = (instruction.index, self.position)
        address = _ZERO
        by_data = picked = 0
        if isinstance(instruction, ir.Load | ir.Store):
            address = evaluate(instruction.address, self.registers)
        if isinstance(instruction, ir.Store):
            value = evaluate(instruction.value, self.registers)
            when = _ZERO if instruction.when is None else evaluate(instruction.when, self.registers)
            address, by_data, picked = written(self.body, address, value, when)
        control = control_pick = 0
        for mask in self.scopes.data.values():
            control |= mask
        for mask in self.scopes.pick.values():
            control_pick |= mask
        return Needs(
            address.data, by_data, control, address.pick, picked, control_pick, self.order
        )

    def _is_skipped(self, instruction: ir.Instruction) -> bool:
        """Is it a store that is not done this time?"""
        when = instruction.when if isinstance(instruction, ir.Store) else None
        return when is not None and not evaluate(when, self.registers).number

    def _branch(self, instruction: ir.Branch) -> None:
        taken = True
        if instruction.condition is not None:
            condition = decided(self.body, evaluate(instruction.condition, self.registers))
            taken = bool(condition.number)
            end = None if instruction.until is None else self.body.labels[instruction.until]
            self.scopes.open(end, condition)
        target = self.body.labels[instruction.target] if taken else self.position + 1
        if target != self.position + 1:
            self.scopes.close(self.position, passed=True)
        self.position = target

    # -- private objects, as `events.symbolic_whole` sees them: an index that depends on reads makes the whole
    # object depend on them, since it might have been another one

    def _read(self, instruction: ir.ReadPrivate) -> None:
        offset = evaluate(instruction.offset, self.registers)
        found = self.cells.get(instruction.object, {}).get(offset.number, _ZERO)
        number = wrap(found.number, instruction.bits)
        value = Value(number, found.data | offset.data, found.pick | offset.pick)
        self.registers[instruction.register] = value

    def _write(self, instruction: ir.WritePrivate) -> None:
        offset = evaluate(instruction.offset, self.registers)
        value = evaluate(instruction.value, self.registers)
        cells = self.cells.setdefault(instruction.object, {})
        if offset.data or offset.pick:
            for at in {*cells, *(at for at, _ in self.body.private.get(instruction.object, ()))}:
                before = cells.get(at, _ZERO)
                cells[at] = Value(before.number, before.data | offset.data, before.pick | offset.pick)
        cells[offset.number] = Value(value.number, value.data | offset.data, value.pick | offset.pick)


def _covers(values: Mapping[_Name, Value], others: Mapping[_Name, Value]) -> bool:
    """Does each value depend on all reads that the other one depends on?"""
    for name, other in others.items():
        mine = values.get(name, _ZERO)
        if other.data & ~mine.data or other.pick & ~(mine.pick | mine.data):
            return False
    return True
