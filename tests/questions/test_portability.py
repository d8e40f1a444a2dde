"""Portability of litmus tests: the thesis's examples, both notions, directions and engines, oracles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypedDict, Unpack

import pytest
from tests.brute_force import Oracle
from tests.random_litmus import random_test

from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.passes.program import Context
from treville.programs.ir import Fence, Program
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.questions.portability import Portability, Question, portability
from treville.questions.portability.reordered import steps_of
from treville.questions.portability.suggesting import PortedSubject, explain_finding
from treville.questions.repair.costs import read_costs
from treville.questions.repair.decide import Wanted, repaired
from treville.questions.repair.of_test import litmus_subject
from treville.results import Budget, BudgetExceeded, Unsupported, Verdict

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpora" / "litmus"
ENGINES = ("enumerate", "eager", "lazy")

IRIW = """C IRIW
{{ x=0; y=0; }}
P0(atomic_int* y) {{ atomic_store_explicit(y, {value}, {order}); }}
P1(atomic_int* x) {{ atomic_store_explicit(x, {value}, {order}); }}
P2(atomic_int* x, atomic_int* y) {{
  int r1 = atomic_load_explicit(x, {order});
  int r2 = atomic_load_explicit(y, {order});
}}
P3(atomic_int* x, atomic_int* y) {{
  int r1 = atomic_load_explicit(y, {order});
  int r2 = atomic_load_explicit(x, {order});
}}
exists (2:r1=1 /\\ 2:r2=0 /\\ 3:r1=1 /\\ 3:r2=0)
"""
SB = """X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
# Two writes that nobody sees stand in front of the last one; only reads tell that it is store buffering.
UNSEEN = """X86 unseen
{ x=0; y=0; z=0; }
 P0          | P1          | P2         ;
 MOV [z],$1  | MOV [z],$2  | MOV [z],$3 ;
 MOV [x],$1  | MOV [y],$1  |            ;
 MOV EAX,[y] | MOV EAX,[x] |            ;
exists (0:EAX=0 /\\ 1:EAX=0 /\\ z=3)
"""


def iriw(value: int = 1, order: str = "memory_order_relaxed") -> LitmusTest:
    return parse(IRIW.format(value=value, order=order), "IRIW.litmus")


class Options(TypedDict, total=False):
    """What a question says beyond models and notion."""

    direction: str
    observe: str
    engine: str
    dead: bool


def ask(
    test: LitmusTest, source: str, target: str, notion: str = "state", **options: Unpack[Options]
) -> Portability:
    question = Question(load_model(source), load_model(target), notion)
    return portability(test, replace(question, **options), Budget(60))


def passes(
    test: LitmusTest, source: str, target: str, notion: str = "state", **options: Unpack[Options]
) -> bool:
    return ask(test, source, target, notion, **options).verdict is Verdict.PASS


# -- the examples of the thesis --------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_iriw_is_not_portable_from_tso_to_power(engine: str) -> None:
    for notion in ("trace", "state"):
        assert not passes(iriw(), "tso", "power", notion, engine=engine)
    found = ask(iriw(), "tso", "power", engine=engine).findings[0]
    assert found.direction == "new"
    assert found.state == (1, 0, 1, 0)
    assert explain_finding(found).axiom.name == "tso"


