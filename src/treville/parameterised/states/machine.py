"""The operational side: a finite instance of a system on a machine with store buffers, state by state.

It shares nothing with the backward search but the `System`, so it serves as its independent check: it
replays counterexamples, explores small instances and supplies the states that approximations must avoid.

A state is (values, buffers): one value per variable and cell (memory for weak ones), and per process the
list of its pending transitions' writes. A transition that writes weak memory without reading it appends one
entry; one that reads and writes is atomic: under TSO its process's buffer must be empty, under PSO it must
hold none of the written cells. Entries leave in order (TSO), or in any order that keeps the writes to each
cell in order (PSO).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from treville.parameterised.backward.instances import arrangements, put_in
from treville.parameterised.logic.terms import rename_term
from treville.parameterised.system import (
    NAMED,
    Disjunction,
    Literal,
    Property,
    System,
    Term,
    Transition,
    Update,
)
from treville.records import dataclass, field
from treville.results import BudgetExceeded

_SLOT = re.compile(r"s\[(\d+)\]")

Values = tuple[Any, ...]
Entry = tuple[tuple[int, Any], ...]
Buffers = tuple[tuple[Entry, ...], ...]
State = tuple[Values, Buffers]
Check = Callable[[Values], bool]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where the exploration stops: longest buffer, values of numbers, states."""

    buffer: int = 2
    lowest: int = -2
    highest: int = 4
    initial_numbers: tuple[int, ...] = (0, 1, 2)
    initial_states: int = 5000


@dataclass(slots=True, eq=False)
class Step:
    """A transition instance, compiled: `guard` reads what the actor sees, `updates` give new values."""

    transition: Transition
    number: int
    place: tuple[int, ...]
    actor: int
    guard: Check
    updates: Callable[[Values], tuple[tuple[int, Any], ...]]
    # Variables that get an arbitrary value.
    arbitrary: tuple[int, ...] = ()
    weak_slots: frozenset[int] = field(default_factory=frozenset)
    # Weak cells that the guard or the new values look at.
    read_slots: frozenset[int] = field(default_factory=frozenset)
    # The expressions behind `guard` and `updates`.
    guard_text: str = "True"
    assigned: tuple[tuple[int, str], ...] = ()


