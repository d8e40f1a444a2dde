"""Every operator is given to every engine, on numbers that are chosen while the program runs."""

from __future__ import annotations

import pytest

from treville.engines.contract import GaveUp, Proved, Refuted
from treville.engines.registry import DECIDE
from treville.engines.task import ready_task
from treville.models.library import load_model
from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.operators import OPERATORS
from treville.results import Budget
from treville.results.properties import Property

UNARY = {"not", "neg", "lnot", "zext", "sext", "reverse_bits", "leading_zeros"}
FIRST, SECOND = (5, -128, 0), (3, -1)
BITS = 8
MANY = 20_000
NAMES = sorted(OPERATORS)


def expected(name: str, wrong: bool) -> ir.Expr:
    """What the operator gives, as a choice by the arguments; the last one may be wrong."""
    found: ir.Expr = ir.Const(99)
    for one in FIRST:
        for other in SECOND:
            args = (one,) if name in UNARY else (one, 0 if name == "reverse_bytes" else other)
            value = OPERATORS[name](args, BITS) + (wrong and (one, other) == (FIRST[-1], SECOND[-1]))
            here = ir.Op("and", (_is("a", one), _is("b", other)))
            found = ir.Select(here, ir.Const(value), found)
    return found


def _is(register: str, number: int) -> ir.Expr:
    return ir.Op("eq", (ir.Reg(register), ir.Const(number)), BITS)


def program(names: list[str], wrong: str = "") -> ir.Program:
    """Arguments come through memory, so that no front end knows them."""
    draft = ProgramDraft()
    places = [ir.Const(draft.location(name).address) for name in ("x", "y")]
    code: list[ir.Instruction] = []
    for register, values, place in zip("ab", (FIRST, SECOND), places, strict=True):
        code += [ir.Havoc("chosen", values), ir.Store(place, ir.Reg("chosen"), bits=BITS)]
        code += [ir.Load(register, place, bits=BITS)]
    for name in names:
        second: ir.Expr = ir.Const(0) if name == "reverse_bytes" else ir.Reg("b")
        args: tuple[ir.Expr, ...] = (ir.Reg("a"),) if name in UNARY else (ir.Reg("a"), second)
        code.append(ir.Local("result", ir.Op(name, args, BITS)))
        same = ir.Op("eq", (ir.Reg("result"), expected(name, name == wrong)), 64)
        code.append(ir.Assert(same, name))
    draft.threads.append(ThreadDraft("main", code))
    return draft.finished()


def decided(engine: str, code: ir.Program) -> object:
    task = ready_task(code, load_model("sc"), Property.ASSERTION, 1, Budget(60))
    return DECIDE[engine]().run(task, MANY)


@pytest.mark.parametrize("engine", list(DECIDE))
def test_engines_compute_what_operators_mean(engine: str) -> None:
    if ":" in engine:
        pytest.importorskip("z3" if engine.endswith("z3") else "pysat")
    found = decided(engine, program(NAMES))
    assert isinstance(found, Proved | GaveUp), found
    if isinstance(found, GaveUp):
        assert found.error is not None or found.reason, engine


@pytest.mark.parametrize("engine", ["buffers", "eager", "lazy", "clocks", "conflicts"])
def test_engines_that_answer_do_so_for_every_operator(engine: str) -> None:
    assert isinstance(decided(engine, program(NAMES)), Proved)


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_result_is_noticed(name: str) -> None:
    assert isinstance(decided("eager", program([name], wrong=name)), Refuted)
