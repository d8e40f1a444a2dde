"""The contract: engines go on where they stopped, keep to their work, and say why they do not suit."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.engines.features_cases import Case, cases

from treville.engines.contract import Decision, Engine, GaveUp, Proved, Refuted
from treville.engines.decide.violation_search import Found, ViolationSearch
from treville.engines.features import Feature, features_of
from treville.engines.registry import DECIDE, OUTCOMES
from treville.engines.schedule import DECIDE_TABLE, Slice, run, slices_for
from treville.engines.task import ProgramTask, outcome_task, ready_task
from treville.events.execution import Execution
from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import (
    Allocate,
    Branch,
    Const,
    Havoc,
    Instruction,
    Load,
    Local,
    Op,
    Program,
    Reg,
    Store,
)
from treville.programs.litmus import parse
from treville.questions.outcomes import outcomes
from treville.questions.reachability import WrongWitness, judge_again
from treville.results import Budget, BudgetExceeded, OutOfWork, Unsupported
from treville.results.properties import Property

RESUMED = (
    "buffers", "waiting", "races", "views", "robustness", "graphs", "formulas", "eager", "lazy", "clocks",
    "rounds",
)  # fmt: skip


def kind(decision: Decision) -> str:
    if isinstance(decision, GaveUp):
        return "UNKNOWN"
    return "PASS" if isinstance(decision, Proved) else "FAIL"


def content(execution: Execution) -> tuple[object, ...]:
    """What two executions have in common if they are the same."""
    return execution.events, dict(execution.sets), dict(execution.relations)


@pytest.mark.parametrize("engine", RESUMED)
def test_an_engine_that_is_asked_again_goes_on(engine: str) -> None:
    """In slices that double from one unit on it ends as it does at once, and some tasks need several."""
    several = 0
    for case in cases():
        task = ready_task(case.program, case.model, case.property, 2, Budget(60))
        if not DECIDE[engine]().suits(task):
            continue
        at_once = DECIDE[engine]().run(task)
        made = DECIDE[engine]()
        for slices in itertools.count(1):
            sliced = made.run(task, 2**slices // 2)
            if not (isinstance(sliced, GaveUp) and sliced.more):
                break
        several += slices > 1
        assert kind(sliced) == kind(at_once), case.name
        if isinstance(at_once, Refuted) and isinstance(sliced, Refuted) and "states" in at_once.stats:
            assert content(sliced.execution) == content(at_once.execution), case.name
    assert several


@pytest.mark.parametrize("engine", ["buffers", "waiting", "views", "robustness"])
def test_states_are_units_of_work(engine: str) -> None:
    name = {"views": "rc11", "robustness": "rc11"}.get(engine, "tso")
    goal = "liveness" if engine == "waiting" else "assertion"
    for case in cases():
        if case.model.shipped != name or case.property.value != goal:
            continue
        task = ready_task(case.program, case.model, case.property, None, Budget(60))
        if DECIDE[engine]().suits(task):
            found = DECIDE[engine]().run(task, 3)
            all_states = DECIDE[engine]().run(task)
            few = isinstance(found, GaveUp) and found.more
            assert few or found.stats.get("states", 0) <= 8 or isinstance(found, Refuted | GaveUp), case.name
            assert kind(all_states) in (case.expected, "UNKNOWN")


def some_case(feature: Feature, expected: str, model: str) -> Case:
    return next(
        c for c in cases() if c.feature is feature and c.expected == expected and c.model.shipped == model
    )


def test_what_an_engine_refuses_it_refuses_by_name_and_place() -> None:
    case = some_case(Feature.ATOMIC_BLOCKS, "PASS", "rc11")
    task = ready_task(case.program, case.model, case.property)
    suitable = DECIDE["views"]().suits(task)
    assert not suitable
    assert "atomic blocks" in suitable.because
    found = DECIDE["views"]().run(task)
    assert isinstance(found, GaveUp)
    assert isinstance(found.error, Unsupported)


def test_what_an_engine_raises_stays_inside() -> None:
    case = some_case(Feature.FENCES, "PASS", "power")
    task = ready_task(case.program, case.model, case.property, 2, Budget(0.0))
    found = DECIDE["formulas"]().run(task)
    assert isinstance(found, GaveUp)
    assert isinstance(found.error, BudgetExceeded)


def test_work_is_counted_and_ends() -> None:
    budget = Budget().slice(10)
    budget.spend(7)
    assert budget.units_left == 3
    with pytest.raises(OutOfWork):
        budget.spend(4)
    assert Budget().units_left is None


# -- the schedule ----------------------------------------------------------------------------------------


def test_every_task_has_a_row_and_every_slice_an_engine() -> None:
    for case in cases():
        assert slices_for(ready_task(case.program, case.model, case.property))
    assert {each.engine for row in DECIDE_TABLE for each in row.slices} <= set(DECIDE)


def test_who_got_furthest_says_why_there_is_no_answer() -> None:
    case = some_case(Feature.LOOPS, "PASS", "power")
    task = ready_task(case.program, case.model, case.property, 1, Budget(60))
    loops = case.program
    assert loops.functions
    found = run(task, (Slice("buffers"), Slice("formulas"), Slice("interleavings")), DECIDE)
    assert not isinstance(found.answer, GaveUp) or found.engine == "formulas"
    nobody = run(task, (Slice("buffers"), Slice("views")), DECIDE)
    assert isinstance(nobody.answer, GaveUp)
    assert nobody.engine == "views"


class Nearing(Engine[ProgramTask, Decision]):
    """Needs 100 units, and can tell."""

    name, supports = "nearing", frozenset(Feature)

    def __init__(self) -> None:
        self.done = 0

    def left(self) -> float:
        return 100 - self.done

    def search(self, task: ProgramTask, budget: Budget) -> Decision:
        while self.done < 100:
            budget.spend(1)
            self.done += 1
        return Proved()


@pytest.mark.parametrize(
    ("near", "engine"), [(0, "formulas"), (69, "formulas"), (70, "nearing"), (100, "nearing")]
)
def test_an_engine_near_its_end_goes_on(near: int, engine: str) -> None:
    tasks = (ready_task(each.program, each.model, each.property, 1, Budget(60)) for each in cases())
    task = next(each for each in tasks if DECIDE["formulas"]().suits(each))
    makers = {**DECIDE, "nearing": Nearing}
    slices = (Slice("nearing", 30, near=near), Slice("formulas", None), Slice("interleavings", 1))
    assert run(task, slices, makers).engine == engine


def test_an_engine_that_is_always_near_its_end_leaves_work_to_others() -> None:
    class Hopeful(Nearing):
        def left(self) -> float:
            return 1

    tasks = (ready_task(each.program, each.model, each.property, 1, Budget(60)) for each in cases())
    task = next(each for each in tasks if DECIDE["formulas"]().suits(each))
    hopeful = Hopeful()
    slices = (Slice("nearing", 10, near=40), Slice("formulas", None), Slice("interleavings", 1))
    assert run(task, slices, {**DECIDE, "nearing": lambda: hopeful}).engine == "formulas"
    assert hopeful.done == 50


def slow_clock(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Every look at the clock takes so long."""
    ticks: Iterator[int] = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks) * seconds)


