"""Values as pointers: the objects that each may point into, and the numbers that it may be modulo something.

For addresses that may be too many numbers to list, an array at an index that is read from memory, say. The
objects are found as L. O. Andersen does (paper 004, section 4.8): a constant address points into its object,
what is computed from a pointer points where the pointer points, and what is read from an object points where
anything points that is stored there. In C, arithmetic does not lead from one object into another, so an
access goes to a cell of these objects or nowhere. Of an object the cells count whose address has the right
remainder: an index times the size of an element reaches the same member of every element.
"""

from __future__ import annotations

from math import gcd

from treville.events.symbolic import SymbolicProgram
from treville.events.symbolic_terms import Any, Apply, Choose, Constant, Read, ValueTerm
from treville.programs.ir import LOCATION_BASE, LOCATION_STRIDE
from treville.relations import elements

TESTS = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge", "lnot"))


class Pointers:
    """The objects that values may point into, by slot."""

    def __init__(self, symbolic: SymbolicProgram, initial: dict[int, int]) -> None:
        """`initial` is what declared memory holds at first."""
        self.symbolic = symbolic
        self.terms = symbolic.terms.values
        self.slots = len(symbolic.program.locations) + len(symbolic.objects)
        self.targets = [0] * len(self.terms)
        self.contents = [0] * self.slots
        self._remainders: dict[int, tuple[int, int]] = {}
        for address, number in initial.items():
            self.contents[(address - LOCATION_BASE) // LOCATION_STRIDE] |= self._target(number)
        self._solve()

    def _target(self, number: int) -> int:
        """The object around an address, as a mask."""
        slot = (number - LOCATION_BASE) // LOCATION_STRIDE
        return 1 << slot if 0 <= slot < self.slots else 0

    def _solve(self) -> None:
        writes = [event for event in self.symbolic.events if event.kind == "W"]
        changed = True
        while changed:
            changed = False
            for value, term in enumerate(self.terms):
                targets = self._targets(term)
                if targets != self.targets[value]:
                    self.targets[value] = targets
                    changed = True
            for event in writes:
                stored = self.targets[event.value or 0]
                for slot in elements(self.targets[event.address or 0]):
                    self.contents[slot] |= stored

    def _targets(self, term: ValueTerm) -> int:
        found = 0
        if isinstance(term, Constant):
            found = self._target(term.number)
        elif isinstance(term, Any):
            for number in term.numbers:
                found |= self._target(number)
        elif isinstance(term, Choose):
            for _, case in term.cases:
                found |= self.targets[case]
        elif isinstance(term, Apply) and term.name not in TESTS:
            for arg in term.args:
                found |= self.targets[arg]
        elif isinstance(term, Read):
            for slot in elements(self.targets[self.symbolic.events[term.event].address or 0]):
                found |= self.contents[slot]
        return found

    def objects(self, value: int) -> list[int]:
        """The slots of the objects that a value may point into."""
        return list(elements(self.targets[value]))

    # -- remainders --------------------------------------------------------------------------------------

    def remainder(self, value: int) -> tuple[int, int]:
        """(m, r): the value is r modulo m; m = 0: the value is r."""
        found = self._remainders.get(value)
        if found is None:
            found = self._remainders[value] = self._remainder(self.terms[value])
        return found

    def _remainder(self, term: ValueTerm) -> tuple[int, int]:
        if isinstance(term, Constant):
            return 0, term.number
        if isinstance(term, Any):
            return _joined([(0, number) for number in term.numbers])
        if isinstance(term, Choose):
            return _joined([self.remainder(case) for _, case in term.cases])
        if isinstance(term, Apply):
            modulus, rest = self._computed(term)
            wrapped = gcd(modulus, 1 << term.bits)
            return wrapped, rest % wrapped
        return 1, 0

    def _computed(self, term: Apply) -> tuple[int, int]:
        """What is known of an operator's result before it is wrapped."""
        parts = [self.remainder(arg) for arg in term.args]
        modulus, rest = parts[0]
        if term.name in ("zext", "sext"):
            return modulus, rest
        if term.name in ("add", "sub"):
            other, more = parts[1]
            return gcd(modulus, other), rest + more if term.name == "add" else rest - more
        if term.name == "shl" and parts[1][0] == 0 and 0 <= parts[1][1] < term.bits:
            parts[1] = (0, 1 << parts[1][1])
        elif term.name != "mul":
            return 1, 0
        other, more = parts[1]
        return gcd(modulus * other, modulus * more, other * rest), rest * more


def _joined(parts: list[tuple[int, int]]) -> tuple[int, int]:
    """What holds of a value that is one of several."""
    modulus, rest = parts[0]
    for other, more in parts[1:]:
        modulus = gcd(modulus, other, rest - more)
    return modulus, rest % modulus if modulus else rest
