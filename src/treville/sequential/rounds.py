"""A plan and bounds -> the formula of its runs in rounds: the lazy schema of paper 001 over an abstraction.

In each round every thread goes on for as many steps as it likes, in a fixed order, and the first thread once
more in the end. A step is executed at most once, so what threads compute is encoded once; only the calls of
the abstraction are there for each round. A literal for each round and step says that the thread got beyond
it: these are the program counters, guessed in advance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from treville.encoding.bitvectors import BitVectors, constant_bits, extend
from treville.events.symbolic import StaticAccess
from treville.events.symbolic_data import Mark, MarkKind
from treville.formulas.formula import FALSE, TRUE, Literal
from treville.formulas.gates import Gates
from treville.passes.fresh_memory import UNSET
from treville.programs.ir import LOCATION_BASE, LOCATION_STRIDE, Instruction, Load, error_of
from treville.records import dataclass
from treville.results import Budget
from treville.results.properties import NEVER_WRITTEN, Error
from treville.sequential.abstraction import SORTED, abstraction_text
from treville.sequential.circuits import Bits, Held, Memory
from treville.sequential.plan import Does, Plan, Step, ends, largest

BYTES = 8  # of the largest cell


@dataclass(frozen=True, slots=True)
class Bounds:
    """Rounds, timestamps (K) and nodes of a list (N)."""

    rounds: int
    timestamps: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A step in a round: it is executed there if `active`. `clock` is the time after it, `stamps` has for
    each cell that it may write the time at which that gets to memory."""

    round: int
    step: Step
    active: Literal
    clock: Held
    stamps: tuple[tuple[int, Literal, Held], ...] = ()


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that goes wrong where the literal holds. No `error`: what follows is not known, since memory
    is moved that nobody wrote. Where such memory was filled with any numbers, that is known; but a machine
    does not tell any more that somebody looks at them."""

    literal: Literal
    instruction: Instruction
    error: Error | None
    message: str = ""


class Rounds:
    """The formula of all runs; `wrong` lists what may go wrong, `cuts` where threads may be cut at the
    bound of loops."""

    def __init__(self, plan: Plan, bounds: Bounds, kind: str = SORTED, budget: Budget | None = None) -> None:
        self.plan, self.bounds = plan, bounds
        self._budget = budget or Budget()
        self.formula = Gates()
        self.values = BitVectors(self.formula, plan.facts, {})
        self.turns: list[Turn] = []
        self.wrong: list[Wrong] = []
        self._frees: list[tuple[Literal, Mark]] = []
        self._moved: list[Literal] = []
        self._doubts: list[Literal] = []
        accesses = [step.access for thread in plan.threads for step in thread.steps]
        self._filled = any(access is not None and UNSET in access.tags for access in accesses)
        constants = {"K": bounds.timestamps, "N": bounds.nodes, "T": len(plan.threads)}
        listed, plain = abstraction_text(plan.model, kind), abstraction_text("sc")
        most = largest(plan, bounds.timestamps, bounds.nodes)
        self.memory = Memory(listed, {**constants, "V": len(plan.listed)}, self.formula, most)
        self.plain = Memory(plain, {**constants, "V": len(plan.plain)}, self.formula, most)
        self._places = {cell: (self.memory, number) for number, cell in enumerate(plan.listed)}
        self._places |= {cell: (self.plain, number) for number, cell in enumerate(plan.plain)}
        self._noted, self._ended = _noted_cells(plan), _ended_cells(plan)
        self._flagged = {**dict.fromkeys(self._noted, False), **_flagged_objects(plan)}
        self._writers = {step.thread for step in plan.writes()}
        self._begin()
        self._counters = [self._counter(thread) for thread in range(len(plan.threads))]
        self._start_threads()
        for turn in range(bounds.rounds + 1):
            for thread in range(len(plan.threads)):
                if turn < bounds.rounds or thread == 0:
                    self._turn(turn, thread)
        self.cuts = [
            (self._reached(mark, before, self.values.condition(mark.condition)), mark.instruction)
            for mark, before in plan.marks
            if mark.kind is MarkKind.CUT
        ]
        self.cut = self.formula.either([literal for literal, _ in self.cuts])
        self._between()

    # -- what memory holds at first ----------------------------------------------------------------------

    def _begin(self) -> None:
        """Cells of objects that are freed, or hold anything at first, have two flags in front; cells that get
        copies of what nobody set have one more for each byte."""
        for cell, (memory, place) in self._places.items():
            bits = constant_bits(self.plan.facts.values.initial.get(cell, 0))
            if cell in self._flagged:
                bytes_of = [FALSE] * BYTES if cell in self._noted else []
                bits = [FALSE, TRUE if self._flagged[cell] else FALSE, *bytes_of, *bits]
            memory.hold(bits, "initial", place)
        self.memory.call("init", ())
        self.plain.call("init", ())

    # -- program counters --------------------------------------------------------------------------------

    def _counter(self, thread: int) -> list[list[Literal]]:
        """For each round and step the literal that the thread got beyond the step by the end of the round."""
        formula, steps = self.formula, self.plan.threads[thread].steps
        counter: list[list[Literal]] = []
        for turn in range(self.bounds.rounds + (thread == 0)):
            row: list[Literal] = []
            for number, step in enumerate(steps):
                if step.glued and number:
                    row.append(row[-1])
                    continue
                beyond = formula.choice()
                if row:
                    formula.forbid(beyond, -row[-1])
                if turn:
                    formula.forbid(counter[-1][number], -beyond)
                row.append(beyond)
            counter.append(row)
        return counter

    def _start_threads(self) -> None:
        """A thread goes on only after it was started."""
        for thread, plan in enumerate(self.plan.threads):
            for turn, row in enumerate(self._counters[thread] if thread else ()):
                if row:
                    self.formula.forbid(row[0], -self._beyond(plan.parent, plan.after, turn))

    def _beyond(self, thread: int, steps: int, turn: int) -> Literal:
        """The literal that the thread has done so many steps by the end of its turn in a round."""
        if steps:
            return self._counters[thread][turn][steps - 1]
        plan = self.plan.threads[thread]
        return self._beyond(plan.parent, plan.after, turn) if thread else TRUE

    def _in_the_end(self, thread: int, steps: int) -> Literal:
        if steps:
            return self._counters[thread][-1][steps - 1]
        plan = self.plan.threads[thread]
        return self._in_the_end(plan.parent, plan.after) if thread else TRUE

    # -- turns -------------------------------------------------------------------------------------------

    def _turn(self, turn: int, thread: int) -> None:
        rows = self._counters[thread]
        for number, step in enumerate(self.plan.threads[thread].steps):
            self._budget.check()
            before = rows[turn - 1][number] if turn else FALSE
            now = self.formula.both(rows[turn][number], -before)
            active = self.formula.both(now, self.values.condition(step.guard))
            if active != FALSE:
                self._step(turn, step, active)

    def _step(self, turn: int, step: Step, active: Literal) -> None:
        memory, thread = self.memory, step.thread
        stamps: tuple[tuple[int, Literal, Held], ...] = ()
        if self._takes_time(step):
            memory.call("clock_update", (), active)
        match step.does:
            case Does.FLUSH:
                memory.call("flush", (thread,), active)
            case Does.ORDER:
                memory.call("order_writes", (thread,), active)
            case Does.JOIN:
                self._join(turn, step, active)
            case Does.READ:
                if step.flushes:
                    memory.call("flush", (thread,), active)
                self._read(step, active)
            case Does.WRITE | Does.WRITE_NOW:
                if step.flushes:
                    memory.call("flush", (thread,), active)
                stamps = tuple(self._write(step, active))
        clock = memory.held("clock") if "clock" in memory.cells else 0
        self.turns.append(Turn(turn, step, active, clock, stamps))

    def _takes_time(self, step: Step) -> bool:
        """Does it matter what has got to memory by now? (Time stands still inside of blocks.)"""
        if step.glued or step.does is Does.ORDER or not self.memory.has("clock_update"):
            return False
        return not step.cells or step.flushes or any(self._places[c][0] is self.memory for c in step.cells)

    def _join(self, turn: int, step: Step, active: Literal) -> None:
        assert step.mark is not None
        assert step.mark.value is not None
        for thread in step.threads:
            meant = self.formula.both(active, self.values.is_number(step.mark.value, thread))
            by = turn if thread < step.thread else turn - 1
            own = len(self.plan.threads[thread].steps)
            done = self._beyond(thread, own, min(by, self.bounds.rounds - 1)) if by >= 0 else FALSE
            self.formula.forbid(meant, -done)
            if step.flushes and thread in self._writers:
                self.memory.call("flush", (thread,), meant)

    def _at(self, step: Step, active: Literal) -> Iterator[tuple[int, Literal]]:
        """The cells that an access may go to, each with the literal that it does."""
        access = step.access
        assert access is not None
        outside = self._outside(access) if not ends(step) else FALSE
        if outside != FALSE:
            wrong = self.formula.both(active, outside)
            self.wrong.append(Wrong(wrong, step.instruction, error_of(step.instruction)))
        for cell in step.cells:
            there = self.formula.both(active, self.values.is_number(access.address, cell))
            if there != FALSE:
                yield cell, there

    def _outside(self, access: StaticAccess) -> Literal:
        """The literal that the address of an access is where no cell is."""
        values, numbers = self.values, self.plan.facts.values.outside(access)
        if numbers == frozenset():
            return FALSE
        if numbers is not None:
            return self.formula.either([values.is_number(access.address, n) for n in numbers])
        cells = self.plan.facts.values.addresses(access)
        return -self.formula.either([values.is_number(access.address, n) for n in cells])

    def _read(self, step: Step, active: Literal) -> None:
        access = step.access
        assert access is not None
        assert isinstance(step.instruction, Load)
        mine, seen = self.values.bits(access.value), step.instruction.bits
        for cell, there in self._at(step, active):
            memory, place = self._places[cell]
            found = memory.call("look", (place, step.thread), there)
            theirs = self._unflagged(cell, found, step, there)[:seen]
            width = max(len(mine), len(theirs))
            pairs = zip(extend(mine, width), extend(theirs, width), strict=True)
            self.formula.equal_where(there, dict.fromkeys(pairs))

    def _unflagged(self, cell: int, found: Held, step: Step, there: Literal) -> Bits:
        """What a cell holds without its flags, which tell what is wrong with an access."""
        assert not isinstance(found, int)
        assert isinstance(step.instruction, Load)
        freed, unset, *rest = found if cell in self._flagged else (FALSE, FALSE, *found)
        copied = [FALSE] * BYTES
        if cell in self._noted:
            copied, rest = rest[:BYTES], rest[BYTES:]
        self._note(there, freed, step)
        if step.instruction.zeroed:
            rest = [self.formula.both(bit, -unset) for bit in rest]
        else:
            self._looks_at_fresh(self.formula.both(there, unset), step.instruction)
        self._bytes_that_nobody_set(there, unset, copied, step)
        return rest

    def _looks_at_fresh(self, literal: Literal, load: Load) -> None:
        """A read may find memory that nobody wrote to, where the literal holds."""
        if literal == FALSE or (load.blind and self._filled):
            return
        error = None if load.blind or self._filled else Error.UNDEFINED
        self.wrong.append(Wrong(literal, load, error, NEVER_WRITTEN))
        if load.blind:
            self._moved.append(literal)

    def _bytes_that_nobody_set(self, there: Literal, fresh: Literal, copied: Bits, step: Step) -> None:
        """A read notes which bytes of what it finds nobody set; it may look at some that were copied."""
        load, formula = step.instruction, self.formula
        assert isinstance(load, Load)
        assert step.access is not None
        notes = self.plan.symbolic.unset_reads.get(step.access.number, ())
        for condition, byte in zip(notes, copied, strict=False):
            unset = formula.either([fresh, byte])
            formula.equal_where(there, [(self.values.condition(condition), unset)])
        if load.blind or load.zeroed:
            return
        some = formula.either(copied[slice(*(load.looks or (0, BYTES)))])
        every = -formula.either([-byte for byte in copied[: max(1, load.bits // 8)]])
        self._doubts.append(formula.both(there, every if load.unset else some))

    def _note(self, there: Literal, freed: Literal, step: Step) -> None:
        """An access to what was freed is wrong."""
        literal = self.formula.both(there, freed)
        if literal != FALSE:
            self.wrong.append(Wrong(literal, step.instruction, error_of(step.instruction)))

    def _write(self, step: Step, active: Literal) -> Iterator[tuple[int, Literal, Held]]:
        access = step.access
        assert access is not None
        bits = self.values.bits(access.value)
        function = "store" if step.does is Does.WRITE else "store_now"
        for cell, there in self._at(step, active):
            (memory, place), written, freed = self._places[cell], bits, FALSE
            if cell in self._flagged:
                found = memory.call("look", (place, step.thread), there)
                assert not isinstance(found, int)
                freed = found[0]
                self._note(there, freed, step)
                unset = TRUE if UNSET in access.tags else FALSE
                copied = self._copied(access) if cell in self._noted else []
                written = [TRUE if ends(step) else freed, unset, *copied, *bits]
            memory.call(function, (place, written, step.thread), there)
            if memory is self.memory and cell in self._ended:
                self._behind_the_end(place, self.formula.both(there, -freed), step)
            stamped = "last_tstamp" in memory.cells
            yield cell, there, memory.held("last_tstamp", place, step.thread) if stamped else 0

    def _behind_the_end(self, place: int, there: Literal, step: Step) -> None:
        """A write may get to memory when its object is no more, behind the end in the list: no machine goes
        on then."""
        if "tstamp" not in self.memory.cells:
            return
        earlier = [self.memory.held("value", place, node) for node in range(self.bounds.nodes - 1)]
        ended = self.formula.either([held[0] for held in earlier if not isinstance(held, int)])
        literal = self.formula.both(there, ended)
        if literal != FALSE:
            self.wrong.append(Wrong(literal, step.instruction, None))

    def _copied(self, write: StaticAccess) -> Bits:
        """For each byte of what is written the literal that nobody set it."""
        notes = self.plan.symbolic.unset_writes.get(write.number, ())
        own = [self.values.condition(note) for note in notes]
        return [*own, *[FALSE] * (BYTES - len(own))]

    # -- what happens between steps ------------------------------------------------------------------------

    def _reached(self, mark: Mark, before: int, condition: Literal) -> Literal:
        return self.formula.both(condition, self._in_the_end(mark.thread, before))

    def _between(self) -> None:
        """Assertions, and frees of what is no object of the heap."""
        values, starts = self.values, (0, *self.plan.symbolic.heap)
        for mark, before in self.plan.marks:
            if mark.kind is MarkKind.ASSERT:
                fails = values.condition(mark.condition)
            elif mark.kind is MarkKind.FREE and not getattr(mark.instruction, "local", False):
                assert mark.value is not None
                is_start = self.formula.either([values.is_number(mark.value, start) for start in starts])
                fails = self.formula.both(values.condition(mark.condition), -is_start)
            else:
                continue
            literal = self._reached(mark, before, fails)
            if literal != FALSE:
                self.wrong.append(Wrong(literal, mark.instruction, error_of(mark.instruction)))
                if mark.kind is MarkKind.FREE:
                    self._frees.append((literal, mark))

    def frees(self, is_true: Callable[[Literal], bool]) -> list[Mark]:
        """The frees of what is no object, in a solution."""
        return [mark for literal, mark in self._frees if is_true(literal)]

    def moved_unset(self) -> Literal:
        """The literal that memory is moved that nobody wrote."""
        return self.formula.either(self._moved)

    def doubtful(self) -> Literal:
        """The literal that a copy is looked at of what nobody set: no machine tells of it."""
        return self.formula.either(self._doubts)

    def violation(self, errors: frozenset[Error]) -> tuple[Literal, Literal]:
        """The literal that one of the errors happens, and that another one does."""
        asked = [wrong.literal for wrong in self.wrong if wrong.error in errors]
        other = [wrong.literal for wrong in self.wrong if wrong.error not in errors]
        return self.formula.either(asked), self.formula.either(other)


def _noted_cells(plan: Plan) -> frozenset[int]:
    """The cells that may get bytes that nobody set."""
    writes = plan.symbolic.unset_writes
    steps = [step for thread in plan.threads for step in thread.steps]
    return frozenset(
        cell
        for step in steps
        if step.access is not None and step.access.number in writes
        for cell in step.cells
    )


def _ended_cells(plan: Plan) -> frozenset[int]:
    """The cells of objects that may be freed."""
    steps = [step for thread in plan.threads for step in thread.steps]
    return frozenset(cell for step in steps if ends(step) for cell in step.cells)


def _flagged_objects(plan: Plan) -> dict[int, bool]:
    """The cells of objects that may be freed or hold anything at first; true for the latter."""
    freed, unset = _ended_cells(plan), plan.symbolic.unset
    return {
        cell: start in unset
        for cell in plan.cells
        if (start := cell - (cell - LOCATION_BASE) % LOCATION_STRIDE) in unset or cell in freed
    }


def enough(plan: Plan) -> Bounds:
    """Bounds that lose no run of the plan. A round more is needed only where a thread goes on before one that
    comes earlier in a round, so never behind the last thread nor in front of the first; each write gets to
    memory at a time of its own. A list has what memory holds and all pending writes, and one node more where
    something else is written at once."""
    writes = plan.writes()
    at_once = {
        cell
        for thread in plan.threads
        for step in thread.steps
        if step.does is Does.WRITE_NOW
        for cell in step.cells
    }
    nodes = [1 + sum(cell in step.cells for step in writes) + (cell in at_once) for cell in plan.listed]
    rounds = enough_rounds([sum(not step.glued for step in thread.steps) for thread in plan.threads])
    return Bounds(rounds, 1 + len(writes), max(2, *nodes, 2))


def enough_rounds(turns: Sequence[int]) -> int:
    """The rounds that every order of so many turns of each thread fits into."""
    return 1 + sum(turns) - max(turns[0], turns[-1])
