"""A program that starts threads without end -> whether any number of them keeps its assertions.

View abstraction (P. A. Abdulla, F. Haziza, L. Holik, *All for the Price of Few*, VMCAI 2013). A *view* is
what memory, `main` and at most `size` of the other threads look like. Of all states only the views are kept.
A step of a thread changes memory under the eyes of the others, so what follows from the views are the steps
of `size` threads in view, and those of one thread more next to them, provided that all their views are known.
There are finitely many views where the data are finite, however many threads there are. If no view fails none
of the states does; if one fails, that may be since views know too little, and larger ones know enough.

It needs threads that are alike: nobody asks for their numbers, joins them, or owns objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from treville.machines.buffers.machine import Machine
from treville.machines.buffers.step import Step
from treville.machines.states import (
    EMPTY,
    Buffer,
    Disabled,
    Failed,
    LimitReached,
    State,
    TooManyStates,
)
from treville.machines.threads import MAIN, Does, Threads
from treville.programs import ir
from treville.results import Budget

LARGEST_VIEW = 3
_STOPS = (Does.END, Does.BLOCKED, Does.CUT, Does.UPDATE, Does.BEGIN, Does.SPAWN)
_VISIBLE = (Does.LOAD, Does.STORE, Does.UPDATE, Does.BEGIN, Does.SPAWN)

Member = tuple[int, Buffer]  # a thread and its buffer
Scene = tuple[Member, int]  # main and memory
View = tuple[Scene, tuple[Member, ...]]


def any_number_is_safe(program: ir.Program, model: str, limit: int, budget: Budget) -> int | None:
    """The number of views that show that no assertion fails with any number of threads; None: no answer.
    `model` is one of the machine's."""
    threads = Machine(program, model).threads
    if not threads.alike or program.has(ir.Allocate, ir.Free) or _uses_numbers(threads):
        return None
    for size in range(1, LARGEST_VIEW + 1):
        abstraction = Abstraction(Machine(program, model, budget=budget), size, limit)
        try:
            views = abstraction.explore()
        except (Failed, LimitReached):
            continue
        except TooManyStates:
            return None
        return None if abstraction.machine.threads.was_cut else views
    return None


def starts_threads_without_end(program: ir.Program) -> bool:
    """Are threads started in a loop?"""
    for body in program.bodies:
        for position, instruction in enumerate(body.instructions):
            if isinstance(instruction, ir.Branch):
                round_trip = body.instructions[body.labels[instruction.target] : position]
                if any(isinstance(i, ir.Spawn) for i in round_trip):
                    return True
    return False


def _uses_numbers(threads: Threads) -> bool:
    """Does anybody use the number of a thread that was started? Views do not know it."""
    return any(
        isinstance(instruction, ir.Spawn) and instruction.register in threads.live[name][position + 1]
        for name, body in threads.bodies.items()
        for position, instruction in enumerate(body.instructions)
    )


class Abstraction:
    """The search for all views of a size."""

    def __init__(self, machine: Machine, size: int, limit: int) -> None:
        self.machine, self.size, self.limit = machine, size, limit
        self.views: dict[Scene, set[tuple[Member, ...]]] = {}
        self.members: dict[Scene, set[Member]] = {}
        self.done: set[View] = set()  # of one thread more than views have
        self.count = 0  # of views, and of those with one thread more
        self.pending: list[View] = []

    def explore(self) -> int:
        """All views; raises `Failed` where one fails."""
        main = (self.machine.threads.start(MAIN), EMPTY)
        for state in self._settled(self._step(((main, self.machine.memories.initial), ()))):
            self._add(state)
        while self.pending:
            view = self.pending.pop()
            self.machine.budget.look(self.count, "views")
            for state in self._after(view, spawning=True):
                self._add(state)
            if len(view[1]) == self.size:
                self._with_one_more(view)
        return self.count

    def _with_one_more(self, view: View) -> None:
        """What one thread more next to those in view may do; views that become known later meet this one."""
        scene, members = view
        for other in list(self.members[scene]):
            larger = tuple(sorted((*members, other)))
            if (scene, larger) in self.done or not self._is_possible(scene, larger):
                continue
            self.done.add((scene, larger))
            self._count()
            for state in self._after((scene, larger), spawning=False):
                self._add(state)

    def _is_possible(self, scene: Scene, members: tuple[Member, ...]) -> bool:
        known = self.views[scene]
        return all(part in known for part in combinations(members, self.size))

    def _add(self, state: State) -> None:
        """Note the views of a state."""
        scene = ((state.threads[0], state.buffers[0]), state.memory)
        members = sorted(zip(state.threads[1:], state.buffers[1:], strict=True))
        for part in combinations(members, min(self.size, len(members))):
            known = self.views.setdefault(scene, set())
            if part in known:
                continue
            known.add(part)
            self.members.setdefault(scene, set()).update(part)
            self._count()
            self.pending.append((scene, part))

    def _count(self) -> None:
        self.count += 1
        if self.count > self.limit:
            raise LimitReached("too many views")

    def _step(self, view: View) -> Step:
        (main, memory), members = view
        everybody = (main, *members)
        state = State(tuple(t for t, _ in everybody), tuple(b for _, b in everybody), memory)
        return Step(self.machine.threads, self.machine.memories, self.machine.model != "sc", state, None)

    def _after(self, view: View, spawning: bool) -> Iterator[State]:
        """The states after one visible step of somebody."""
        actions = self.machine.threads.actions
        (main, _), members = view
        for number, (thread, buffer) in enumerate((main, *members)):
            for place in self.machine.flushable(buffer):
                step = self._step(view)
                step.flush(number, place)
                yield from self._settled(step)
            does = actions[thread].does
            if does is Does.SPAWN:
                step = self._step(view)
                if spawning and step.quietly(number) is not None:
                    yield from self._settled(step)
            elif does in _VISIBLE:
                try:
                    following = list(self._step(view).visibly(number))
                except Disabled:
                    continue
                for step in following:
                    yield from self._settled(step)

    def _settled(self, step: Step) -> Iterator[State]:
        """Let every thread run up to what others can see, or up to where it starts a thread."""
        for state, _ in self.machine.settle(step, _STOPS):
            yield state
