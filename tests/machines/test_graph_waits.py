"""Threads that wait in execution graphs: the complete graphs are those of threads that read in vain."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.random_views import as_in_c
from tests.random_waiting import ATOMIC, Locking, Spinning, Waiting
from tests.seeds import conclusive

from treville.engines.contract import GaveUp, Proved, Refuted
from treville.engines.registry import DECIDE
from treville.engines.task import ready_task
from treville.machines.graphs.event import Event, Kind
from treville.machines.graphs.explore import Explorer
from treville.machines.graphs.graph import Graph
from treville.machines.graphs.of_program import explorer_for
from treville.machines.states import TooManyStates
from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.models.model import Model
from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.results.properties import Property

_MOST = 20_000
RELAXED = frozenset({"RLX", "A"})


def identity(graph: Graph) -> object:
    """What makes a graph the one that it is, wherever threads waited meanwhile."""
    names: dict[int, tuple[int, int]] = {}
    for thread, events in graph.threads.items():
        done = [event for event in events if event.kind is not Kind.WAIT]
        names |= {id(event): (thread, place) for place, event in enumerate(done)}

    def name(event: Event | None) -> tuple[int, int]:
        return names.get(id(event), (-1, 0))

    facts = sorted((*name(e), e.value, name(e.source)) for e in graph.order if id(e) in names)
    orders = sorted((place, tuple(map(name, writes))) for place, writes in graph.writes.items())
    return tuple(facts), tuple(orders)


def explored(explorer: Explorer) -> Counter[object] | None:
    """The complete graphs, each as often as it was visited; None if there are too many."""
    seen: Counter[object] = Counter()
    spent = 0

    def spend(units: int) -> None:
        nonlocal spent
        spent += units
        if spent > _MOST:
            raise TooManyStates("enough")

    explorer.visit = lambda graph: seen.update([identity(graph)])
    explorer.spend = spend
    try:
        explorer.explore()
    except TooManyStates:
        return None
    return seen


class ReadsInVain:
    """Nobody waits: all that a thread reads is an event."""

    def blocks(self, *_: object) -> bool:
        """Never."""
        return False

    is_stuck = blocks


def compare(model: Model, seeds: range, kind: type[Waiting] = Waiting) -> tuple[int, int]:
    """Compare with searches in which nobody waits: how many programs, and how many graphs less?"""
    compared = fewer = 0
    for seed in seeds:
        program = as_in_c(kind(seed).make().finished(), model)
        plain, waiting = (explorer_for(program, model, frozenset()) for _ in range(2))
        plain._waits = ReadsInVain()  # type: ignore[assignment]
        expected, found = explored(plain), explored(waiting)
        if expected is not None and found is not None:
            assert set(expected) == set(found), seed
            compared += 1
            fewer += plain.blocked - waiting.blocked
    return compared, fewer


@pytest.mark.parametrize("name", ["sc", "rc11"])
@pytest.mark.parametrize("kind", [Waiting, Locking, Spinning])
def test_the_same_graphs_are_complete(kind: type[Waiting], name: str) -> None:
    compared, fewer = compare(load_model(name), range(40), kind)
    assert conclusive(compared > 20 and fewer >= 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sc", "tso", "pso", "rc11"])
@pytest.mark.parametrize("kind", [Waiting, Locking, Spinning])
@pytest.mark.parametrize("first", range(1_000, 3_000, 500))
def test_the_same_graphs_are_complete_in_many_programs(first: int, kind: type[Waiting], name: str) -> None:
    assert compare(load_model(name), range(first, first + 500), kind)[1] > 0


@pytest.mark.parametrize("name", ["sc", "rc11"])
def test_a_deleted_write_no_longer_makes_a_thread_wait(name: str) -> None:
    """One thread waits for x = 1, and goes on waiting as x = 2 is behind that; the latter is deleted when
    the read of y takes what was written after x = 1."""
    program = ProgramDraft()
    x, y = (ir.Const(program.location(place).address) for place in "xy")
    again = ir.Op("ne", (ir.Reg("seen"), ir.Const(1)), 32)
    waits = ThreadDraft("waits", [ir.Load("seen", x, RELAXED, index=1), ir.Branch("again", again, index=2)])
    waits.labels["again"] = 0
    reads = ThreadDraft("reads", [ir.Load("passed", y, RELAXED, index=3)])
    writes = ThreadDraft("writes", [ir.Store(x, ir.Const(2), RELAXED, index=4)])
    both = ThreadDraft("both", [ir.Store(x, ir.Const(1), RELAXED, index=5)])
    both.instructions.append(ir.Store(y, ir.Const(1), RELAXED, index=6))
    threads = (waits, reads, writes, both)
    program.functions |= {thread.name: thread for thread in threads}
    code: list[ir.Instruction] = [ir.Spawn(f"h{t.name}", t.name, ir.Const(0)) for t in threads]
    program.threads.append(ThreadDraft("main", code))
    explorer = explorer_for(program.finished(), load_model(name), frozenset())
    assert explorer.explore() is None
    assert explorer.complete == 4  # the order of the writes of x, and what y is


def test_threads_that_take_locks_are_never_left_behind() -> None:
    """Three threads take a mutex, two times each."""
    made = Waiting(0)
    program, mutex = made.program, made.mutexes[0]
    for number in range(3):
        thread = ThreadDraft(f"t{number}")
        for _ in range(2):
            made.take(thread, mutex, ATOMIC)
            thread.instructions.append(ir.Store(mutex, ir.Const(0), frozenset({"SC", "A"})))
        program.functions[thread.name] = thread
    program.threads.append(ThreadDraft("main", [ir.Spawn(f"h{n}", f"t{n}", ir.Const(0)) for n in range(3)]))
    explorer = explorer_for(program.finished(), load_model("rc11"), frozenset())
    explorer.explore()
    assert (explorer.complete, explorer.blocked) == (90, 0)


def test_threads_at_a_barrier_are_never_left_behind() -> None:
    """Three threads count themselves, and wait for all."""
    program = ProgramDraft()
    place = ir.Const(program.location("arrived").address)
    for number in range(3):
        thread = ThreadDraft(f"t{number}")
        more = ir.Op("add", (ir.Reg("old"), ir.Const(1)), 32)
        thread.instructions += [
            ir.Load("old", place, RELAXED, link=True, index=1),
            ir.Store(place, more, RELAXED, link=True, index=1),
        ]
        thread.labels["again"] = 2
        again = ir.Op("ne", (ir.Reg("now"), ir.Const(3)), 32)
        thread.instructions += [ir.Load("now", place, RELAXED, index=2), ir.Branch("again", again, index=3)]
        program.functions[thread.name] = thread
    program.threads.append(ThreadDraft("main", [ir.Spawn(f"h{n}", f"t{n}", ir.Const(0)) for n in range(3)]))
    explorer = explorer_for(program.finished(), load_model("rc11"), frozenset())
    explorer.explore()
    assert (explorer.complete, explorer.blocked) == (6, 0)


@pytest.mark.parametrize("names", [("waits", "writes"), ("writes", "waits")])
def test_a_read_that_only_waits_races(names: tuple[str, str]) -> None:
    """One thread waits for 1, atomically; the other one writes 2, and not atomically."""
    program = ProgramDraft()
    place = ir.Const(program.location("x").address)
    waits, writes = ThreadDraft("waits"), ThreadDraft("writes")
    waits.labels["again"] = 0
    again = ir.Op("ne", (ir.Reg("now"), ir.Const(1)), 32)
    waits.instructions += [ir.Load("now", place, RELAXED, index=1), ir.Branch("again", again, index=2)]
    writes.instructions.append(ir.Store(place, ir.Const(2), frozenset({"NA", "DATA"}), index=1))
    program.functions |= {"waits": waits, "writes": writes}
    program.threads.append(ThreadDraft("main", [ir.Spawn(f"h{n}", n, ir.Const(0)) for n in names]))
    task = ready_task(program.finished(), load_model("rc11"), Property.RACE, 1)
    found = DECIDE["graphs"]().run(task)
    assert isinstance(found, Refuted)
    judged = evaluate(
        task.model, len(found.execution.events), found.execution.sets, found.execution.relations
    )
    assert judged.consistent
    assert judged.undefined


def races(seeds: range) -> set[type]:
    """Compare races of programs that wait with the solver's; which answers are there?"""
    kinds, rc11 = set(), load_model("rc11")
    for seed in seeds:
        task = ready_task(as_in_c(Waiting(seed).make().finished(), rc11), rc11, Property.RACE, 2)
        found, other = (DECIDE[engine]().run(task, 20_000) for engine in ("graphs", "formulas"))
        if not isinstance(found, GaveUp) and not isinstance(other, GaveUp):
            assert type(found) is type(other), seed
            kinds.add(type(found))
    return kinds


def test_who_waits_races_as_the_solver_says() -> None:
    assert conclusive(races(range(25)) == {Proved, Refuted})


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 3_000, 250))
def test_many_who_wait_race_as_the_solver_says(first: int) -> None:
    assert races(range(first, first + 250)) == {Proved, Refuted}
