"""Unrolled threads -> static events with guards, symbolic values and dependencies, over all paths at once.

The symbolic counterpart of `events.traces`: instead of running every path, one walk over each thread's
acyclic graph binds registers to terms and merges them under guards where paths join. A guard says when an
event is executed; a dependency is a set of reads, each with the condition under which it counts (most
often TRUE: whenever both events are executed). Paper 004, sections 4.5.1 and 4.5.2.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import assert_never

from treville.events.idle_iterations import Iterations, all_registers
from treville.events.joining import Joining, State
from treville.events.kinds import READ, WRITE
from treville.events.symbolic_data import (
    NO_BLOCK,
    NOTHING,
    Binding,
    Happening,
    MarkKind,
    Sources,
    StaticAccess,
    StaticEvent,
    SymbolicDraft,
    SymbolicProgram,
)
from treville.events.symbolic_terms import FALSE, TRUE, Condition, Value
from treville.programs.ir import (
    Assume,
    Branch,
    Const,
    Expr,
    Fence,
    Havoc,
    IndirectBranch,
    Instruction,
    Load,
    Local,
    OnlyInPrograms,
    Op,
    Program,
    Reg,
    Store,
    StoreExclusive,
    Thread,
)
from treville.programs.operators import wrap
from treville.programs.unroll import CUT, EXIT, MAX_STEPS, WAIT, Choice, Copy, Unrolling
from treville.records import replace
from treville.relations import EventId
from treville.results import BudgetExceeded, Unsupported

__all__ = [
    "NOTHING", "NO_BLOCK", "Binding", "Sources", "State", "StaticAccess", "StaticEvent",
    "SymbolicProgram", "ThreadWalk", "symbolic_program",
]  # fmt: skip


def symbolic_program(program: Program, bound: int) -> SymbolicProgram:
    """The static events of every thread of a litmus test, loops unrolled to the bound.

    A loop whose condition does not depend on memory ends by itself and is unrolled as far as it runs."""
    result = SymbolicDraft(program)
    for thread in program.threads:
        walk = TestWalk(result, thread, Unrolling(thread, bound))
        walk.walk(TRUE, walk.first_registers())
    return result.finished()


class ThreadWalk(Joining):
    """One pass over the copies of a thread's instructions, as far as they can be reached."""

    def __init__(self, result: SymbolicDraft, thread: Thread, unrolling: Unrolling) -> None:
        super().__init__(result, len(result.thread_names))
        self.thread = thread
        result.thread_names.append(thread.name)
        result.final.append({})
        self.unrolling = unrolling
        self.incoming: dict[Copy, list[tuple[Condition, State]]] = {}
        self.pending: list[Copy] = []
        self.exits: list[tuple[Condition, State]] = []
        self.numbers: dict[Copy, int] = {}  # the steps, in the order in which they were executed
        self.targets: list[list[Copy]] = []  # of each step
        self.own_events: list[int] = []  # masks: the step's event, or those of a thread it starts
        self.after: list[int] = []

    def first_registers(self) -> dict[str, Binding]:
        """The thread's initial registers."""
        return {n: Binding(self.terms.constant(value)) for n, value in self.thread.registers.items()}

    def walk(self, guard: Condition, registers: dict[str, Binding]) -> None:
        """Fill the result with this thread's events, order, constraints and final registers."""
        start = State(registers)
        if self.thread.instructions:
            self._reach(self.unrolling.first(), guard, start)
        else:
            self.exits.append((guard, start))
        while self.pending:
            copy = heappop(self.pending)
            self._step(copy, *self.merge(self.incoming.pop(copy), copy[-1]))
        if self.exits:
            self.result.final[self.index] = self.merge(self.exits)[1].registers
        self._program_order()

    def _reach(self, copy: Copy, guard: Condition, state: State) -> None:
        arrived = self.incoming.get(copy)
        if arrived is None:
            arrived = self.incoming[copy] = []
            heappush(self.pending, copy)
        arrived.append((guard, state))

    def _step(self, copy: Copy, guard: Condition, state: State) -> None:
        if len(self.numbers) >= MAX_STEPS:
            raise BudgetExceeded("a thread unrolls to too many instructions", "lower --bound")
        self.numbers[copy] = len(self.numbers)
        position = copy[-1]
        for scopes in (state.control, state.control_pick):
            scopes.pop(position, None)
        first = len(self.result.events)
        choices = self.execute(state, guard, self.thread.instructions[position], position)
        self.own_events.append((1 << len(self.result.events)) - (1 << first))
        self._leave(copy, guard, state, choices)

    def _leave(self, copy: Copy, guard: Condition, state: State, choices: dict[Choice, Condition]) -> None:
        position = copy[-1]
        targets: list[Copy] = []
        self.targets.append(targets)
        edges = self.unrolling.edges[position]
        taken = [(self.terms.both(guard, choices.get(choice, TRUE)), choice, to) for choice, to in edges]
        taken = [edge for edge in taken if edge[0] != FALSE]
        for number, (condition, choice, target) in enumerate(taken):
            mine = state if number == len(taken) - 1 else state.copy()
            following = self.unrolling.follow(copy, target)
            if following == CUT and self.goes_on(position, known=choices.get(choice) == TRUE):
                following = self.unrolling.follow(copy, target, beyond=True)
            if following == CUT:
                self.cut(copy, target, condition, mine)
            elif following == WAIT:
                self.wait(copy, target, condition)
            elif following == EXIT:
                self.exits.append((condition, mine))
            elif not isinstance(following, int):
                if target != position + 1:
                    _close_passed(mine, position)
                self._reach(following, condition, mine)
                targets.append(following)

    def cut(self, copy: Copy, target: int, condition: Condition, state: State) -> None:
        """Note that the thread is cut where it would jump back to the target once more."""
        del target, state
        self.result.cuts.append(condition)
        self.result.cut_at.append(self.thread.instructions[copy[-1]])
        self.result.mark(MarkKind.CUT, self.index, condition, self.thread.instructions[copy[-1]])

    def wait(self, copy: Copy, target: int, condition: Condition) -> None:
        """The thread waits in a loop that begins at the target."""

    def goes_on(self, position: int, known: bool) -> bool:
        """Does a loop that was repeated as often as it may still go on by itself? `known`: the backward
        jump's condition holds whatever the memory is."""
        return known

    def _program_order(self) -> None:
        """Rows of `po`: the events on some path after each one; a started thread comes after its start."""
        rows, events = self.result.po, self.result.events
        rows.extend([0] * (len(events) - len(rows)))
        self.after = [0] * len(self.numbers)
        for number in reversed(range(len(self.numbers))):
            mask = 0
            for target in map(self.numbers.__getitem__, self.targets[number]):
                mask |= self.after[target] | self.own_events[target]
            self.after[number] = mask
            own = self.own_events[number]
            if own and events[own.bit_length() - 1].thread == self.index:
                rows[own.bit_length() - 1] = mask

    # -- instructions ------------------------------------------------------------------------------------

    def execute(
        self, state: State, guard: Condition, instruction: Instruction, position: int
    ) -> dict[Choice, Condition]:
        """Change the state by one instruction; for a branch, the condition of each of its edges."""
        terms = self.terms
        if isinstance(instruction, Local):
            state.registers[instruction.register] = self.evaluate(instruction.value, state)
        elif isinstance(instruction, Havoc):
            value = terms.any_of(len(terms.values), instruction.values)
            state.registers[instruction.register] = Binding(value)
            self.result.havocs.append((guard, value))
            self.result.mark(MarkKind.CHOICE, self.index, guard, instruction, value)
        elif isinstance(instruction, Assume):
            condition = terms.non_zero(self.evaluate(instruction.condition, state).value)
            self.result.required.append((guard, condition))
        elif isinstance(instruction, Fence):
            self._fence(state, guard, instruction, position)
        elif isinstance(instruction, Load):
            self._load(state, guard, instruction, position)
        elif isinstance(instruction, Store):
            self._store(state, guard, instruction, position)
        elif isinstance(instruction, StoreExclusive):
            self._store_exclusive(state, guard, instruction, position)
        elif isinstance(instruction, Branch):
            return self._branch(state, instruction)
        elif isinstance(instruction, IndirectBranch):
            return self._indirect_branch(state, instruction)
        elif isinstance(instruction, OnlyInPrograms):
            raise Unsupported(f"{type(instruction).__name__} in a litmus test", instruction.span)
        else:
            assert_never(instruction)
        return {}

    def happening(self, state: State, guard: Condition, instruction: Instruction, position: int) -> Happening:
        """What the next event of this thread has, whatever it does; control dependencies are the state's."""
        if state.last[0] != instruction.index or state.last[1] > position:
            state.order += 1
        state.last = (instruction.index, position)
        return Happening(
            EventId(len(self.result.events)), self.index, guard, instruction, position, state.order,
            self.union(state.control.values()), self.union(state.control_pick.values()), state.behind,
            state.block,
        )  # fmt: skip

    def add(self, state: State, event: StaticEvent) -> None:
        """Let the thread have an event."""
        self.result.events.append(event)
        state.passed |= 1 << event.number

    def _fence(self, state: State, guard: Condition, instruction: Fence, position: int) -> None:
        now = self.happening(state, guard, instruction, position)
        where = None if instruction.address is None else self.evaluate(instruction.address, state)
        self.add(state, now.fence(instruction.tags, where))

    def _load(self, state: State, guard: Condition, instruction: Load, position: int) -> None:
        address = self.evaluate(instruction.address, state)
        now = self.happening(state, guard, instruction, position)
        value, itself = self.terms.read(now.number), {now.number: TRUE}
        self.add(state, now.access(READ, instruction.tags, address, Binding(value), instruction.exclusive))
        if instruction.register is not None:
            state.registers[instruction.register] = Binding(value, itself)
        if instruction.unset:
            state.registers[instruction.unset] = Binding(self._unset_bits(now.number, instruction.bits))
        if instruction.link:
            state.linked = itself
        if instruction.exclusive:
            state.reserved = itself

    def _unset_bits(self, read: EventId, bits: int) -> Value:
        """The bits that nobody set of what is read: none or all of each byte."""
        terms, count = self.terms, bits // 8
        unset = tuple(terms.free(-1 - 8 * read - byte) for byte in range(count))
        self.result.unset_reads[read] = unset
        whole = terms.constant(0)
        for byte, there in enumerate(unset):
            ones = terms.constant(wrap(0xFF << 8 * byte, bits))
            part = terms.choose([(there, ones), (-there, terms.constant(0))])
            whole = terms.apply("or", (whole, part), bits)
        return whole

    def _note_unset(self, state: State, write: EventId, instruction: Store) -> None:
        """The bytes of what is written that nobody set."""
        if instruction.unset is None:
            return
        terms, bits, found = self.terms, instruction.bits, []
        mask = self.evaluate(instruction.unset, state).value
        for byte in range(bits // 8):
            ones = terms.constant(wrap(0xFF << 8 * byte, bits))
            found.append(terms.equal(terms.apply("and", (mask, ones), bits), ones))
        if any(condition != FALSE for condition in found):
            self.result.unset_writes[write] = tuple(found)

    def _store(self, state: State, guard: Condition, instruction: Store, position: int) -> None:
        when = None
        if instruction.when is not None:
            when = self.evaluate(instruction.when, state)
            guard = self.terms.both(guard, self.terms.non_zero(when.value))
            if guard == FALSE:
                return
        pair = state.linked if instruction.link else NOTHING
        event = self._write(state, guard, instruction, position, when, pair)
        self._note_unset(state, event.number, instruction)
        self.add(state, event)

    def _store_exclusive(
        self, state: State, guard: Condition, instruction: StoreExclusive, position: int
    ) -> None:
        terms = self.terms
        reserved = {
            load: when for load, when in state.reserved.items() if self._same_width(load, instruction)
        }
        state.reserved = NOTHING
        failure = terms.constant(instruction.failure)
        if not reserved:
            state.registers[instruction.status] = Binding(failure)
            return
        succeeds = terms.free(len(self.result.events))
        address = self.evaluate(instruction.address, state).value
        event = self._write(state, terms.both(guard, succeeds), instruction, position)
        usable, pair = [], dict[EventId, Condition]()
        for load, condition in reserved.items():
            reservation = self.result.events[load]
            assert isinstance(reservation, StaticAccess)
            pair[load] = same = terms.both(condition, terms.equal(reservation.address, address))
            usable.append(terms.both(reservation.guard, same))
        event = replace(event, pair=pair, exclusive=True)
        self.add(state, event)
        self.result.required.append((event.guard, terms.either(usable)))
        self.result.required.append((succeeds, guard))  # what is not executed makes no choice
        data, pick = self._status_sources(event, instruction)
        value = terms.choose([(succeeds, terms.constant(instruction.success)), (-succeeds, failure)])
        state.registers[instruction.status] = Binding(
            value, self.when(succeeds, data), self.when(succeeds, pick)
        )

    def _same_width(self, load: EventId, instruction: StoreExclusive) -> bool:
        reservation = self.result.events[load].instruction
        return isinstance(reservation, Load) and reservation.bits == instruction.bits

    def _status_sources(self, event: StaticEvent, instruction: StoreExclusive) -> tuple[Sources, Sources]:
        """What the status of a success depends on: data and pick."""
        data: list[Sources] = []
        pick: list[Sources] = []
        if "write" in instruction.status_depends:
            data.append({event.number: TRUE})
        if "address" in instruction.status_depends:
            loads = [(self.result.events[load], when) for load, when in event.pair.items()]
            data += [event.addr, *(self.when(when, load.addr) for load, when in loads)]
            pick += [event.pick_addr, *(self.when(when, load.pick_addr) for load, when in loads)]
        if "data" in instruction.status_depends:
            data.append(event.data)
            pick.append(event.pick_data)
        return self.union(data), self.union(pick)

    def _write(
        self, state: State, guard: Condition, instruction: Store | StoreExclusive, position: int,
        when: Binding | None = None, pair: Sources = NOTHING,
    ) -> StaticAccess:  # fmt: skip
        """The write of a store, which is still to be added."""
        address = self._decided(self.evaluate(instruction.address, state))
        value, data, pick = self._decided(self.evaluate(instruction.value, state))
        if when is not None and self.thread.updates_pick:
            pick = self.union([pick, when.data, when.pick])
        elif when is not None:
            data = self.union([data, when.data, when.pick])
        now = self.happening(state, guard, instruction, position)
        written = self.terms.apply("sext", (value,), instruction.bits)
        return now.access(WRITE, instruction.tags, address, Binding(written, data, pick), pair=pair)

    def _branch(self, state: State, instruction: Branch) -> dict[Choice, Condition]:
        if instruction.condition is None:
            return {}
        condition = self._decided(self.evaluate(instruction.condition, state))
        end = None if instruction.until is None else self.thread.labels[instruction.until]
        self._control(state, end, condition)
        if instruction.behind and condition.data:
            state.behind = self.union([state.behind, condition.data])
        holds = self.terms.non_zero(condition.value)
        return {True: holds, False: -holds}

    def _indirect_branch(self, state: State, instruction: IndirectBranch) -> dict[Choice, Condition]:
        target = self._decided(self.evaluate(instruction.target, state))
        self._control(state, None, target)
        addresses = self.thread.code_addresses
        self.result.jumps.append((target.value, frozenset(addresses), instruction))
        return {
            address: self.terms.equal(target.value, self.terms.constant(address)) for address in addresses
        }

    def _control(self, state: State, end: int | None, condition: Binding) -> None:
        for scopes, sources in ((state.control, condition.data), (state.control_pick, condition.pick)):
            if sources:
                scopes[end] = self.union([scopes.get(end, NOTHING), sources])

    def _decided(self, binding: Binding) -> Binding:
        """What a write or a branch depends on: see `Thread.selects_pick`."""
        if self.thread.selects_pick or not binding.pick:
            return binding
        return Binding(binding.value, self.union([binding.data, binding.pick]))

    # -- expressions -------------------------------------------------------------------------------------

    def evaluate(self, expression: Expr, state: State) -> Binding:
        """The value of an expression, with what it depends on."""
        if isinstance(expression, Reg):
            return state.registers.get(expression.name) or self.absent(expression.name)
        if isinstance(expression, Const):
            return Binding(self.terms.constant(expression.value))
        if isinstance(expression, Op):
            args = [self.evaluate(arg, state) for arg in expression.args]
            value = self.terms.apply(expression.name, tuple(arg.value for arg in args), expression.bits)
            return Binding(
                value, self.union([arg.data for arg in args]), self.union([arg.pick for arg in args])
            )
        condition = self.evaluate(expression.condition, state)
        holds = self.terms.non_zero(condition.value)
        cases = [
            (holds, self.evaluate(expression.then, state)),
            (-holds, self.evaluate(expression.otherwise, state)),
        ]
        cases = [case for case in cases if case[0] != FALSE]
        return Binding(
            self.terms.choose([(when, chosen.value) for when, chosen in cases]),
            self.union([self.when(when, chosen.data) for when, chosen in cases]),
            self.union(
                [self.when(when, chosen.pick) for when, chosen in cases] + [condition.data, condition.pick]
            ),
        )

    def when(self, condition: Condition, sources: Sources) -> Sources:
        """The same sources under a further condition."""
        if condition == TRUE:
            return sources
        return {event: self.terms.both(condition, when) for event, when in sources.items()}

    def union(self, parts: Iterable[Sources]) -> Sources:
        """All sources of the parts; a condition of one suffices."""
        kept = [part for part in parts if part]
        if len(kept) <= 1:
            return kept[0] if kept else NOTHING
        union = dict(kept[0])
        for part in kept[1:]:
            for event, when in part.items():
                union[event] = self.terms.either([union[event], when]) if event in union else when
        return union


def _close_passed(state: State, position: int) -> None:
    """A jump ends the control scopes whose end lies at or before it."""
    for scopes in (state.control, state.control_pick):
        for end in [end for end in scopes if end is not None and end <= position]:
            del scopes[end]


class TestWalk(ThreadWalk):
    """The walk over one thread of a litmus test, which has to end."""

    __test__ = False  # not a test case, whatever a test runner thinks of the name

    def __init__(self, result: SymbolicDraft, thread: Thread, unrolling: Unrolling) -> None:
        super().__init__(result, thread, unrolling)
        self.iterations = Iterations(self, all_registers(thread))

    def _step(self, copy: Copy, guard: Condition, state: State) -> None:
        self.iterations.begin(copy, state)
        super()._step(copy, guard, state)

    def cut(self, copy: Copy, target: int, condition: Condition, state: State) -> None:
        """A run that was cut after an iteration that changed nothing has not missed anything."""
        super().cut(copy, target, condition, state)
        idle = self.iterations.idle(copy, target, condition, state)
        self.result.unfinished.append(self.terms.both(condition, -idle))
