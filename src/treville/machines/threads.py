"""A program's code -> what a thread does next, and what it does after that.

A thread is a number that stands for where it is, with what in its registers, private cells and loop counters.
Between two *actions* (an access, a fence, a start or join of a thread, a choice) a thread runs alone, and
what it does next depends on nothing but the result of its action. So every such run is done once and then
looked up, however many states it occurs in.
"""

from __future__ import annotations

from enum import Enum

from treville.machines.choices import Choice, all_numbers, choice_of
from treville.machines.states import TooManyStates
from treville.programs import ir
from treville.programs.flow import defined_register, used_registers
from treville.programs.live import cell, is_live, live_names
from treville.programs.operators import OPERATORS, wrap
from treville.records import NamedTuple

_LOCAL_STEPS = 100_000
_LONGEST_PERIOD = 1_000
_MARKS = 1_021
MAIN = ""
ARBITRARY = -1 << 200  # no number that fits a cell


class _Arbitrary(TooManyStates):
    """An arbitrary value would have to be known."""


class Does(Enum):
    """What a thread does next. The last four are ends: it will do nothing more."""

    LOAD = "load"
    STORE = "store"
    UPDATE = "update"  # the first half of a read-modify-write
    SKIP = "skip"  # the second half of a read-modify-write that does not write
    BEGIN = "begin"
    END_BLOCK = "end of block"
    FENCE = "fence"
    CHOOSE = "choose"
    ALLOCATE = "allocate"
    FREE = "free"
    SPAWN = "spawn"
    JOIN = "join"
    END = "end"
    BLOCKED = "blocked"
    CUT = "cut"
    FAIL = "fail"


class Action(NamedTuple):
    """What a thread does next, with its operands: address and value of an access, the size of an allocation,
    the thread to join, the argument of a thread (all in `address` if there is one only)."""

    does: Does
    instruction: ir.Instruction | None = None
    address: int = 0
    value: int = 0


class Frame(NamedTuple):
    """Where a thread is, with what in its registers, private cells and loop counters."""

    body: str
    position: int
    registers: tuple[tuple[str, int], ...] = ()
    cells: tuple[tuple[tuple[str, int], int], ...] = ()
    counts: tuple[tuple[int, int], ...] = ()
    objects: int = 0
    end: Does | None = None


class Threads:
    """What the threads of a program do. `bound` limits loops as the other engines do. Numbers that may be any
    are tried out as far as they make a difference; where that are too many, so many of each kind as `samples`
    says."""

    def __init__(self, program: ir.Program, bound: int | None = None, samples: int = 0) -> None:
        self.bound, self.samples = bound, samples
        self.bodies = {MAIN: program.threads[0], **program.functions}
        self.live = {name: live_names(thread) for name, thread in self.bodies.items()}
        self.alike = not any(self._has_identity(name) for name in self.bodies)
        self.frames: list[Frame] = []
        self.actions: list[Action] = []
        self.was_cut = False
        self.cut: dict[int, ir.Instruction] = {}  # the jumps back that were not done again
        self.sampled = False  # did some number stand for others that may do something else?
        self._choices: dict[Frame, tuple[int, ...] | None] = {}
        self._uses: dict[tuple[str, int], Choice] = {}
        self._numbers: dict[Frame, int] = {}
        self._after: dict[tuple[int, int], int] = {}
        self._uncounted: dict[int, Frame] = {}
        self._places: dict[Frame, int] = {}

    def _has_identity(self, body: str) -> bool:
        """Does it matter which thread it is that runs this: for its number, its objects, or who joins it?"""
        kinds = (ir.Join,) if body == MAIN else (ir.Join, ir.Allocate)
        uses = ir.OWN_NUMBER in self.live[body][0] and body != MAIN
        return uses or any(isinstance(i, kinds) for i in self.bodies[body].instructions)

    def start(self, body: str, argument: int = 0, number: int = 0) -> int:
        """A new thread; its number is its own business only where it uses it."""
        thread = self.bodies[body]
        registers = {thread.parameter: argument} if thread.parameter else {}
        if ir.OWN_NUMBER in self.live[body][0]:
            registers[ir.OWN_NUMBER] = number
        return self._settled(Run(self, Frame(body, 0), registers))

    def after(self, thread: int, result: int = 0) -> int:
        """The thread after its action, which had this result: what was read, chosen, allocated, started."""
        key = (thread, result)
        found = self._after.get(key)
        if found is None:
            run = Run(self, self.frames[thread])
            instruction = run.body.instructions[run.position]
            register = defined_register(instruction)
            if register is not None:
                run.registers[register] = result
            run.objects += isinstance(instruction, ir.Allocate)
            run.position += 1
            found = self._after[key] = self._settled(run)
        return found

    def same_place(self, one: int, other: int) -> bool:
        """Do two threads differ in nothing but how often loops went round?"""
        return one == other or (self.bound is not None and self._plain(one) == self._plain(other))

    def mark(self, thread: int) -> int:
        """A bit that threads at the same place share, and some others."""
        if self.bound is not None:
            thread = self._places.setdefault(self._plain(thread), len(self._places))
        return 1 << thread % _MARKS

    def _plain(self, thread: int) -> Frame:
        found = self._uncounted.get(thread)
        if found is None:
            found = self._uncounted[thread] = self.frames[thread]._replace(counts=())
        return found

    def choices(self, thread: int) -> tuple[int, ...]:
        """The numbers to choose from where a thread chooses."""
        instruction = self.actions[thread].instruction
        if isinstance(instruction, ir.Nondet):
            return self.few_numbers(self.frames[thread], instruction) or ()
        assert isinstance(instruction, ir.Havoc)
        return instruction.values

    def few_numbers(self, frame: Frame, instruction: ir.Nondet) -> tuple[int, ...] | None:
        """The numbers to try where a thread gets any number, None if they are too many."""
        if frame not in self._choices:
            self._choices[frame] = self._numbers_that_matter(frame, instruction)
        return self._choices[frame]

    def _numbers_that_matter(self, frame: Frame, instruction: ir.Nondet) -> tuple[int, ...] | None:
        place = (frame.body, frame.position)
        uses = self._uses.get(place)
        if uses is None:
            uses = self._uses[place] = choice_of(self.bodies[frame.body], instruction)
        if uses.period > _LONGEST_PERIOD:
            return None
        found: dict[tuple[int, ...], int] = {}
        more: list[int] = []
        for kind in uses.kinds():
            if not uses.used or Run(self, frame).forgets(kind[0], uses):
                found.setdefault(uses.answers(kind[0]), kind[0])
                continue
            numbers = uses.sample(kind, self.samples) if self.samples else all_numbers(kind)
            if numbers is None:
                return None
            more += numbers
            self.sampled = bool(self.samples)
        return tuple(dict.fromkeys([*found.values(), *more]))

    def values(self, thread: int) -> list[int]:
        """All numbers that a thread knows."""
        frame = self.frames[thread]
        return [value for _, value in frame.registers] + [value for _, value in frame.cells]

    def _settled(self, run: Run) -> int:
        """The number of the thread once it has run up to its next action."""
        action = run.to_action()
        self.was_cut = self.was_cut or action.does is Does.CUT
        frame = run.frame(action)
        found = self._numbers.get(frame)
        if found is None:
            found = self._numbers[frame] = len(self.frames)
            self.frames.append(frame)
            self.actions.append(action)
        return found


