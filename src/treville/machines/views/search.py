"""A program under RC11 -> every state of the machine with views that matters, or too many.

In each state one thread after the other does all that it can do now; those who come later know that it
*refused* what there was by then, and goes on only when there is another write to read (sleep sets, P.
Godefroid, Partial-order methods for the verification of concurrent systems, 1996). Where nothing that
others do changes the choices of a thread, it alone is enough. A state is explored with what is refused on
all paths to it, so the states are taken in the order of how much has happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from treville.machines.memories import Memories
from treville.machines.states import (
    BETWEEN_LOOKS,
    MOST_STATES,
    Answer,
    LimitReached,
    Log,
    TooManyStates,
)
from treville.machines.threads import MAIN, Threads
from treville.machines.views.forgetting import forget
from treville.machines.views.future import Future, Surprise
from treville.machines.views.lanes import LaneOverflow, Lanes
from treville.machines.views.moves import choices, failed, settle, taken
from treville.machines.views.state import NOTHING, Parts, State
from treville.machines.views.step import Step
from treville.programs import ir
from treville.records import dataclass, field
from treville.results import Budget
from treville.results.properties import UNORDERED
from treville.results.verdict import Verdict

_WIDTHS = (16, 64)
_QUIET_EVENTS = 100_000
_DEPTH_FIRST = 1_000
_MOST_REFUSED_RUNS = 30


@dataclass(slots=True)
class Seen:
    """A state that was reached: from which one, after how many events, and what is refused on all paths to
    it. Does it wait to be explored?"""

    state: State
    origin: Seen | None
    level: int
    refused: tuple[int, ...]
    waits: bool = False


@dataclass
class ViewMachine:
    """Explores a compiled program under RC11. `accepts` says whether a run that fails counts. The search can
    go on with a larger limit."""

    program: ir.Program
    limit: int = MOST_STATES
    budget: Budget = field(default_factory=Budget)
    accepts: Callable[[Answer], bool] = bool
    refused_runs: int = 0
    _left: int = 0  # states of searches that were begun again
    _seen: dict[State, Seen] = field(default_factory=dict)
    _widths: list[int] = field(default_factory=lambda: list(_WIDTHS))

    def __post_init__(self) -> None:
        self._prepare()

    def _prepare(self) -> None:
        """A search with wider lanes."""
        if not self._widths:
            raise TooManyStates("too many writes that somebody may still read")
        threads, memories, lanes = Threads(self.program), Memories(self.program), Lanes(self._widths.pop(0))
        self._parts = Parts(threads, memories, lanes, Future(threads, memories, lanes))
        self._begin()

    def _begin(self) -> None:
        self._seen, self._queue = {}, Queue()
        self._expanded = self.refused_runs = 0

    def explore(self) -> Answer:
        """PASS, FAIL with a run that counts, or UNKNOWN: something was cut, or some runs do not count. Raises
        `TooManyStates`; after `LimitReached` it can be asked again."""
        while True:
            try:
                return self._search()
            except Surprise:
                self._left += len(self._seen)
                self._begin()
            except LaneOverflow:
                self._prepare()

    def _search(self) -> Answer:
        found = None if self._seen else self._reach(self._first(None), 0, None)
        while found is None and self._queue:
            self._look_at_limits()
            current = self._queue.pop(self._expanded < _DEPTH_FIRST)
            for step in self._successors(current.state, current.refused):
                found = found or self._reach(step, current.level + step.events, current)
        if found is not None:
            return found
        unsure = self._parts.threads.was_cut or self.refused_runs
        return Answer(Verdict.UNKNOWN if unsure else Verdict.PASS, len(self._seen))

    def _look_at_limits(self) -> None:
        if self._left + len(self._seen) > self.limit:
            raise LimitReached("too many states")
        self._expanded += 1
        if self._expanded % BETWEEN_LOOKS == 0:
            self.budget.look(len(self._seen), "states")

    def _first(self, log: list[Log] | None) -> Step:
        """The state in which every thread has a choice, at first."""
        start = State(
            (self._parts.threads.start(MAIN),), (0,), (NOTHING,), (), self._parts.memories.initial, 0
        )
        return settle(Step(self._parts, start, (0,), log), _QUIET_EVENTS)

    def _reach(self, step: Step, level: int, origin: Seen | None) -> Answer | None:
        """Note a state, to be explored with what is refused on every path to it; the answer if it fails."""
        if failed(step) is not None:
            return self._failure(origin)
        forget(step)
        state, refused = step.state(), tuple(step.asleep)
        seen = self._seen.get(state)
        if seen is None:
            seen = self._seen[state] = Seen(state, origin, level, refused)
        else:
            refused = tuple([_both(one, other) for one, other in zip(seen.refused, refused, strict=True)])
            if refused == seen.refused:
                return None
            seen.refused = refused
        self._queue.add(seen)
        return None

    def _successors(self, state: State, asleep: tuple[int, ...]) -> Iterator[Step]:
        """What follows from a state. Who makes no difference to others goes alone, but only where something
        is still to be explored behind: else the others might be left out for ever."""
        step = Step(self._parts, state, asleep)
        found = choices(step)
        alone = next((choice for choice in found if not choice.waits), None)
        if alone is not None:
            following = [settle(after, _QUIET_EVENTS) for after in taken(step, alone)[0]]
            if any(self._is_open(after) for after in following):
                yield from following
                return
        for choice in found:
            following, refused = taken(step, choice)
            yield from (settle(after, _QUIET_EVENTS) for after in following)
            if following:
                step.asleep[choice.number] = refused

    def _is_open(self, step: Step) -> bool:
        """Is what follows from a state still to be explored?"""
        if failed(step) is not None:
            return True
        forget(step)
        seen = self._seen.get(step.state())
        return seen is None or seen.waits

    # -- runs that fail ------------------------------------------------------------------------------

    def _failure(self, last: Seen | None) -> Answer | None:
        """A run that fails behind a state, if one counts."""
        log = self._run_to(last)
        for step in [self._first([])] if last is None else self._all_successors(last.state):
            instruction = failed(step)
            if instruction is not None and step.log is not None:
                bodies = [self._parts.threads.frames[thread].body for thread in step.threads]
                told = UNORDERED if instruction is step.early else ""
                answer = Answer(Verdict.FAIL, len(self._seen), instruction, log + step.log, bodies, told)
                if self.accepts(answer):
                    return answer
                self.refused_runs += 1
        if self.refused_runs > _MOST_REFUSED_RUNS:
            raise TooManyStates("runs that fail only because seq_cst events are not ordered enough")
        return None

    def _run_to(self, last: Seen | None) -> list[Log]:
        """What happens on the path to a state."""
        path: list[State] = []
        while last is not None:
            path.append(last.state)
            last = last.origin
        log: list[Log] = []
        following: Iterable[Step] = [self._first([])]
        for state in reversed(path):
            log += next(step.log or [] for step in following if _leads_to(step, state))
            following = self._all_successors(state)
        return log

    def _all_successors(self, state: State) -> Iterator[Step]:
        """What follows from a state if nothing is left out, with what happens."""
        step = Step(self._parts, state, (0,) * len(state.threads), [])
        for choice in choices(step):
            for after in taken(step, choice)[0]:
                yield settle(after, _QUIET_EVENTS)


class Queue:
    """States that wait to be explored, by their levels."""

    def __init__(self) -> None:
        self._levels: list[list[Seen]] = []
        self._lowest = 0

    def __bool__(self) -> bool:
        while self._levels and not self._levels[-1]:
            self._levels.pop()
        return bool(self._levels)

    def add(self, seen: Seen) -> None:
        """Add a state, or do nothing if it is there."""
        if seen.waits:
            return
        seen.waits = True
        while len(self._levels) <= seen.level:
            self._levels.append([])
        self._levels[seen.level].append(seen)
        self._lowest = min(self._lowest, seen.level)

    def pop(self, deepest: bool) -> Seen:
        """Take a state out of a queue that is not empty: one of the deepest, or of the first."""
        if not deepest:
            while not self._levels[self._lowest]:
                self._lowest += 1
        found = self._levels[-1 if deepest else self._lowest].pop()
        found.waits = False
        return found


def _leads_to(step: Step, state: State) -> bool:
    if failed(step) is not None:
        return False
    forget(step)
    return step.state() == state


def _both(one: int, other: int) -> int:
    """What is refused on both paths."""
    if one == -1 or other == -1:
        return -1 if one == other else 0
    return one & other
