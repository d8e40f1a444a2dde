"""A program -> the same program in which nothing depends on more of a number than it takes out of it.

LLVM hands small structs on as one number, put together from their members with shifts and masks, and takes
the members out again; so it does with bit-fields of local variables. No member depends on another one, but a
register that was made of all of them seems to. Where some bits of such a register are taken, these get a
register of their own, which is set wherever the whole is set, to what those bits are made of there. Registers
are set before they are used, as those of LLVM are.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias

from treville.programs import ir
from treville.programs.flow import defined_register, operands, registers_of
from treville.programs.operators import unsigned, wrap
from treville.records import NamedTuple, dataclass, field, replace

_WIDEST = 64
_TAKING = frozenset(("and", "lshr", "ashr", "sext", "zext"))
_Bit: TypeAlias = "int | tuple[str, int]"  # known, or one of a register
_Bits: TypeAlias = "tuple[_Bit, ...]"  # from the lowest on


class _Slice(NamedTuple):
    """Bits in a row of a register, as a number without sign."""

    register: str
    start: int
    size: int

    @property
    def name(self) -> str:
        return f"{self.register}[{self.start}:{self.size}]"

    def of(self, value: ir.Expr) -> ir.Expr:
        """These bits of a value."""
        shifted = ir.Op("lshr", (value, ir.Const(self.start)), _WIDEST) if self.start else value
        return ir.Op("zext", (shifted,), self.size)


def with_numbers_taken_apart(program: ir.Program) -> ir.Program:
    """The program in which parts of numbers come from where they were put in."""
    return program.rewritten(_rewritten)


def _rewritten(thread: ir.Thread) -> ir.Thread:
    computed = _computed(thread)
    if not any(_is_joining(value) for values in computed.values() for value in values):
        return thread
    numbers = _Numbers(computed)
    code = [_simplified(instruction, numbers) for instruction in thread.instructions]
    slices: dict[str, list[_Slice]] = defaultdict(list)
    for own, helps in numbers.helping.items():
        if helps:
            slices[own.register].append(own)

    def parts(old: ir.Instruction) -> list[ir.Instruction]:
        if not isinstance(old, ir.Local):
            return []
        there = slices.get(old.register, ())
        return [replace(old, register=own.name, value=numbers.simplified(own.of(old.value))) for own in there]

    pairs = zip(thread.instructions, code, strict=True)
    return thread.rewritten([[*parts(old), new] for old, new in pairs])


def _simplified(instruction: ir.Instruction, numbers: _Numbers) -> ir.Instruction:
    simpler = {name: numbers.simplified(value) for name, value in operands(instruction)}
    changed = {name: value for name, value in simpler.items() if value is not getattr(instruction, name)}
    return replace(instruction, **changed) if changed else instruction  # type: ignore[arg-type]


def _computed(thread: ir.Thread) -> dict[str, list[ir.Expr]]:
    """What registers are set to that are only ever computed, of others than themselves."""
    found: dict[str, list[ir.Expr]] = defaultdict(list)
    others = {thread.parameter, *thread.registers}
    for each in thread.instructions:
        if isinstance(each, ir.Local) and each.register not in registers_of(each.value):
            found[each.register].append(each.value)
        else:
            others |= {defined_register(each) or "", each.unset if isinstance(each, ir.Load) else ""}
    return {register: values for register, values in found.items() if register not in others}


def _is_joining(value: ir.Expr) -> bool:
    return isinstance(value, ir.Op) and (value.name == "or" or any(map(_is_joining, value.args)))


@dataclass
class _Numbers:
    """Registers that are `computed`, and slices of them that do not need all that the whole needs."""

    computed: dict[str, list[ir.Expr]]
    helping: dict[_Slice, bool] = field(default_factory=dict)
    own_bits: dict[str, _Bits] = field(default_factory=dict)

    def simplified(self, value: ir.Expr) -> ir.Expr:
        """The same value, of no more than it needs."""
        if isinstance(value, ir.Const | ir.Reg):
            return value
        if isinstance(value, ir.Op) and value.name in _TAKING and (taken := self._taken(value)) is not None:
            return taken
        parts = value if isinstance(value, ir.Select) else value.args
        simpler = tuple(map(self.simplified, parts))
        if all(new is old for new, old in zip(simpler, parts, strict=True)):
            return value
        return ir.Select(*simpler) if isinstance(value, ir.Select) else ir.Op(value.name, simpler, value.bits)

    def _taken(self, value: ir.Op) -> ir.Expr | None:
        """Bits that are known, or those of one register without all that this needs, or the value needs."""
        row = _in_a_row(self._bits(value)[: value.bits])
        if row is None:
            return None
        source, first = row
        if isinstance(source, int):
            return ir.Const(source if value.name == "zext" else wrap(source, value.bits))
        helps = self._helps(source)
        if not helps and registers_of(value) == {source.register}:
            return None
        bits: ir.Expr = ir.Reg(source.name) if helps else source.of(ir.Reg(source.register))
        if first:
            bits = ir.Op("shl", (bits, ir.Const(first)), _WIDEST)
        return bits if value.name == "zext" else ir.Op("sext", (bits,), value.bits)

    def _helps(self, own: _Slice) -> bool:
        """Does a slice need less than the whole register, wherever that is set? In circles it does."""
        if own not in self.helping and own.register in self.computed:
            self.helping[own] = True
            values = self.computed[own.register]
            needs = [registers_of(self.simplified(own.of(value))) != registers_of(value) for value in values]
            self.helping[own] = any(needs)
        return self.helping.get(own, False)

    def _bits(self, value: ir.Expr) -> _Bits:
        """The lowest 64 bits of a value (the highest bit of a shorter number is repeated); none if it is not
        known where they come from."""
        if isinstance(value, ir.Const):
            return tuple(unsigned(value.value, _WIDEST) >> at & 1 for at in range(_WIDEST))
        if isinstance(value, ir.Reg):
            return self._of_register(value.name)
        if isinstance(value, ir.Select) or value.bits > _WIDEST or _is_idle(value):
            return ()
        parts = [self._bits(part)[: value.bits] for part in value.args]
        bits = _moved(value.name, parts) if all(parts) else ()
        rest: _Bits = () if not bits else (0,) if value.name == "zext" else bits[-1:]
        return bits + rest * (_WIDEST - value.bits)

    def _of_register(self, name: str) -> _Bits:
        """The bits of a register; those that are always the same are known."""
        if name not in self.own_bits:
            own: _Bits = tuple((name, at) for at in range(_WIDEST))
            self.own_bits[name] = own
            values = [self._bits(value) or own for value in self.computed.get(name, ())]
            known = [set(bits) for bits in zip(*values, strict=True)] or [set(own)] * _WIDEST
            self.own_bits[name] = tuple(
                min(bits) if bits in ({0}, {1}) else bit for bits, bit in zip(known, own, strict=True)
            )
        return self.own_bits[name]


def _is_idle(value: ir.Op) -> bool:
    """Is it zero, written so that it depends on something?"""
    return value.name == "and" and ir.Const(0) in value.args


def _moved(name: str, parts: list[_Bits]) -> _Bits:
    """What an operator makes of bits, if it only moves them."""
    if name in ("zext", "sext"):
        return parts[0]
    if name in ("and", "or"):
        return _combined(int(name == "or"), parts)
    if name not in ("shl", "lshr", "ashr"):
        return ()
    bits, row = parts[0], _in_a_row(parts[1])
    if row is None or not isinstance(row[0], int) or row[0] >= len(bits):
        return ()
    by = row[0]
    if name == "shl":
        return (0,) * by + bits[: len(bits) - by]
    return bits[by:] + (bits[-1:] if name == "ashr" else (0,)) * by


def _combined(deciding: int, parts: list[_Bits]) -> _Bits:
    """Two numbers of which each bit is known, or that of one of them: the deciding one, or both the other."""
    found: list[_Bit] = []
    for pair in zip(*parts, strict=True):
        choice = {bit for bit in pair if bit != 1 - deciding}
        if deciding in choice:
            found.append(deciding)
        elif len(choice) > 1:
            return ()
        else:
            found.append(choice.pop() if choice else 1 - deciding)
    return tuple(found)


def _in_a_row(bits: _Bits) -> tuple[_Slice | int, int] | None:
    """The number that bits are, or the slice of a register that they are with zeros around it, and where it
    begins in them."""
    there = [(at, bit) for at, bit in enumerate(bits) if isinstance(bit, tuple)]
    known = sum(bit << at for at, bit in enumerate(bits) if not isinstance(bit, tuple))
    if not there:
        return (known, 0) if bits else None
    first, (register, start) = there[0]
    if known or any(bit != (register, start + at - first) for at, bit in there):
        return None
    if there[-1][0] - first + 1 != len(there):
        return None
    return _Slice(register, start, len(there)), first
