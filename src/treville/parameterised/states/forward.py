"""Breadth-first exploration of a small instance: its states, and a shortest path to an unsafe one."""

from __future__ import annotations

from collections import deque

from treville.parameterised.states.initial_states import initial_states
from treville.parameterised.states.machine import Bounds, Machine, State, Step
from treville.parameterised.system import Property, System
from treville.records import dataclass, field
from treville.results import Budget


@dataclass(slots=True)
class Exploration:
    """States of an instance; `complete` when no state was left out for a bound on their number."""

    machine: Machine
    states: dict[State, tuple[State | None, Step | None]] = field(default_factory=dict)
    complete: bool = True
    unsafe: State | None = None
    broken: Property | None = None

    def start(self, state: State) -> State:
        """The initial state from which a state was reached."""
        while (before := self.states[state][0]) is not None:
            state = before
        return state

    def path(self, state: State) -> list[tuple[Step | None, State]]:
        """The steps from an initial state; None stands for a write that reaches memory."""
        found: list[tuple[Step | None, State]] = []
        current: State | None = state
        while current is not None:
            before, step = self.states[current]
            if before is not None:
                found.append((step, current))
            current = before
        return found[::-1]


def explore(
    system: System,
    processes: int,
    *,
    assumptions: tuple[Property, ...] = (),
    bounds: Bounds | None = None,
    most: int = 50_000,
    budget: Budget | None = None,
    stop_at_unsafe: bool = True,
    properties: tuple[Property, ...] | None = None,
) -> Exploration:
    """All states of the instance within the bounds, up to the first unsafe one."""
    machine = Machine(system, processes, bounds)
    result = Exploration(machine)
    checks = [
        (unsafe, machine.violated(unsafe))
        for unsafe in (system.unsafe if properties is None else properties)
        if unsafe.parameters <= processes
    ]
    waiting: deque[State] = deque()
    for state in initial_states(machine, assumptions):
        if state not in result.states:
            result.states[state] = (None, None)
            waiting.append(state)
    while waiting:
        if budget is not None:
            budget.check()
        state = waiting.popleft()
        for unsafe, check in checks:
            if check(state):
                result.unsafe, result.broken = state, unsafe
                if stop_at_unsafe:
                    return result
        if len(result.states) >= most:
            result.complete = False
            continue
        for new in machine.flushes(state):
            if new not in result.states:
                result.states[new] = (state, None)
                waiting.append(new)
        for step in machine.steps:
            for new in machine.after(state, step):
                if new not in result.states:
                    result.states[new] = (state, step)
                    waiting.append(new)
    return result
