"""The final values of memory cells as literals: number by number where they are few, else bit by bit."""

from __future__ import annotations

from typing import Protocol

from treville.encoding.acyclicity import Encoding
from treville.encoding.bitvectors import BitVectors, constant_bits, extend
from treville.formulas.formula import FALSE, TRUE, Literal
from treville.programs.litmus.test import CellOf
from treville.relations import EventId, elements
from treville.solving.solution import IsTrue


class FinalCell(Protocol):
    """What a cell holds in the end of runs that ended."""

    def literals(self) -> list[Literal]:
        """The literals that tell values apart; all are false in runs that did not end."""

    def number(self, is_true: IsTrue) -> int:
        """The value in a solution."""

    def holds(self, number: int) -> list[Literal]:
        """Literals that hold, in runs that ended, exactly where the value is the number."""


def final_cell(encoding: Encoding, cell: CellOf, ended: Literal) -> FinalCell:
    """The final value of a cell, where the literal `ended` holds."""
    values = encoding.memory.values
    if isinstance(values, BitVectors) and _is_wide(encoding, cell.address):
        return _Bits(_bits(encoding, values, cell.address, ended))
    found = encoding.final(cell)
    if not found:  # no event accesses it
        found = {encoding.facts.values.initial.get(cell.address, 0): TRUE}
    return _Listed({number: encoding.formula.both(literal, ended) for number, literal in found.items()})


class _Listed:
    def __init__(self, by_number: dict[int, Literal]) -> None:
        self.by_number = by_number

    def literals(self) -> list[Literal]:
        return list(self.by_number.values())

    def number(self, is_true: IsTrue) -> int:
        return next((number for number, literal in self.by_number.items() if is_true(literal)), 0)

    def holds(self, number: int) -> list[Literal]:
        return [self.by_number.get(number, FALSE)]


class _Bits:
    def __init__(self, bits: list[Literal]) -> None:
        self.bits = bits

    def literals(self) -> list[Literal]:
        return self.bits

    def number(self, is_true: IsTrue) -> int:
        total = 0
        for place, literal in enumerate(self.bits):
            if literal != FALSE and is_true(literal):
                total += (1 << place) if place < len(self.bits) - 1 else -(1 << place)
        return total

    def holds(self, number: int) -> list[Literal]:
        if len(constant_bits(number)) > len(self.bits):
            return [FALSE]
        wanted = extend(constant_bits(number), len(self.bits))
        return [bit if one == TRUE else -bit for bit, one in zip(self.bits, wanted, strict=True)]


def _writes(encoding: Encoding, address: int) -> list[EventId]:
    facts = encoding.facts
    return [write for write in elements(facts.sets["W"].may) if address in facts.addresses(write)]


def _is_wide(encoding: Encoding, address: int) -> bool:
    facts = encoding.facts
    written = [w for w in _writes(encoding, address) if w not in facts.initial_writes]
    return any(isinstance(facts.values.numbers[facts.symbolic.access(w).value], range) for w in written)


def _bits(encoding: Encoding, values: BitVectors, address: int, ended: Literal) -> list[Literal]:
    """The bits of the last write, signed as `BitVectors` has them."""
    facts, memory, formula = encoding.facts, encoding.memory, encoding.formula
    cases = []
    for write in _writes(encoding, address):
        if write in facts.initial_writes:
            bits = constant_bits(facts.values.initial.get(address, 0))
        else:
            bits = values.bits(facts.symbolic.access(write).value)
        cases.append((memory.last(write, address), bits))
    width = max(len(bits) for _, bits in cases)
    columns = zip(*[extend(bits, width) for _, bits in cases], strict=True)
    return [
        formula.any_of([[ended, last, bit] for (last, _), bit in zip(cases, column, strict=True)])
        for column in columns
    ]