class Run:
    """A thread that runs alone."""

    def __init__(self, threads: Threads, frame: Frame, registers: dict[str, int] | None = None) -> None:
        self.threads = threads
        self.name = frame.body
        self.body = threads.bodies[frame.body]
        self.position = frame.position
        self.registers = dict(frame.registers) if registers is None else registers
        self.cells = dict(frame.cells)
        self.counts = dict(frame.counts)
        self.objects = frame.objects

    def frame(self, action: Action) -> Frame:
        """The thread in front of its action, with what does not matter any more forgotten."""
        if action.does in (Does.END, Does.BLOCKED, Does.CUT, Does.FAIL):
            waits = isinstance(action.instruction, ir.Assume) and action.instruction.waits
            where = self.position if waits or action.does is Does.FAIL else 0
            return Frame(self.name, where, end=action.does)
        live = self.threads.live[self.name][self.position]
        registers = tuple(sorted((name, value) for name, value in self.registers.items() if name in live))
        cells = tuple(sorted((at, value) for at, value in self.cells.items() if is_live(cell(*at), live)))
        counts = tuple(sorted(self.counts.items()))
        return Frame(self.name, self.position, registers, cells, counts, self.objects)

    def to_action(self) -> Action:
        """Run up to the next action."""
        for _ in range(_LOCAL_STEPS):
            if self.position >= len(self.body.instructions):
                return Action(Does.END)
            instruction = self.body.instructions[self.position]
            if isinstance(instruction, ir.Branch):
                taken = instruction.condition is None or self.evaluate(instruction.condition)
                target = self.body.labels[instruction.target] if taken else self.position + 1
                if not self._go(target):
                    self.threads.cut[id(instruction)] = instruction
                    return Action(Does.CUT)
                continue
            action = self._action(instruction)
            if action is not None:
                return action
            self.position += 1
        raise TooManyStates("a loop that goes on for ever")

    def forgets(self, value: int, uses: Choice) -> bool:
        """Is what becomes of the thread the same for all numbers that its tests do not tell from this one:
        does it end, or get to its next action and need the number no more?"""
        self.registers[uses.register] = value
        self.position += 1
        for _ in range(_LOCAL_STEPS):
            if self.position >= len(self.body.instructions):
                return True
            instruction = self.body.instructions[self.position]
            local = isinstance(instruction, ir.Local)
            if not local and (self.position in uses.uses or used_registers(instruction) & uses.tainted):
                return False
            if isinstance(instruction, ir.Branch):
                taken = instruction.condition is None or self.evaluate(instruction.condition)
                if not self._go(self.body.labels[instruction.target] if taken else self.position + 1):
                    return False
                continue
            if not isinstance(instruction, ir.Local | ir.Assume | ir.Stop | ir.ReadPrivate | ir.WritePrivate):
                return not any(name.split("\0")[0] in uses.names for name in self._live())
            if self._action(instruction) is not None:
                return True
            self.position += 1
        return False

    def _live(self) -> frozenset[str]:
        return self.threads.live[self.name][self.position]

    def _go(self, target: int) -> bool:
        """Go on at a position; False if the loop has gone round often enough."""
        if target <= self.position and self.threads.bound is not None:
            self.counts = {t: n for t, n in self.counts.items() if not target < t <= self.position}
            self.counts[target] = self.counts.get(target, 0) + 1
            if self.counts[target] > self.threads.bound:
                return False
        self.position = target
        return True

    def _action(self, instruction: ir.Instruction) -> Action | None:
        """The action that an instruction is; None if nobody else has to do with it: then it is done."""
        if isinstance(instruction, ir.Local):
            self.registers[instruction.register] = self._computed(instruction.value)
        elif isinstance(instruction, ir.Nondet):
            if self.threads.few_numbers(self.frame(Action(Does.CHOOSE)), instruction) is not None:
                return Action(Does.CHOOSE, instruction)
            self.registers[instruction.register] = ARBITRARY
        elif isinstance(instruction, ir.ReadPrivate):
            absent = ARBITRARY if instruction.object in self.body.unset else 0
            value = self.cells.get((instruction.object, self.evaluate(instruction.offset)), absent)
            found = value if value == ARBITRARY else wrap(value, instruction.bits)
            self.registers[instruction.register] = found
        elif isinstance(instruction, ir.WritePrivate):
            place = (instruction.object, self.evaluate(instruction.offset))
            self.cells[place] = self._computed(instruction.value)
        elif isinstance(instruction, ir.Assume):
            if not self.evaluate(instruction.condition):
                return Action(Does.BLOCKED, instruction)
        elif isinstance(instruction, ir.Assert):
            if not self.evaluate(instruction.condition):
                return Action(Does.FAIL, instruction)
        elif isinstance(instruction, ir.Stop):
            return Action(Does.CUT if instruction.cut else Does.BLOCKED, instruction)
        elif isinstance(instruction, ir.Store):
            return self._store(instruction)
        else:
            return self._shared(instruction)
        return None

    def _store(self, instruction: ir.Store) -> Action | None:
        if instruction.when is not None and not self.evaluate(instruction.when):
            return Action(Does.SKIP, instruction) if instruction.link else None
        if instruction.unset is not None and self.evaluate(instruction.unset):
            raise TooManyStates("a write of what nobody set")
        address, value = self.evaluate(instruction.address), self.evaluate(instruction.value)
        return Action(Does.STORE, instruction, address, wrap(value, instruction.bits))

    def _shared(self, instruction: ir.Instruction) -> Action:
        if isinstance(instruction, ir.Load):
            does = Does.UPDATE if instruction.link else Does.LOAD
            return Action(does, instruction, self.evaluate(instruction.address))
        if isinstance(instruction, ir.Allocate):
            return Action(Does.ALLOCATE, instruction, self.evaluate(instruction.size))
        if isinstance(instruction, ir.Free):
            return Action(Does.FREE, instruction, self.evaluate(instruction.address))
        if isinstance(instruction, ir.Spawn):
            return Action(Does.SPAWN, instruction, self.evaluate(instruction.argument))
        if isinstance(instruction, ir.Join):
            return Action(Does.JOIN, instruction, self.evaluate(instruction.thread))
        known: dict[type[ir.Instruction], Does] = {
            ir.Fence: Does.FENCE,
            ir.Havoc: Does.CHOOSE,
            ir.AtomicBegin: Does.BEGIN,
            ir.AtomicEnd: Does.END_BLOCK,
        }
        does = known.get(type(instruction), Does.BLOCKED)
        if does is Does.BLOCKED:
            raise TooManyStates(f"the machine does not know {type(instruction).__name__}")
        return Action(does, instruction)

    def _computed(self, expression: ir.Expr) -> int:
        """The value of an expression, which may be arbitrary as long as nobody needs it."""
        try:
            return self.evaluate(expression)
        except _Arbitrary:
            return ARBITRARY

    def evaluate(self, expression: ir.Expr) -> int:
        """The value of an expression; registers that were never written hold 0."""
        if isinstance(expression, ir.Reg):
            value = self.registers.get(expression.name, 0)
            if value == ARBITRARY:
                raise _Arbitrary("an arbitrary value that matters")
            return value
        if isinstance(expression, ir.Const):
            return expression.value
        if isinstance(expression, ir.Select):
            chosen = expression.then if self.evaluate(expression.condition) else expression.otherwise
            return self.evaluate(chosen)
        arguments = tuple(self.evaluate(argument) for argument in expression.args)
        return OPERATORS[expression.name](arguments, expression.bits)
