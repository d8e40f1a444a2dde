"""Random small litmus tests, made directly as IR: a few threads, two locations, fences, dependencies,
branches, read-modify-writes and exclusives. Small enough for the brute-force oracle."""

from __future__ import annotations

from dataclasses import replace

from tests.seeds import generator

from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.litmus.test import CellOf, LitmusTest, Observable, RegisterOf


class Maker:
    """Makes one test from a seed; `fences` are the fence tags that it may use."""

    def __init__(self, seed: int, fences: tuple[str, ...], size: int = 5) -> None:
        self.rng = generator(seed)
        self.fences = fences
        self.size = size
        self.program = ProgramDraft()
        self.places = [ir.Const(self.program.location(name).address) for name in "xy"]
        named = zip(self.places, "xy", strict=True)
        self.observed: list[Observable] = [CellOf(place.value, name) for place, name in named]

    def make(self) -> LitmusTest:
        """A test with about `size` accesses over two or three threads."""
        count = self.rng.choice((2, 2, 3))
        budget = self.size
        for number in range(count):
            share = max(1, budget // (count - number))
            budget -= share
            self.program.threads.append(self._thread(number, share))
        return LitmusTest("random", "X86", self.program.finished(), observed=tuple(self.observed))

    def _thread(self, number: int, accesses: int) -> ThreadDraft:
        thread = ThreadDraft(f"P{number}")
        known: list[str] = []
        for step in range(accesses):
            self._access(thread, number, step, known)
            if step + 1 < accesses:
                self._between(thread, known)
        thread.labels["end"] = len(thread.instructions)
        for index, instruction in enumerate(thread.instructions):
            thread.instructions[index] = replace(instruction, index=instruction.index or index + 100)
        return thread

    def _address(self, known: list[str]) -> ir.Expr:
        place = self.rng.choice(self.places)
        if known and self.rng.random() < 0.2:
            register = ir.Reg(self.rng.choice(known))
            return ir.Op("add", (place, ir.Op("xor", (register, register), 64)), 64)
        return place

    def _value(self, known: list[str]) -> ir.Expr:
        number = ir.Const(self.rng.choice((1, 2)))
        if known and self.rng.random() < 0.4:
            register = ir.Reg(self.rng.choice(known))
            if self.rng.random() < 0.3:
                return ir.Select(register, number, ir.Const(3))
            if self.rng.random() < 0.5:
                return register
            return ir.Op("add", (ir.Op("xor", (register, register), 32), number), 32)
        return number

    def _access(self, thread: ThreadDraft, number: int, step: int, known: list[str]) -> None:
        register = f"r{step}"
        address = self._address(known)
        kind = self.rng.random()
        if kind < 0.4:
            thread.instructions.append(ir.Store(address, self._value(known), index=step + 1))
            return
        if kind < 0.8:
            thread.instructions.append(ir.Load(register, address, index=step + 1))
        elif kind < 0.92:
            tags = frozenset({"X"})
            thread.instructions.append(ir.Load(register, address, tags, link=True, index=step + 1))
            value = ir.Op("add", (ir.Reg(register), ir.Const(1)), 32)
            thread.instructions.append(ir.Store(address, value, tags, link=True, index=step + 1))
        else:
            tags = frozenset({"X"})
            thread.instructions.append(ir.Load(register, address, tags, exclusive=True, index=step + 1))
            stored = self._value(known)
            thread.instructions.append(ir.StoreExclusive(f"s{step}", address, stored, tags, index=step + 50))
            self.observed.append(RegisterOf(number, f"s{step}", f"{number}:s{step}"))
        known.append(register)
        self.observed.append(RegisterOf(number, register, f"{number}:{register}"))

    def _between(self, thread: ThreadDraft, known: list[str]) -> None:
        chance = self.rng.random()
        if chance < 0.3 and self.fences:
            thread.instructions.append(ir.Fence(frozenset({self.rng.choice(self.fences)})))
        elif chance < 0.45 and known:
            thread.instructions.append(ir.Branch("end", ir.Op("eq", (ir.Reg(known[-1]), ir.Const(2)), 32)))
        elif chance < 0.5 and known:
            label = f"L{len(thread.instructions)}"
            thread.instructions.append(ir.Branch(label, ir.Reg(known[-1])))
            thread.labels[label] = len(thread.instructions)


def random_test(seed: int, fences: tuple[str, ...] = (), size: int = 5) -> LitmusTest:
    """The random test of a seed."""
    return Maker(seed, fences, size).make()
