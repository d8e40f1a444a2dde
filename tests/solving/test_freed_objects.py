"""Freed objects: the solver and the machine, which share no code, agree on random programs."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from tests.asking import reach_failure
from tests.seeds import conclusive, generator

from treville.machines.buffers.machine import Machine
from treville.machines.states import TooManyStates
from treville.models.library import load_model
from treville.models.use_after_free import with_lifetimes
from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.results import Budget
from treville.results.verdict import Verdict

PLAIN = frozenset({"NA", "DATA"})
GLOBALS = ("p", "flag")


def thread(random_: random.Random, addresses: dict[str, ir.Const]) -> list[ir.Instruction]:
    """Reads the pointer, and then accesses or frees the object, perhaps only after looking at the flag."""
    code: list[ir.Instruction] = [ir.Load("object", addresses["p"], PLAIN, 64)]
    if random_.random() < 0.8:
        code.append(ir.Assume(ir.Reg("object")))
    for _ in range(random_.randint(1, 3)):
        code += step(random_, addresses)
    return code


def step(random_: random.Random, addresses: dict[str, ir.Const]) -> list[ir.Instruction]:
    cell = ir.Op("add", (ir.Reg("object"), ir.Const(random_.choice((0, 4)))), 64)
    kind = random_.randrange(7)
    if kind == 0:
        return [ir.Load("seen", cell, PLAIN, 32)]
    if kind == 1:
        return [ir.Store(cell, ir.Const(1), PLAIN, 32)]
    if kind == 2:
        return [ir.Free(ir.Reg("object"))]
    if kind == 3:
        return [ir.Store(addresses["flag"], ir.Const(1), PLAIN, 64)]
    if kind == 4:
        return [ir.Load("flag", addresses["flag"], PLAIN, 64), ir.Assume(ir.Reg("flag"))]
    if kind == 5:
        return [ir.Fence(frozenset({"MFENCE"}))]
    return [ir.Store(addresses["p"], ir.Const(0), PLAIN, 64)]


def random_program(seed: int) -> ir.Program:
    random_ = generator(seed)
    program = ProgramDraft()
    addresses = {name: ir.Const(program.location(name).address) for name in GLOBALS}
    for location in program.locations.values():
        location.bits = 64
    main: list[ir.Instruction] = [
        ir.Allocate("object", ir.Const(8), zeroed=True, heap=True),
        ir.Store(addresses["p"], ir.Reg("object"), PLAIN, 64),
        ir.Fence(frozenset({"MFENCE"})),
    ]
    for number in range(2):
        program.functions[f"t{number}"] = ThreadDraft(f"t{number}", thread(random_, addresses))
        main.append(ir.Spawn(f"t{number}", f"t{number}", ir.Const(0)))
    if random_.random() < 0.5:
        main += [ir.Join(ir.Reg(f"t{number}")) for number in random_.sample((0, 1), random_.randint(1, 2))]
    main += step(random_, addresses)
    program.threads = [ThreadDraft("main", main)]
    return program.finished()


def verdicts(seed: int, model: str) -> tuple[str, str]:
    """What the machine and the solver say."""
    program = random_program(seed)
    found = reach_failure(program, load_model(model), 1, Budget(60))
    try:
        machine = Machine(program, model).explore().verdict
    except TooManyStates:  # a store that is late for its object is left to the solver
        machine = Verdict.FAIL
    return machine, "PASS" if found.execution is None else "FAIL"


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_the_machine_and_the_solver_agree_on_freed_objects(model: str) -> None:
    seen = Counter(verdicts(seed, model) for seed in range(60))
    assert set(seen) == {("PASS", "PASS"), ("FAIL", "FAIL")}, seen
    assert conclusive(min(seen.values()) > 5)


def test_models_of_c_want_happens_before_and_hardware_does_not() -> None:
    assert with_lifetimes(load_model("tso")) is load_model("tso")
    assert len(with_lifetimes(load_model("rc11")).axioms) == len(load_model("rc11").axioms) + 1


@pytest.mark.parametrize(("model", "verdict"), [("sc", "PASS"), ("tso", "PASS"), ("pso", "FAIL")])
def test_a_store_that_is_late_for_its_object_is_an_error_where_stores_may_be_late(
    model: str, verdict: str
) -> None:
    program = random_program(0)
    p, flag = (ir.Const(program.locations[name].address) for name in GLOBALS)
    writer: list[ir.Instruction] = [
        ir.Load("object", p, PLAIN, 64),
        ir.Store(ir.Reg("object"), ir.Const(1), PLAIN, 32),
        ir.Store(flag, ir.Const(1), PLAIN, 64),
    ]
    owner: list[ir.Instruction] = [
        ir.Load("flag", flag, PLAIN, 64),
        ir.Assume(ir.Reg("flag")),
        ir.Load("object", p, PLAIN, 64),
        ir.Free(ir.Reg("object")),
    ]
    threads = {"t0": ir.Thread("t0", tuple(writer)), "t1": ir.Thread("t1", tuple(owner))}
    main = replace(program.threads[0], instructions=program.threads[0].instructions[:5])
    program = replace(program, threads=(main,), functions=threads)
    found = reach_failure(program, load_model(model), 1, Budget(60))
    assert ("PASS" if found.execution is None else "FAIL") == verdict
    if verdict == "FAIL":
        assert found.failed == [writer[1]]
        assert found.message.startswith("use after free")
    else:
        assert Machine(program, model).explore().verdict == verdict
