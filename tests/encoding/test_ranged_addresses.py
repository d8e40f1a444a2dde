"""Arrays at indices that may be too many numbers: the same verdicts as with every number listed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.asking import Reachability, reach_failure
from tests.seeds import conclusive, generator

from treville.models.library import load_model
from treville.passes import bounded
from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.results import Budget, Unsupported

BYTES = 4


def array_program(seed: int) -> ir.Program:
    """Two threads that write indices, and read and write an array at indices that they read; sometimes an
    index is outside of it."""
    choose = generator(seed)
    program = ProgramDraft()
    index, flag = (ir.Const(program.location(name).address) for name in ("index", "flag"))
    array = program.location("array")
    array.initial = [0] * 4
    for number in range(2):
        body: list[ir.Instruction] = []
        for step in range(3):
            _add_step(body, choose, f"{number}{step}", (index, flag), ir.Const(array.address))
        program.functions[f"t{number}"] = ThreadDraft(f"t{number}", body)
    main: list[ir.Instruction] = [ir.Spawn(f"h{name}", name, ir.Const(0)) for name in program.functions]
    main += [ir.Join(ir.Reg(f"h{name}")) for name in program.functions]
    main += [ir.Load("i", index), ir.Assume(ir.Op("ult", (ir.Reg("i"), ir.Const(4)), 32))]
    main.append(ir.Load("end", element(ir.Const(array.address), ir.Reg("i"))))
    wrong = ir.Op("eq", (ir.Reg("end"), ir.Const(choose.choice((1, 2, 3)))), 32)
    program.threads.append(ThreadDraft("main", [*main, ir.Assert(ir.Op("lnot", (wrong,)))]))
    return program.finished()


def element(array: ir.Expr, index: ir.Expr) -> ir.Expr:
    offset = ir.Op("mul", (ir.Op("sext", (index,), 32), ir.Const(BYTES)), 64)
    return ir.Op("add", (array, offset), 64)


def _add_step(
    body: list[ir.Instruction],
    choose: random.Random,
    name: str,
    words: tuple[ir.Const, ir.Const],
    array: ir.Const,
) -> None:
    index, flag = words
    kind, wanted = choose.random(), choose.choice((0, 1, 2, 3, 3, 1, 2, 4 if choose.random() < 0.3 else 0))
    if kind < 0.35:
        body.append(ir.Store(index, ir.Const(wanted)))
    elif kind < 0.7:
        body += [ir.Load(f"i{name}", index), ir.Store(element(array, ir.Reg(f"i{name}")), ir.Const(wanted))]
    elif kind < 0.9:
        body += [ir.Load(f"i{name}", index), ir.Load(f"v{name}", element(array, ir.Reg(f"i{name}")))]
        body.append(ir.Store(index, ir.Op("and", (ir.Reg(f"v{name}"), ir.Const(3)), 32)))
    else:
        body += [ir.Store(flag, ir.Const(1)), ir.Fence(frozenset({"MFENCE"}))]


def verdict(program: ir.Program, model: str) -> tuple[bool, list[str]]:
    found: Reachability = reach_failure(program, load_model(model), 2, Budget(), lazy=False)
    return found.execution is not None, [type(failed).__name__ for failed in found.failed]


@pytest.mark.parametrize("model", ["sc", "tso", "aarch64"])
def test_wide_indices_give_the_verdicts_of_listed_ones(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = faults = 0
    for seed in range(40):
        program = array_program(seed)
        monkeypatch.setattr(bounded, "MOST_NUMBERS", 100)
        listed = verdict(program, model)
        monkeypatch.setattr(bounded, "MOST_NUMBERS", 1)
        assert verdict(program, model)[0] == listed[0], seed
        failures += listed[0]
        faults += any(kind != "Assert" for kind in listed[1])
    assert conclusive(0 < failures < 40)
    assert conclusive(bool(faults))


def unknown_index(low: int, high: int) -> ir.Program:
    """Any index within the limits is written, and another one within the array is read."""
    program = ProgramDraft()
    array = program.location("array")
    array.initial = [0] * 8
    limits = ir.Op("and", (ir.Op("ge", (ir.Reg("i"), ir.Const(low)), 32),
                           ir.Op("lt", (ir.Reg("i"), ir.Const(high)), 32)))  # fmt: skip
    main: list[ir.Instruction] = [
        ir.Nondet("i"),
        ir.Assume(limits),
        ir.Store(element(ir.Const(array.address), ir.Reg("i")), ir.Const(7)),
        ir.Load("v", ir.Const(array.address + 3 * BYTES)),
        ir.Assert(ir.Op("or", (ir.Op("eq", (ir.Reg("i"), ir.Const(3)), 32),
                               ir.Op("ne", (ir.Reg("v"), ir.Const(7)), 32)))),
    ]  # fmt: skip
    program.threads.append(ThreadDraft("main", main))
    return program.finished()


@pytest.mark.parametrize(
    ("low", "high", "fails"), [(0, 8, False), (0, 9, True), (-1, 8, True), (5, 6, False)]
)
def test_any_index_within_limits(low: int, high: int, fails: bool) -> None:
    assert verdict(unknown_index(low, high), "sc")[0] == fails


def test_bytes_within_cells_are_refused() -> None:
    program = unknown_index(0, 8)
    (thread,) = program.threads
    store = thread.instructions[2]
    assert isinstance(store, ir.Store)
    byte = ir.Op("add", (ir.Const(program.locations["array"].address), ir.Reg("i")), 64)
    code = [*thread.instructions]
    code[2] = replace(store, address=byte)
    with pytest.raises(Unsupported, match="mixed-size"):
        verdict(replace(program, threads=(replace(thread, instructions=tuple(code)),)), "sc")
