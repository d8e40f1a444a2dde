"""Small instances -> reachable states of theirs, with the test whether one of them is in a cube.

Guesses must avoid these states, so many different ones are worth more than all of a few steps: states that
differ only by a permutation of processes count once, numbers count only by their order (beyond those that
the file names), and the newest states are continued as often as the oldest. The search forgets that processes
outside a cube can violate universal guards. A guess that relies on them would be refuted, so here, too,
processes can vanish from a state: what is left of it is a state of the smaller instance.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import pairwise, permutations
from operator import itemgetter
from typing import Any

from treville.parameterised.backward.instances import arrangements
from treville.parameterised.logic.cube import Node
from treville.parameterised.states.initial_states import initial_states
from treville.parameterised.states.machine import Bounds, Machine, State
from treville.parameterised.states.state_table import StateTable
from treville.parameterised.states.successors import successors
from treville.parameterised.system import Property, System, Term, compares_processes, cubes_of
from treville.results import Budget

_BOUNDS = Bounds(initial_states=300, lowest=-200, highest=200)
_MOST_PERMUTED = 4
_CHECK_EVERY = 64

Mapped = Callable[[State], State]


class KnownStates:
    """Known reachable states by number of processes."""

    def __init__(self, system: System, assumptions: tuple[Property, ...], budget: Budget) -> None:
        self.system, self.assumptions, self.budget = system, assumptions, budget
        self.known: dict[int, _Instance] = {}
        self.vanishing = not system.processes and any(t.universals for t in system.transitions)

    def grow(self, processes: int, more: int, most: int) -> None:
        """Explore an instance until so many more states are known, but not more than `most`."""
        instance = self._instance(processes)
        instance.grow(min(most, len(instance.states) + more))

    def learn(self, processes: int, states: Iterable[State], more: int) -> None:
        """Add states that a run went through, and some of those around them."""
        instance = self._instance(processes)
        for state in states:
            instance.add(state)
        while True:
            instance.grow(len(instance.states) + more)
            if instance.smaller is None:
                break
            instance = instance.smaller

    def _instance(self, processes: int) -> _Instance:
        if processes not in self.known:
            made = self.known[processes] = _Instance(self.system, processes, self.assumptions, self.budget)
            if self.vanishing and processes > 1:
                made.let_vanish(self._instance(processes - 1))
        return self.known[processes]

    def complete(self) -> bool:
        """Is nothing left to explore?"""
        return not any(instance.waiting for instance in self.known.values())

    def count(self) -> int:
        """How many states are known."""
        return sum(len(instance.states) for instance in self.known.values())

    def meets(self, node: Node) -> bool:
        """Is a known state in the cube? Also when no instance has enough processes to tell."""
        fitting = [i for i in self.known.values() if i.machine.processes >= node.processes]
        return not fitting or any(instance.meets(node) for instance in fitting)


class _Instance:
    def __init__(
        self, system: System, processes: int, assumptions: tuple[Property, ...], budget: Budget
    ) -> None:
        self.machine = Machine(system, processes, _BOUNDS)
        self.budget = budget
        self.named = system.named
        self.views = _views(self.machine)
        self.after = None if self.machine.weak else successors(self.machine)
        self.states: list[State] = []
        self.keys: set[Any] = set()
        self.waiting: deque[State] = deque()
        self.steps = 0
        self.smaller: _Instance | None = None
        self.remains: list[Mapped] = []
        self.table = StateTable(self.machine, self.states)
        for state in initial_states(self.machine, assumptions):
            self.add(state)

    def add(self, state: State) -> None:
        """Know a state, unless one like it is known."""
        key = self.views(state)
        if key not in self.keys:
            self.keys.add(key)
            self.states.append(state)
            self.waiting.append(state)

    def let_vanish(self, smaller: _Instance) -> None:
        """From now on, what is left of a state without one process is a state of the smaller instance."""
        self.smaller = smaller
        self.remains = [_rest(self.machine, smaller.machine, i) for i in range(self.machine.processes)]

    def grow(self, most: int) -> None:
        """Continue known states until that many are known."""
        machine = self.machine
        while self.waiting and len(self.states) < most:
            self.steps += 1
            if self.steps % _CHECK_EVERY == 0:
                self.budget.check()
            state = self.waiting.pop() if self.steps % 2 else self.waiting.popleft()
            if self.smaller is not None:
                for remains in self.remains:
                    self.smaller.add(remains(state))
            if self.after is not None:
                for values in self.after(state[0]):
                    self.add((values, ()))
                continue
            for new in machine.flushes(state):
                self.add(new)
            for step in machine.steps:
                for new in machine.after(state, step):
                    self.add(new)

    def meets(self, node: Node) -> bool:
        """Is a known state in the cube?"""
        everyone = range(self.machine.processes)
        places = [tuple(everyone)] if self.named else arrangements(everyone, node.processes)
        return any(self._holding(node, place) for place in places)

    def _holding(self, node: Node, place: tuple[int, ...]) -> int:
        mask = -1
        for literal in node.literals:
            mask &= self.table.mask(literal, place)
            if not mask:
                return 0
        return mask


def _views(machine: Machine) -> Callable[[State], Any]:
    """A function that gives states the same key when it is enough to know one of them."""
    numbers = [slot for slot, symbol in enumerate(machine.slot_symbol) if symbol.type.kind in ("int", "real")]
    smallest, largest = _named_numbers(machine.system)
    moves = _moves(machine)

    def ranked(state: State) -> State:
        if not numbers:
            return state
        values, buffers = state
        pending = [v for b in buffers for entry in b for slot, v in entry if slot in numeric]
        beyond = {v for v in (*(values[slot] for slot in numbers), *pending) if not smallest <= v <= largest}
        above = {v: largest + 1 + rank for rank, v in enumerate(sorted(v for v in beyond if v > largest))}
        below = {v: smallest - 1 - rank for rank, v in enumerate(sorted(v for v in beyond if v < smallest))}
        new = {**above, **below}
        if not new:
            return state
        made = list(values)
        for slot in numbers:
            made[slot] = new.get(made[slot], made[slot])
        fewer = tuple(
            tuple(tuple((s, new.get(v, v) if s in numeric else v) for s, v in entry) for entry in b)
            for b in buffers
        )
        return tuple(made), fewer

    numeric = frozenset(numbers)
    if not moves:
        return ranked

    locals_of = [_local_values(machine, i) for i in range(machine.processes)]

    def least(state: State) -> Any:
        base = ranked(state)
        said = [local(base[0]) for local in locals_of]
        # Processes are sorted by what their own cells say; where that leaves a choice, the least counts.
        fitting = [move for order, move in moves if _ascending([said[i] for i in order])]
        return fitting[0](base) if len(fitting) == 1 else min(move(base) for move in fitting)

    return least


def _local_values(machine: Machine, process: int) -> Callable[[Any], Any]:
    slots = [
        slot
        for term, slot in machine.slots.items()
        if term[0] == "a" and term[2] == (process,) and machine.slot_symbol[slot].type.kind == "enum"
    ]
    return itemgetter(*slots) if slots else lambda _: ()


def _ascending(values: list[Any]) -> bool:
    return all(first <= second for first, second in pairwise(values))


def _named_numbers(system: System) -> tuple[Any, Any]:
    """The range of the numbers that stand alone against a term in the file, with one more on each side."""
    found = {0}
    for cube in cubes_of(system):
        for literal in cube:
            if literal[0] == "L" and len(literal[2]) == 1 and abs(literal[3]) < _BOUNDS.highest:
                found |= {literal[3], -literal[3]} if literal[2][0][1] != 1 else {-literal[3]}
    return min(found) - 1, max(found) + 1


def _moves(machine: Machine) -> list[tuple[tuple[int, ...], Mapped]]:
    """The permutations of processes: which process comes first, second and so on, and that on states.

    None where processes are told apart.
    """
    system = machine.system
    if system.named or not 1 < machine.processes <= _MOST_PERMUTED or compares_processes(system):
        return []
    made = []
    for order in permutations(range(machine.processes)):
        called = tuple(order.index(i) for i in range(machine.processes))
        made.append((order, _move(machine, called)))
    return made


def _move(machine: Machine, new: tuple[int, ...]) -> Mapped:
    """States with process i called new[i]."""
    source = [0] * len(machine.slots)
    for term, slot in machine.slots.items():
        moved: Term = ("a", term[1], tuple(new[i] for i in term[2])) if term[0] == "a" else term
        source[machine.slots[moved]] = slot
    return _mapped(machine, source, new)


def _rest(machine: Machine, smaller: Machine, gone: int) -> Mapped:
    """States without one process; variables that name it name nobody then."""
    kept = [i for i in range(machine.processes) if i != gone]
    source = []
    for term in smaller.slots:
        whole: Term = ("a", term[1], tuple(kept[i] for i in term[2])) if term[0] == "a" else term
        source.append(machine.slots[whole])
    called = tuple(-1 if i == gone else kept.index(i) for i in range(machine.processes))
    return _mapped(machine, source, called)


def _mapped(machine: Machine, source: list[int], called: tuple[int, ...]) -> Mapped:
    """States with new slot k taken from slot source[k], process i called called[i] (-1: gone)."""
    target = {old: position for position, old in enumerate(source)}
    holding = {slot for slot, symbol in enumerate(machine.slot_symbol) if symbol.type.kind == "proc"}
    patched = [target[slot] for slot in sorted(holding) if slot in target]
    # Index -1, nobody, is the last one.
    table = (*called, -1)

    take = itemgetter(*source) if len(source) > 1 else lambda values: [values[slot] for slot in source]

    def mapped(state: State) -> State:
        values, buffers = state
        made = list(take(values))
        for position in patched:
            made[position] = table[made[position]]
        if not buffers:
            return tuple(made), buffers
        pending: list[Any] = [()] * (max(called, default=-1) + 1)
        for process, entries in enumerate(buffers):
            if called[process] >= 0:
                moved = (
                    sorted((target[s], table[v] if s in holding else v) for s, v in entry if s in target)
                    for entry in entries
                )
                pending[called[process]] = tuple(tuple(entry) for entry in moved if entry)
        return tuple(made), tuple(pending)

    return mapped
