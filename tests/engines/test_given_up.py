"""Searches that are given up because a deeper one follows: no verdict depends on when that happens."""

from __future__ import annotations

import pytest

from treville.engines.decide import formulas
from treville.engines.decide.acyclicity import Acyclicity
from treville.engines.decide.at_bound import SearchAtBound
from treville.engines.task import ready_task
from treville.models.library import load_model
from treville.passes.program import Context, Ready
from treville.programs import ir
from treville.programs.compile_to import compile_program
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.questions.reachability import reachability
from treville.results import Budget, Verdict
from treville.results.properties import Property
from treville.solving.back_ends.by_name import BackEnd

ATOMIC = frozenset({"RLX", "A"})
UPDATE = ATOMIC | {"RMW"}


def counting(threads: int, expected: int) -> ir.Program:
    """Threads add one to a counter by a compare-exchange that is repeated until it succeeds."""
    program = ProgramDraft()
    counter = ir.Const(program.location("counter").address)
    needed = ir.Const(program.location("rounds needed").address)
    fits = ir.Op("eq", (ir.Reg("found"), ir.Reg("old")))
    more = ir.Op("add", (ir.Reg("old"), ir.Const(1)), 32)
    body: list[ir.Instruction] = [
        ir.Local("rounds", ir.Op("add", (ir.Reg("rounds"), ir.Const(1)))),
        ir.Load("old", counter, ATOMIC, index=1),
        ir.Load("found", counter, UPDATE, link=True, index=2),
        ir.Store(counter, more, UPDATE, link=True, when=fits, index=2),
        ir.Branch("again", ir.Op("lnot", (fits,)), index=3),
        ir.Store(needed, ir.Reg("rounds"), ATOMIC, index=4),
    ]
    program.functions = {"add": ThreadDraft("add", body, {"again": 0})}
    names = [f"t{number}" for number in range(threads)]
    main: list[ir.Instruction] = [ir.Spawn(name, "add", ir.Const(0)) for name in names]
    main += [ir.Join(ir.Reg(name)) for name in names]
    main.append(ir.Load("all", counter, ATOMIC, index=90))
    main.append(ir.Assert(ir.Op("eq", (ir.Reg("all"), ir.Const(expected)))))
    program.threads.append(ThreadDraft("main", main))
    return program.finished()


def verdicts(model: str, bound: int | None) -> list[Verdict]:
    """Of a program that is right and of one that is not."""
    found = []
    for expected in (2, 1):
        context = Context(load_model(model), Property.SAFETY)
        answer = reachability(Ready(counting(2, expected)), context, bound, Budget(60), "eager")
        found.append(answer.verdict)
    return found


@pytest.mark.parametrize("model", ["tso", "aarch64", "power"])
@pytest.mark.parametrize("bound", [None, 1, 3])
def test_the_verdict_is_the_same(model: str, bound: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formulas, "FIRST_EFFORT", 1_000_000)
    expected = verdicts(model, bound)
    if bound != 1:
        assert expected == [Verdict.PASS, Verdict.FAIL]
    for effort in (1, 20):
        monkeypatch.setattr(formulas, "FIRST_EFFORT", effort)
        assert verdicts(model, bound) == expected


def test_a_search_gives_up_only_where_an_execution_is_cut() -> None:
    model = load_model("aarch64")
    program = compile_program(counting(3, 3), "aarch64")
    task = ready_task(program, model)
    shallow = SearchAtBound(task, 1, Acyclicity().session, BackEnd.CLASP).run(Budget(), effort=1)
    assert (shallow.given_up, shallow.complete, len(shallow.cut)) == (True, False, 1)
    deep = SearchAtBound(task, 4, Acyclicity().session, BackEnd.CLASP).run(Budget(), effort=1)
    assert (deep.given_up, deep.complete, deep.cut) == (False, True, [])
