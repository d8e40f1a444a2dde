"""The alias analyses: each knows what it should, and verdicts do not depend on which one is used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.asking import reach_failure
from tests.seeds import conclusive, generator

from treville.analysis.alias_names import ALIASES, ANDERSEN, FLOW, NONE, Alias
from treville.analysis.aliases import addresses_of_events
from treville.analysis.values import analyse_values
from treville.events.symbolic import symbolic_program
from treville.events.symbolic_whole import whole_program
from treville.models.library import load_model
from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.litmus import parse
from treville.questions.outcomes import outcomes
from treville.results import Budget

EXAMPLES = Path(__file__).parents[2] / "examples" / "litmus"


def passing_a_pointer(names: tuple[str, ...] = ("x", "y")) -> ir.Program:
    """r = &y; *x = r; r = &x; s = *x; *s = 1: x points to y only, which one set for r does not tell."""
    program = ProgramDraft()
    x, y, *_ = (ir.Const(program.location(name).address) for name in names)
    code: list[ir.Instruction] = [
        ir.Local("r", y),
        ir.Store(x, ir.Reg("r"), bits=64),
        ir.Local("r", x),
        ir.Load("s", ir.Reg("r"), bits=64),
        ir.Store(ir.Reg("s"), ir.Const(1)),
    ]
    for location in program.locations.values():
        location.bits = 64
    program.threads.append(ThreadDraft("P0", code))
    return program.finished()


def last_address(program: ir.Program, alias: Alias) -> frozenset[int]:
    symbolic = symbolic_program(program, 1)
    return addresses_of_events(symbolic, analyse_values(symbolic, coherent=False), alias)[-1]


def test_registers_at_an_instruction_are_more_than_registers() -> None:
    program = passing_a_pointer()
    x, y = (location.address for location in program.locations.values())
    assert last_address(program, FLOW) == {y}
    assert last_address(program, ANDERSEN) == {x, y}
    assert last_address(program, NONE) == {x, y}


def test_a_set_per_register_is_more_than_nothing() -> None:
    program = passing_a_pointer(("x", "y", "z"))
    z = ir.Const(program.locations["z"].address)
    (thread,) = program.threads
    longer = replace(thread, instructions=(*thread.instructions, ir.Store(z, ir.Const(2), bits=64)))
    program = replace(program, threads=(longer,))
    assert last_address(program, ANDERSEN) == {z.value}
    assert len(last_address(program, NONE)) == 3


def pointer_program(seed: int) -> ir.Program:
    """Two threads that store addresses, follow pointers and write through them; main looks at the end."""
    choose = generator(seed)
    program = ProgramDraft()
    cells = [ir.Const(program.location(name).address) for name in ("a", "b", "c")]
    pointers = [ir.Const(program.location(name).address) for name in ("p", "q")]
    for location in program.locations.values():
        location.bits = 64
    for pointer in pointers:
        program.locations["pq"[pointers.index(pointer)]].initial = [choose.choice(cells).value]
    for number in range(2):
        body: list[ir.Instruction] = []
        for step in range(3):
            pointer, register, kind = choose.choice(pointers), f"r{number}{step}", choose.random()
            if kind < 0.3:
                body.append(ir.Store(pointer, choose.choice(cells), bits=64))
            elif kind < 0.7:
                body.append(ir.Load(register, pointer, bits=64))
                body.append(ir.Store(ir.Reg(register), ir.Const(number + 1), bits=64))
            else:
                body.append(ir.Load(register, choose.choice(pointers), bits=64))
                body.append(ir.Load("s", ir.Reg(register), bits=64))
                body.append(ir.Store(choose.choice(cells), ir.Op("add", (ir.Reg("s"), ir.Const(1))), bits=64))
        program.functions[f"t{number}"] = ThreadDraft(f"t{number}", body)
    main: list[ir.Instruction] = [ir.Spawn(f"h{name}", name, ir.Const(0)) for name in program.functions]
    main += [ir.Join(ir.Reg(f"h{name}")) for name in program.functions]
    main.append(ir.Load("end", choose.choice(cells), bits=64))
    fine = ir.Op("ne", (ir.Reg("end"), ir.Const(choose.choice((1, 2, 3)))))
    program.threads.append(ThreadDraft("main", [*main, ir.Assert(fine)]))
    return program.finished()


@pytest.mark.parametrize("model", ["sc", "tso", "aarch64"])
def test_verdicts_do_not_depend_on_the_analysis(model: str) -> None:
    failures = 0
    for seed in range(25):
        program = pointer_program(seed)
        found = {
            alias: reach_failure(program, load_model(model), 2, Budget(), alias=alias) for alias in ALIASES
        }
        verdicts = {alias: answer.execution is not None for alias, answer in found.items()}
        assert len(set(verdicts.values())) == 1, (seed, verdicts)
        failures += verdicts[FLOW]
        assert found[FLOW].stats["rf"] <= found[ANDERSEN].stats["rf"] <= found[NONE].stats["rf"]
    assert conclusive(0 < failures < 25)


def test_a_better_analysis_knows_no_more_addresses() -> None:
    for seed in range(25):
        symbolic = whole_program(pointer_program(seed), 1)
        values = analyse_values(symbolic, coherent=True)
        flow, andersen, none = (addresses_of_events(symbolic, values, alias) for alias in ALIASES)
        for one, two, three in zip(flow, andersen, none, strict=True):
            assert one <= two <= three


def test_outcomes_of_litmus_tests_do_not_depend_on_the_analysis() -> None:
    files = sorted(EXAMPLES.glob("*.litmus"))[:20]
    assert files
    for file in files:
        test = parse(file.read_text(), file.name)
        model = load_model("sc")
        states = [set(outcomes(test, model, engine="eager", alias=alias).states) for alias in ALIASES]
        assert states[0] == states[1] == states[2], file.name
