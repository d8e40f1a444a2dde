"""Whole programs -> static events: threads started and joined, assertions, private and fresh objects.

As `events.symbolic`, of which this is the part that only C programs need. A thread is walked where it is
started, under the guard of its start; what a run cannot pass (a failed assumption, a lock that is held, a
join with a thread that has not ended) it does not pass, and the rest of the program goes on without it.
"""

from __future__ import annotations

from collections.abc import Iterable

from treville.events.idle_iterations import Iterations, wait_for_read
from treville.events.kinds import WRITE
from treville.events.symbolic import (
    NO_BLOCK,
    Binding,
    State,
    SymbolicProgram,
    ThreadWalk,
)
from treville.events.symbolic_data import MarkKind, SymbolicDraft, Wait
from treville.events.symbolic_terms import FALSE, TRUE, Condition, Constant, Value
from treville.programs.ir import (
    LOCATION_BASE,
    LOCATION_STRIDE,
    OWN_NUMBER,
    Allocate,
    Assert,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Branch,
    Free,
    Instruction,
    Join,
    Nondet,
    Program,
    ReadPrivate,
    Spawn,
    Stop,
    Thread,
    WritePrivate,
)
from treville.programs.live import is_live
from treville.programs.loops import bounds_of_heads
from treville.programs.spin import spin_jumps
from treville.programs.unroll import Choice, Copy, Unrolling
from treville.results import BudgetExceeded, Unsupported

MAX_THREADS = 200
_WIDEST = 64
_COMPUTED = "="  # begins the names of private cells whose offsets are terms


def whole_program(program: Program, bound: int) -> SymbolicProgram:
    """The static events of a program that starts with its first thread. Loops of a known number of iterations
    are done to the end; if that is too much, they are cut at the bound like others."""
    try:
        return _walked(program, _Context(program, bound))
    except BudgetExceeded:
        return _walked(program, _Context(program, bound, cuts_all=True))


def _walked(program: Program, context: _Context) -> SymbolicProgram:
    result = SymbolicDraft(program)
    main = WholeProgramWalk(result, program.threads[0], context)
    main.walk(TRUE, main.first_registers())
    _check_frees(result)
    return result.finished()


def _check_frees(result: SymbolicDraft) -> None:
    """It fails to free anything but null and the starts of objects of the heap."""
    terms = result.terms
    for guard, address, instruction in result.frees:
        if instruction.local:
            continue
        starts = [terms.equal(address, terms.constant(start)) for start in (0, *result.heap)]
        wrong = terms.both(guard, -terms.either(starts))
        if wrong != FALSE:
            result.asserts.append((wrong, instruction))


class _Context:
    """What all walks of a program share: how loops are unrolled, and the conditions that threads ended."""

    def __init__(self, program: Program, bound: int, cuts_all: bool = False) -> None:
        self.program = program
        self.bound = bound
        self.cuts_all = cuts_all
        self.ended: dict[int, Condition] = {}
        self._unrollings: dict[str, Unrolling] = {}

    def unrolling(self, thread: Thread) -> Unrolling:
        """The copies of a thread; every start of the same function has the same."""
        found = self._unrollings.get(thread.name)
        if found is None:
            own = bounds_of_heads(thread, self.program.loop_bounds)
            spins = set() if self.program.every_iteration else spin_jumps(thread)
            found = Unrolling(thread, self.bound, own, anew=True, spins=spins)
            self._unrollings[thread.name] = found
        return found


