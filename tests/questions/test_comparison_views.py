"""A solution of a sketch and the test that is written for it are the same execution: event by event, with
every base relation that Treville's executions have, and the sets that the model reads."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.seeds import generator

from treville.events.execution import INIT_THREAD, Execution
from treville.formulas.formula import FALSE, Literal
from treville.models.library import load_model
from treville.programs.litmus import parse
from treville.programs.litmus.states import state_satisfies
from treville.programs.litmus.writing import WRITERS
from treville.programs.litmus.writing.program import WrittenProgram
from treville.questions.comparison import view as view_module
from treville.questions.comparison.alphabet import alphabet
from treville.questions.comparison.found import Found, Reader
from treville.questions.comparison.sketch import Shape, Sketch
from treville.questions.comparison.view import ALLOWING, View
from treville.questions.executions import executions
from treville.relations import EventId
from treville.results import Budget
from treville.solving.back_ends.clasp import Clasp

RELATIONS = ("po", "addr", "data", "ctrl", "rmw", "amo", "lxsx", "rf", "co", "fr", "loc", "int", "ext", "si")
SHAPES = (Shape((4,), 2), Shape((3, 2), 3), Shape((2, 2, 1), 2), Shape((5, 1), 3))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("dialect", "name"),
    [
        ("X86", "tso"),
        ("PPC", "power"),
        ("AArch64", "aarch64"),
        ("RISCV", "riscv"),
        ("C", "imm"),
        ("C", "power"),
        ("C", "riscv"),
        ("LKMM", "lkmm"),
    ],
)
def test_a_solution_and_its_test_are_one_execution(
    dialect: str, name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pick = generator(f"{dialect} {name} {seed}")
    model = load_model(name)
    sketch = Sketch(pick.choice(SHAPES), alphabet(dialect, model, model), coherent=True)
    _read_everything(monkeypatch)
    view = View(sketch, model, ALLOWING)
    solver = Clasp(sketch.formula)
    wanted = _random_choices(sketch, solver, pick.random)
    told: list[tuple[Found, dict[str, set[tuple[int, int]]], dict[str, set[int]]]] = []

    def on_solution(is_true: Callable[[Literal], bool]) -> bool:
        told.append((Reader(sketch, True).read(is_true), *_seen(view, is_true)))
        return False

    solver.enumerate(Budget(), on_solution, wanted)
    found, relations, sets = told[0]
    text = WRITERS[dialect].write(WrittenProgram("seen", found.threads, found.outcome))
    test = parse(text, "seen.litmus")
    any_execution = [
        each.execution
        for each in executions(test, model, "all", ending=lambda state: state_satisfies(test, state))
    ]
    assert any(_same(execution, relations, sets) for execution in any_execution), (text, relations, sets)


def _read_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let views have all base relations, whatever the model reads."""
    monkeypatch.setattr(view_module, "relations_read", lambda _: set(RELATIONS))


def _random_choices(sketch: Sketch, solver: Clasp, random: Callable[[], float]) -> list[Literal]:
    """Random letters, fences and dependencies that can be had together."""
    chosen: list[Literal] = []
    options = [each for row in sketch.holds for each in row if random() < 0.3]
    options += [each for row in sketch.fences.values() for each in row if random() < 0.3]
    options += [each for pairs in sketch.dependencies.values() for each in pairs.values() if random() < 0.4]
    options += [each for each in sketch.behind.values() if random() < 0.5]
    for literal in options:
        if literal != FALSE and _possible(solver, [*chosen, literal]):
            chosen.append(literal)
    return chosen


def _possible(solver: Clasp, literals: list[Literal]) -> bool:
    found = []

    def on_solution(_: Callable[[Literal], bool]) -> bool:
        found.append(True)
        return False

    solver.enumerate(Budget(), on_solution, literals)
    return bool(found)


def _seen(
    view: View, is_true: Callable[[Literal], bool]
) -> tuple[dict[str, set[tuple[int, int]]], dict[str, set[int]]]:
    """The relations and sets of a solution; events are numbered as executions number them: initial writes of
    used locations first."""
    events = [EventId(n) for n in range(view.n) if is_true(view.executed[n])]
    initial = [event for event in events if event in view.initial]
    order = {
        event: number for number, event in enumerate([*initial, *(e for e in events if e not in initial)])
    }
    relations = {}
    for name in RELATIONS:
        bounds = view.facts.relations[name]
        pairs = {pair for pair in bounds.must.pairs() if pair[0] in order and pair[1] in order}
        pairs |= {pair for pair, literal in view.pairs.get(name, {}).items() if is_true(literal)}
        relations[name] = {(order[one], order[other]) for one, other in pairs}
    sets = {}
    for name, limits in view.facts.sets.items():
        inside = {e for e in events if limits.must >> e & 1}
        inside |= {e for e, literal in view.members.get(name, {}).items() if is_true(literal)}
        sets[name] = {order[event] for event in inside}
    return relations, sets


def _same(
    execution: Execution, relations: dict[str, set[tuple[int, int]]], sets: dict[str, set[int]]
) -> bool:
    """Initial writes are sorted by address there and by location here, which is the same order."""
    count = sum(event.thread == INIT_THREAD for event in execution.events)
    if count != len(sets["IW"]):
        return False
    for name, pairs in relations.items():
        found = execution.relations.get(name)
        if set(found.pairs() if found is not None else ()) != pairs:
            return False
    return all(
        {n for n in range(len(execution.events)) if execution.sets.get(name, 0) >> n & 1} == members
        for name, members in sets.items()
    )
