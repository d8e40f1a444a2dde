"""A schedule -> the run of the machine with store buffers that follows it, at full width.

Others find runs in formulas: of fewer bits, of a bounded number of rounds. What they found counts only if the
machine, which knows nothing of formulas, gets to an error on the same way. A schedule says who makes the next
access that others can notice, which pending write gets to memory, and which numbers are chosen; what nobody
notices the machine does by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from treville.machines.buffers.step import Step
from treville.machines.memories import Memories
from treville.machines.states import EMPTY, Answer, Disabled, Failed, Log, State, TooManyStates
from treville.machines.threads import MAIN, Does, Threads
from treville.programs import ir
from treville.records import NamedTuple, dataclass, field, replace
from treville.results.properties import Error
from treville.results.verdict import Verdict

_ENDS = (Does.END, Does.BLOCKED, Does.CUT)
_VISIBLE = (Does.LOAD, Does.STORE, Does.UPDATE, Does.BEGIN, Does.FREE)
_MOST_STEPS = 100_000


class Access(NamedTuple):
    """The thread goes on until it has made so many accesses, pending writes not counted."""

    thread: int
    accesses: int


class Commit(NamedTuple):
    """That pending write of the thread, by its number among those of the thread, gets to memory."""

    thread: int
    write: int


Move: TypeAlias = Access | Commit


@dataclass(frozen=True, slots=True)
class Schedule:
    """Moves, and for each thread the numbers that it chooses, with the registers that get them, and the
    threads that it starts. Numbers of threads are the schedule's own."""

    moves: tuple[Move, ...]
    chosen: Mapping[int, Sequence[tuple[str, int]]] = field(default_factory=dict)
    started: Mapping[int, Sequence[int]] = field(default_factory=dict)


class Replayed(NamedTuple):
    """A run that goes wrong, and the program that was run: choices are between the schedule's numbers."""

    answer: Answer
    program: ir.Program


class Astray(Exception):
    """The machine cannot follow the schedule."""


def replay(program: ir.Program, model: str, schedule: Schedule, errors: frozenset[Error]) -> Replayed | None:
    """The run that ends in one of the errors; None if the machine cannot follow, or nothing goes wrong."""
    run = _Run(program, model, schedule, errors)
    try:
        answer = run.answer()
    except (Astray, TooManyStates):
        return None
    return None if answer is None else Replayed(answer, run.program)