class WholeProgramWalk(ThreadWalk):
    """The walk over one thread of a whole program."""

    def __init__(self, result: SymbolicDraft, thread: Thread, context: _Context) -> None:
        super().__init__(result, thread, context.unrolling(thread))
        self.context = context
        self.blocks = 0
        self.iterations = Iterations(self)
        self._joins: list[tuple[int, Value]] = []  # (step, value of the thread's number)
        self._unset: dict[str, Binding] = {}  # cells of private objects that were not written
        self._known: dict[int, bool] = {}  # conditional branches: was the last copy's condition known?

    def first_registers(self) -> dict[str, Binding]:
        """The thread's initial registers, its own number among them."""
        return {**super().first_registers(), OWN_NUMBER: Binding(self.terms.constant(self.index))}

    def walk(self, guard: Condition, registers: dict[str, Binding]) -> None:
        """As for litmus tests; also learn when the thread has ended and what comes after its joins."""
        super().walk(guard, registers)
        ended = self.context.ended[self.index] = self.terms.either([taken for taken, _ in self.exits])
        self.result.threads[self.index] = (guard, ended)
        for number, value in self._joins:
            self.result.joins.append((value, self.after[number]))

    def execute(
        self, state: State, guard: Condition, instruction: Instruction, position: int
    ) -> dict[Choice, Condition]:
        """Change the state by one instruction; the conditions of the edges that can be taken."""
        if isinstance(instruction, Assume | Assert):
            return {None: self._goes_on(state, guard, instruction)}
        if isinstance(instruction, Stop):
            if instruction.cut:
                self.result.cuts.append(guard)
                self.result.cut_at.append(instruction)
                self.result.mark(MarkKind.CUT, self.index, guard, instruction)
            return {None: FALSE}
        if isinstance(instruction, Nondet):
            chosen = self.terms.unknown(instruction.bits)
            state.registers[instruction.register] = Binding(chosen)
            self.result.mark(MarkKind.CHOICE, self.index, guard, instruction, chosen)
        elif isinstance(instruction, Spawn):
            self._spawn(state, guard, instruction)
        elif isinstance(instruction, Join):
            ended = self._join(state, guard, instruction)
            self.result.waits.append(Wait(self.index, instruction, self.terms.both(guard, -ended)))
            return {None: ended}
        elif isinstance(instruction, Allocate):
            state.registers[instruction.register] = self._allocate(state, guard, instruction)
        elif isinstance(instruction, Free):
            self._free(state, guard, instruction, position)
        elif isinstance(instruction, ReadPrivate):
            state.registers[instruction.register] = self._read_private(state, instruction)
        elif isinstance(instruction, WritePrivate):
            self._write_private(state, instruction)
        elif isinstance(instruction, AtomicBegin):
            self.blocks += 1
            state.block = self.index << 20 | self.blocks
        elif isinstance(instruction, AtomicEnd):
            state.block = NO_BLOCK
        else:
            choices = super().execute(state, guard, instruction, position)
            if choices:
                self._known[position] = TRUE in choices.values()
            return choices
        return {}

    def _goes_on(self, state: State, guard: Condition, instruction: Assume | Assert) -> Condition:
        """Where a thread gets past a test."""
        terms = self.terms
        holds = terms.non_zero(self.evaluate(instruction.condition, state).value)
        if isinstance(instruction, Assert):
            self._assert(terms.both(guard, -holds), instruction)
            if instruction.observes:
                return terms.either([holds, terms.non_zero(terms.unknown(1))])
        elif instruction.waits:
            wait_for_read(self, instruction, terms.both(guard, -holds))
        return holds

    def still_needed(self, names: Iterable[str], position: int) -> Iterable[str]:
        """Whole programs observe no registers in the end."""
        live = self.iterations.live()[position]
        return [name for name in names if is_live(name, live)]

    def _step(self, copy: Copy, guard: Condition, state: State) -> None:
        self.iterations.begin(copy, state)
        super()._step(copy, guard, state)

    def cut(self, copy: Copy, target: int, condition: Condition, state: State) -> None:
        """As in litmus tests, but after an iteration that changed nothing the thread only waits."""
        if not self.context.program.every_iteration:
            _, condition = self.iterations.split(copy, target, condition, state)
        if condition != FALSE:
            super().cut(copy, target, condition, state)

    def wait(self, copy: Copy, target: int, condition: Condition) -> None:
        """Note where the thread waits."""
        self.iterations.wait(copy, target, condition)

    def goes_on(self, position: int, known: bool) -> bool:
        """A loop also goes on if all ways out of its last iteration were known not to be taken."""
        if self.context.cuts_all:
            return False
        branch = self.thread.instructions[position]
        if not isinstance(branch, Branch) or branch.condition is not None:
            return known
        body = range(self.thread.labels[branch.target], position + 1)
        ways_out = [sure for at, sure in self._known.items() if at in body and self._leads_out(at, body)]
        return bool(ways_out) and all(ways_out)

    def _leads_out(self, position: int, body: range) -> bool:
        """Does one way of a conditional branch leave the loop before the next decision?"""
        branch = self.thread.instructions[position]
        if not isinstance(branch, Branch):
            return False
        return any(
            self._follow(at, body) not in body for at in (self.thread.labels[branch.target], position + 1)
        )

    def _follow(self, position: int, body: range) -> int:
        """Where control goes from a position without a decision, at most to the loop's head."""
        code = self.thread.instructions
        for _ in body:
            if position not in body or position == body.start:
                break
            instruction = code[position]
            if isinstance(instruction, Branch):
                if instruction.condition is not None:
                    break
                position = self.thread.labels[instruction.target]
            elif isinstance(instruction, Stop):
                break
            else:
                position += 1
        return position

    def _assert(self, fails: Condition, instruction: Assert) -> None:
        if fails != FALSE:
            self.result.asserts.append((fails, instruction))
            self.result.mark(MarkKind.ASSERT, self.index, fails, instruction)

    # -- threads -----------------------------------------------------------------------------------------

    def _spawn(self, state: State, guard: Condition, instruction: Spawn) -> None:
        if len(self.result.thread_names) >= MAX_THREADS:
            raise BudgetExceeded(f"more than {MAX_THREADS} threads", "lower --bound")
        body = self.context.program.functions[instruction.function]
        child = WholeProgramWalk(self.result, body, self.context)
        registers = child.first_registers()
        if body.parameter:
            registers[body.parameter] = Binding(self.evaluate(instruction.argument, state).value)
        number = self.terms.constant(child.index)
        state.registers[instruction.register] = Binding(number)
        self.result.mark(MarkKind.SPAWN, self.index, guard, instruction, number)
        child.walk(guard, registers)

    def _join(self, state: State, guard: Condition, instruction: Join) -> Condition:
        """The condition that the thread has ended."""
        terms = self.terms
        value = self.evaluate(instruction.thread, state).value
        self.result.mark(MarkKind.JOIN, self.index, guard, instruction, value)
        self._joins.append((len(self.numbers) - 1, value))
        cases = []
        for thread, ended in self.context.ended.items():
            cases.append(terms.both(terms.equal(value, terms.constant(thread)), ended))
        return terms.either(cases)

    # -- objects -----------------------------------------------------------------------------------------

    def _allocate(self, state: State, guard: Condition, instruction: Allocate) -> Binding:
        """An object whose size is not known is as large as one can be."""
        size = self.terms.values[self.evaluate(instruction.size, state).value]
        length = size.number if isinstance(size, Constant) else LOCATION_STRIDE - 1
        if not 0 <= length < LOCATION_STRIDE:
            raise Unsupported(f"an allocation of {length} bytes", instruction.span)
        slot = len(self.context.program.locations) + len(self.result.objects)
        self.result.objects.append((instruction.name, length))
        start = LOCATION_BASE + slot * LOCATION_STRIDE
        if instruction.heap:
            self.result.heap.append(start)
            self.result.mark(MarkKind.ALLOCATE, self.index, guard, instruction)
        if not instruction.zeroed:
            self.result.unset[start] = instruction
        if instruction.begins:
            self.result.begun[start] = (self.index, instruction)
        return Binding(self.terms.constant(start))

    def _free(self, state: State, guard: Condition, instruction: Free, position: int) -> None:
        """The write that ends a cell. What it writes does not matter, since nobody may read it."""
        terms = self.terms
        address = self.evaluate(instruction.address, state)
        if instruction.within is None:
            self.result.frees.append((guard, address.value, instruction))
            self.result.mark(MarkKind.FREE, self.index, guard, instruction, address.value)
            there = -terms.equal(address.value, terms.constant(0))
        else:
            there = terms.either([terms.equal(address.value, terms.constant(s)) for s in instruction.within])
        guard = terms.both(guard, there)
        if guard != FALSE:
            now = self.happening(state, guard, instruction, position)
            cell = terms.apply("add", (address.value, terms.constant(instruction.offset)), 64)
            where, what = address._replace(value=cell), Binding(terms.constant(0))
            self.add(state, now.access(WRITE, instruction.tags, where, what))

    def _read_private(self, state: State, instruction: ReadPrivate) -> Binding:
        offset = self.evaluate(instruction.offset, state)
        place = self.terms.values[offset.value]
        if self._is_open(state, instruction.object, offset.value):
            binding = self._read_open(state, instruction.object, offset)
        elif isinstance(place, Constant):
            name = _cell(instruction.object, place.number)
            binding = state.registers.get(name) or self.absent(name)
        else:
            cells = [
                (self.terms.equal(offset.value, self.terms.constant(at)), cell)
                for at, cell in self._cells(state, instruction.object).items()
            ]
            value = self.terms.choose([(when, cell.value) for when, cell in cells])
            data = self.union([offset.data, *(self.when(when, cell.data) for when, cell in cells)])
            binding = Binding(value, data, offset.pick)
        value = self.terms.apply("sext", (binding.value,), instruction.bits)
        return Binding(value, binding.data, binding.pick)

    def _write_private(self, state: State, instruction: WritePrivate) -> None:
        offset = self.evaluate(instruction.offset, state)
        value = self.evaluate(instruction.value, state)
        place = self.terms.values[offset.value]
        if self._is_open(state, instruction.object, offset.value):
            self._write_open(state, instruction.object, offset, value)
            return
        if isinstance(place, Constant):
            state.registers[_cell(instruction.object, place.number)] = value
            return
        cells = self._cells(state, instruction.object)
        if not cells:
            raise Unsupported("a write to an array of unknown size at an unknown index", instruction.span)
        for at, before in cells.items():
            here = self.terms.equal(offset.value, self.terms.constant(at))
            state.registers[_cell(instruction.object, at)] = self._either(here, value, before, offset)

    def _is_open(self, state: State, name: str, offset: Value) -> bool:
        """Is it an object without a layout, which has cells wherever somebody writes and 0 elsewhere, with
        cells whose places are not known?"""
        if name in self.thread.private or name in self.thread.unset:
            return False
        known = isinstance(self.terms.values[offset], Constant)
        return not known or any(register.startswith(f"{name}\0{_COMPUTED}") for register in state.registers)

    def _written(self, state: State, name: str) -> dict[Value, Binding]:
        """The cells of an open object by the terms of their offsets."""
        prefix = f"{name}\0"
        cells: dict[Value, Binding] = {}
        for register, binding in state.registers.items():
            if register.startswith(prefix):
                place = register[len(prefix) :]
                computed = place.startswith(_COMPUTED)
                cells[Value(int(place[1:])) if computed else self.terms.constant(int(place))] = binding
        return cells

    def _open_cell(self, name: str, offset: Value) -> str:
        place = self.terms.values[offset]
        if isinstance(place, Constant):
            return _cell(name, place.number)
        return f"{name}\0{_COMPUTED}{offset}"

    def _read_open(self, state: State, name: str, offset: Binding) -> Binding:
        """What was written last where an offset is. Cells whose offsets are equal agree, or one was not
        written on some ways and holds 0 there: so together they tell."""
        cells = self._written(state, name)
        own = cells.pop(offset.value, Binding(self.terms.constant(0)))
        known = self.terms.values[own.value]
        if isinstance(known, Constant) and known.number:
            return own
        value, data = own.value, [own.data, offset.data]
        for at, there in cells.items():
            same = self.terms.equal(at, offset.value)
            if same != FALSE:
                shared = self.terms.choose([(same, there.value), (-same, self.terms.constant(0))])
                value = self.terms.apply("or", (value, shared), _WIDEST)
                data.append(self.when(same, there.data))
        return Binding(value, self.union(data), offset.pick)

    def _write_open(self, state: State, name: str, offset: Binding, value: Binding) -> None:
        for at, before in self._written(state, name).items():
            same = self.terms.equal(at, offset.value)
            if same != FALSE:
                state.registers[self._open_cell(name, at)] = self._either(same, value, before, offset)
        state.registers[self._open_cell(name, offset.value)] = value

    def _either(self, here: Condition, value: Binding, before: Binding, offset: Binding) -> Binding:
        """What a cell holds after a write that meets it under a condition."""
        return Binding(
            self.terms.choose([(here, value.value), (-here, before.value)]),
            self.union([self.when(here, value.data), self.when(-here, before.data), offset.data]),
            self.union([value.pick, before.pick]),
        )

    def absent(self, name: str) -> Binding:
        """A cell of a local variable that was never written holds any number, always the same."""
        if name.partition("\0")[0] not in self.thread.unset or "\0" not in name:
            return super().absent(name)
        if name not in self._unset:
            self._unset[name] = Binding(self.terms.unknown(_WIDEST))
        return self._unset[name]

    def _cells(self, state: State, name: str) -> dict[int, Binding]:
        """The cells of a private object by offset."""
        prefix = f"{name}\0"
        cells = {offset: self.absent(_cell(name, offset)) for offset, _ in self.thread.private.get(name, ())}
        cells |= {
            int(register[len(prefix) :]): binding
            for register, binding in state.registers.items()
            if register.startswith(prefix)
        }
        return cells


def _cell(name: str, offset: int) -> str:
    return f"{name}\0{offset}"
