"""Fences that a model does not know are errors; full fences are known to every model."""

from __future__ import annotations

import pytest

from treville.engines.contract import Proved, Refuted, States
from treville.engines.registry import DECIDE, OUTCOMES
from treville.engines.task import outcome_task, ready_task
from treville.fences import FULL_FENCES, PARTIAL_FENCES, orders
from treville.models.base import FENCES
from treville.models.blocks import with_atomic_blocks
from treville.models.cat.resolve import resolve_text
from treville.models.evaluate import evaluate
from treville.models.library import MODELS, load_model
from treville.models.model import Operator
from treville.passes.fences import refuse_unknown_fences
from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest, RegisterOf
from treville.programs.verify import MalformedProgram
from treville.questions.outcomes import outcomes
from treville.relations import Relation, mask_of
from treville.results import Budget, Unsupported
from treville.results.properties import Property

HARDWARE = ("tso", "pso", "rmo", "alpha", "power", "armv7", "aarch64", "riscv", "power2012")

POWER = """PPC MP
{{ 0:r2=x; 0:r4=y; 1:r2=x; 1:r4=y; }}
 P0           | P1           ;
 li r1,1      | lwz r1,0(r4) ;
 stw r1,0(r2) | {fence}       ;
 {fence}       | lwz r5,0(r2) ;
 stw r1,0(r4) |              ;
exists (1:r1=1 /\\ 1:r5=0)
"""
RISCV = """RISCV F
{ 0:x6=x; }
 P0 ;
 fence.i ;
 lw x7,0(x6) ;
exists (0:x7=0)
"""


def understood(test: LitmusTest, model: str) -> None:
    """Raises unless the model understands the test's fences."""
    refuse_unknown_fences(test.program, test.dialect, load_model(model))


def test_a_fence_that_no_model_could_mention_is_a_bug_of_a_front_end() -> None:
    thread = ir.Thread("P0", (ir.Fence(frozenset({"MFENSE"})),))
    with pytest.raises(MalformedProgram, match="MFENSE"):
        refuse_unknown_fences(ir.Program((thread,)), "X86", load_model("sc"))


@pytest.mark.parametrize("model", ["rc11", "c11", "imm", "lkmm"])
def test_a_partial_fence_has_no_meaning_under_a_model_of_a_language(model: str) -> None:
    test = parse(POWER.format(fence="lwsync"), "mp.litmus")
    with pytest.raises(Unsupported, match="lwsync") as caught:
        outcomes(test, load_model(model))
    assert caught.value.span is not None
    assert caught.value.span.line == 6


def test_a_fence_that_means_different_things_at_its_homes_is_refused_elsewhere() -> None:
    program = ProgramDraft()
    program.threads = [ThreadDraft("P0", [ir.Fence(frozenset({"DSB.ST"}), text="DSB ST")])]
    for model in HARDWARE:
        if model in ("armv7", "aarch64"):
            refuse_unknown_fences(program.finished(), "ARM", load_model(model))
        else:
            with pytest.raises(Unsupported, match="DSB ST"):
                refuse_unknown_fences(program.finished(), "ARM", load_model(model))


@pytest.mark.parametrize("model", ["sc", "tso", "pso", "power", "aarch64", "riscv"])
def test_a_full_fence_is_one_to_every_model(model: str) -> None:
    test = parse(POWER.format(fence="sync"), "mp.litmus")
    assert outcomes(test, load_model(model)).observation == "Never"


@pytest.mark.parametrize("tag", PARTIAL_FENCES)
def test_partial_fences_are_the_same_in_cat_and_in_programs(tag: str) -> None:
    """A read, one that returns nothing, and a write on both sides of the fence."""
    model = resolve_text('include "partialfences.cat"\nlet only = partialfence\nempty partialfence')
    kinds = "RNWFRNW"
    order = Relation.of(7, [(a, b) for a in range(7) for b in range(a + 1, 7)])
    sets = {
        "R": mask_of(n for n in range(7) if kinds[n] in "RN"), "NoRet": 0b100010, "W": 0b1000100,
        "M": 0b1110111, "F": 0b1000, tag: 0b1000,
    }  # fmt: skip
    value = evaluate(model, 7, sets, {"po": order}).values[model.definitions["partialfence"]]
    assert isinstance(value, Relation)
    direction = kinds.replace("N", "R")
    assert set(value.pairs()) == {
        (first, second)
        for first in range(3)
        for second in range(4, 7)
        for pairs in PARTIAL_FENCES[tag]
        if direction[first] in pairs.before and direction[second] in pairs.after
        if not (pairs.returning and kinds[first] == "N")
    }  # fmt: skip
    assert tag in FENCES


