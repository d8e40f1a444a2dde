"""Random programs whose threads compute, branch and index arrays with what they read."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.seeds import generator

from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft

PLAIN = frozenset({"NA"})


def random_program(seed: int) -> ir.Program:
    """Two threads over two arrays of two cells; main asserts that what they saw is not a certain sum."""
    choose = generator(seed)
    program = ProgramDraft()
    for name in ("x", "y"):
        program.location(name).initial[:] = [0, choose.choice((0, 1))]
    for thread in ("first", "second"):
        program.location(f"{thread} saw")
        program.functions[thread] = _Writer(choose, program, thread).thread()
    names = ("first", "second")
    main: list[ir.Instruction] = [ir.Spawn(name, name, ir.Const(choose.randint(0, 1))) for name in names]
    main += [ir.Join(ir.Reg(name)) for name in names]
    for name in names:
        main.append(ir.Load(f"{name} saw", ir.Const(program.location(f"{name} saw").address)))
    total = ir.Op("add", (ir.Reg("first saw"), ir.Reg("second saw")))
    wrong = ir.Op("ne", (total, ir.Const(choose.choice((0, 1, 1, 2)))))
    program.threads.append(ThreadDraft("main", [*main, ir.Assert(wrong)]))
    return program.finished()


class _Writer:
    def __init__(self, choose: random.Random, program: ProgramDraft, name: str) -> None:
        self.choose, self.program, self.name = choose, program, name
        self.code: list[ir.Instruction] = []
        self.labels: dict[str, int] = {}
        self.open: list[tuple[str, int]] = []
        self.index = 0

    def thread(self) -> ThreadDraft:
        """A thread of a few random instructions, with branches forward."""
        for number in range(self.choose.choice((4, 5, 6))):
            self._close(number)
            self._instruction(number)
        self._close(len(self.code) + 100)
        saw = ir.Const(self.program.location(f"{self.name} saw").address)
        self._add(ir.Store(saw, ir.Reg("a"), PLAIN))
        return ThreadDraft(
            self.name, self.code, self.labels, parameter="b", private={"p": ((0, 32), (4, 32))}
        )

    def _add(self, instruction: ir.Instruction) -> None:
        self.index += 1
        self.code.append(replace(instruction, index=self.index))

    def _close(self, number: int) -> None:
        for label, end in list(self.open):
            if number >= end:
                self.labels[label] = len(self.code)
                self.open.remove((label, end))

    def _register(self) -> str:
        return self.choose.choice(("a", "b"))

    def _number(self) -> ir.Expr:
        one, other = ir.Reg(self._register()), ir.Reg(self._register())
        numbers: list[ir.Expr] = [one, ir.Const(1)]
        numbers += [ir.Op("xor", (one, other)), ir.Select(one, other, ir.Const(1))]
        return self.choose.choice(numbers)

    def _cell(self) -> ir.Expr:
        start = ir.Const(self.program.location(self.choose.choice("xy")).address)
        if self.choose.random() < 0.5:
            return start
        bit = ir.Op("and", (ir.Reg(self._register()), ir.Const(1)))
        return ir.Op("add", (start, ir.Op("mul", (bit, ir.Const(4)))))

    def _instruction(self, number: int) -> None:
        kind = self.choose.random()
        if kind < 0.3:
            self._add(ir.Load(self._register(), self._cell(), PLAIN))
        elif kind < 0.5:
            self._add(ir.Store(self._cell(), self._number(), PLAIN))
        elif kind < 0.6:
            self._exchange()
        elif kind < 0.75:
            label = f"after {number}"
            self._add(ir.Branch(label, ir.Reg(self._register()), self.choose.choice((None, label))))
            self.open.append((label, number + self.choose.choice((2, 3))))
        elif kind < 0.9:
            self._private()
        else:
            self._add(ir.Local(self._register(), self._number()))

    def _exchange(self) -> None:
        cell, fits = self._cell(), ir.Op("eq", (ir.Reg("c"), ir.Reg("a")))
        self._add(ir.Load("c", cell, PLAIN, link=True))
        self.code.append(ir.Store(cell, self._number(), PLAIN, link=True, when=fits, index=self.index))

    def _private(self) -> None:
        bit = ir.Op("and", (ir.Reg(self._register()), ir.Const(1)))
        offsets: list[ir.Expr] = [ir.Const(0), ir.Op("mul", (bit, ir.Const(4)))]
        self._add(ir.WritePrivate("p", self.choose.choice(offsets), ir.Reg(self._register())))
        self._add(ir.ReadPrivate(self._register(), "p", ir.Const(self.choose.choice((0, 4)))))