@pytest.mark.parametrize("engine", ENGINES)
def test_iriw_with_zeros_is_state_portable_and_not_trace_portable(engine: str) -> None:
    assert passes(iriw(value=0), "tso", "power", "state", engine=engine)
    assert not passes(iriw(value=0), "tso", "power", "trace", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_compilers_put_fences_where_an_order_is_asked_for(engine: str) -> None:
    for target in ("power", "armv7", "aarch64", "riscv"):
        assert passes(iriw(order="memory_order_seq_cst"), "tso", target, "trace", engine=engine)


# -- notions, directions, observation --------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_what_the_target_lacks_counts_only_in_both_directions(engine: str) -> None:
    test = parse(SB, "SB.litmus")
    assert passes(test, "tso", "sc", engine=engine)
    both = ask(test, "tso", "sc", direction="both", engine=engine)
    assert both.verdict is Verdict.FAIL
    assert [(f.direction, f.state) for f in both.findings] == [("lost", (0, 0))]


@pytest.mark.parametrize("engine", ENGINES)
def test_states_range_over_what_is_observed(engine: str) -> None:
    test = parse(SB.replace("(0:EAX=0 /\\ 1:EAX=0)", "(x=1)"), "SB.litmus")
    assert passes(test, "sc", "tso", engine=engine)
    everything = ask(test, "sc", "tso", observe="all", engine=engine)
    assert everything.verdict is Verdict.FAIL
    assert len(everything.findings[0].state) == 4


@pytest.mark.parametrize("engine", ENGINES)
def test_dead_executions_come_first_but_are_not_all(engine: str) -> None:
    test = parse(UNSEEN, "unseen.litmus")
    assert not passes(test, "sc", "tso", engine=engine)
    assert not passes(test, "sc", "tso", dead=True, engine=engine)
    # No execution of the new state is syntactically dead: nobody saw which write of z came first.
    assert passes(test, "sc", "tso", "trace", dead=True, engine=engine)
    assert not passes(parse(SB, "SB.litmus"), "sc", "tso", "trace", dead=True, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_filtered_states_do_not_count(engine: str) -> None:
    text = SB.replace("exists", "filter (0:EAX=1)\nexists")
    test = parse(text, "SB.litmus")
    assert test.filter is not None
    for notion in ("state", "trace"):
        assert passes(test, "sc", "tso", notion, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_loops_that_were_cut_are_said(engine: str) -> None:
    text = """X86 spin
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | L0:         ;
 MOV [y],$1  | MOV EAX,[y] ;
             | CMP EAX,$0  ;
             | JE L0       ;
             | MOV EBX,[x] ;
exists (1:EBX=0)
"""
    test = parse(text, "spin.litmus")
    answer = ask(test, "sc", "tso", engine=engine)
    assert (answer.verdict, answer.complete) == (Verdict.PASS, False)
    assert not passes(test, "sc", "pso", engine=engine)


def test_a_partial_fence_that_a_model_does_not_know_is_refused() -> None:
    test = parse((ROOT / "examples" / "litmus" / "SB.litmus").read_text(), "SB.litmus")
    first, *others = test.program.threads
    fence = Fence(frozenset({"DSB.ST"}), text="dsb st", index=0)
    first = replace(first, instructions=(first.instructions[0], fence, *first.instructions[1:]))
    test = replace(test, program=replace(test.program, threads=(first, *others)))
    with pytest.raises(Unsupported, match="dsb st"):
        ask(test, "tso", "power")
    assert not passes(test, "sc", "aarch64")


def test_undefined_behaviour_compares_to_nothing() -> None:
    racy = """C race
{ x=0; }
P0(int* x) { *x = 1; }
P1(int* x) { int r = *x; }
exists (1:r=1)
"""
    answer = ask(parse(racy, "race.litmus"), "rc11", "power")
    assert answer.verdict is Verdict.UNKNOWN
    assert "undefined behaviour under rc11" in answer.reason


def test_a_spent_budget_is_no_answer() -> None:
    question = Question(load_model("tso"), load_model("power"), engine="eager")
    with pytest.raises(BudgetExceeded):
        portability(iriw(), question, Budget(1e-9))


# -- oracles ---------------------------------------------------------------------------------------

PAIRS = (("sc", "tso"), ("tso", "pso"), ("sc", "power"), ("tso", "aarch64"), ("power", "riscv"))
SHIPPED = ("SB", "MP", "S", "R", "2+2W", "LB")


def small_tests() -> list[LitmusTest]:
    examples = ROOT / "examples" / "litmus"
    shipped = [parse((examples / f"{name}.litmus").read_text(), name) for name in SHIPPED]
    return [*shipped, *(random_test(seed, ("MFENCE",), size=5) for seed in range(20))]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_answers_are_those_of_brute_force(source: str, target: str) -> None:
    differing = 0
    for test in small_tests():
        model = load_model(source)
        allowed = list(Oracle(test, load_model(target), budget=Budget(60)).executions())
        new = [e for e in allowed if not evaluate(model, len(e.events), e.sets, e.relations).consistent]
        reachable = {e.final for e in Oracle(test, model, budget=Budget(60)).executions()}
        states = {e.final for e in allowed} <= reachable
        for engine in ENGINES:
            assert passes(test, source, target, "trace", engine=engine) == (not new), (test.name, engine)
            assert passes(test, source, target, "state", engine=engine) == states, (test.name, engine)
        differing += bool(new)
    assert differing or (source, target) == ("power", "riscv")


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpora are not here")
@pytest.mark.parametrize(
    ("family", "source", "target", "every"),
    [("X86", "sc", "tso", 6), ("X86", "sc", "pso", 9), ("X86", "tso", "pso", 9), ("PPC", "sc", "power", 60)],
)
def test_state_answers_compare_the_final_states_of_litmus(
    family: str, source: str, target: str, every: int
) -> None:
    verdicts = set()
    for path in sorted((CORPUS / family).rglob("*.litmus"))[::every]:
        test = parse(path.read_text(), path.name)
        reached = [set(outcomes(test, load_model(model)).states) for model in (source, target)]
        expected = reached[1] <= reached[0]
        for engine in ENGINES:
            assert passes(test, source, target, engine=engine) == expected, path
        if passes(test, source, target, "trace"):
            assert expected, path
        verdicts.add(expected)
    assert verdicts == {True, False}


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpora are not here")
def test_engines_agree_on_two_compilations() -> None:
    verdicts = []
    for path in sorted((CORPUS / "C").rglob("*.litmus"))[::12]:
        test = parse(path.read_text(), path.name)
        for source, target in (("tso", "power"), ("power", "aarch64")):
            for notion in ("trace", "state"):
                found = [ask(test, source, target, notion, engine=e, direction="both") for e in ENGINES]
                kinds = [(a.verdict, [f.direction for f in a.findings]) for a in found]
                assert kinds[0] == kinds[1] == kinds[2], path
                verdicts.append(found[0].verdict)
    assert set(verdicts) == {Verdict.PASS, Verdict.FAIL}


# -- fences ----------------------------------------------------------------------------------------


def suggested(text: str, source: str, target: str) -> tuple[list[tuple[int, str]], LitmusTest]:
    """Lines and texts of the suggested changes, and the test with them."""
    base = litmus_subject(text, "test.litmus")

    def again(program: Program, _budget: Budget) -> Portability:
        return ask(replace(base.test, program=program), source, target)

    subject = PortedSubject(base, again, base.test.dialect)
    context = Context(load_model(target), None, base.test.dialect)
    found = repaired(subject, [context], Wanted(), read_costs(), Budget(60))
    texts = base.patched(found.assignment) if found.assignment else {}
    changes = [(change.site.span.line, change.after) for change in found.changes]
    return changes, parse(texts.get("test.litmus", text), "test.litmus")


def test_store_buffering_needs_a_fence_in_each_thread() -> None:
    changes, fenced = suggested(SB, "sc", "tso")
    assert changes == [(5, "MFENCE"), (5, "MFENCE")]
    assert passes(fenced, "sc", "tso", "trace")


def test_iriw_needs_fences_between_the_reads() -> None:
    changes, fenced = suggested(IRIW.format(value=1, order="memory_order_relaxed"), "tso", "power")
    assert [line for line, _ in changes] == [7, 11]
    assert passes(fenced, "tso", "power", "trace")


MP = """PPC MP
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; x=0; y=0; }
 P0           | P1           ;
 li r1,1      | lwz r1,0(r2) ;
 stw r1,0(r2) | lwz r3,0(r4) ;
 stw r1,0(r4) |              ;
exists (1:r1=1 /\\ 1:r3=0)
"""


def test_fences_are_no_stronger_than_needed() -> None:
    test = parse(MP, "MP.litmus")
    answer = ask(test, "sc", "power")
    (finding,) = answer.findings
    steps = steps_of(finding, explain_finding(finding))
    assert [step.kept for step in steps] == [False, False]
    changes, _ = suggested(MP, "sc", "power")
    assert changes == [(6, "lwsync"), (5, "lwsync")]


def test_only_what_changes_places_is_blamed() -> None:
    for source, target, kept in (("sc", "pso", [False, True]), ("sc", "rmo", [False, False])):
        test = replace(parse(MP, "MP.litmus"), dialect="X86")
        (finding,) = ask(test, source, target).findings
        steps = steps_of(finding, explain_finding(finding))
        by_thread = sorted(steps, key=lambda step: step.first.thread)
        assert [step.kept for step in by_thread] == kept


def test_labels_stay_in_front_of_inserted_fences() -> None:
    text = """X86 jump
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 L:          | MOV EAX,[x] ;
 MOV EAX,[y] |             ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
    changes, fenced = suggested(text, "sc", "tso")
    assert len(changes) == 2
    thread = fenced.program.threads[0]
    assert isinstance(thread.instructions[thread.labels["L"]], Fence)
