"""Any number -> the few that make a difference: as good as trying all of them."""

from collections.abc import Mapping

import pytest
from tests.seeds import conclusive, generator

from treville.machines.buffers import machine
from treville.machines.buffers.machine import Machine
from treville.machines.choices import choice_of
from treville.machines.states import Log, TooManyStates
from treville.programs import ir

X = ir.LOCATION_BASE
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge")


def program_of(instructions: list[ir.Instruction], labels: Mapping[str, int] | None = None) -> ir.Program:
    end = {"end": len(instructions), **(labels or {})}
    return ir.Program((ir.Thread("main", tuple(instructions), end),), {"x": ir.Location("x", X)})


def verdict(program: ir.Program, samples: int = 0) -> str | None:
    try:
        return Machine(program, "sc", samples=samples).explore().verdict
    except TooManyStates:
        return None


def with_every_number(program: ir.Program) -> ir.Program:
    """The same with all 256 numbers spelt out."""
    thread = program.threads[0]
    spelt: list[ir.Instruction] = [
        ir.Havoc(i.register, tuple(range(-128, 128))) if isinstance(i, ir.Nondet) else i
        for i in thread.instructions
    ]
    return program_of(spelt, thread.labels)


def random_program(seed: int) -> ir.Program:
    """A number, things computed from it, branches over stores, and an assertion on what was stored."""
    chance = generator(seed)
    names = ["n", "n", "m"]
    code: list[ir.Instruction] = [ir.Load("m", ir.Const(X)), ir.Nondet("n", 8)]
    labels: dict[str, int] = {}

    def number() -> ir.Expr:
        return ir.Const(chance.choice((0, 1, 2, 5, -1, -3, 100, 127, -128, 200, 255)))

    def value() -> ir.Expr:
        return ir.Reg(chance.choice(names))

    def test() -> ir.Expr:
        sides = chance.choice(((value(), number()),) * 7 + ((number(), value()), (value(), value())))
        compared: ir.Expr = ir.Op(chance.choice(COMPARISONS), sides, chance.choice((8, 8, 16, 32)))
        return chance.choice((compared, compared, ir.Op("lnot", (compared,)), value()))

    for at in range(chance.randint(2, 5)):
        kind = chance.random()
        if kind < 0.35:
            operation = chance.choice(("zext", "sext", "add", "sub", "srem", "urem"))
            constant = ir.Const(chance.randint(1, 5)) if operation.endswith("rem") else number()
            arguments = (value(),) if operation.endswith("ext") else (value(), constant)
            names.append(f"r{at}")
            width = 8 if operation in ("zext", "sext") else chance.choice((8, 16, 32))
            code.append(ir.Local(names[-1], ir.Op(operation, arguments, width)))
        elif kind < 0.5:
            code.append(ir.Assume(test()))
        elif kind < 0.55:
            code.append(ir.Store(ir.Const(X), value()))
        else:
            code.append(ir.Branch(f"after{at}", test()))
            code.append(ir.Store(ir.Const(X), ir.Const(at + 1)))
            labels[f"after{at}"] = len(code)
    code.append(ir.Load("seen", ir.Const(X)))
    code.append(ir.Assert(ir.Op("ne", (ir.Reg("seen"), ir.Const(chance.randint(0, 5))), 32)))
    return program_of(code, labels)


def test_a_few_numbers_are_as_good_as_all() -> None:
    answered = 0
    for seed in range(600):
        program = random_program(seed)
        exact = verdict(program)
        expected = verdict(with_every_number(program))
        if exact is not None:
            assert exact == expected, seed
            answered += 1
        if verdict(program, samples=2) == "FAIL":
            assert expected == "FAIL", seed
    assert conclusive(answered > 400)


def test_within_a_range_all_tests_come_out_the_same() -> None:
    for seed in range(300):
        program = random_program(seed)
        thread = program.threads[0]
        source = thread.instructions[1]
        assert isinstance(source, ir.Nondet)
        choice = choice_of(thread, source)
        covered = 0
        for kind in choice.kinds():
            assert len({choice.answers(value) for value in kind}) == 1, (seed, kind)
            covered += len(kind)
        assert covered == 256


@pytest.mark.parametrize("samples", [0, 2])
def test_a_number_that_an_assumption_keeps_small_is_tried_out(samples: int) -> None:
    code: list[ir.Instruction] = [
        ir.Nondet("n", 32),
        ir.Assume(ir.Op("ult", (ir.Reg("n"), ir.Const(5)), 32)),
        ir.Store(ir.Const(X), ir.Reg("n")),
        ir.Load("seen", ir.Const(X)),
        ir.Assert(ir.Op("ult", (ir.Reg("seen"), ir.Const(5)), 32)),
    ]
    assert verdict(program_of(code), samples) == ("UNKNOWN" if samples else "PASS")


def test_what_happened_is_compared_only_where_a_state_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop over memory of its own has another state in each round: comparing took quadratic time."""
    compared = []
    told = machine._told

    def watched(log: list[Log]) -> set[machine.Told]:
        compared.append(len(log))
        return told(log)

    monkeypatch.setattr(machine, "_told", watched)
    one_more = ir.Op("add", (ir.Reg("i"), ir.Const(1)), 32)
    code: list[ir.Instruction] = [
        ir.Allocate("p", ir.Const(4)),
        ir.Store(ir.Reg("p"), ir.Reg("i")),
        ir.Local("i", one_more),
        ir.Branch("again", ir.Op("lt", (ir.Reg("i"), ir.Const(20)), 32)),
    ]
    for _ in Machine(program_of(code, {"again": 1}), "sc").first(logging=True):
        pass
    assert not compared
    idle: list[ir.Instruction] = [ir.Fence(frozenset({"MFENCE"})), ir.Branch("again")]
    for _ in Machine(program_of(idle, {"again": 0}), "sc").first(logging=True):
        pass
    assert compared
