"""The operational machine agrees with the verdicts that are expected of the C programs."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest
from tests.c.store_buffers import TooManyStates, check

from treville.programs import ir
from treville.programs.c import load_program
from treville.programs.draft import ProgramDraft, ThreadDraft

HERE = Path(__file__).parent
MODELS = ("sc", "tso", "pso")
X, Y = ir.LOCATION_BASE, ir.LOCATION_BASE + ir.LOCATION_STRIDE


def expected_verdicts() -> dict[tuple[str, str], dict[str, str]]:
    """(file, defines) -> model -> verdict."""
    table: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    with (HERE / "expected.csv").open(newline="") as rows:
        for row in csv.DictReader(rows):
            table[row["file"], row["defines"]][row["model"]] = row["verdict"]
    return table


def small_programs() -> list[tuple[str, str]]:
    """What the machine can explore: no numbers of any value, no threads without end, its own models."""
    others = ("nondeterminism", "endless", "crowd", "layouts", "fresh_memory", "local_arrays", "resized")
    return [
        key
        for key, expected in expected_verdicts().items()
        if not any(name in key[0] for name in others) and not expected.keys().isdisjoint(MODELS)
    ]


@pytest.mark.parametrize(("file", "defines"), small_programs())
def test_the_machine_agrees_with_the_expected_verdicts(file: str, defines: str) -> None:
    pytest.importorskip("llvmlite")
    program = load_program(HERE / file, defines=tuple(defines.split()))
    expected = expected_verdicts()[file, defines]
    asked = [model for model in MODELS if model in expected]
    assert asked
    for model in asked:
        verdict = expected[model]
        # The machine needs no bound for loops, so it knows where the bounded engine cannot.
        assert check(program, model).verdict == ("PASS" if verdict == "UNKNOWN" else verdict), model


def litmus(*threads: list[ir.Instruction], final: ir.Expr) -> ir.Program:
    """Threads that main starts, joins, and then asserts about what memory holds."""
    program = ProgramDraft()
    for name in ("x", "y", "a", "b"):
        program.location(name)
    main: list[ir.Instruction] = []
    for number, instructions in enumerate(threads):
        program.functions[f"t{number}"] = ThreadDraft(f"t{number}", instructions)
        main.append(ir.Spawn(f"handle{number}", f"t{number}", ir.Const(0)))
    main += [ir.Join(ir.Reg(f"handle{number}")) for number in range(len(threads))]
    for number, name in enumerate(("a", "b")):
        address = ir.Const(program.location(name).address)
        main.append(ir.Load(f"r{number}", address))
    program.threads.append(ThreadDraft("main", [*main, ir.Assert(final)]))
    return program.finished()


def message(fence: list[ir.Instruction]) -> ir.Program:
    a, b = X + 2 * ir.LOCATION_STRIDE, X + 3 * ir.LOCATION_STRIDE
    sender = [ir.Store(ir.Const(X), ir.Const(1)), *fence, ir.Store(ir.Const(Y), ir.Const(1))]
    receiver: list[ir.Instruction] = [
        ir.Load("flag", ir.Const(Y)),
        ir.Load("data", ir.Const(X)),
        ir.Store(ir.Const(a), ir.Reg("flag")),
        ir.Store(ir.Const(b), ir.Reg("data")),
    ]
    stale = ir.Op("and", (ir.Reg("r0"), ir.Op("eq", (ir.Reg("r1"), ir.Const(0)))))
    return litmus(sender, receiver, final=ir.Op("lnot", (stale,)))


def test_stores_change_places_under_pso_only() -> None:
    assert [check(message([]), model).verdict for model in MODELS] == ["PASS", "PASS", "FAIL"]


@pytest.mark.parametrize("tag", ["MFENCE", "MEMBAR.SS"])
def test_a_fence_keeps_stores_in_order_under_pso(tag: str) -> None:
    assert check(message([ir.Fence(frozenset({tag}))]), "pso").verdict == "PASS"


def test_a_run_that_is_cut_makes_the_answer_unknown() -> None:
    forever = ThreadDraft("main", [ir.Load("r", ir.Const(X)), ir.Branch("top")], {"top": 0})
    program = ProgramDraft([forever])
    program.location("x")
    assert check(program.finished(), "sc").verdict == "PASS"
    assert check(program.finished(), "sc", bound=3).verdict == "UNKNOWN"


def test_too_many_states_are_an_error_not_an_answer() -> None:
    with pytest.raises(TooManyStates):
        check(message([]), "tso", limit=3)
