"""A solution of the formula of rounds -> who does what when, for a machine with store buffers to follow."""

from __future__ import annotations

from collections.abc import Callable

from treville.events.symbolic import NO_BLOCK
from treville.events.symbolic_data import MarkKind
from treville.formulas.formula import FALSE, TRUE, Literal
from treville.machines.buffers.replay import Access, Commit, Move, Schedule
from treville.programs.ir import Free, Havoc, Nondet
from treville.records import NamedTuple, dataclass, field
from treville.sequential.circuits import Held
from treville.sequential.plan import Does, Step
from treville.sequential.rounds import Rounds

IsTrue = Callable[[Literal], bool]


class _Pending(NamedTuple):
    """A write that gets to memory at a time; of equal ones the older first."""

    time: int
    number: int
    thread: int
    write: int


@dataclass(slots=True)
class _Draft:
    """A schedule in the making."""

    buffered: bool
    moves: list[Move] = field(default_factory=list)
    pending: list[_Pending] = field(default_factory=list)
    accesses: dict[int, int] = field(default_factory=dict)
    writes: dict[int, int] = field(default_factory=dict)

    def commit(self, clock: int) -> None:
        """Let everything get to memory whose time has come."""
        for write in sorted(self.pending):
            if write.time <= clock:
                self.moves.append(Commit(write.thread, write.write))
                self.pending.remove(write)

    def access(self, thread: int) -> None:
        """The thread makes an access that is not pending."""
        count = self.accesses[thread] = self.accesses.get(thread, 0) + 1
        self.moves.append(Access(thread, count))

    def write(self, thread: int, time: int) -> None:
        """The thread writes what gets to memory at a time."""
        number = self.writes[thread] = self.writes.get(thread, 0) + 1
        self.pending.append(_Pending(time, len(self.moves) + len(self.pending), thread, number))

    def end(self, thread: int, time: int) -> None:
        """A cell of the object that the thread frees ends: the machine ends the whole object then."""
        own = [write for write in self.pending if write.thread == thread]
        if own:
            last = max(own, key=lambda write: write.write)
            self.pending.remove(last)
            self.pending.append(last._replace(time=min(last.time, time)))


def schedule_of(rounds: Rounds, is_true: IsTrue) -> Schedule:
    """What the solution says."""
    draft = _Draft(rounds.plan.model != "sc")
    for turn in rounds.turns:
        if not is_true(turn.active):
            continue
        step, clock = turn.step, number_of(turn.clock, is_true)
        draft.commit(clock)
        if step.does is Does.READ:
            draft.access(step.thread)
        elif step.access is not None:
            stamps = [number_of(held, is_true) for _, there, held in turn.stamps if is_true(there)]
            if not stamps and draft.buffered and _waits(step):
                continue  # nothing is written where no cell is
            if _is_part(step):
                draft.end(step.thread, min(stamps, default=clock))
                draft.commit(clock)
            elif draft.buffered and _waits(step):
                draft.write(step.thread, stamps[0] if step.does is Does.WRITE else clock)
                draft.commit(clock)
            else:
                draft.access(step.thread)
    for mark in rounds.frees(is_true):
        draft.access(mark.thread)
    return Schedule(tuple(draft.moves), _chosen(rounds, is_true), _started(rounds, is_true))


def _started(rounds: Rounds, is_true: IsTrue) -> dict[int, list[int]]:
    """The threads that each thread starts, in order."""
    found: dict[int, list[int]] = {}
    for mark, _ in rounds.plan.marks:
        if mark.kind is MarkKind.SPAWN and is_true(rounds.values.condition(mark.condition)):
            assert mark.value is not None
            found.setdefault(mark.thread, []).append(rounds.values.number(mark.value, is_true))
    return found


def _waits(step: Step) -> bool:
    """Does the machine keep the write in a buffer?"""
    assert step.access is not None
    return not step.access.pair and step.access.block == NO_BLOCK


def _is_part(step: Step) -> bool:
    """Is it the end of a cell that is not the first of its object? The machine ends whole objects."""
    return isinstance(step.instruction, Free) and step.instruction.within is not None


def _chosen(rounds: Rounds, is_true: IsTrue) -> dict[int, list[tuple[str, int]]]:
    """The numbers that threads choose, in order."""
    found: dict[int, list[tuple[str, int]]] = {}
    for mark, _ in rounds.plan.marks:
        choice = mark.instruction
        if mark.kind is not MarkKind.CHOICE or not isinstance(choice, Nondet | Havoc):
            continue
        assert mark.value is not None
        if is_true(rounds.values.condition(mark.condition)):
            value = rounds.values.number(mark.value, is_true)
            found.setdefault(mark.thread, []).append((choice.register, value))
    return found


def number_of(held: Held, is_true: IsTrue) -> int:
    """A number of an abstraction in a solution."""
    if isinstance(held, int):
        return held
    bits = [bit == TRUE or (bit != FALSE and is_true(bit)) for bit in held]
    return sum(1 << place for place, bit in enumerate(bits) if bit)
