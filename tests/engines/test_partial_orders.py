"""Encodings and solvers: every combination gives the same answers on litmus tests and on whole programs."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.asking import reach, states, symbolic_outcomes
from tests.random_cases import Programs
from tests.random_litmus import random_test

from treville.formulas.formula import Formula
from treville.models.library import load_model
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import (
    Assert,
    AtomicBegin,
    AtomicEnd,
    Branch,
    Const,
    Fence,
    Instruction,
    Join,
    Load,
    Local,
    Op,
    Program,
    Reg,
    Spawn,
    Store,
    Thread,
)
from treville.programs.litmus import parse
from treville.results import Budget, BudgetExceeded
from treville.solving.back_ends.by_name import BackEnd, make_solver
from treville.solving.back_ends.clasp import satisfiable
from treville.solving.solution import IsTrue, evaluate_execution

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "litmus"
SOLVERS = ("clasp", "z3", "sat", "cadical")
ENCODINGS = ("acyclicity", "clocks", "conflicts")
OTHERS = ("z3", "sat", "cadical")
MFENCE = frozenset({"MFENCE"})


def skip_without(solver: str) -> None:
    pytest.importorskip("z3" if solver == "z3" else "pysat") if solver != "clasp" else None


def started(program: ProgramDraft, threads: list[list[Instruction]], end: list[Instruction]) -> Program:
    """Threads that main starts and joins before it runs `end`."""
    main: list[Instruction] = []
    for number, code in enumerate(threads):
        program.functions[f"t{number}"] = ThreadDraft(f"t{number}", code)
        main += [Fence(MFENCE), Spawn(f"h{number}", f"t{number}", Const(0))]
    for number in range(len(threads)):
        main += [Join(Reg(f"h{number}")), Fence(MFENCE)]
    program.threads = [ThreadDraft("main", main + end)]
    return program.finished()


def store_buffering(fence: bool) -> Program:
    program = ProgramDraft()
    x, y, a, b = (Const(program.location(name).address) for name in "xyab")
    between: list[Instruction] = [Fence(MFENCE)] if fence else []
    threads: list[list[Instruction]] = [
        [Store(x, Const(1)), *between, Load("r", y), Store(a, Reg("r"))],
        [Store(y, Const(1)), *between, Load("r", x), Store(b, Reg("r"))],
    ]
    seen = Op("or", (Reg("ra"), Reg("rb")), 32)
    return started(program, threads, [Load("ra", a), Load("rb", b), Assert(seen)])


def increments(atomic: bool) -> Program:
    program = ProgramDraft()
    x = Const(program.location("x").address)
    code: list[Instruction] = [Load("r", x), Store(x, Op("add", (Reg("r"), Const(1)), 32))]
    if atomic:
        code = [Fence(MFENCE), AtomicBegin(), *code, AtomicEnd(), Fence(MFENCE)]
    end: list[Instruction] = [Load("r", x), Assert(Op("eq", (Reg("r"), Const(2)), 32))]
    return started(program, [code, list(code)], end)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_store_buffering_fails_where_it_should(encoding: str, solver: str) -> None:
    skip_without(solver)
    for model, fence, fails in [
        ("sc", False, False),
        ("tso", False, True),
        ("tso", True, False),
        ("pso", False, True),
    ]:
        answer = reach(store_buffering(fence), load_model(model), 2, Budget(seconds=60), encoding, solver)
        assert (answer.execution is not None) == fails, (model, fence)
        assert answer.complete
        if answer.execution is not None:
            assert answer.failed
            assert evaluate_execution(load_model(model), answer.execution).consistent


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("solver", ["clasp", "sat"])
@pytest.mark.parametrize("name", ["svcomp", "sc", "tso", "pso"])
def test_atomic_blocks_are_one_event(encoding: str, solver: str, name: str) -> None:
    skip_without(solver)
    model = load_model(name)
    assert reach(increments(True), model, 2, Budget(seconds=60), encoding, solver).execution is None
    assert reach(increments(False), model, 2, Budget(seconds=60), encoding, solver).execution is not None


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_loop_that_is_cut_leaves_the_answer_open(encoding: str) -> None:
    program = ProgramDraft()
    x, y = (Const(program.location(name).address) for name in "xy")
    count: list[Instruction] = [
        Local("i", Op("add", (Reg("i"), Const(1)), 32)),
        Load("r", x),
        Store(y, Reg("i")),
        Branch("top", Reg("r")),
    ]
    program.locations["x"].initial = [1]
    made = started(program, [[Store(x, Const(1))]], [Assert(Const(1))])
    made = replace(made, functions={"t0": Thread("t0", tuple(count), {"top": 0})})
    assert not reach(made, load_model("tso"), 2, Budget(seconds=60), encoding).complete


@pytest.mark.parametrize("name", ["SB", "MP", "IRIW", "2+2W", "SB+rfi", "lock", "CoRR", "LB+datas"])
@pytest.mark.parametrize("solver", OTHERS)
def test_solvers_list_the_same_states(name: str, solver: str) -> None:
    skip_without(solver)
    test = parse((EXAMPLES / f"{name}.litmus").read_text(), name)
    model = load_model("tso")
    expected = set(symbolic_outcomes(test, model, 2, Budget()).states)
    assert expected
    for encoding in ENCODINGS:
        assert states(test, model, 2, Budget(), encoding, solver) == expected


def cyclic_rules(support: bool) -> Formula:
    """Two atoms that define each other, with or without support from outside."""
    formula = Formula()
    one, other, outside = formula.atom(), formula.atom(), formula.choice()
    formula.rule(one, [other])
    formula.rule(other, [one])
    if support:
        formula.rule(one, [outside])
    formula.require(one)
    return formula


@pytest.mark.parametrize("solver", SOLVERS)
def test_atoms_do_not_support_each_other_in_a_circle(solver: str) -> None:
    skip_without(solver)
    assert not satisfiable(make_solver(BackEnd(solver), cyclic_rules(False)), Budget())
    assert satisfiable(make_solver(BackEnd(solver), cyclic_rules(True)), Budget())


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("length", [2, 3, 5, 9])
def test_a_graph_with_a_cycle_has_no_clocks(solver: str, length: int) -> None:
    skip_without(solver)
    formula = Formula()
    vertices = formula.vertices(length)
    literals = [formula.choice() for _ in range(length)]
    for number, literal in enumerate(literals):
        formula.edge(vertices[number], vertices[(number + 1) % length], literal)
    holder = make_solver(BackEnd(solver), formula)
    assert not satisfiable(holder, Budget(), literals)
    assert satisfiable(holder, Budget(), literals[1:])


@pytest.mark.parametrize("solver", SOLVERS)
def test_enumeration_leaves_no_trace_in_later_calls(solver: str) -> None:
    skip_without(solver)
    formula = Formula()
    literals = [formula.choice() for _ in range(7)]
    formula.exactly_one(literals)
    holder = make_solver(BackEnd(solver), formula, literals)
    for _ in range(2):
        found: list[tuple[bool, ...]] = []

        def keep(is_true: IsTrue, found: list[tuple[bool, ...]] = found) -> bool:
            found.append(tuple(is_true(literal) for literal in literals))
            return True

        holder.enumerate(Budget(), keep)
        assert len(found) == len(set(found)) == 7


def test_statistics_count_constraints_and_search() -> None:
    pytest.importorskip("pysat")
    stats = reach(store_buffering(False), load_model("tso"), 2, Budget(seconds=60), "clocks", "sat").stats
    relations = {name.removeprefix("constraints of ") for name in stats if name.startswith("constraints of ")}
    assert {"ppo", "ws", "fr", "grf", "rf", "uniproc", "ab"} <= relations
    assert stats["variables"] > 0
    assert "propagations" in stats


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_exhausted_budget_is_noticed(solver: str) -> None:
    skip_without(solver)
    with pytest.raises(BudgetExceeded):
        reach(store_buffering(False), load_model("tso"), 2, Budget(seconds=0.0), "clocks", solver)


FENCES = {
    "sc": ("MFENCE",),
    "tso": ("MFENCE", "SFENCE"),
    "pso": ("MFENCE", "MEMBAR.SS"),
    "rmo": ("MEMBAR", "MEMBAR.LL", "MEMBAR.SL", "MEMBAR.LS", "MEMBAR.SS"),
    "alpha": ("MEMBAR", "WMB"),
    "power2012": ("SYNC", "LWSYNC", "ISYNC", "EIEIO"),
}


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("model", FENCES)
def test_random_tests_have_the_states_of_the_default_encoding(seed: int, model: str) -> None:
    chosen = load_model(model)
    encodings = ENCODINGS[1:] if model in ("sc", "tso", "pso") else ENCODINGS[1:2]
    solver = "clasp" if seed % 5 or not find_spec("pysat") else "sat"
    for test in (Programs(seed).test(), random_test(seed, FENCES[model], 6)):
        expected = set(symbolic_outcomes(test, chosen, 1, Budget()).states)
        for encoding in encodings:
            assert states(test, chosen, 1, Budget(), encoding, solver) == expected
