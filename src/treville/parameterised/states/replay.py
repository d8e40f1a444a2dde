"""A counterexample of the backward search -> a run of the operational machine, if there is one.

The search fixes which transitions happen and in which order each process performs its own; the machine
looks for an interleaving of them (and of the moments when buffered writes reach memory) that ends in an
unsafe state. Processes see memory in `unsafe` at one moment after all steps of the processes that look;
processes that do not look may still go on until the state is unsafe, as in section 3 of paper 002.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from treville.parameterised.backward.instances import arrangements, put_in
from treville.parameterised.logic.cube import Node, ordered
from treville.parameterised.logic.terms import rename_literal
from treville.parameterised.states.initial_states import initial_states
from treville.parameterised.states.machine import Bounds, Machine, State, Step, compiled
from treville.parameterised.system import NAMED, Cube, Literal, Property, System, compares_processes, terms_of
from treville.records import dataclass, replace
from treville.results import Budget, Span

_MOST_STATES = 200_000
_MOST_ORDERED = 5
# Steps done per lane, whether `unsafe` has looked, state.
_Key = tuple[tuple[int, ...], bool, State]


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A transition and the processes of its parameters."""

    number: int
    name: str
    processes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """The transitions from the start to the unsafe state; `observers` are the processes of `unsafe`."""

    steps: tuple[TraceStep, ...]
    processes: int
    observers: tuple[int, ...]
    unsafe: Property
    initial: Cube = ()


@dataclass(frozen=True, slots=True)
class RunStep:
    """One step of a run: a transition, a write that reaches memory, or the look of `unsafe`."""

    kind: str
    text: str
    process: int
    state: State
    step: Step | None = None
    # What `unsafe` looks at: (process, slot).
    looks: tuple[tuple[int, int], ...] = ()


def trace_of(system: System, found: Node, properties: dict[str, list[Property]], initial: Cube) -> Trace:
    """The trace that ends in the root of a node that meets the initial states."""
    steps, node, names, used = _path_to(system, found, None)
    unsafe = _matching(node, properties)
    observers: dict[int, int] = {}
    for position, parameter in enumerate(node.origin):
        observers[parameter] = names[position]
    looking = []
    for parameter in range(unsafe.parameters):
        if parameter not in observers:
            spare = next((n for n in range(used) if n not in observers.values()), used)
            used = max(used, spare + 1)
            observers[parameter] = spare
        looking.append(observers[parameter])
    if system.named:
        used = system.processes
        looking = list(_named_observers(system, node, unsafe))
    return Trace(steps, max(used, 1), tuple(looking), unsafe, initial)


def trace_to(system: System, found: Node, end: Node, initial: Cube) -> Trace:
    """The trace from a node that meets the initial states to one that it was made from."""
    steps, _, names, used = _path_to(system, found, end)
    cube = tuple(sorted(end.literals, key=repr))
    reached = Property("", end.processes, cube, Span(system.name, 1, 1))
    observers = tuple(names[i] for i in range(end.processes))
    return Trace(steps, system.processes if system.named else max(used, 1), observers, reached, initial)


def _path_to(
    system: System, found: Node, end: Node | None
) -> tuple[tuple[TraceStep, ...], Node, dict[int, int], int]:
    """Steps until `end` (None: the root), that node, its processes' names, how many names there are."""
    names: dict[int, int] = {i: i for i in range(found.processes)}
    used = found.processes
    steps: list[TraceStep] = []
    node = found
    while node is not end and node.parent is not None:
        parent = node.parent
        above = {node.origin[i]: name for i, name in names.items()}
        if node.step is not None:
            number, place = node.step
            for process in place:
                if process not in above:
                    above[process], used = used, used + 1
            chosen = tuple(above[process] for process in place)
            steps.append(TraceStep(number, system.transitions[number].name, chosen))
        names = {i: name for i, name in above.items() if i < parent.processes}
        for process in range(parent.processes):
            if process not in names:
                names[process], used = used, used + 1
        node = parent
    return tuple(steps), node, names, used


def _matching(root: Node, properties: dict[str, list[Property]]) -> Property:
    """Disjuncts of one unsafe clause share a name; the root knows which one it was made from."""
    candidates = properties[root.property_name]
    for candidate in candidates:
        if root.key is candidate:
            return candidate
    return candidates[0]


def _named_observers(system: System, root: Node, unsafe: Property) -> tuple[int, ...]:
    named = {NAMED + i: i for i in range(system.processes)}
    for place in arrangements(range(system.processes), unsafe.parameters):
        for cube in put_in((unsafe.cube,), {**named, **dict(enumerate(place))}):
            if frozenset(cube) == root.literals:
                return place
    return tuple(range(unsafe.parameters))


