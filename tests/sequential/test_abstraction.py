"""The lists of paper 001, run on numbers: their invariants, and that they do what plain store buffers do."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from treville.sequential.abstraction import BUFFERS, LISTS, SORTED, abstraction
from treville.sequential.language import read_text
from treville.sequential.running import Running, Store

INITIAL = "static word initial[V];\n"
THREADS, LOCATIONS = 2, 2
Operation = tuple[str, int, int, int]  # what, thread, location, value


def running(text: str, timestamps: int, nodes: int) -> Running:
    constants = {"K": timestamps, "N": nodes, "T": THREADS, "V": LOCATIONS}
    return Running(read_text(INITIAL + text), constants, [7] * LOCATIONS)


def after(machine: Running, store: Store, operation: Operation) -> set[tuple[Key, int]]:
    """The stores that an operation may lead to, with what it returns."""
    what, thread, location, value = operation
    found: set[tuple[Key, int]] = set()
    for passed, _ in machine.calls(store, "clock_update"):
        match what:
            case "R":
                ends = machine.calls(passed, "look", location, thread)
            case "W":
                ends = machine.calls(passed, "store", location, value, thread)
            case "O":
                ends = machine.calls(passed, "order_writes", thread)
            case _:
                ends = machine.calls(passed, "flush", thread)
        found |= {(key(end), result if what == "R" else 0) for end, result in ends}
    return found


Key = tuple[tuple[str, tuple[int, ...]], ...]


def key(store: Store) -> Key:
    return tuple(sorted(store.items()))


def observations(machine: Running, operations: list[Operation]) -> set[tuple[int, ...]]:
    """Everything that the reads of a run can return, run by run."""
    runs: set[tuple[Key, tuple[int, ...]]] = {(key(machine.first), ())}
    for operation in operations:
        runs = {
            (end, (*seen, result) if operation[0] == "R" else seen)
            for store, seen in runs
            for end, result in after(machine, dict(store), operation)
        }
    return {seen for _, seen in runs}


def random_operations(random: Random, model: str, length: int) -> list[Operation]:
    kinds = "RRWWWF" + ("O" if model == "pso" else "")
    found: list[Operation] = []
    for number in range(length):
        thread, location = random.randrange(THREADS), random.randrange(LOCATIONS)
        found.append((random.choice(kinds), thread, location, number + 1))
    return found


def mutated(model: str, old: str, new: str, kind: str = LISTS) -> str:
    text = abstraction(model, kind)
    assert old in text
    return text.replace(old, new)


def check_list(machine: Running, store: Store, location: int, nodes: int) -> None:
    """From the sentinel on: sorted, circular both ways, all nodes once, exactly one head."""
    at = machine.at
    order: list[int] = []
    place = at(store, "next", location, nodes)
    while place != nodes and len(order) <= nodes:
        order.append(place)
        place = at(store, "next", location, place)
    assert sorted(order) == list(range(nodes))
    times = [at(store, "tstamp", location, node) for node in (*order, nodes)]
    assert times == sorted(times)
    for before, node in zip((nodes, *order), (*order, nodes), strict=True):
        assert at(store, "prev", location, node) == before
    clock = at(store, "clock")
    heads = [n for n, time in enumerate(times[:-1]) if time <= clock < times[n + 1]]
    assert len(heads) == 1


def keeps_invariants(text: str, model: str, seed: int, runs: int = 15) -> None:
    nodes, random = 3, Random(seed)
    machine = running(text, 4, nodes)
    for _ in range(runs):
        store = machine.first
        for operation in random_operations(random, model, 8):
            following = sorted(after(machine, store, operation))
            if not following:
                break
            store = dict(random.choice(following)[0])
            for location in range(LOCATIONS):
                check_list(machine, store, location, nodes)


# Message passing, with a fence between the writes; coherence; what a thread sees of its own; flushes.
SEQUENCES: list[list[Operation]] = [
    [("W", 0, 0, 1), ("W", 0, 1, 2), ("R", 1, 1, 0), ("R", 1, 0, 0)],
    [("W", 0, 0, 1), ("O", 0, 0, 0), ("W", 0, 1, 2), ("R", 1, 1, 0), ("R", 1, 0, 0)],
    [("W", 0, 0, 1), ("W", 0, 0, 2), ("R", 1, 0, 0), ("R", 1, 0, 0)],
    [("W", 0, 0, 1), ("W", 1, 0, 2), ("R", 0, 0, 0), ("R", 1, 0, 0)],
    [("W", 0, 0, 1), ("F", 0, 0, 0), ("R", 1, 0, 0)],
    [("W", 0, 0, 1), ("W", 0, 0, 2), ("F", 0, 0, 0), ("R", 1, 0, 0)],
]


def agrees(text: str, model: str, seed: int, runs: int = 4) -> None:
    """With bounds that are enough, both see the same."""
    random = Random(seed)
    known = [sequence for sequence in SEQUENCES if model == "pso" or all(o[0] != "O" for o in sequence)]
    for operations in [*known, *(random_operations(random, model, 4) for _ in range(runs))]:
        writes = sum(operation[0] == "W" for operation in operations)
        reference = running(abstraction(model, BUFFERS), 2, max(1, writes))
        lists = running(text, writes + 1, max(2, writes + 1))
        assert observations(lists, operations) == observations(reference, operations), operations


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_lists_keep_their_invariants(model: str) -> None:
    keeps_invariants(abstraction(model), model, 1)


@pytest.mark.parametrize(("model", "kind"), list(product(["tso", "pso"], [LISTS, SORTED])))
def test_lists_do_what_store_buffers_do(model: str, kind: str) -> None:
    agrees(abstraction(model, kind), model, 2)


def test_the_slip_in_figure_3_breaks_the_lists() -> None:
    """Line 36 sets the timestamp of another node."""
    with pytest.raises(AssertionError):
        keeps_invariants(mutated("tso", "tstamp[v][node] = ts", "tstamp[v][t] = ts"), "tso", 1)


MUTATIONS = [
    ("tso", LISTS, "assume(ts < tstamp[v][succ])", "assume(ts <= tstamp[v][succ])"),
    ("tso", LISTS, "assume(ts >= max_tstamp[t]);", ""),
    ("tso", SORTED, "assume(ts >= max_tstamp[t]);", ""),
    ("pso", LISTS, "assume(ts >= last_tstamp[v][t]);", ""),
    ("pso", LISTS, "assume(ts >= floor_tstamp[t]);", ""),
    ("pso", LISTS, "assume(ts >= floor_tstamp[t]);", "assume(ts >= max_tstamp[t]);"),
    ("tso", LISTS, "if (clock < max_tstamp[t])", "if (clock > max_tstamp[t])"),
    ("tso", LISTS, "if (last_tstamp[v][t] > clock)", "if (last_tstamp[v][t] > clock + K)"),
]


@pytest.mark.parametrize(("model", "kind", "old", "new"), MUTATIONS)
def test_mutations_are_noticed(model: str, kind: str, old: str, new: str) -> None:
    with pytest.raises((AssertionError, IndexError)):
        agrees(mutated(model, old, new, kind), model, 2)


def test_one_timestamp_is_sequential_consistency() -> None:
    """Nothing is pending with K = 1: everybody sees the last write."""
    machine = running(abstraction("tso"), 1, 2)
    seen = observations(machine, [("W", 0, 0, 1), ("R", 1, 0, 0), ("W", 1, 0, 2), ("R", 0, 0, 0)])
    assert seen == {(1, 2)}
