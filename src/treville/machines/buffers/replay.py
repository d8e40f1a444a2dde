"""A schedule -> the run of the machine with store buffers that follows it, at full width.

Others find runs in formulas: of fewer bits, of a bounded number of rounds. What they found counts only if the
machine, which knows nothing of formulas, gets to an error on the same way. A schedule says who makes the next
access that others can notice, which pending write gets to memory, and which numbers are chosen; what nobody
notices the machine does by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from treville.machines.buffers.step import Step
from treville.machines.memories import Memories
from treville.machines.states import EMPTY, Answer, Disabled, Failed, Log, State, TooManyStates
from treville.machines.threads import MAIN, Does, Threads
from treville.programs import ir
from treville.records import dataclass, field, replace
from treville.results.properties import Error
from treville.results.verdict import Verdict

_ENDS = (Does.END, Does.BLOCKED, Does.CUT)
_VISIBLE = (Does.LOAD, Does.STORE, Does.UPDATE, Does.BEGIN, Does.FREE)
_MOST_STEPS = 100_000


class Access(NamedTuple):
    """The thread goes on until it has made so many accesses, pending writes not counted."""

    thread: int
    count: int


class Commit(NamedTuple):
    """That pending write of the thread, by its number among those of the thread, gets to memory."""

    thread: int
    write: int


Move: TypeAlias = Access | Commit


@dataclass(frozen=True, slots=True)
class Schedule:
    """Moves, and for each thread the numbers that it chooses, with the registers that get them."""

    moves: tuple[Move, ...]
    chosen: Mapping[int, Sequence[tuple[str, int]]] = field(default_factory=dict)


class Astray(Exception):
    """The machine cannot follow the schedule."""


def replay(program: ir.Program, model: str, schedule: Schedule, errors: frozenset[Error]) -> Answer | None:
    """The run that ends in one of the errors; None if the machine cannot follow, or nothing goes wrong."""
    try:
        return _Run(program, model, schedule, errors).answer()
    except (Astray, TooManyStates):
        return None


class _Run:
    """The machine on its way."""

    def __init__(
        self, program: ir.Program, model: str, schedule: Schedule, errors: frozenset[Error]
    ) -> None:
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
        waiting = self.pending.get(move.thread, [])
        if move.write not in waiting:
            raise Astray
        self.step.flush(move.thread, waiting.index(move.write))
        waiting.remove(move.write)
        self._settle()

    def _access(self, move: Access) -> None:
        for _ in range(_MOST_STEPS):
            if self.accesses.get(move.thread, 0) >= move.count:
                return
            if move.thread >= len(self.step.threads):
                raise Astray
            if self.threads.actions[self.step.threads[move.thread]].does not in _VISIBLE:
                raise Astray
            try:
                following = self._as_chosen(list(self.step.copy().visibly(move.thread)))
            except Disabled:
                raise Astray from None
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
                if self.threads.actions[thread].does in _ENDS:
                    continue
                following = self.step.quietly(number)
                if following:
                    self._take(self._as_chosen(following))
                    break
            else:
                return
        raise Astray

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
                wanted = self.schedule.chosen.get(entry.thread, ())
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
        self.seen = len(self.log)


def _with_choices(program: ir.Program, schedule: Schedule) -> ir.Program:
    """The program in which any number is one of those that the schedule has there."""
    values: dict[str, dict[int, None]] = {}
    for chosen in schedule.chosen.values():
        for register, value in chosen:
            values.setdefault(register, {})[value] = None

    def rewritten(thread: ir.Thread) -> ir.Thread:
        code = tuple(
            ir.Havoc(
                i.register, tuple(values.get(i.register, (0,))), text=i.text, span=i.span, index=i.index
            )
            if isinstance(i, ir.Nondet)
            else i
            for i in thread.instructions
        )
        return replace(thread, instructions=code)

    return program.rewritten(rewritten)
