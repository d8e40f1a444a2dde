"""SC, TSO and PSO as cat files allow exactly what machines with store buffers do, whatever the reads-from and
coherence of random programs with locked instructions and fences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from random import Random
from typing import TypeVar

import pytest
from tests.models.handmade import Candidate, Pairs
from tests.seeds import conclusive, generator

from treville.models.library import load_model

Row = tuple[int, str, str]
Buffer = tuple[int | None, ...]
State = tuple[tuple[int, ...], tuple[Buffer, ...], tuple[int, ...]]
Item = TypeVar("Item")
FENCES = ("MFENCE", "MEMBAR.SS")
INITIAL: list[Row] = [(-1, "W", "x"), (-2, "W", "y")]


def random_code(choose: Random, updates: bool) -> tuple[list[Row], Pairs, list[int]]:
    """The rows of two threads, at most five accesses, which of them are a read-modify-write, and which are
    locked: these and, as when a comparison fails, some others."""
    rows, pairs = list(INITIAL), Pairs()
    locked: list[int] = []
    share = choose.choice((0.0, 0.5, 1.0))
    for thread, length in enumerate(choose.choice(((2, 2), (2, 2), (2, 2), (2, 3), (3, 2), (1, 3)))):
        location = choose.choice("xy")
        while length > 0:
            location = (
                choose.choice((location, "x", "y"))
                if choose.random() < 0.4
                else {"x": "y", "y": "x"}[location]
            )
            kind = choose.random()
            if kind < 0.15 and length >= 2 and updates:
                pairs.append((len(rows), len(rows) + 1))
                locked += pairs[-1]
                rows += [(thread, "R", location), (thread, "W", location)]
                length -= 2
            else:
                locked += [len(rows)] * (choose.random() < share)
                rows.append((thread, "W" if kind < 0.6 else "R", location))
                length -= 1
            if choose.random() < 0.15:
                rows.append((thread, "F", choose.choice(FENCES)))
    return rows, pairs, locked


def candidates(rows: list[Row], pairs: Pairs, locked: list[int]) -> list[Candidate]:
    """Every choice of reads-from and coherence."""
    reads = [i for i, row in enumerate(rows) if row[1] == "R"]
    writes = {x: [i for i, row in enumerate(rows) if row[1:] == ("W", x)] for x in "xy"}
    sources = product(*(writes[rows[read][2]] for read in reads))
    orders = list(
        product(*([(first, *rest) for rest in permutations(others)] for first, *others in writes.values()))
    )
    return [
        Candidate(
            rows,
            list(zip(chosen, reads, strict=True)),
            [(a, b) for order in coherence for i, a in enumerate(order) for b in order[i + 1 :]],
            {"rmw": pairs, "amo": pairs},
            {"X": locked},
        )
        for chosen in sources
        for coherence in orders
    ]


class StoreBuffers:
    """A search for a run of the machine with the candidate's reads-from and coherence."""

    def __init__(self, candidate: Candidate, model: str) -> None:
        self.rows, self.model = candidate.rows, model
        self.source = {read: write for write, read in candidate.rf}
        self.updates = dict(candidate.relations["rmw"])
        self.locked = set(candidate.tags["X"]) if model == "tso" else set()
        self.before = {w: {a for a, b in candidate.co if b == w} for _, w in candidate.co}
        self.code = [[i for i, row in enumerate(self.rows) if row[0] == thread] for thread in (0, 1)]

    def allow(self) -> bool:
        """Depth first over positions, buffers (None is a store fence) and the writes that memory has seen."""
        start: State = ((0, 0), ((), ()), (0, 1))
        stack, seen = [start], {start}
        while stack:
            positions, buffers, done = stack.pop()
            if all(at == len(code) for at, code in zip(positions, self.code, strict=True)) and buffers == (
                (),
                (),
            ):
                return True
            for thread in (0, 1):
                for at, buffer, written in self._steps(thread, positions[thread], buffers[thread], done):
                    state = (_with(positions, thread, at), _with(buffers, thread, buffer), written)
                    if state not in seen:
                        seen.add(state)
                        stack.append(state)
        return False

    def _steps(
        self, thread: int, at: int, buffer: Buffer, done: tuple[int, ...]
    ) -> Iterator[tuple[int, Buffer, tuple[int, ...]]]:
        for place, entry in enumerate(buffer):
            if entry is None or not self._may_leave(buffer[:place], entry):
                continue
            if self.before[entry] <= set(done):
                yield at, _without_fences(buffer[:place] + buffer[place + 1 :]), (*done, entry)
        if at == len(self.code[thread]):
            return
        event = self.code[thread][at]
        _, kind, name = self.rows[event]
        if kind == "F":
            if name == "MEMBAR.SS" and self.model == "pso":
                yield at + 1, _without_fences((*buffer, None)), done
            elif name == "MEMBAR.SS" or not buffer:
                yield at + 1, buffer, done
        elif event in self.updates:
            update = self.updates[event]
            if (
                not buffer
                and self._memory(name, done) == self.source[event]
                and self.before[update] <= set(done)
            ):
                yield at + 2, buffer, (*done, update)
        elif event in self.locked and buffer:
            return
        elif kind == "W" and (self.model == "sc" or event in self.locked):
            if self.before[event] <= set(done):
                yield at + 1, buffer, (*done, event)
        elif kind == "W":
            yield at + 1, (*buffer, event), done
        else:
            own = [entry for entry in buffer if entry is not None and self.rows[entry][2] == name]
            if (own[-1] if own else self._memory(name, done)) == self.source[event]:
                yield at + 1, buffer, done

    def _may_leave(self, ahead: Buffer, entry: int) -> bool:
        if self.model != "pso":
            return not ahead
        return all(e is not None and self.rows[e][2] != self.rows[entry][2] for e in ahead)

    def _memory(self, location: str, done: tuple[int, ...]) -> int:
        return next(write for write in reversed(done) if self.rows[write][2] == location)


