"""Runs a program along an execution that an engine found: does each thread really do these events?

An interpreter of its own: every load takes the value of the thread's next event, and whatever the thread then
computes, stores, branches on and asserts must fit the events that follow. Which number a started thread has
and where an object lies are tried out, since the engines number all that unrolled code may start or allocate.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from treville.events.execution import Event, Execution
from treville.programs import ir
from treville.programs.operators import OPERATORS, wrap
from treville.relations import Relation

MOST_TRIES = 3_000


class Mismatch(Exception):
    """The program does not do what the execution says."""


class CannotReplay(Exception):
    """Values are chosen that the execution does not tell."""


def failing_assertions(
    program: ir.Program, execution: Execution, objects: int = 8
) -> list[ir.Instruction | Event]:
    """The assertions and accesses that fail in the execution; raises `Mismatch` if it has no such."""
    choices: list[int] = []
    reason: Mismatch | None = None
    for _ in range(MOST_TRIES):
        run = _Run(program, execution, objects, choices)
        try:
            run.run()
        except Mismatch as error:
            reason = error
            choices = run.next_choices()
            if not choices:
                break
        else:
            return run.failed + used_after_free(execution) + used_before_allocation(execution)
    raise reason or Mismatch("too many tries")


def used_after_free(execution: Execution) -> list[ir.Instruction | Event]:
    """The accesses that come after their object was freed in coherence, or that nothing orders with that."""
    events, found = execution.events, list[ir.Instruction | Event]()
    ordered = _synchronised(execution)
    for event in events:
        for end in events:
            if (
                ir.FREED in end.tags
                and event.address == end.address
                and event is not end
                and event.thread >= 0
            ):
                pair = (end.number, event.number)
                later = pair in execution.relations["rf"] or pair in execution.relations["co"]
                if later or (event.number, end.number) not in ordered:
                    found.append(event)
    return found


def used_before_allocation(execution: Execution) -> list[ir.Instruction | Event]:
    """The accesses that nothing orders after the allocation of their object, where that is an event."""
    begins = [event for event in execution.events if ir.BEGUN in event.tags]
    ordered = _synchronised(execution) if begins else None
    return [
        event
        for begin in begins
        for event in execution.events
        if event.address == begin.address and event.kind != "F" and event.thread >= 0
        if ordered is not None and (begin.number, event.number) not in ordered
    ]


def _synchronised(execution: Execution) -> Relation:
    """Program order, and from every write to its readers unless one of them is relaxed."""
    weak = {e.number for e in execution.events if e.tags & {"RLX", "NA"} and ir.FREED not in e.tags}
    kept = [
        pair
        for pair in execution.relations["rf"].pairs()
        if not weak.intersection(pair) or not _c11(execution)
    ]
    order = execution.relations["po"] | Relation.of(len(execution.events), kept)
    return (
        order if _c11(execution) else order | execution.relations["fr"] | execution.relations["co"]
    ).plus()


def _c11(execution: Execution) -> bool:
    return any(event.tags & {"RLX", "ACQ", "REL", "SC"} for event in execution.events)


@dataclass
class _Run:
    program: ir.Program
    execution: Execution
    objects: int
    choices: list[int]
    made: list[tuple[int, int]] = field(default_factory=list)  # (chosen, how many there were)
    failed: list[ir.Instruction | Event] = field(default_factory=list)
    started: set[int] = field(default_factory=lambda: {0})
    slots: set[int] = field(default_factory=set)
    sizes: dict[int, int] = field(default_factory=dict)  # of allocated objects by address

    def next_choices(self) -> list[int]:
        """The choices to try next; none when all were tried."""
        made = list(self.made)
        while made and made[-1][0] + 1 >= made[-1][1]:
            made.pop()
        return [chosen for chosen, _ in made[:-1]] + [made[-1][0] + 1] if made else []

    def choose(self, options: list[int]) -> int:
        if not options:
            raise Mismatch("nothing to choose")
        place = len(self.made)
        chosen = self.choices[place] if place < len(self.choices) else 0
        self.made.append((chosen, len(options)))
        return options[chosen]

    def run(self) -> None:
        waiting = [(0, self.program.threads[0], 0)]
        done: dict[int, list[Event]] = {}
        while waiting:
            number, body, argument = waiting.pop()
            thread = _Thread(self, number, body, argument)
            waiting += thread.run()
            done[number] = thread.left
        for event in self.execution.events:
            if event.thread >= 0 and event.thread not in done:
                raise Mismatch(f"thread {event.thread} was never started")
        if any(done.values()):
            raise Mismatch("a thread does less than the execution says")

    def new_thread(self, name: str) -> int:
        numbers = {event.thread for event in self.execution.events if event.thread >= 0}
        options = sorted(numbers - self.started)
        fresh = max([*numbers, *self.started]) + 1
        chosen = self.choose([*options, fresh])
        self.started.add(chosen)
        return chosen

    def new_object(self) -> int:
        chosen = self.choose([slot for slot in range(self.objects) if slot not in self.slots])
        self.slots.add(chosen)
        return ir.LOCATION_BASE + ir.LOCATION_STRIDE * (len(self.program.locations) + chosen)


class _Thread:
    def __init__(self, run: _Run, number: int, body: ir.Thread, argument: int) -> None:
        self.whole = run
        self.body = body
        self.registers = dict(body.registers) | {body.parameter: argument, ir.OWN_NUMBER: number}
        self.cells: dict[tuple[str, int], int] = {}
        # That an object begins is an event of some executions, and no instruction of its own.
        mine = [e for e in run.execution.events if e.thread == number and ir.BEGUN not in e.tags]
        self.left = sorted(mine, key=lambda event: event.number)
        self.threads: list[tuple[int, ir.Thread, int]] = []
        self.position = 0

    def run(self) -> list[tuple[int, ir.Thread, int]]:
        """Run to the end of the events; returns the threads that were started."""
        for _ in range(200_000):
            if self.position >= len(self.body.instructions):
                return self.threads
            instruction = self.body.instructions[self.position]
            self.position += 1
            if not self._step(instruction):
                return self.threads
        return self.threads

    def _step(self, instruction: ir.Instruction) -> bool:
        """Do one instruction; False where the thread ends."""
        registers = self.registers
        match instruction:
            case ir.Local():
                registers[instruction.register] = self._value(instruction.value)
            case ir.Branch():
                if instruction.condition is None or self._value(instruction.condition):
                    self.position = self.body.labels[instruction.target]
            case ir.Assume():
                return bool(self._value(instruction.condition))
            case ir.Assert():
                if not self._value(instruction.condition):
                    self.whole.failed.append(instruction)
                    return False
            case ir.Stop():
                return False
            case ir.ReadPrivate():
                cell = (instruction.object, self._value(instruction.offset))
                if cell not in self.cells and instruction.object in self.body.unset:
                    raise CannotReplay("a variable without a value")
                registers[instruction.register] = wrap(self.cells.get(cell, 0), instruction.bits)
            case ir.WritePrivate():
                cell = (instruction.object, self._value(instruction.offset))
                self.cells[cell] = self._value(instruction.value)
            case ir.Spawn():
                number = self.whole.new_thread(instruction.function)
                registers[instruction.register] = number
                body = self.whole.program.functions[instruction.function]
                self.threads.append((number, body, self._value(instruction.argument)))
            case ir.Allocate():
                address = registers[instruction.register] = self.whole.new_object()
                self.whole.sizes[address] = self._value(instruction.size)
            case ir.Free():
                return self._free(instruction)
            case ir.Join() | ir.AtomicBegin() | ir.AtomicEnd():
                pass
            case ir.Havoc():
                registers[instruction.register] = self.whole.choose(list(instruction.values))
            case ir.Nondet() | ir.IndirectBranch():
                raise CannotReplay(type(instruction).__name__)
            case _:
                return self._event(instruction)
        return True

    def _event(self, instruction: ir.Instruction) -> bool:
        """The instruction is the next event, unless the thread was cut before it."""
        condition = instruction.when if isinstance(instruction, ir.Store) else None
        if condition is not None and not self._value(condition):
            return True
        if isinstance(instruction, ir.StoreExclusive):
            return self._exclusive(instruction)
        if not self.left:
            self._note_access(instruction)
            return False
        event = self.left.pop(0)
        if isinstance(instruction, ir.Load):
            self._same(event, "R", self._value(instruction.address), event.value)
            if instruction.register is not None:
                self.registers[instruction.register] = event.value or 0
        elif isinstance(instruction, ir.Store):
            value = wrap(self._value(instruction.value), instruction.bits)
            self._same(event, "W", self._value(instruction.address), value)
        else:
            assert isinstance(instruction, ir.Fence), instruction
            if event.kind != "F":
                raise Mismatch(f"a fence instead of {event}")
        return True

    def _free(self, instruction: ir.Free) -> bool:
        """A write for each cell, the first one at the object's start."""
        address = self._value(instruction.address)
        if not address:
            return True
        slot, offset = divmod(address - ir.LOCATION_BASE, ir.LOCATION_STRIDE)
        if offset or slot < len(self.whole.program.locations):
            self.whole.failed.append(instruction)
        if not self.left:  # an execution may end with what cannot be freed
            self._note_access(instruction)
            return False
        event = self.left.pop(0)
        while True:
            if ir.FREED not in event.tags or not 0 <= (event.address or 0) - address < ir.LOCATION_STRIDE:
                raise Mismatch(f"a free of {address:#x} instead of {event}")
            if not self.left or self.left[0].order != event.order or ir.FREED not in self.left[0].tags:
                return True
            event = self.left.pop(0)

    def _note_access(self, instruction: ir.Instruction) -> None:
        """Behind the thread's last event: an access to what was freed, or is no object, may end the run."""
        if isinstance(instruction, ir.Load | ir.Store | ir.Free):
            address = self._value(instruction.address)
            slot, offset = divmod(address - ir.LOCATION_BASE, ir.LOCATION_STRIDE)
            ends = [event.address or 0 for event in self.whole.execution.events if ir.FREED in event.tags]
            freed = slot in {(end - ir.LOCATION_BASE) // ir.LOCATION_STRIDE for end in ends}
            known = 0 <= slot < len(self.whole.program.locations)
            if freed or not (known or offset < self.whole.sizes.get(address - offset, 0)):
                self.whole.failed.append(instruction)

    def _exclusive(self, instruction: ir.StoreExclusive) -> bool:
        event = self.left[0] if self.left else None
        write = (
            "W",
            self._value(instruction.address),
            wrap(self._value(instruction.value), instruction.bits),
        )
        if event and (event.kind, event.address, event.value) == write:
            self.left.pop(0)
            self.registers[instruction.status] = instruction.success
        else:
            self.registers[instruction.status] = instruction.failure
        return True

    def _same(self, event: Event, kind: str, address: int, value: int | None) -> None:
        if (event.kind, event.address, event.value) != (kind, address, value):
            raise Mismatch(f"{kind} of {value} at {address:#x} instead of {event}")

    def _value(self, expression: ir.Expr) -> int:
        if isinstance(expression, ir.Reg):
            return self.registers.get(expression.name, 0)
        if isinstance(expression, ir.Const):
            return expression.value
        if isinstance(expression, ir.Select):
            return self._value(expression.then if self._value(expression.condition) else expression.otherwise)
        return OPERATORS[expression.name](tuple(map(self._value, expression.args)), expression.bits)