class _Replayer:
    def __init__(
        self, system: System, trace: Trace, assumptions: tuple[Property, ...], budget: Budget
    ) -> None:
        numbers = {abs(int(lit[3])) for lit in trace.initial if lit[0] == "L"} | {0, 1}
        values = tuple(sorted({n + d for n in numbers for d in (0, 1)} | {-n for n in numbers}))
        wide = Bounds(buffer=1000, lowest=-(10**9), highest=10**9, initial_numbers=values)
        self.machine = Machine(system, trace.processes, wide)
        self.trace, self.assumptions, self.budget = trace, assumptions, budget
        known = {(step.number, step.place): step for step in self.machine.steps}
        found = [known.get((s.number, s.processes)) for s in trace.steps]
        self.steps = [step for step in found if step is not None]
        self.possible = len(self.steps) == len(found)
        self.weak = system.model != "sc"
        place = {**self.machine.named, **dict(enumerate(trace.observers))}
        texts = [self.machine.source(((literal,),), place) for literal in trace.unsafe.cube]
        views = [text for text in texts if "v[" in text]
        plain = [text for text in texts if "v[" not in text]
        self.looks = compiled(f"lambda s, v: {' and '.join(views) or 'True'}")
        self.ends = compiled(f"lambda s: {' and '.join(plain) or 'True'}")
        self.looks_at = tuple(sorted(_looks(self.machine, trace.unsafe, place)))
        self.readers = {place[i] for literal in trace.unsafe.cube for i in _readers(literal)}

    def lanes(self) -> list[list[int]]:
        """Positions of the steps that must keep their order: of each process, or all under SC."""
        if not self.weak:
            return [list(range(len(self.steps)))]
        lanes: dict[int, list[int]] = {}
        for position, step in enumerate(self.steps):
            lanes.setdefault(step.actor, []).append(position)
        return list(lanes.values())

    def run(self) -> list[RunStep] | None:
        if not self.possible:
            return None
        lanes = self.lanes()
        actors = [self.steps[lane[0]].actor if lane else -1 for lane in lanes]
        start = (0,) * len(lanes)
        seen: dict[_Key, tuple[_Key | None, RunStep | None]] = {}
        stack: list[_Key] = []
        for state in initial_states(self.machine, self.assumptions, self.trace.initial):
            key = (start, not self.readers, state)
            seen[key] = (None, None)
            stack.append(key)
        while stack:
            self.budget.check()
            if len(seen) > _MOST_STATES:
                return None
            key = stack.pop()
            done, looked, state = key
            finished = looked and all(d == len(lane) for d, lane in zip(done, lanes, strict=True))
            if finished and self.ends(state[0]):
                return self._path(seen, key)
            for new, step in self._successors(done, looked, state, lanes, actors):
                if new not in seen:
                    seen[new] = (key, step)
                    stack.append(new)
        return None

    def _successors(
        self, done: tuple[int, ...], looked: bool, state: State, lanes: list[list[int]], actors: list[int]
    ) -> Iterator[tuple[_Key, RunStep]]:
        """What can happen next: a write lands, a process goes on, `unsafe` looks."""
        machine = self.machine
        for new in machine.flushes(state):
            process = next(i for i, (a, b) in enumerate(zip(state[1], new[1], strict=True)) if a != b)
            yield (done, looked, new), RunStep("flush", "", process, new)
        for lane, (count, positions) in enumerate(zip(done, lanes, strict=True)):
            if count < len(positions) and not (looked and actors[lane] in self.readers):
                position = positions[count]
                step = self.steps[position]
                for new in machine.after(state, step):
                    further = (*done[:lane], count + 1, *done[lane + 1 :])
                    text = self.trace.steps[position].name
                    yield (further, looked, new), RunStep("step", text, step.actor, new, step)
        if not looked:
            ready = all(
                count == len(positions) or actor not in self.readers
                for count, positions, actor in zip(done, lanes, actors, strict=True)
            )
            views = [machine.seen(state, i) for i in range(machine.processes)]
            if ready and self.looks(state[0], views):
                yield (done, True, state), RunStep("look", "", -1, state, None, self.looks_at)

    @staticmethod
    def _path(seen: dict[_Key, tuple[_Key | None, RunStep | None]], key: _Key) -> list[RunStep]:
        found = []
        current: _Key | None = key
        while current is not None:
            before, step = seen[current]
            found.append(RunStep("start", "", -1, current[2]) if step is None else step)
            current = before
        return found[::-1]


def _looks(machine: Machine, unsafe: Property, place: dict[int, int]) -> set[tuple[int, int]]:
    found = set()
    for literal in unsafe.cube:
        for term in terms_of(literal):
            if term[0] == "r":
                indices = tuple(place[i] for i in term[4])
                cell = ("a", term[3], indices) if indices else ("v", term[3])
                found.add((place[term[2]], machine.slots[cell]))
    return found


def _readers(literal: Literal) -> set[int]:
    return {term[2] for term in terms_of(literal) if term[0] == "r"}


def replay(
    system: System, trace: Trace, assumptions: tuple[Property, ...], budget: Budget
) -> tuple[Machine, list[RunStep] | None]:
    """The run of the trace on the machine with as many processes as it names; None when there is none."""
    for attempt in _variants(system, trace):
        replayer = _Replayer(system, attempt, assumptions, budget)
        if (run := replayer.run()) is not None:
            break
    return replayer.machine, run


def _variants(system: System, trace: Trace) -> Iterator[Trace]:
    """The trace, and what it leaves open: a process that takes no part, the order of processes."""
    yield trace
    if system.named:
        return
    bound = system.processes
    if (not bound or trace.processes < bound) and any(s.type.kind == "proc" for s in system.symbols.values()):
        # Variables may name a process that no step mentions.
        yield replace(trace, processes=trace.processes + 1)
    if trace.processes <= _MOST_ORDERED and compares_processes(system):
        # The machine's processes come one after the other; the trace does not say in which order.
        for called in permutations(range(trace.processes)):
            yield _renamed(trace, called)


def _renamed(trace: Trace, called: tuple[int, ...]) -> Trace:
    """The trace with process i called called[i]."""
    place = dict(enumerate(called))
    return Trace(
        tuple(TraceStep(s.number, s.name, tuple(called[i] for i in s.processes)) for s in trace.steps),
        trace.processes,
        tuple(called[i] for i in trace.observers),
        trace.unsafe,
        tuple(ordered(rename_literal(literal, place)) for literal in trace.initial),
    )
