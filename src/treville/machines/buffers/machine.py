"""A program -> every state of a machine with store buffers: an answer without bounds, or too many states.

The search. It shares nothing with the axiomatic engines but the program IR and the operators, so agreement of
the two means something.

Loops need no bound where the program has finitely many states: a state that was seen is not explored again,
nor is one that differs from it only in which of several threads that are alike has done what.
What the machine cannot do exactly (any number where more of it matters than a few tests, memory that is not
initialised, accesses of mixed sizes or outside of objects) it leaves to the other engines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from treville.machines.buffers.leaks import LEAKED, leaked
from treville.machines.buffers.step import Step
from treville.machines.memories import Memories, slot_of
from treville.machines.states import (
    BETWEEN_LOOKS,
    EMPTY,
    MOST_STATES,
    USUAL_ERRORS,
    Answer,
    Buffer,
    Disabled,
    Entry,
    Failed,
    LimitReached,
    Log,
    State,
    TooManyStates,
)
from treville.machines.threads import MAIN, Does, Threads
from treville.programs import ir
from treville.records import dataclass, field
from treville.results import Budget
from treville.results.properties import Error
from treville.results.verdict import Verdict

if TYPE_CHECKING:
    from random import Random

Told: TypeAlias = tuple[str, int, int, int]

_VISIBLE = (Does.LOAD, Does.STORE, Does.UPDATE, Does.BEGIN, Does.FREE)
_MOST_QUIET = 100_000  # steps that nobody sees, between two states
_STOPS = (Does.END, Does.BLOCKED, Does.CUT, Does.UPDATE, Does.BEGIN)


@dataclass
class Machine:
    """Explores a compiled program under `sc`, `tso` or `pso`. `bound` limits loops as the engines do; with
    `samples` only so many numbers of each kind are tried where any will do, and only a failure is an answer.
    Threads go no further than to errors that are not among `errors`.
    `order` says in which order states are looked at: a mistake that is far from every end shows soon in one
    that is random. Not `leaves_idle`: threads that go round for ever unseen are too much."""

    program: ir.Program
    model: str
    bound: int | None = None
    limit: int = MOST_STATES
    budget: Budget = field(default_factory=Budget)
    samples: int = 0
    order: Random | None = None
    errors: frozenset[Error] = USUAL_ERRORS
    leaves_idle: bool = True
    threads: Threads = field(init=False)
    memories: Memories = field(init=False)
    _before: dict[State, State | None] = field(default_factory=dict)
    _seen: set[State] = field(default_factory=set)
    _stack: list[tuple[State, State | None]] | None = None

    def __post_init__(self) -> None:
        self.threads = Threads(self.program, self.bound, self.samples)
        self.memories = Memories(self.program)

    def explore(self) -> Answer:
        """Depth-first over all states. Raises `TooManyStates`; after `LimitReached` it can be asked again,
        with a larger limit, and goes on."""
        before, seen = self._before, self._seen
        current: State | None = None
        try:
            if self._stack is None:
                self._stack = [(state, None) for state, _ in self.first()]
            stack = self._stack
            while stack:
                if len(before) >= self.limit:
                    raise LimitReached("too many states")
                current, origin = stack.pop()
                key = _in_order(current) if self.threads.alike else current
                if key in seen:
                    continue
                seen.add(key)
                before[current] = origin
                if len(before) % BETWEEN_LOOKS == 0:
                    self.budget.look(len(before), "states")
                if Error.LEAK in self.errors and (lost := leaked(self, current)) is not None:
                    return self._leak(lost, current)
                following = [state for state, _ in self.successors(current)]
                if self.order is not None:
                    self.order.shuffle(following)
                stack.extend((state, current) for state in following)
        except Failed as failed:
            return self.failure(failed, current, before)
        partly = self.threads.was_cut or self.threads.sampled
        return Answer(Verdict.UNKNOWN if partly else Verdict.PASS, len(before))

    def first(self, logging: bool = False) -> Iterator[tuple[State, list[Log]]]:
        """The states in which every thread waits in front of something visible, at first."""
        start = State((self.threads.start(MAIN),), (EMPTY,), self.memories.initial)
        return self.settle(self._step(start, logging))

    def _step(self, state: State, logging: bool) -> Step:
        log: list[Log] | None = [] if logging else None
        return Step(self.threads, self.memories, self.model != "sc", state, log, self.errors)

    def successors(self, state: State, logging: bool = False) -> Iterator[tuple[State, list[Log]]]:
        """All states after one visible step, each with what happened if somebody wants to know."""
        for _, step in self.moves(state, logging):
            yield from self.settle(step)

    def moves(self, state: State, logging: bool = False) -> Iterator[tuple[int, Step]]:
        """Who can do what: the number of a thread with a visible step of its own; ~number where its buffer
        lets a store get to memory."""
        actions = self.threads.actions
        for number, thread in enumerate(state.threads):
            for place in self.flushable(state.buffers[number]):
                step = self._step(state, logging)
                step.flush(number, place)
                yield ~number, step
            if actions[thread].does in _VISIBLE:
                try:
                    following = list(self._step(state, logging).visibly(number))
                except Disabled:
                    continue
                for step in following:
                    yield number, step

    def flushable(self, buffer: Buffer) -> list[int]:
        """The entries that can get to memory next."""
        if self.model != "pso" or not buffer.entries:
            return [0] if buffer.entries else []
        found = []
        for place, entry in enumerate(buffer.entries):
            ahead = buffer.entries[:place]
            if all(not _ordered(e, entry) and e.epoch == entry.epoch for e in ahead):
                found.append(place)
        return found

    def settle(self, step: Step, stops: tuple[Does, ...] = _STOPS) -> Iterator[tuple[State, list[Log]]]:
        """Let every thread run up to its next visible action, or to one of `stops`; free choices give several
        states. A thread that comes back to where it was is also left there, while the others run on: it may
        go round for ever."""
        seen = _Settling()
        pending: list[tuple[Step, frozenset[int], int]] = [(step, frozenset(), 0)]
        while pending:
            current, left, steps = pending.pop()
            number, before, following = self._quiet_step(current, stops, left)
            if following is None:
                yield current.state(), current.log or []
                continue
            if steps and steps % BETWEEN_LOOKS == 0:
                self.budget.check()
            if steps > _MOST_QUIET:
                raise TooManyStates("a thread that goes on and on unseen")
            for other in following:
                back, others = self._goes_back(before, other.threads[number]), left
                may_repeat = back or self.threads.actions[before].does is Does.CHOOSE
                if may_repeat and not seen.is_new(other, left):
                    others = left | {number}
                    if not back or not seen.is_new(other, others):
                        continue
                    if not self.leaves_idle:
                        raise TooManyStates("a thread that goes round for ever unseen")
                pending.append((other, others, steps + 1))

    def _quiet_step(
        self, step: Step, stops: tuple[Does, ...], left: frozenset[int]
    ) -> tuple[int, int, list[Step] | None]:
        """The next thread that does something unseen, where it was, and what follows; None: none does."""
        for number, thread in enumerate(step.threads):
            if number not in left and self.threads.actions[thread].does not in stops:
                following = step.quietly(number)
                if following is not None:
                    return number, thread, following
        return 0, 0, None

    def _goes_back(self, before: int, after: int) -> bool:
        """Did a thread begin a loop again?"""
        frames = self.threads.frames
        return frames[after].position <= frames[before].position

    def failure(self, failed: Failed, last: State | None, before: dict[State, State | None]) -> Answer:
        """The run that failed, again from its start, with what happened."""
        log, bodies = self.run_to(last, before)
        try:
            for _ in self.first(logging=True) if last is None else self.successors(last, logging=True):
                pass
        except Failed as again:
            failed = again
        for entry in failed.log:
            if isinstance(entry.instruction, ir.Spawn) and entry.address >= len(bodies):
                bodies.append(entry.instruction.function)
        return Answer(Verdict.FAIL, len(before), failed.instruction, log + failed.log, bodies, failed.message)

    def _leak(self, address: int, last: State) -> Answer:
        """The run on which the object at the address is lost."""
        log, bodies = self.run_to(last, self._before)
        made = [entry.instruction for entry in log if entry.kind == "A" and entry.address == address]
        return Answer(Verdict.FAIL, len(self._before), made[-1], log, bodies, LEAKED)

    def run_to(self, last: State | None, before: Mapping[State, State | None]) -> tuple[list[Log], list[str]]:
        """What happens on the path to a state, by what is before each, and what its threads execute."""
        path: list[State] = []
        at = last
        while at is not None:
            path.append(at)
            at = before[at]
        log: list[Log] = []
        source = self.first(logging=True)
        for state in reversed(path):
            log += next(steps for following, steps in source if following == state)
            source = self.successors(state, logging=True)
        bodies = [self.threads.frames[thread].body for thread in path[0].threads] if path else [MAIN]
        return log, bodies


class _Settling:
    """The states that were reached unseen, each with the threads that were left where they are. What happened
    before counts as well, but for choices and its order; it is looked at only where a state comes again."""

    def __init__(self) -> None:
        self._seen: dict[tuple[State, frozenset[int]], list[tuple[list[Log], int]]] = {}

    def is_new(self, step: Step, left: frozenset[int]) -> bool:
        """Was the state not reached yet, or not like this?"""
        there, log = self._seen.setdefault((step.state(), left), []), step.log or []
        if there:
            told = _told(log)
            if any(_told(earlier[:length]) == told for earlier, length in there):
                return False
        there.append((log, len(log)))
        return True


def _told(log: list[Log]) -> set[Told]:
    return {(entry.kind, entry.thread, entry.address, entry.value) for entry in log if entry.kind != "H"}


def _in_order(state: State) -> State:
    """The same for all states that differ in which of the threads but the first does what."""
    others = sorted(zip(state.threads[1:], state.buffers[1:], strict=True))
    threads, buffers = (state.threads[0],), (state.buffers[0],)
    return State(
        threads + tuple(thread for thread, _ in others),
        buffers + tuple(buffer for _, buffer in others),
        state.memory,
    )


def _ordered(one: Entry, other: Entry) -> bool:
    """Do two stores of a thread reach memory in order, since they are to one cell, or one ends the object?"""
    if one.address < 0 or other.address < 0:
        return slot_of(abs(one.address)) == slot_of(abs(other.address))
    return one.address == other.address