class _Run:
    """The machine on its way."""

    def __init__(self, program: ir.Program, model: str, schedule: Schedule, errors: frozenset[Error]) -> None:
        self.program = _with_choices(program, schedule)
        self.threads, self.memories = Threads(self.program), Memories(self.program)
        self.schedule = schedule
        self.log: list[Log] = []
        start = State((self.threads.start(MAIN),), (EMPTY,), self.memories.initial)
        self.step = Step(self.threads, self.memories, model != "sc", start, self.log, errors)
        self.seen = 0  # entries of the log that were counted
        self.accesses: dict[int, int] = {}
        self.written: dict[int, int] = {}
        self.pending: dict[int, list[int]] = {}
        self.choices: dict[int, int] = {}
        self.known = {0: 0}  # the machine's threads by the schedule's numbers
        self.names = {0: 0}  # and the other way round

    def answer(self) -> Answer | None:
        """Follow the schedule until something goes wrong."""
        try:
            self._settle()
            for move in self.schedule.moves:
                if isinstance(move, Commit):
                    self._commit(move)
                else:
                    self._access(move)
        except Failed as failed:
            log = failed.log or self.log
            bodies = [MAIN]
            for entry in log:
                if isinstance(entry.instruction, ir.Spawn):
                    bodies.append(entry.instruction.function)
            return Answer(Verdict.FAIL, len(log), failed.instruction, list(log), bodies, failed.message)
        return None

    def _commit(self, move: Commit) -> None:
        thread = self._thread(move)
        waiting = self.pending.get(thread, [])
        if move.write not in waiting:
            raise Astray
        self.step.flush(thread, waiting.index(move.write))
        waiting.remove(move.write)
        self._settle()

    def _thread(self, move: Move) -> int:
        if move.thread not in self.known:
            raise Astray
        return self.known[move.thread]

    def _access(self, move: Access) -> None:
        """Where the thread cannot go on (it waits for a lock), the others do: what counts is the end."""
        thread = self._thread(move)
        for _ in range(_MOST_STEPS):
            if self.accesses.get(thread, 0) >= move.accesses:
                return
            if self.threads.actions[self.step.threads[thread]].does not in _VISIBLE:
                return
            try:
                following = self._as_chosen(list(self.step.copy().visibly(thread)))
            except Disabled:
                return
            self._take(following)
            self._settle()
        raise Astray

    def _take(self, step: Step) -> None:
        self.step = step
        assert step.log is not None
        self.log = step.log

    def _settle(self) -> None:
        """Let every thread do what nobody else notices."""
        for _ in range(_MOST_STEPS):
            self._count()
            for number, thread in enumerate(self.step.threads):
                does = self.threads.actions[thread].does
                if does in _ENDS or (does is Does.SPAWN and not self._starts_more(number)):
                    continue
                following = self.step.quietly(number)
                if following:
                    self._take(self._as_chosen(following))
                    break
            else:
                return
        raise Astray

    def _starts_more(self, thread: int) -> bool:
        """Does the schedule have more threads that this one starts? Others are of no use to it."""
        others = self.schedule.started.get(self.names.get(thread, -1), ())
        return any(other not in self.known for other in others)

    def _as_chosen(self, steps: Sequence[Step]) -> Step:
        """The one of several ways to go on in which the numbers are those of the schedule."""
        for step in steps:
            if step.log is not None and self._agrees(step.log[self.seen :]):
                return step
        if not steps:
            raise Astray
        return steps[0]

    def _agrees(self, log: Sequence[Log]) -> bool:
        counts = dict(self.choices)
        for entry in log:
            if entry.kind == "H":
                number = counts.get(entry.thread, 0)
                counts[entry.thread] = number + 1
                wanted = self.schedule.chosen.get(self.names.get(entry.thread, -1), ())
                if number < len(wanted) and wanted[number][1] != entry.value:
                    return False
        return True

    def _count(self) -> None:
        for entry in self.log[self.seen :]:
            if entry.kind == "W":
                number = self.written[entry.thread] = self.written.get(entry.thread, 0) + 1
                self.pending.setdefault(entry.thread, []).append(number)
            elif entry.kind in "RD":
                self.accesses[entry.thread] = self.accesses.get(entry.thread, 0) + 1
            elif entry.kind == "H":
                self.choices[entry.thread] = self.choices.get(entry.thread, 0) + 1
            elif entry.kind == "S":
                self._name(entry.thread, entry.address)
        self.seen = len(self.log)

    def _name(self, parent: int, thread: int) -> None:
        """A thread is started: which one of the schedule is it?"""
        known = self.names.get(parent, -1)
        others = self.schedule.started.get(known, ())
        name = next((other for other in others if other not in self.known), None)
        if name is not None:
            self.known[name], self.names[thread] = thread, name


def _with_choices(program: ir.Program, schedule: Schedule) -> ir.Program:
    """The program in which any number is one of those that the schedule has there."""
    values: dict[str, dict[int, None]] = {}
    for chosen in schedule.chosen.values():
        for register, value in chosen:
            values.setdefault(register, {})[value] = None

    def rewritten(thread: ir.Thread) -> ir.Thread:
        code = tuple(
            ir.Havoc(i.register, tuple(values.get(i.register, (0,))), text=i.text, span=i.span, index=i.index)
            if isinstance(i, ir.Nondet)
            else i
            for i in thread.instructions
        )
        return replace(thread, instructions=code)

    return program.rewritten(rewritten)