def one_fence(tag: str, pair: str) -> LitmusTest:
    """Accesses of two threads that go wrong only if the pair around the fence changes places; the other
    thread has a full fence. Message passing for WW and RR, store buffering for WR, load buffering for RW."""
    program = ProgramDraft()
    x, y = (ir.Const(program.location(name).address) for name in "xy")

    def access(kind: str, place: ir.Const, register: str) -> ir.Instruction:
        return ir.Load(register, place) if kind == "R" else ir.Store(place, ir.Const(1))

    others = {"WW": "RR", "RR": "WW", "WR": "WR", "RW": "RW"}[pair]
    program.threads = [
        ThreadDraft(f"P{number}", [
            access(kinds[0], places[0], "a"), ir.Fence(frozenset({fence})), access(kinds[1], places[1], "b"),
        ])
        for number, (kinds, fence, places) in enumerate([(pair, tag, (x, y)), (others, "SYNC", (y, x))])
    ]  # fmt: skip
    observed = [
        RegisterOf(thread, register, f"{thread}:{register}")
        for thread, kinds in enumerate((pair, others))
        for register, kind in zip("ab", kinds, strict=True)
        if kind == "R"
    ]
    return LitmusTest(f"{tag} {pair}", "PPC", program.finished(), observed=tuple(observed))


WEAK = {"WW": (1, 0), "RR": (1, 0), "WR": (0, 0), "RW": (1, 1)}
KEPT = {"tso": "WW RR RW", "pso": "RR RW", "sc": "WW RR RW WR", "svcomp": "WW RR RW WR"}


@pytest.mark.parametrize("model", ["sc", "svcomp", *HARDWARE])
def test_a_partial_fence_orders_what_it_orders_at_home(model: str) -> None:
    """By enumeration and by every encoding that knows the model."""
    loaded = load_model(model)
    for number, tag in enumerate([*PARTIAL_FENCES, "ISYNC", "ISB", "Fence.i"]):
        for pair, weak in WEAK.items():
            test = one_fence(tag, pair)
            kept = orders(frozenset({tag}), pair[0], pair[1]) or pair in KEPT.get(model, "")
            refuse_unknown_fences(test.program, "PPC", loaded)
            engines = ["enumerate", "lazy", "clocks", "conflicts"]
            for name in ("enumerate", engines[number % 4]):
                engine = OUTCOMES[name]()
                task = outcome_task(test, loaded, 2, Budget(20))
                if engine.suits(task):
                    answer = engine.run(task)
                    assert isinstance(answer, States)
                    assert (weak in answer.counts) == (not kept), (tag, pair, name)


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_machines_with_buffers_know_partial_fences(model: str) -> None:
    for tag in [*PARTIAL_FENCES, "ISYNC"]:
        for pair in WEAK:
            kept = orders(frozenset({tag}), pair[0], pair[1]) or pair in KEPT[model]
            program = _asserted(one_fence(tag, pair), WEAK[pair])
            task = ready_task(program, load_model(model), Property.ASSERTION)
            engine = DECIDE["buffers"]()
            if engine.suits(task):
                assert isinstance(engine.run(task), Proved if kept else Refuted), (tag, pair)
            else:
                assert tag in ("Fence.w.r", "Fence.rw.r")


def _asserted(test: LitmusTest, weak: tuple[int, ...]) -> ir.Program:
    """The same threads, started and joined by main, which looks at what they read."""
    program = ProgramDraft()
    for name in test.program.locations:
        program.location(name)
    main: list[ir.Instruction] = []
    for number, thread in enumerate(test.program.threads):
        stored = [
            ir.Store(ir.Const(program.location(each.shown).address), ir.Reg(each.register))
            for each in test.observed
            if isinstance(each, RegisterOf) and each.thread == number
        ]
        body = [*thread.instructions, ir.Fence(frozenset({"SYNC"})), *stored]
        program.functions[f"t{number}"] = ThreadDraft(f"t{number}", body)
        main.append(ir.Spawn(f"h{number}", f"t{number}", ir.Const(0)))
    main += [ir.Join(ir.Reg(f"h{number}")) for number in range(2)]
    differs: ir.Expr = ir.Const(0)
    for each, value in zip(test.observed, weak, strict=True):
        assert isinstance(each, RegisterOf)
        main.append(ir.Load(each.shown, ir.Const(program.location(each.shown).address)))
        unlike = ir.Op("ne", (ir.Reg(each.shown), ir.Const(value)), 32)
        differs = ir.Op("or", (differs, unlike), 32)
    program.threads = [ThreadDraft("main", [*main, ir.Assert(differs)])]
    return program.finished()


def test_full_fences_are_the_same_in_cat_and_in_programs() -> None:
    full = resolve_text('include "fullfences.cat"\nlet only = fullfence\nempty fullfence')
    needed = full.below([full.definitions["FULL"]])
    assert {full.nodes[node].name for node in needed if full.nodes[node].op is Operator.BASE} == FULL_FENCES
    assert FULL_FENCES <= FENCES


@pytest.mark.parametrize("model", MODELS)
def test_atomic_blocks_are_ordered_by_the_full_fences_of_every_architecture(model: str) -> None:
    """Those of SC and of its model with blocks are ordered by program order anyway."""
    added = with_atomic_blocks(load_model(model)).base_names()
    assert added >= FULL_FENCES or model in ("sc", "svcomp")


def test_a_model_without_fences_takes_all_of_them() -> None:
    understood(parse(POWER.format(fence="lwsync"), "mp.litmus"), "sc")


def test_a_model_takes_the_fences_of_its_own_architecture_even_if_it_ignores_them() -> None:
    understood(parse(RISCV, "f.litmus"), "riscv")
    understood(parse(POWER.format(fence="lwsync"), "mp.litmus"), "power")
