"""Threads without end: what views say of any number of threads holds for a few of them."""

import pytest
from tests.seeds import conclusive, generator

from treville.machines.buffers.machine import Machine
from treville.machines.buffers.view_abstraction import Abstraction, any_number_is_safe
from treville.machines.states import Failed, LimitReached, TooManyStates
from treville.programs import ir
from treville.results import Budget

CELLS = (ir.LOCATION_BASE, ir.LOCATION_BASE + ir.LOCATION_STRIDE)
LOCK, DATA = (ir.Const(at) for at in CELLS)


def program_of(worker: list[ir.Instruction], threads: int | None, labels: dict[str, int]) -> ir.Program:
    """`main` starts so many threads; None: without end."""
    start = ir.Spawn("t", "worker", ir.Const(0))
    if threads is None:
        main = ir.Thread("main", (start, ir.Branch("again")), {"again": 0})
    else:
        main = ir.Thread("main", (start,) * threads)
    locations = {name: ir.Location(name, at) for name, at in zip("xy", CELLS, strict=True)}
    functions = {"worker": ir.Thread("worker", tuple(worker), {"end": len(worker), **labels})}
    return ir.Program((main,), locations, functions=functions)


def equals(register: str, value: int) -> ir.Expr:
    return ir.Op("eq", (ir.Reg(register), ir.Const(value)), 32)


def critical_section(works: bool) -> list[ir.Instruction]:
    """A lock by an atomic block; without it two threads meet."""
    acquire: list[ir.Instruction] = [
        ir.AtomicBegin(),
        ir.Load("free", LOCK),
        ir.Assume(equals("free", 0)),
        ir.Store(LOCK, ir.Const(1)),
        ir.AtomicEnd(),
    ]
    inside: list[ir.Instruction] = [
        ir.Load("before", DATA),
        ir.Assert(equals("before", 0)),
        ir.Store(DATA, ir.Const(1)),
        ir.Store(DATA, ir.Const(0)),
    ]
    release: list[ir.Instruction] = [ir.Fence(frozenset({"MFENCE"})), ir.Store(LOCK, ir.Const(0))]
    return [*(acquire if works else []), *inside, *release]


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
@pytest.mark.parametrize("works", [True, False])
def test_a_lock_protects_any_number_of_threads(model: str, works: bool) -> None:
    program = program_of(critical_section(works), None, {})
    found = any_number_is_safe(program, model, 20_000, Budget())
    assert (found is not None) == works
    with pytest.raises(TooManyStates):
        Machine(program, model).explore()


def test_views_of_one_thread_know_too_little_of_a_lock() -> None:
    program = program_of(critical_section(works=True), None, {})
    with pytest.raises(Failed):
        Abstraction(Machine(program, "sc"), 1, 20_000).explore()


def random_worker(seed: int) -> tuple[list[ir.Instruction], dict[str, int]]:
    chance = generator(seed)
    code: list[ir.Instruction] = []
    labels: dict[str, int] = {}

    def access() -> None:
        cell = chance.choice((LOCK, DATA))
        if chance.random() < 0.5:
            code.append(ir.Load("r", cell))
        else:
            code.append(ir.Store(cell, ir.Const(chance.randint(0, 2))))

    for at in range(chance.randint(2, 4)):
        kind = chance.random()
        if kind < 0.3:
            code.append(ir.AtomicBegin())
            access()
            code.append(ir.Assume(equals("r", chance.randint(0, 1))))
            access()
            code.append(ir.AtomicEnd())
        elif kind < 0.5:
            code.append(ir.Branch(f"after{at}", equals("r", chance.randint(0, 2))))
            access()
            labels[f"after{at}"] = len(code)
        else:
            access()
    code.append(ir.Load("r", chance.choice((LOCK, DATA))))
    code.append(ir.Assert(ir.Op("ne", (ir.Reg("r"), ir.Const(chance.randint(0, 2))), 32)))
    return code, labels


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_what_is_safe_for_any_number_of_threads_is_safe_for_three(model: str) -> None:
    safe = unsafe = 0
    for seed in range(150):
        worker, labels = random_worker(seed)
        found = any_number_is_safe(program_of(worker, None, labels), model, 3_000, Budget())
        few = {Machine(program_of(worker, count, labels), model).explore().verdict for count in (1, 2, 3)}
        if found is not None:
            assert few == {"PASS"}, seed
            safe += 1
        unsafe += "FAIL" in few
    assert conclusive(safe > 20)
    assert conclusive(unsafe > 20)


def test_a_sample_of_threads_without_end_shows_a_failure_and_nothing_else() -> None:
    broken, works = (program_of(critical_section(kind), None, {}) for kind in (False, True))
    assert Machine(broken, "sc", samples=1).explore().verdict == "FAIL"
    with pytest.raises(LimitReached):
        Machine(works, "sc", samples=1, limit=200).explore()