def test_a_slow_machine_gives_the_same_answers_by_the_same_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    def answers() -> list[tuple[str, str, object]]:
        found: list[tuple[str, str, object]] = []
        for case in cases():
            task = ready_task(case.program, case.model, case.property, None, Budget(1e9))
            scheduled = run(task, slices_for(task), DECIDE)
            answer = scheduled.answer
            shown = content(answer.execution) if isinstance(answer, Refuted) else None
            found.append((case.name, scheduled.engine, shown))
        return found

    expected = answers()
    slow_clock(monkeypatch, 30.0)
    assert answers() == expected


def test_a_time_limit_changes_nothing_but_the_end() -> None:
    for case in list(cases())[::5]:
        found = []
        for budget in (Budget(), Budget(1e6)):
            task = ready_task(case.program, case.model, case.property, None, budget)
            scheduled = run(task, slices_for(task), DECIDE)
            found.append((kind(scheduled.answer), scheduled.engine, scheduled.answer.bound))
        assert found[0] == found[1], case.name


# -- executions are judged again -------------------------------------------------------------------------


def test_an_execution_that_the_model_forbids_is_no_answer() -> None:
    case = some_case(Feature.FENCES, "FAIL", "tso")
    found = DECIDE["buffers"]().run(ready_task(case.program, case.model, case.property))
    assert isinstance(found, Refuted)
    judge_again(found, load_model("tso"))
    with pytest.raises(WrongWitness):
        judge_again(found, load_model("sc"))


def test_every_refutation_is_judged_consistent() -> None:
    for case in cases():
        if case.expected == "FAIL":
            task = ready_task(case.program, case.model, case.property, 4, Budget(60))
            found = run(task, slices_for(task), DECIDE).answer
            if isinstance(found, Refuted):
                run_ = found.execution
                judged = evaluate(task.model, len(run_.events), run_.sets, run_.relations)
                assert judged.consistent, case.name


# -- outcomes --------------------------------------------------------------------------------------------

LOCK = """X86 lock
{ x=0; l=1; }
 P0            | P1            ;
 MOV EAX,$0    | MOV EAX,$0    ;
 XCHG EAX,[l]  | XCHG EAX,[l]  ;
 MOV [x],EAX   | MOV EBX,[x]   ;
exists (0:EAX=1 /\\ 1:EBX=1)
"""


