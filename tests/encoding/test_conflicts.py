"""Conflict-aware matches: the worked example of paper 003 (Figures 3 and 4); states on SC, TSO and PSO."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from tests.asking import states, symbolic_outcomes

from treville.encoding.encoding import EncodingName, PartialOrderEncoding
from treville.encoding.partial_orders import encode_partial_orders
from treville.models.implied import implies_coherence
from treville.models.library import load_model
from treville.passes.bounded import facts_of_test
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import Branch, Const, Fence, Instruction, Load, Program, Reg, Store
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest
from treville.relations import EventId
from treville.results import Budget, Unsupported
from treville.solving.back_ends.by_name import BackEnd, make_solver
from treville.solving.back_ends.clasp import satisfiable

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpora" / "litmus"
EXAMPLES = ROOT / "examples" / "litmus"
NAMES = ("Wx3", "Ry3", "Wx4", "Wx5", "Rx6", "Wy4", "Wy5", "Rx7", "Ry8", "Wx8")


def figure_3() -> Program:
    """x = 1; x = y ? 2 : 3; y = x   beside   y = 1; if (x) x = y."""
    program = ProgramDraft()
    x, y = (Const(program.location(name).address) for name in "xy")
    first: list[Instruction] = [
        Store(x, Const(1)), Load("r3", y), Branch("else", Reg("r3")), Store(x, Const(2)), Branch("end"),
        Store(x, Const(3)), Load("r6", x), Store(y, Reg("r6")),
    ]  # fmt: skip
    second: list[Instruction] = [
        Store(y, Const(1)), Load("r7", x), Branch("then", Reg("r7")), Branch("end"), Load("r8", y),
        Store(x, Reg("r8")),
    ]  # fmt: skip
    program.threads = [
        ThreadDraft("T1", first, {"else": 5, "end": 6}),
        ThreadDraft("T2", second, {"then": 4, "end": 6}),
    ]
    return program.finished()


def named(event: str) -> EventId:
    return EventId(NAMES.index(event))


def encoded(program: Program, model: str) -> PartialOrderEncoding:
    chosen = load_model(model)
    facts = facts_of_test(program, 2, Budget(), implies_coherence(chosen), set())
    return encode_partial_orders(EncodingName.CONFLICTS, facts, chosen, Budget(), complete=True)


def pairs(encoding: PartialOrderEncoding, relation: str) -> set[tuple[str, str]]:
    """The constraints of a relation between accesses of the program; initial writes are left out, as in the
    figures."""
    found = [c for c in encoding.constraints if c.relation == relation]
    number = len(NAMES)
    return {
        (NAMES[c.before.event], NAMES[c.after.event])
        for c in found
        if c.before.event < number and c.after.event < number
    }


def test_the_preserved_order_of_figure_3_is_reduced() -> None:
    assert pairs(encoded(figure_3(), "tso"), "succ") == {
        ("Wx3", "Wx4"), ("Wx3", "Wx5"), ("Ry3", "Wx4"), ("Ry3", "Wx5"), ("Ry3", "Rx6"), ("Wx4", "Wy4"),
        ("Wx5", "Wy4"), ("Rx6", "Wy4"), ("Rx7", "Ry8"), ("Ry8", "Wx8"), ("Wy5", "Wx8"),
    }  # fmt: skip


def test_sc_orders_neighbours_only() -> None:
    assert pairs(encoded(figure_3(), "sc"), "succ") == {
        ("Wx3", "Ry3"), ("Ry3", "Wx4"), ("Ry3", "Wx5"), ("Wx4", "Rx6"), ("Wx5", "Rx6"), ("Rx6", "Wy4"),
        ("Wy5", "Rx7"), ("Rx7", "Ry8"), ("Ry8", "Wx8"),
    }  # fmt: skip


def test_matches_between_threads_order_clocks_and_local_ones_are_free() -> None:
    encoding = encoded(figure_3(), "tso")
    assert pairs(encoding, "m2clk") == {
        ("Wx8", "Rx6"), ("Wx3", "Rx7"), ("Wx4", "Rx7"), ("Wx5", "Rx7"), ("Wy5", "Ry3"), ("Wy4", "Ry8"),
    }  # fmt: skip
    local = [("Wx4", "Rx6"), ("Wx5", "Rx6"), ("Wy5", "Ry8")]
    for write, read in local:
        assert encoding.memory.reads_from(named(write), named(read)) != -1


def test_matches_of_one_read_are_in_conflict_as_in_figure_4() -> None:
    encoding = encoded(figure_3(), "tso")
    solver = make_solver(BackEnd.CLASP, encoding.formula)
    for sources in encoding.memory.sources.values():
        for (_, one), (_, other) in combinations(sources, 2):
            assert not satisfiable(solver, Budget(), [one, other])


def test_every_match_of_figure_4_happens_in_some_execution() -> None:
    encoding = encoded(figure_3(), "tso")
    solver = make_solver(BackEnd.CLASP, encoding.formula)
    listed = [
        ("Wx3", "Rx7"), ("Wx4", "Rx7"), ("Wx5", "Rx7"), ("Wx4", "Rx6"), ("Wx5", "Rx6"), ("Wx8", "Rx6"),
        ("Wy5", "Ry3"), ("Wy5", "Ry8"), ("Wy4", "Ry8"),
    ]  # fmt: skip
    for write, read in listed:
        literal = encoding.memory.reads_from(named(write), named(read))
        assert satisfiable(solver, Budget(), [literal]), (write, read)


def test_unique_orders_writes_of_different_threads_both_ways() -> None:
    found = pairs(encoded(figure_3(), "tso"), "unique")
    assert {("Wx8", "Wx4"), ("Wx4", "Wx8"), ("Wy4", "Wy5"), ("Wy5", "Wy4")} <= found


def test_fences_are_part_of_the_preserved_order() -> None:
    program = ProgramDraft()
    x, y = (Const(program.location(name).address) for name in "xy")
    program.threads = [ThreadDraft("P0", [Store(x, Const(1)), Fence(frozenset({"MFENCE"})), Load("r", y)])]
    constraints = encoded(program.finished(), "tso").constraints
    assert [(c.before.event, c.after.event) for c in constraints if c.relation == "succ"] == [(0, 2)]


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.litmus")), ids=lambda path: path.stem)
@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_examples_have_the_states_of_the_default_encoding(file: Path, model: str) -> None:
    test = parse(file.read_text(), str(file))
    expected = set(symbolic_outcomes(test, load_model(model), 2, Budget()).states)
    assert states(test, load_model(model), 2, Budget(), "conflicts") == expected


@pytest.mark.parametrize("file", sorted((CORPUS / "X86").rglob("*.litmus"))[::8], ids=lambda path: path.stem)
@pytest.mark.parametrize("encoding", ["clocks", "conflicts"])
def test_x86_tests_have_the_states_of_the_default_encoding(file: Path, encoding: str) -> None:
    test = parse(file.read_text(), str(file))
    for model in ("sc", "tso", "pso"):
        expected = set(symbolic_outcomes(test, load_model(model), 2, Budget()).states)
        assert states(test, load_model(model), 2, Budget(), encoding) == expected, model


@pytest.mark.parametrize("model", ["rmo", "power", "alpha", "aarch64"])
def test_weaker_models_are_refused(model: str) -> None:
    with pytest.raises(Unsupported, match="built in"):
        encoded(figure_3(), model)


def test_a_litmus_test_sees_its_own_store_early() -> None:
    source = (EXAMPLES / "SB+rfi.litmus").read_text()
    test: LitmusTest = parse(source, "SB+rfi.litmus")
    strong = states(test, load_model("sc"), 2, Budget(), "conflicts")
    assert strong < states(test, load_model("tso"), 2, Budget(), "conflicts")
