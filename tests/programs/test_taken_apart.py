"""Numbers that are taken apart: the values stay, and what was only beside them is not needed."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from treville.programs import ir
from treville.programs.flow import used_registers
from treville.programs.operators import OPERATORS
from treville.programs.taken_apart import with_numbers_taken_apart

MOVING = ("and", "or", "shl", "lshr", "ashr", "zext", "sext", "and", "or", "shl", "add", "xor")
MASKS = (0, 1, 255, -256, 0xFFFF, 0xFFFF0000, -(1 << 32), (1 << 32) - 1, -1)


def _value(value: ir.Expr, registers: dict[str, int]) -> int:
    if isinstance(value, ir.Const):
        return value.value
    if isinstance(value, ir.Reg):
        return registers.get(value.name, 0)
    if isinstance(value, ir.Select):
        return _value(value.then if _value(value.condition, registers) else value.otherwise, registers)
    return OPERATORS[value.name](tuple(_value(part, registers) for part in value.args), value.bits)


def _run(thread: ir.Thread, registers: dict[str, int]) -> dict[str, int]:
    """The registers at the end, or where the fourth round of a loop would begin."""
    at = rounds = 0
    while at < len(thread.instructions) and rounds < 4:
        instruction, at = thread.instructions[at], at + 1
        if isinstance(instruction, ir.Local):
            registers[instruction.register] = _value(instruction.value, registers)
        elif isinstance(instruction, ir.Branch) and (
            instruction.condition is None or _value(instruction.condition, registers)
        ):
            rounds += thread.labels[instruction.target] < at
            at = thread.labels[instruction.target]
    return registers


def _random_thread(chance: random.Random) -> ir.Thread:
    """Registers that are computed of each other, some of them again in branches and loops."""
    names = ["in0", "in1"]
    code: list[ir.Instruction] = [ir.Load("in0", ir.Const(0), bits=64), ir.Load("in1", ir.Const(8), bits=64)]

    def some(depth: int) -> ir.Expr:
        if depth == 0 or chance.random() < 0.4:
            return ir.Const(chance.choice(MASKS)) if chance.random() < 0.3 else ir.Reg(chance.choice(names))
        name, bits = chance.choice(MOVING), chance.choice((8, 16, 24, 32, 64))
        if name in ("zext", "sext"):
            return ir.Op(name, (some(depth - 1),), bits)
        second = ir.Const(chance.choice((0, 8, 16, 32))) if name in ("shl", "lshr", "ashr") else some(0)
        if name in ("and", "or") and chance.random() < 0.5:
            second = ir.Const(chance.choice(MASKS))
        return ir.Op(name, (some(depth - 1), second), bits)

    for number in range(8):
        code.append(ir.Local(f"r{number}", some(2)))
        names.append(f"r{number}")
    for _ in range(chance.randrange(5, 20)):
        code.append(ir.Local(f"r{chance.randrange(8)}", some(2)))
    here = chance.randrange(10, len(code))
    code.insert(chance.randrange(10, len(code)), ir.Branch("there", some(1)))
    return ir.Thread("t", tuple(code), {"there": here})


@pytest.mark.parametrize("seed", range(300))
def test_values_are_the_same(seed: int) -> None:
    chance = random.Random(seed)
    thread = _random_thread(chance)
    (other,) = with_numbers_taken_apart(ir.Program((thread,))).threads
    for _ in range(5):
        given = {"in0": chance.getrandbits(64) - (1 << 63), "in1": chance.choice((0, 1, -1))}
        before = _run(thread, dict(given))
        after = _run(other, dict(given))
        assert {name: after[name] for name in before} == before


def _word(*members: ir.Expr) -> Iterator[ir.Instruction]:
    """A struct of 16-bit members as one number."""
    whole: ir.Expr = ir.Const(0)
    for number, member in enumerate(members):
        yield ir.Local(f"at{number}", ir.Op("shl", (ir.Op("zext", (member,), 16), ir.Const(16 * number)), 64))
        yield ir.Local(f"word{number}", ir.Op("or", (whole, ir.Reg(f"at{number}")), 64))
        whole = ir.Reg(f"word{number}")


def test_a_member_does_not_need_the_others() -> None:
    taken = ir.Op("sext", (ir.Op("lshr", (ir.Reg("word2"), ir.Const(16)), 64),), 16)
    code = (
        *(ir.Load(name, ir.Const(at)) for at, name in enumerate("abc")),
        *_word(ir.Reg("a"), ir.Reg("b"), ir.Reg("c")),
        ir.Store(ir.Const(8), taken),
    )
    (thread,) = with_numbers_taken_apart(ir.Program((ir.Thread("t", code),))).threads
    needed = {"store"}
    for instruction in reversed(thread.instructions):
        sets = instruction.register if isinstance(instruction, ir.Local) else ""
        if sets in needed or isinstance(instruction, ir.Store):
            needed |= used_registers(instruction)
    assert needed & {"a", "b", "c"} == {"b"}
