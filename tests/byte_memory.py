"""Random programs of one thread whose accesses overlap as they like, and what each load finds in bytes."""

from __future__ import annotations

from typing import NamedTuple

from tests.seeds import generator

from treville.programs import ir
from treville.programs.operators import wrap

SIZE = 16


class Accesses(NamedTuple):
    """A program that asserts that loads find what is there, and whether no accesses overlap in parts."""

    program: ir.Program
    apart: bool


def random_accesses(seed: int, zeroed: bool = True) -> Accesses:
    """Some stores and loads of an allocated object."""
    choose, memory = generator(seed), bytearray(SIZE)
    code: list[ir.Instruction] = [ir.Allocate("p", ir.Const(SIZE), zeroed=zeroed, heap=True)]
    checks: list[ir.Instruction] = []
    ranges: set[tuple[int, int]] = set()
    widths = choose.choice(((32,), (32, 64), (8, 32), (8, 16, 32, 64)))
    for number in range(choose.randint(3, 6)):
        bits = choose.choice(widths)
        at = choose.choice(
            [offset for offset in (0, 0, 4, 4, 8, 2, 6) if offset % (bits // 8) == 0 or len(widths) > 2]
        )
        address, length = ir.Op("add", (ir.Reg("p"), ir.Const(at)), 64), bits // 8
        ranges.add((at, at + length))
        if choose.random() < 0.5:
            value = wrap(choose.choice((1, -1, 0x01020304_05060708, choose.getrandbits(64))), bits)
            memory[at : at + length] = value.to_bytes(length, "little", signed=True)
            code.append(ir.Store(address, ir.Const(value), bits=bits, index=number))
        else:
            code.append(ir.Load(f"r{number}", address, bits=bits, index=number))
            # As front ends do, which know that the cell may be wider.
            code.append(ir.Local(f"r{number}", ir.Op("sext", (ir.Reg(f"r{number}"),), bits)))
            found = int.from_bytes(memory[at : at + length], "little", signed=True)
            checks.append(ir.Assert(ir.Op("eq", (ir.Reg(f"r{number}"), ir.Const(found)), 64)))
    apart = all(a == b or a[1] <= b[0] or b[1] <= a[0] for a in ranges for b in ranges)
    return Accesses(ir.Program((ir.Thread("main", (*code, *checks)),)), apart)
