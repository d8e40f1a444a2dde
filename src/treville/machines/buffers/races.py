"""All states of the machine without buffers -> a run with a data race, or that there is none.

Under SC a program has a race exactly if two threads can stand in front of conflicting accesses at the same
time, one of them to ordinary data (H.-J. Boehm, S. Adve, Foundations of the C++ Concurrency Memory Model,
PLDI 2008, on why both definitions agree). So no order of events has to be kept beside the states.
"""

from __future__ import annotations

from collections.abc import Iterator

from treville.machines.buffers.machine import Machine
from treville.machines.memories import start_of
from treville.machines.states import BETWEEN_LOOKS, Answer, LimitReached, Log, State, TooManyStates
from treville.machines.threads import Does
from treville.programs import ir
from treville.records import NamedTuple
from treville.results.verdict import Verdict

ORDINARY = "DATA"


class _Access(NamedTuple):
    """What a thread is about to do to a cell, or to a whole object, which ends."""

    address: int
    writes: bool
    ordinary: bool
    ends: bool = False

    def races_with(self, other: _Access) -> bool:
        """Is it a race if nothing orders the two?"""
        same = self.address == other.address
        if self.ends or other.ends:
            same = start_of(self.address) == start_of(other.address)
        return same and (self.writes or other.writes) and (self.ordinary or other.ordinary)


class RaceSearch:
    """Explores SC's states of a program in which runs end at assertions that do not hold. `ordinary` is the
    tag of accesses that may race."""

    def __init__(self, machine: Machine, ordinary: str = ORDINARY) -> None:
        self.machine = machine
        self.ordinary = ordinary
        self._before: dict[State, State | None] = {}
        self._stack: list[tuple[State, State | None]] | None = None

    def explore(self) -> Answer:
        """Look for a race. Raises `TooManyStates`; after `LimitReached` it can be asked again, with a larger
        limit of the machine, and goes on."""
        machine, before = self.machine, self._before
        if self._stack is None:
            self._stack = [(state, None) for state, _ in machine.first()]
        while self._stack:
            if len(before) >= machine.limit:
                raise LimitReached("too many states")
            current, origin = self._stack.pop()
            if current in before:
                continue
            before[current] = origin
            if len(before) % BETWEEN_LOOKS == 0:
                machine.budget.look(len(before), "states")
            pair = _racing(machine, current, self.ordinary)
            if pair is not None:
                return _report(machine, current, before, pair)
            self._stack.extend((following, current) for following, _ in machine.successors(current))
        return Answer(Verdict.UNKNOWN if machine.threads.was_cut else Verdict.PASS, len(before))


def _racing(machine: Machine, state: State, ordinary: str) -> tuple[int, int] | None:
    """Two threads that race now. An object's end has an event for each cell, and may leave no other one: to
    show such a race is left to others."""
    accesses = [_next(machine, thread, ordinary) for thread in state.threads]
    if not any(access.ordinary for mine in accesses for access in mine):
        return None  # most states: then what blocks and updates would do need not be tried
    for number, access in _in_one_go(machine, state):
        accesses[number].append(access)
    for number, mine in enumerate(accesses):
        for other in range(number):
            racing = [(one, two) for one in mine for two in accesses[other] if one.races_with(two)]
            if any(one.ends or two.ends for one, two in racing):
                raise TooManyStates("a race with the end of an object")
            if racing:
                return other, number
    return None


def _next(machine: Machine, thread: int, ordinary: str) -> list[_Access]:
    """The access that a thread does next."""
    action = machine.threads.actions[thread]
    instruction = action.instruction
    if action.does in (Does.LOAD, Does.STORE) and isinstance(instruction, ir.Load | ir.Store):
        return [_Access(action.address, action.does is Does.STORE, ordinary in instruction.tags)]
    if isinstance(instruction, ir.Free) and action.address:
        return [_Access(action.address, True, ordinary in instruction.tags, ends=True)]
    return []


def _in_one_go(machine: Machine, state: State) -> Iterator[tuple[int, _Access]]:
    """All that atomic blocks and updates which come next really do, which is not ordinary."""
    actions = machine.threads.actions
    if not any(actions[thread].does in (Does.BEGIN, Does.UPDATE) for thread in state.threads):
        return
    for number, step in machine.moves(state, logging=True):
        if actions[state.threads[number]].does in (Does.BEGIN, Does.UPDATE):
            for entry in step.log or []:
                if entry.kind in "RWD":
                    yield number, _Access(entry.address, entry.kind != "R", False)


def _report(
    machine: Machine, state: State, before: dict[State, State | None], pair: tuple[int, int]
) -> Answer:
    """The run up to the race, with both accesses at its end."""
    log, bodies = machine.run_to(state, before)
    for number in pair:
        state, steps = _advance(machine, state, number)
        log += steps
    for entry in log:
        if isinstance(entry.instruction, ir.Spawn) and entry.address >= len(bodies):
            bodies.append(entry.instruction.function)
    return Answer(Verdict.FAIL, len(before), None, log, bodies)


def _advance(machine: Machine, state: State, number: int) -> tuple[State, list[Log]]:
    for actor, step in machine.moves(state, logging=True):
        if actor == number:
            return next(machine.settle(step))
    return state, []
