"""Execution graphs: as many as the enumerator lists, each once; with reductions, others' answers."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import pytest
from tests.random_races import as_program, random_races
from tests.random_views import RandomTest, as_in_c
from tests.random_waiting import ATOMIC, ORDERS, Waiting
from tests.seeds import conclusive, generator

from treville.engines.contract import Decision, GaveUp, Proved, Refuted
from treville.engines.registry import DECIDE
from treville.engines.task import ready_task
from treville.events.execution import INIT_THREAD
from treville.machines.graphs.event import Event
from treville.machines.graphs.explore import Explorer
from treville.machines.graphs.graph import Graph
from treville.machines.graphs.of_program import explorer_for
from treville.machines.graphs.relations import Base
from treville.machines.states import TooManyStates
from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.models.model import Model
from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.questions.executions import executions
from treville.questions.outcomes import outcomes
from treville.results import Budget, OutOfWork
from treville.results.properties import Property

MODELS = ("sc", "tso", "pso", "rc11")
WEAK = ("imm", "aarch64", "armv7", "riscv", "power")


class Counted(NamedTuple):
    """How many graphs there are, how many were shown twice, and how many the model forbids."""

    complete: int
    twice: int
    forbidden: int


def _identity(graph: Graph) -> object:
    """What makes a graph the one that it is."""

    def name(event: Event | None) -> tuple[int, int] | None:
        return None if event is None else (event.thread, event.index)

    events = sorted((e.thread, e.index, e.value, name(e.source) or (0, 0)) for e in graph.order)
    orders = sorted((place, [name(write) for write in writes]) for place, writes in graph.writes.items())
    return repr((events, orders))


def explored(explorer: Explorer, model: Model) -> Counted:
    """Explore everything, and judge every complete graph."""
    seen: set[object] = set()
    twice = forbidden = 0

    def visit(graph: Graph) -> None:
        nonlocal twice, forbidden
        identity = _identity(graph)
        twice += identity in seen
        seen.add(identity)
        base = Base(graph)
        judged = evaluate(model, base.count, base.sets, base.relations, everything=False)
        forbidden += not judged.consistent

    explorer.visit = visit
    assert explorer.explore() is None
    return Counted(explorer.complete, twice, forbidden)


def whole_program(test: RandomTest, model: Model) -> ir.Program:
    """The program without its assertion."""
    program = test.program(fences=False)
    (main,) = program.threads
    return as_in_c(replace(program, threads=(replace(main, instructions=main.instructions[:-1]),)), model)


def compare(name: str, seeds: range, size: int) -> int:
    """Compare with the enumerator; how many tests have several executions?"""
    model, several = load_model(name), 0
    for seed in seeds:
        test = RandomTest(seed, ordered=seed % 2 == 0, plain=seed % 4 < 2, size=size)
        listed = outcomes(test.litmus(), model, 2, Budget(), "enumerate").states.values()
        expected = sum(count or 0 for count in listed)
        found = explored(explorer_for(whole_program(test, model), model, frozenset(), reduced=False), model)
        assert found == (expected, 0, 0), seed
        several += expected > 1
    return several


def compare_cycles(name: str, seeds: range, size: int) -> int:
    """Compare under a model that allows load buffering: as many graphs as executions where it does not
    happen; how many tests have it?"""
    model, buffering = load_model(name), 0
    for seed in seeds:
        test = Relaxed(seed, ordered=seed % 2 == 0, plain=seed % 4 < 2, size=size)
        relations = [judged.execution.relations for judged in executions(test.litmus(), model)]
        without = [each for each in relations if (each["po"] | each["rf"]).is_acyclic()]
        explorer = explorer_for(whole_program(test, model), model, frozenset(), reduced=False)
        try:
            explorer.explore()
        except TooManyStates:
            buffering += len(without) < len(relations)
        else:
            assert len(without) == len(relations) == explorer.complete, seed
    return buffering


class Relaxed(RandomTest):
    """Few cells, accesses that are mostly relaxed, some data dependencies."""

    def _instruction(self, thread: ThreadDraft, number: int, step: int, known: list[str]) -> None:
        pick, index, kind = self.rng.choice, step + 1, self.rng.random()
        address = ir.Const(self.cells[pick((0, 1, 1, 2) if self.seed % 3 else (0, 1))])
        value: ir.Expr = ir.Const(pick((1, 2)))
        if known and self.rng.random() < 0.3:
            value = ir.Op("add", (ir.Reg(pick(known)), ir.Const(1)), 32)
        if kind < 0.4:
            tags = self._tags(("RLX", "RLX", "RLX", "REL"))
            thread.instructions.append(ir.Store(address, value, tags, index=index))
        elif kind < 0.85:
            known.append(f"r{step}")
            tags = self._tags(("RLX", "RLX", "RLX", "ACQ"))
            thread.instructions.append(ir.Load(known[-1], address, tags, index=index))
        elif kind < 0.92:
            thread.instructions.append(ir.Fence(frozenset({pick(("ACQ", "REL", "SC"))}), index=index))
        else:
            self._update(thread, address, f"r{step}", index)
            known.append(f"r{step}")


def only_main_is_ordered(seed: int, model: Model) -> ir.Program:
    """A random program in which only main has seq_cst events: fences, and accesses between what it starts."""
    test = RandomTest(seed, ordered=True, plain=seed % 4 < 2, size=5)
    whole, random = whole_program(test, model), generator(seed)
    (main,) = whole.threads
    code: list[ir.Instruction] = []
    for place, each in enumerate(main.instructions):
        code.append(each)
        address, tags = ir.Const(random.choice(test.cells)), frozenset({"SC", "A"})
        if isinstance(each, ir.Spawn) and random.random() < 0.7:
            code.append(ir.Store(address, ir.Const(3), tags, index=900 + place))
        elif isinstance(each, ir.Spawn):
            code.append(ir.Load(f"own{place}", address, tags, index=900 + place))

    def weaker(instruction: ir.Instruction) -> ir.Instruction:
        if not isinstance(instruction, ir.Load | ir.Store | ir.Fence) or "SC" not in instruction.tags:
            return instruction
        order = "REL" if isinstance(instruction, ir.Fence) else "RLX"
        return replace(instruction, tags=instruction.tags - {"SC"} | {order})

    functions = {
        name: replace(body, instructions=tuple(map(weaker, body.instructions)))
        for name, body in whole.functions.items()
    }
    return replace(whole, threads=(replace(main, instructions=tuple(code)),), functions=functions)


def compare_main(seeds: range) -> int:
    """Compare with a search that asks the model where only main has seq_cst events; how many programs have
    several executions?"""
    model, several = load_model("rc11"), 0
    for seed in seeds:
        program = only_main_is_ordered(seed, model)
        quick, asking = (explorer_for(program, model, frozenset(), reduced=False) for _ in range(2))
        assert quick.consistency.coherent
        asking.consistency.coherent = False
        found = explored(quick, model)
        assert (found.twice, found.forbidden) == (0, 0), seed
        assert found == explored(asking, model), seed
        several += found.complete > 1
    return several


def test_what_only_main_orders_needs_no_model() -> None:
    assert conclusive(compare_main(range(60)) > 20)
    ordered = whole_program(RandomTest(1, ordered=True), load_model("rc11"))
    assert not explorer_for(ordered, load_model("rc11"), frozenset()).consistency.coherent


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 4_000, 500))
def test_what_only_main_orders_needs_no_model_in_many_programs(first: int) -> None:
    assert compare_main(range(first, first + 500)) > 100


@pytest.mark.parametrize("name", WEAK)
def test_load_buffering_is_noticed(name: str) -> None:
    assert conclusive(compare_cycles(name, range(60, 110), 6) > 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", WEAK)
@pytest.mark.parametrize("first", range(1_000, 4_000, 500))
def test_load_buffering_is_noticed_in_many_tests(name: str, first: int) -> None:
    assert conclusive(compare_cycles(name, range(first, first + 500), 7) > 5)


class Retrying(Waiting):
    """Some threads write in each round of a loop, which the others may see."""

    def _part(self, thread: ThreadDraft) -> None:
        if self.random.random() < 0.6:
            super()._part(thread)
            return
        seen, choose = self._name(), self.random.choice
        first, second = self.random.sample(self.data, 2)
        value = ir.Const(choose((0, 1)))
        body: list[ir.Instruction] = [ir.Store(first, value, choose(ORDERS), index=self.fresh)]
        if self.random.random() < 0.3:
            body.append(ir.Store(choose(self.mutexes), ir.Const(choose((0, 1))), choose(ORDERS)))
        if self.random.random() < 0.5:
            body.append(ir.Load(seen, second, choose(ORDERS[:2])))
            again: ir.Expr = ir.Op("ne", (ir.Reg(seen), ir.Const(choose((0, 1)))), 32)
        else:
            equal = ir.Op("eq", (ir.Reg(seen), ir.Const(choose((0, 1)))), 32)
            body += [
                ir.Load(seen, second, ATOMIC, link=True, index=self.fresh),
                ir.Store(second, ir.Const(1), ATOMIC, link=True, when=equal, index=self.fresh),
            ]
            again = ir.Op("lnot", (equal,))
        self._loop(thread, body, again)


def waiting_program(seed: int, model: Model, kind: type[Waiting] = Waiting) -> ir.Program:
    """Threads that wait, and assertions at their ends and at that of main."""
    drawn = kind(seed)
    program = drawn.make()
    choose = generator(f"assertions of {seed}")

    def asserted(name: str, place: ir.Expr, value: int) -> list[ir.Instruction]:
        differs = ir.Op("ne", (ir.Reg(name), ir.Const(value)), 32)
        return [ir.Load(name, place, frozenset({"RLX", "A"}), index=5_000), ir.Assert(differs)]

    for thread in program.functions.values():
        if choose.random() < 0.6:
            thread.instructions += asserted("seen", choose.choice(drawn.data), choose.choice((0, 1, 2)))
    program.threads[0].instructions += asserted("end", choose.choice(drawn.data), choose.choice((0, 1, 2)))
    return as_in_c(program.finished(), model)


def decided(engine: str, program: ir.Program, model: Model, bound: int | None) -> Decision:
    """The answer of an engine, with some work."""
    return DECIDE[engine]().run(ready_task(program, model, Property.ASSERTION, bound), 20_000)


def compare_answers(name: str, engine: str, seeds: range, kind: type[Waiting] = Waiting) -> tuple[int, int]:
    """Compare with another engine where both have an answer; how many PASS, and how many FAIL?"""
    model, passed, failed = load_model(name), 0, 0
    for seed in seeds:
        program = waiting_program(seed, model, kind)
        found = decided("graphs", program, model, None)
        other = decided(engine, program, model, 2 if engine == "formulas" else None)
        if isinstance(found, GaveUp) or isinstance(other, GaveUp):
            continue
        assert type(found) is type(other), seed
        passed += isinstance(found, Proved)
        failed += isinstance(found, Refuted)
    return passed, failed


def test_races_are_those_of_the_solver() -> None:
    kinds, rc11 = set(), load_model("rc11")
    for seed in range(30):
        task = ready_task(as_program(random_races(seed)), rc11, Property.RACE, 2)
        found, other = (DECIDE[engine]().run(task) for engine in ("graphs", "formulas"))
        assert type(found) is type(other), seed
        kinds.add(type(found))
    assert conclusive(kinds == {Proved, Refuted})


def test_races_are_noticed_while_failures_are_looked_for() -> None:
    kinds, rc11 = set(), load_model("rc11")
    for seed in range(60):
        program = as_program(random_races(seed))
        safe = DECIDE["graphs"]().run(ready_task(program, rc11))
        assert isinstance(safe, Proved)
        races = DECIDE["graphs"]().run(ready_task(program, rc11, Property.RACE))
        assert (Property.RACE in safe.also) == isinstance(races, Proved), seed
        kinds.add(type(races))
    assert conclusive(kinds == {Proved, Refuted})
    for task in (ready_task(program, load_model("sc")), ready_task(program, rc11, Property.MEMORY)):
        alone = DECIDE["graphs"]().run(task)
        assert isinstance(alone, Proved)
        assert not alone.also


def test_graphs_without_races_under_imm_are_a_proof() -> None:
    kinds, imm = set(), load_model("imm")
    for seed in range(40):
        program = as_program(random_races(seed))
        found = DECIDE["graphs"]().run(ready_task(program, imm, Property.RACE, 2))
        other = DECIDE["formulas"]().run(ready_task(program, imm, Property.RACE, 2))
        assert not isinstance(found, Refuted), seed
        assert isinstance(found, GaveUp) or isinstance(other, Proved), seed
        kinds.add((type(found), type(other)))
    assert conclusive(kinds >= {(Proved, Proved), (GaveUp, Refuted)})


OTHERS = [
    ("sc", "buffers"), ("tso", "buffers"), ("pso", "buffers"), ("rc11", "views"), ("rc11", "formulas"),
    ("aarch64", "formulas"), ("power", "formulas"), ("imm", "formulas"), ("riscv", "formulas"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "engine"), OTHERS)
def test_with_reductions_the_answers_are_those_of_other_engines(name: str, engine: str) -> None:
    passed, failed = compare_answers(name, engine, range(12 if engine == "formulas" else 40))
    assert conclusive(passed > 0 and failed > 3)


def test_rounds_that_write() -> None:
    _, failed = compare_answers("tso", "buffers", range(8), Retrying)
    assert conclusive(failed > 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Waiting, Retrying])
@pytest.mark.parametrize("first", range(1_000, 2_000, 250))
@pytest.mark.parametrize(("name", "engine"), OTHERS)
def test_with_reductions_many_answers_are_those_of_others(
    name: str, engine: str, first: int, kind: type[Waiting]
) -> None:
    passed, failed = compare_answers(name, engine, range(first, first + 250), kind)
    assert passed > 20 or kind is Retrying
    assert failed > 20


@pytest.mark.parametrize("name", MODELS)
def test_as_many_graphs_as_executions(name: str) -> None:
    assert conclusive(compare(name, range(60), 7) > 30)


def test_progress_grows_to_the_whole() -> None:
    model = load_model("rc11")
    explorer = explorer_for(whole_program(RandomTest(10, size=8), model), model, frozenset(), reduced=False)
    told, granted = [explorer.progress], 0

    def spend(units: int) -> None:
        nonlocal granted
        if granted < units:
            raise OutOfWork("no work is left")
        granted -= units

    explorer.spend, ended = spend, False
    while not ended:
        granted = 60
        with suppress(OutOfWork):
            ended = explorer.explore() is None
        told.append(explorer.progress)
    assert told[0] == pytest.approx(0)
    assert told == sorted(told)
    assert len(set(told)) > 10
    assert told[-1] == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("first", range(1_000, 4_000, 500))
def test_as_many_graphs_as_executions_of_many_tests(name: str, first: int) -> None:
    assert compare(name, range(first, first + 500), 8) > 200


def test_threads_are_numbered_as_the_failing_run_starts_them() -> None:
    """Where other runs start the thread at another place, or others before it."""
    draft = ProgramDraft()
    place = ir.Const(draft.location("x").address)
    main = (
        ir.Havoc("r", (0, 1)), ir.Branch("start", ir.Reg("r")),
        ir.Load("s", place), ir.Store(place, ir.Const(0)), ir.Load("s", place),
        ir.Spawn("h", "fails", ir.Reg("r")),
    )  # fmt: skip
    fails = ir.Thread("fails", (ir.Load("s", place), ir.Assert(ir.Reg("a"))), parameter="a")
    program = replace(
        draft.finished(), threads=(ir.Thread("main", main, {"start": 5}),), functions={"fails": fails}
    )
    task = ready_task(program, load_model("sc"), Property.ASSERTION, None, Budget(60))
    decision = DECIDE["graphs"]().run(task, 1_000)
    assert isinstance(decision, Refuted)
    assert decision.evidence.thread_names == ("main", "fails")
    assert {event.thread for event in decision.execution.events} <= {INIT_THREAD, 0, 1}