def _with(values: tuple[Item, ...], place: int, value: Item) -> tuple[Item, ...]:
    return (*values[:place], value, *values[place + 1 :])


def _without_fences(buffer: Buffer) -> Buffer:
    """A fence with nothing in front of it is gone."""
    return _without_fences(buffer[1:]) if buffer and buffer[0] is None else buffer


@pytest.mark.parametrize("name", ["sc", "tso", "pso"])
def test_a_model_allows_what_its_machine_does(name: str) -> None:
    model, choose = load_model(name), generator(f"buffers of {name}")
    allowed = forbidden = 0
    for _ in range(100):
        # PSO's file orders the store of a read-modify-write behind its load only, which no buffer does.
        found = candidates(*random_code(choose, updates=name != "pso"))
        for candidate in choose.sample(found, min(len(found), 24)):
            expected = StoreBuffers(candidate, name).allow()
            assert candidate.judge(model).consistent == expected, candidate
            allowed, forbidden = allowed + expected, forbidden + (not expected)
    assert conclusive(min(allowed, forbidden) > 40)


@pytest.mark.parametrize("name", ["sc", "tso", "pso"])
def test_a_model_allows_what_its_machine_does_on_all_crossing_pairs(name: str) -> None:
    """Two threads, each with two accesses, to x and y and to y and x, each of which may be locked."""
    model = load_model(name)
    for kinds in product("RW", repeat=4):
        crossing: list[Row] = list(zip((0, 0, 1, 1), kinds, "xyyx", strict=True))
        for locked in product((False, True), repeat=4):
            events = [len(INITIAL) + number for number, is_locked in enumerate(locked) if is_locked]
            for candidate in candidates([*INITIAL, *crossing], [], events):
                assert candidate.judge(model).consistent == StoreBuffers(candidate, name).allow(), candidate