class Machine:
    """An instance with a fixed number of processes."""

    def __init__(self, system: System, processes: int, bounds: Bounds | None = None) -> None:
        self.system = system
        self.processes = processes
        self.bounds = bounds or Bounds()
        self.slots: dict[Term, int] = {}
        self.slot_symbol: list[Any] = []
        for symbol in system.symbols.values():
            for indices in product(range(processes), repeat=symbol.arity):
                term: Term = ("a", symbol.name, indices) if symbol.arity else ("v", symbol.name)
                self.slots[term] = len(self.slots)
                self.slot_symbol.append(symbol)
        self.named = {NAMED + i: i for i in range(processes)} if system.named else {}
        self.weak = frozenset(i for i, symbol in enumerate(self.slot_symbol) if symbol.weak)
        self.steps = [step for number in range(len(system.transitions)) for step in self._steps(number)]

    # Compiling

    def _steps(self, number: int) -> Iterator[Step]:
        transition = self.system.transitions[number]
        if len(transition.parameters) > self.processes:
            return
        for place in arrangements(range(self.processes), len(transition.parameters)):
            names = {**self.named, **dict(enumerate(place))}
            guard = self._guard(transition, names, place)
            if guard == "False":
                continue
            assigned, arbitrary = [], []
            for update in transition.updates:
                if update.branches[0].value is None:
                    arbitrary.append(self.slots["v", update.symbol.name])
                    continue
                assigned += self._assignments(update, names)
            source = f"lambda s: ({''.join(f'({slot}, {value}),' for slot, value in assigned)})"
            actor = place[transition.actor] if transition.actor >= 0 else -1
            yield Step(
                transition, number, place, actor, compiled(f"lambda s: {guard}"), compiled(source),
                tuple(arbitrary), frozenset(slot for slot, _ in assigned if slot in self.weak),
                frozenset(int(slot) for slot in _SLOT.findall(guard + source)) & self.weak,
                guard, tuple(assigned),
            )  # fmt: skip

    def _guard(self, transition: Transition, names: dict[int, int], place: tuple[int, ...]) -> str:
        parts = [self.source((transition.guard,), names)]
        for universal in transition.universals:
            pool = [i for i in range(self.processes) if not universal.other or i not in place]
            for chosen in arrangements(pool, universal.count):
                bound = {**names, **{-1 - k: i for k, i in enumerate(chosen)}}
                parts.append(self.source(universal.cubes, bound))
        if "False" in parts:
            return "False"
        return " and ".join(f"({part})" for part in parts if part != "True") or "True"

    def _assignments(self, update: Update, names: dict[int, int]) -> list[tuple[int, str]]:
        made = []
        for indices in product(range(self.processes), repeat=update.symbol.arity):
            bound = {**names, **{-1 - k: i for k, i in enumerate(indices)}}
            term: Term = ("a", update.symbol.name, indices) if indices else ("v", update.symbol.name)
            slot = self.slots[term]
            cases = []
            for branch in update.branches:
                when = self.source(branch.when, bound)
                if when != "False" and branch.value is not None:
                    value = rename_term(branch.value, bound)
                    cases.append((when, "KEPT" if value == term else self.term(value)))
                if when == "True":
                    break
            text = "KEPT"
            for when, value_text in reversed(cases):
                text = value_text if when == "True" else f"{value_text} if {when} else {text}"
            if text != "KEPT":
                made.append((slot, f"({text})"))
        return made

    def source(self, cubes: Disjunction, names: dict[int, int]) -> str:
        """A Python expression over the values `s` for a disjunction of cubes."""
        ready = put_in(cubes, names)
        if ready == [()]:
            return "True"
        texts = [" and ".join(self.literal(literal) for literal in cube) for cube in ready]
        return " or ".join(f"({text})" for text in texts) or "False"

    def literal(self, literal: Literal) -> str:
        """A Python expression for a literal."""
        if literal[0] == "L":
            text = " + ".join(f"{factor!r} * {self.term(term)}" for term, factor in literal[2])
            op = {"=": "==", "!": "!=", "<=": "<=", "r<=": "<=", "<": "<"}[literal[1]]
            return f"({text} + {literal[3]!r} {op} 0)"
        op = {"=": "==", "!": "!=", "<": "<"}[literal[0]]
        return f"({self.term(literal[1])} {op} {self.term(literal[2])})"

    def term(self, term: Term) -> str:
        """A Python expression for a term; what a process sees is put in by the caller."""
        tag = term[0]
        if tag == "k":
            return repr(term[1])
        if tag == "p":
            return str(term[1])
        if tag == "s":
            parts = [f"{factor!r} * {self.term(inner)}" for inner, factor in term[1]]
            return "(" + " + ".join([*parts, repr(term[2])]) + ")"
        if tag == "r":
            cell: Term = ("a", term[3], term[4]) if term[4] else ("v", term[3])
            return f"v[{term[2]}][{self.slots[cell]}]"
        return f"s[{self.slots[term]}]"

    # Running

    def seen(self, state: State, process: int) -> Values:
        """What a process sees: memory below its own pending writes."""
        values, buffers = state
        if process < 0 or not buffers or not buffers[process]:
            return values
        seen = list(values)
        for entry in buffers[process]:
            for slot, value in entry:
                seen[slot] = value
        return tuple(seen)

    def flushes(self, state: State) -> Iterator[State]:
        """States after one pending entry reaches memory."""
        values, buffers = state
        for process, pending in enumerate(buffers):
            taken: set[int] = set()
            for position, entry in enumerate(pending):
                slots = {slot for slot, _ in entry}
                if not slots & taken:
                    memory = list(values)
                    for slot, value in entry:
                        memory[slot] = value
                    rest = pending[:position] + pending[position + 1 :]
                    yield tuple(memory), (*buffers[:process], rest, *buffers[process + 1 :])
                if self.system.model == "tso":
                    break
                taken |= slots

    def after(self, state: State, step: Step) -> Iterator[State]:
        """States after a transition; none when it cannot fire or leaves the bounds."""
        buffers = state[1]
        actor = step.actor
        transition = step.transition
        pending = buffers[actor] if buffers and actor >= 0 else ()
        if pending:
            if transition.fence:
                return
            if transition.reads and transition.writes:
                if self.system.model == "tso":
                    return
                held = {slot for entry in pending for slot, _ in entry}
                if held & step.weak_slots:
                    return
            elif transition.writes and len(pending) >= self.bounds.buffer:
                return
        seen = self.seen(state, actor)
        if not step.guard(seen):
            return
        changes = [change for change in step.updates(seen) if change[1] is not KEPT]
        for extra in product(*(self.any_value(slot) for slot in step.arbitrary)):
            made = self._written(state, step, [*changes, *zip(step.arbitrary, extra, strict=True)])
            if made is not None:
                yield made

    def _written(self, state: State, step: Step, changes: list[tuple[int, Any]]) -> State | None:
        values, buffers = state
        low, high = self.bounds.lowest, self.bounds.highest
        new = list(values)
        entry = []
        delayed = step.transition.writes and not step.transition.reads
        for slot, value in changes:
            if self.slot_symbol[slot].type.kind in ("int", "real") and not low <= value <= high:
                return None
            if delayed and slot in self.weak:
                entry.append((slot, value))
            else:
                new[slot] = value
        if entry:
            actor = step.actor
            longer = (*buffers[actor], tuple(entry))
            buffers = (*buffers[:actor], longer, *buffers[actor + 1 :])
        return tuple(new), buffers

    def any_value(self, slot: int) -> tuple[Any, ...]:
        """What an arbitrary value can be."""
        kind = self.slot_symbol[slot].type
        if kind.kind == "enum":
            return tuple(kind.values)
        if kind.kind == "proc":
            return tuple(range(self.processes))
        return (0, 1) if kind.kind == "abstract" else self.bounds.initial_numbers

    # Properties

    def violated(self, unsafe: Property) -> Callable[[State], bool]:
        """A check for a property: can its processes be chosen so that its cube holds now?"""
        texts = []
        for chosen in arrangements(range(self.processes), unsafe.parameters):
            text = self.source((unsafe.cube,), {**self.named, **dict(enumerate(chosen))})
            if text != "False":
                texts.append(text)
        text = " or ".join(f"({part})" for part in texts) or "False"
        check = compiled(f"lambda s, v: {text}")
        if "v[" not in text:
            return lambda state: bool(check(state[0], ()))
        return lambda state: bool(check(state[0], [self.seen(state, i) for i in range(self.processes)]))


class _Kept:
    def __repr__(self) -> str:
        return "KEPT"


# A cell that a case leaves alone.
KEPT = _Kept()


def compiled(source: str) -> Any:
    """A function from an expression made here of slots, numbers and quoted constructors only."""
    try:
        return eval(source, {"KEPT": KEPT, "Fraction": Fraction, "__builtins__": {}})
    except (SyntaxError, RecursionError, MemoryError):
        raise BudgetExceeded("a formula is too large to be evaluated", "split the transition") from None
