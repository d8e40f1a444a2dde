"""A program whose copies note what nobody set -> the same, without notes where everything was set.

Copies (`Load.unset`, `Store.unset`) say which bits nobody set. Most memory is globals, which have values from
the start, and what is put there was set: such notes are dropped, as far as `places` tells where accesses go.
"""

from __future__ import annotations

from collections.abc import Iterator

from treville.programs import ir
from treville.programs.places import Places
from treville.records import replace

# What these make of zeros is zero.
_KEEPING_ZERO = frozenset(("and", "or", "xor", "shl", "lshr", "ashr", "zext", "sext", "trunc"))


def with_known_contents(program: ir.Program) -> ir.Program:
    """The program in which only those accesses have notes that may need them."""
    if not any(_has_note(instruction) for instruction in program.instructions()):
        return program
    analysis = _Analysis(program)
    while analysis.step():
        pass
    bodies = iter([analysis.body(number, body) for number, body in enumerate(program.bodies)])
    return program.rewritten(lambda _: next(bodies))


def _has_note(instruction: ir.Instruction) -> bool:
    match instruction:
        case ir.Load(unset=note) if note:
            return True
        case ir.Store(unset=bits) if bits is not None:
            return True
        case _:
            return False


class _Analysis:
    """Which registers may have bits, and which objects bytes that nobody set."""

    def __init__(self, program: ir.Program) -> None:
        places = Places(program)
        self.bodies = program.bodies
        self.targets = {
            (reached.body, reached.position): frozenset(reached.targets)
            for reached in places.accesses()
            if isinstance(reached.access, ir.Load | ir.Store)
        }
        self.fresh = places.fresh()
        self.objects: set[int] = set()
        self.anywhere = False  # may what nobody set be written to a place that is not known?
        self.registers: set[tuple[int, str]] = set()
        self.setting = [list(_setting(body)) for body in self.bodies]

    def step(self) -> bool:
        """Follow all instructions once; is there anything new?"""
        before = (len(self.registers), len(self.objects), self.anywhere)
        for number, body in enumerate(self.setting):
            for position, instruction in body:
                self._apply(number, position, instruction)
        return before != (len(self.registers), len(self.objects), self.anywhere)

    def _apply(self, number: int, position: int, instruction: ir.Instruction) -> None:
        match instruction:
            case ir.Local(register, value) if self._may_have_bits(number, value):
                self.registers.add((number, register))
            case ir.ReadPrivate(register) | ir.Nondet(register) | ir.Havoc(register):
                self.registers.add((number, register))
            case ir.Load(register, unset=note):
                if register is not None:
                    self.registers.add((number, register))
                if note and self._finds_unset(number, position, instruction):
                    self.registers.add((number, note))
            case ir.Store(unset=bits) if bits is not None and self._may_have_bits(number, bits):
                targets = self.targets[number, position]
                self.objects |= targets
                self.anywhere = self.anywhere or not targets
            case _:
                pass

    def _finds_unset(self, number: int, position: int, load: ir.Load) -> bool:
        targets = self.targets[number, position]
        if load.blind and (not targets or targets & self.fresh):
            return True
        return self.anywhere or bool(targets & self.objects)

    def _may_have_bits(self, number: int, value: ir.Expr) -> bool:
        if isinstance(value, ir.Const):
            return value.value != 0
        if isinstance(value, ir.Reg):
            return (number, value.name) in self.registers
        if isinstance(value, ir.Select):
            return self._may_have_bits(number, value.then) or self._may_have_bits(number, value.otherwise)
        if value.name not in _KEEPING_ZERO:
            return True
        found = [self._may_have_bits(number, argument) for argument in value.args]
        if value.name in ("shl", "lshr", "ashr"):
            return found[0]
        return all(found) if value.name == "and" else any(found)

    def body(self, number: int, body: ir.Thread) -> ir.Thread:
        """The code with the notes that are needed."""

        def kept(instruction: ir.Instruction) -> ir.Instruction:
            match instruction:
                case ir.Load(unset=note) if note and (number, note) not in self.registers:
                    return replace(instruction, unset="")
                case ir.Store(unset=bits) if bits is not None and not self._may_have_bits(number, bits):
                    return replace(instruction, unset=None)
                case _:
                    return instruction

        return replace(body, instructions=tuple(map(kept, body.instructions)))


def _setting(body: ir.Thread) -> Iterator[tuple[int, ir.Instruction]]:
    kinds = (ir.Local, ir.ReadPrivate, ir.Nondet, ir.Havoc, ir.Load, ir.Store)
    return ((at, each) for at, each in enumerate(body.instructions) if isinstance(each, kinds))
