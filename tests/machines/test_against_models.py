"""Random small programs: the machine with store buffers and the axiomatic engine give the same verdicts."""

from __future__ import annotations

import random

import pytest
from tests.asking import reach_by_states, reach_failure
from tests.seeds import conclusive, generator

from treville.machines.buffers.machine import Machine
from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.programs import ir
from treville.programs.compile_to import compile_program
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.results import Budget

ORDERS = ("NA", "RLX", "ACQ", "REL", "SC")
MODELS = ("sc", "tso", "pso")


def random_program(seed: int) -> ir.Program:
    """Two or three threads that load, store, update and fence; main asserts that the loads did not all return
    certain values."""
    choose = generator(seed)
    program = ProgramDraft()
    shared = [ir.Const(program.location(name).address) for name in ("x", "y")]
    wanted: list[tuple[ir.Const, int]] = []
    for thread in range(choose.choice((2, 2, 3))):
        body: list[ir.Instruction] = []
        for number in range(choose.choice((2, 3))):
            _add_random(body, choose, shared, program, f"{thread}{number}", wanted)
        program.functions[f"t{thread}"] = ThreadDraft(f"t{thread}", body)
    main: list[ir.Instruction] = [ir.Spawn(f"h{name}", name, ir.Const(0)) for name in program.functions]
    main += [ir.Join(ir.Reg(f"h{name}")) for name in program.functions]
    reached: ir.Expr = ir.Const(1)
    for number, (address, value) in enumerate(wanted):
        main.append(ir.Load(f"r{number}", address))
        reached = ir.Op("and", (reached, ir.Op("eq", (ir.Reg(f"r{number}"), ir.Const(value)))))
    program.threads.append(ThreadDraft("main", [*main, ir.Assert(ir.Op("lnot", (reached,)))]))
    return program.finished()


def _add_random(
    body: list[ir.Instruction],
    choose: random.Random,
    shared: list[ir.Const],
    program: ProgramDraft,
    name: str,
    wanted: list[tuple[ir.Const, int]],
) -> None:
    address, kind, index = choose.choice(shared), choose.random(), int(name) + 1
    order = choose.choice(ORDERS)
    tags = frozenset({order}) if order == "NA" else frozenset({order, "A"})
    if kind < 0.4:
        body.append(ir.Store(address, ir.Const(choose.choice((1, 2))), tags, index=index))
    elif kind < 0.8:
        result = ir.Const(program.location(f"result{name}").address)
        body.append(ir.Load(f"r{name}", address, tags, index=index))
        body.append(ir.Store(result, ir.Reg(f"r{name}"), index=index + 1000))
        wanted.append((result, choose.choice((0, 0, 1, 2))))
    elif kind < 0.9:
        atomic = frozenset({"SC", "A", "RMW"})
        body.append(ir.Load(f"r{name}", address, atomic, link=True, index=index))
        added = ir.Op("add", (ir.Reg(f"r{name}"), ir.Const(1)), 32)
        body.append(ir.Store(address, added, atomic, link=True, index=index))
    else:
        body.append(ir.Fence(choose.choice((frozenset({"SC", "MFENCE"}), frozenset({"REL"})))))


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_both_engines_give_the_same_verdict(first: int) -> None:
    failures = 0
    for seed in range(first, first + 10):
        program = random_program(seed)
        for name in MODELS:
            model, compiled = load_model(name), compile_program(program, name)
            machine = reach_by_states(compiled, model, Budget(), 100_000)
            assert machine is not None
            axiomatic = reach_failure(compiled, model, 2, Budget())
            assert (machine.execution is None) == (axiomatic.execution is None), (seed, name)
            if machine.execution is not None:
                failures += 1
                run = machine.execution
                judged = evaluate(model, len(run.events), run.sets, run.relations)
                assert judged.violated == [], (seed, name)
    assert conclusive(0 < failures < 30)


def random_stores(seed: int) -> ir.Program:
    """A thread that stores to x, y and z with store-store fences here and there, and one that loads two of
    them; main asserts that it did not find certain values."""
    choose, program = generator(seed), ProgramDraft()
    shared = [ir.Const(program.location(name).address) for name in ("x", "y", "z")]
    results = [ir.Const(program.location(name).address) for name in ("r0", "r1")]
    writer: list[ir.Instruction] = []
    for number in range(choose.choice((3, 4))):
        writer.append(ir.Store(choose.choice(shared), ir.Const(number + 1), index=10 * number))
        if choose.random() < 0.5:
            writer.append(ir.Fence(frozenset({"MEMBAR.SS"}), index=10 * number + 1))
    reader: list[ir.Instruction] = []
    for number, (address, result) in enumerate(zip(choose.sample(shared, 2), results, strict=True)):
        reader.append(ir.Load(f"r{number}", address, index=10 * number))
        reader.append(ir.Store(result, ir.Reg(f"r{number}"), index=10 * number + 1))
    program.functions = {"writer": ThreadDraft("writer", writer), "reader": ThreadDraft("reader", reader)}
    main: list[ir.Instruction] = [ir.Spawn(f"h{name}", name, ir.Const(0)) for name in program.functions]
    main += [ir.Join(ir.Reg(f"h{name}")) for name in program.functions]
    tests: list[ir.Expr] = []
    for number, result in enumerate(results):
        main.append(ir.Load(f"found{number}", result))
        wanted = ir.Const(choose.randrange(5) if number == 0 else choose.choice((0, 0, 1, 2)))
        tests.append(ir.Op("eq", (ir.Reg(f"found{number}"), wanted)))
    main.append(ir.Assert(ir.Op("lnot", (ir.Op("and", tuple(tests)),))))
    program.threads.append(ThreadDraft("main", main))
    return program.finished()


def test_fences_between_stores_keep_the_order_that_the_model_says() -> None:
    model, failures = load_model("pso"), 0
    for seed in range(100):
        program = compile_program(random_stores(seed), "pso")
        machine = Machine(program, "pso").explore()
        axiomatic = reach_failure(program, model, 1, Budget())
        assert (machine.verdict == "FAIL") == (axiomatic.execution is not None), seed
        failures += machine.verdict == "FAIL"
    assert conclusive(10 < failures < 90)