@pytest.mark.parametrize("engine", [name for name in OUTCOMES if ":" not in name])
def test_engines_for_outcomes_list_the_same_states(engine: str) -> None:
    test = parse(LOCK, "lock.litmus")
    expected = OUTCOMES["enumerate"]().run(outcome_task(test, load_model("tso"), 2))
    found = OUTCOMES[engine]().run(outcome_task(test, load_model("tso"), 2))
    assert not isinstance(found, GaveUp)
    assert not isinstance(expected, GaveUp)
    assert set(found.counts) == set(expected.counts)


def test_flags_are_refused_by_engines_that_do_not_list_them() -> None:
    test = parse(LOCK, "lock.litmus")
    task = outcome_task(test, load_model("sc"), 2)
    flagged = features_of(Program(), load_model("rc11"), None)
    assert Feature.FLAGS in flagged
    assert Feature.FLAGS not in OUTCOMES["clocks"]().supports
    assert Feature.FLAGS not in task.features


CODE = """AArch64 code
{ 0:X1=P0:there; }
 P0          ;
 there:      ;
 LDR W2,[X1] ;
exists (0:X2=0)
"""


@pytest.mark.parametrize("engine", ["auto", "enumerate", "eager", "lazy"])
def test_what_one_engine_refuses_on_its_way_no_other_answers(engine: str) -> None:
    with pytest.raises(Unsupported, match="instructions"):
        outcomes(parse(CODE, "code.litmus"), load_model("aarch64"), engine=engine)


def followed() -> Program:
    """Fresh memory holds a pointer that is followed unless it is null: zeros show no failure, others may."""
    draft = ProgramDraft()
    code: list[Instruction] = [
        Allocate("p", Const(8), "object", cells=((0, 64),), heap=True, index=1),
        Load("q", Reg("p"), frozenset({"NA", "DATA"}), bits=64, index=2),
        Branch("end", Op("eq", (Reg("q"), Const(0)), 64), index=3),
        Store(Reg("q"), Const(1), frozenset({"NA", "DATA"}), index=4),
    ]
    draft.threads.append(ThreadDraft("main", code, {"end": 4}))
    return draft.finished()


@pytest.mark.parametrize("model", ["power", "aarch64", "sc"])
@pytest.mark.parametrize("engine", ["formulas", "eager", "lazy"])
def test_zeros_stand_for_fresh_memory_only_where_they_fail(engine: str, model: str) -> None:
    """Also when the search with zeros runs out of work, and goes on."""
    task = ready_task(followed(), load_model(model), bound=1, budget=Budget(60))
    assert not isinstance(DECIDE[engine]().run(task), Proved)
    for units in range(1, 40):
        made = DECIDE[engine]()
        for _ in range(60):
            found = made.run(task, units)
            assert not isinstance(found, Proved), units
            if not (isinstance(found, GaveUp) and found.more):
                break


def test_a_search_that_ran_out_of_work_does_not_take_zeros_for_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = ready_task(followed(), load_model("power"), Property.ASSERTION, bound=1, budget=Budget(60))
    searches: list[int] = []
    run_once = ViolationSearch.run

    def tired(self: ViolationSearch, budget: Budget, effort: int | None) -> Found:
        searches.append(1)
        if len(searches) == 2:  # the one with zeros, after the one that met fresh memory
            raise OutOfWork("tired")
        return run_once(self, budget, effort)

    monkeypatch.setattr(ViolationSearch, "run", tired)
    engine = DECIDE["formulas"]()
    first = engine.run(task, 10_000)
    assert isinstance(first, GaveUp)
    assert first.more
    assert not isinstance(engine.run(task, 10_000), Proved)


def test_work_counts_from_the_first_slice_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """How deep a search goes does not depend on the slices in which it is done."""
    monkeypatch.setattr("treville.engines.decide.formulas.CHEAP", 30)
    case = some_case(Feature.LOOPS, "PASS", "power")
    code: list[Instruction] = [
        Havoc("n", (0, 1), index=i.index) if isinstance(i, Local) else i
        for i in case.program.functions["t0"].instructions
    ]
    code[-1] = Branch("again", Reg("n"), index=9)
    endless = replace(case.program.functions["t0"], instructions=tuple(code))
    main = case.program.threads[0]
    quiet = replace(main, instructions=main.instructions[:-1])  # without the assertion
    program = replace(case.program, threads=(quiet,), functions={"t0": endless})
    bounds = set()
    for units in (None, 40, 400):
        made = DECIDE["formulas"]()
        task = ready_task(program, case.model, budget=Budget(60))
        found = made.run(task, units)
        while isinstance(found, GaveUp) and found.more:
            found = made.run(task, units)
        bounds.add((kind(found), found.bound))
    assert bounds == {("UNKNOWN", 32)}
