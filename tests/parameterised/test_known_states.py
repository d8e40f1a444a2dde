"""States for guesses: all of them are reachable, none of a small instance is missed, masks are right."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from tests.parameterised.random_protocols import random_protocol
from tests.parameterised.systems import FLAGS, MUTEX
from tests.seeds import conclusive

from treville.parameterised.language.resolve import read_system
from treville.parameterised.logic.cube import Node
from treville.parameterised.states.forward import explore
from treville.parameterised.states.known_states import KnownStates
from treville.parameterised.states.machine import Machine, State
from treville.parameterised.states.state_table import StateTable
from treville.parameterised.states.successors import successors
from treville.parameterised.system import System
from treville.results import Budget

_MANY = 100_000


def _known(system: System, processes: int) -> KnownStates:
    states = KnownStates(system, (), Budget(30))
    states.grow(processes, _MANY, _MANY)
    return states


@pytest.mark.parametrize("seed", range(12))
def test_compiled_steps_are_the_machines_steps(seed: int) -> None:
    system = read_system(random_protocol(seed), "test.cub")
    machine = Machine(system, 3)
    after = successors(machine)
    states = list(explore(system, 3, most=150, properties=()).states)[:150]
    assert states
    for state in states:
        wanted = {new[0] for step in machine.steps for new in machine.after(state, step)}
        assert set(after(state[0])) == wanted


def _renamings(machine: Machine, state: State) -> set[State]:
    found = set()
    for called in permutations(range(machine.processes)):
        values: list[Any] = [None] * len(machine.slots)
        for term, slot in machine.slots.items():
            moved = ("a", term[1], tuple(called[i] for i in term[2])) if term[0] == "a" else term
            value = state[0][slot]
            holds = machine.slot_symbol[slot].type.kind == "proc"
            values[machine.slots[moved]] = called[value] if holds and value >= 0 else value
        found.add((tuple(values), state[1]))
    return found


def test_known_states_are_all_states_up_to_renaming() -> None:
    """Without numbers, which are bounded in another way, and universal guards, which let processes vanish."""
    compared = 0
    for seed in range(40):
        system = read_system(random_protocol(seed), "test.cub")
        if any(symbol.type.kind == "int" for symbol in system.symbols.values()):
            continue
        wanted = explore(system, 2, most=2000, properties=())
        if not wanted.complete or any(transition.universals for transition in system.transitions):
            continue
        known = _known(system, 2).known[2]
        assert set(known.states) <= set(wanted.states)
        covered = {renamed for state in known.states for renamed in _renamings(known.machine, state)}
        assert set(wanted.states) <= covered
        compared += 1
    assert conclusive(compared > 5)


def test_processes_vanish_where_guards_are_universal() -> None:
    """With two processes inside is unreachable for both, but one can go in after the other vanished."""
    system = read_system(FLAGS.replace("weak ", ""), "test.cub", "sc")
    known = _known(system, 3)
    known.grow(2, _MANY, _MANY)
    known.grow(1, _MANY, _MANY)
    assert sorted(known.known) == [1, 2, 3]
    assert known.complete()
    inside = ("=", ("a", "At", (0,)), ("k", "Inside"))
    other = ("=", ("a", "At", (1,)), ("k", "Inside"))
    assert known.meets(Node(frozenset({inside}), 1))
    assert not known.meets(Node(frozenset({inside, other}), 2))


def test_masks_follow_the_states() -> None:
    system = read_system(MUTEX, "test.cub")
    found = explore(system, 2, properties=())
    states = list(found.states)
    table = StateTable(found.machine, shown := states[:1])
    slot = found.machine.slots["a", "At", (1,)]
    equal, differs = ("=", ("a", "At", (0,)), ("k", "Crit")), ("!", ("a", "At", (0,)), ("a", "At", (1,)))
    for count in range(1, len(states) + 1):
        shown[:] = [*shown, *states[len(shown) : count]]
        crit = sum(1 << i for i, (values, _) in enumerate(shown) if values[slot] == "Crit")
        assert table.mask(equal, (1, 0)) == crit
        both = sum(
            1 << i for i, (v, _) in enumerate(shown) if v[slot] != v[found.machine.slots["a", "At", (0,)]]
        )
        assert table.mask(differs, (0, 1)) == both
    assert len(states) > 2
