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
from typing import TypeAlias

from treville.events.symbolic import StaticEvent, SymbolicProgram
from treville.events.symbolic_terms import Any, Apply, Choose, Constant, Read, Value, ValueTerm
from treville.programs.ir import LOCATION_BASE, LOCATION_STRIDE
from treville.relations import bits

Remainder: TypeAlias = tuple[int, int]
ANY_REMAINDER: Remainder = (1, 0)
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
        self.initial = initial
        self._remainders: list[Remainder | None] = []
        self._held: list[Remainder | None] = []
        for address, number in initial.items():
            self.contents[(address - LOCATION_BASE) // LOCATION_STRIDE] |= self._target(number)
        self._solve()

    def _target(self, number: int) -> int:
        """The object around an address, as a mask."""
        slot = (number - LOCATION_BASE) // LOCATION_STRIDE
        return 1 << slot if 0 <= slot < self.slots else 0

    def _solve(self) -> None:
        writes = self.symbolic.writes()
        changed = True
        while changed:
            changed = False
            for value, term in enumerate(self.terms):
                targets = self._targets(term)
                if targets != self.targets[value]:
                    self.targets[value] = targets
                    changed = True
            for event in writes:
                stored = self.targets[event.value]
                for slot in bits(self.targets[event.address]):
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
            for slot in bits(self.targets[self.symbolic.access(term.event).address]):
                found |= self.contents[slot]
        return found

    def objects(self, value: Value) -> list[int]:
        """The slots of the objects that a value may point into."""
        return list(bits(self.targets[value]))

    # -- remainders --------------------------------------------------------------------------------------

    def remainder(self, value: Value) -> Remainder:
        """(m, r): the value is r modulo m; m = 0: the value is r."""
        if not self._remainders:
            self._solve_remainders()
        return self._remainders[value] or ANY_REMAINDER

    def _solve_remainders(self) -> None:
        """Remainders of all values, and of all that objects hold; None: no such value is known yet."""
        self._remainders = [None] * len(self.terms)
        declared = len(self.symbolic.program.locations)
        self._held = [None] * declared + [(0, 0)] * (self.slots - declared)
        for address, number in self.initial.items():
            self._hold((address - LOCATION_BASE) // LOCATION_STRIDE, (0, number))
        writes = self.symbolic.writes()
        changed = True
        while changed:
            changed = False
            for value, term in enumerate(self.terms):
                found = self._remainder(term)
                if found != self._remainders[value]:
                    self._remainders[value] = found
                    changed = True
            for event in writes:
                stored = _wrapped(self._remainders[event.value], event)
                for slot in bits(self.targets[event.address]):
                    changed |= self._hold(slot, stored)

    def _hold(self, slot: int, stored: Remainder | None) -> bool:
        """Let an object hold a value more; is that new?"""
        before = self._held[slot]
        self._held[slot] = _joined([before, stored])
        return self._held[slot] != before

    def _remainder(self, term: ValueTerm) -> Remainder | None:
        if isinstance(term, Constant):
            return 0, term.number
        if isinstance(term, Any):
            return _joined([(0, number) for number in term.numbers])
        if isinstance(term, Choose):
            return _joined([self._remainders[case] for _, case in term.cases])
        if isinstance(term, Read):
            event = self.symbolic.access(term.event)
            held = [self._held[slot] for slot in bits(self.targets[event.address])]
            return _wrapped(_joined(held), event) if held else ANY_REMAINDER
        if isinstance(term, Apply):
            parts = [part for arg in term.args if (part := self._remainders[arg]) is not None]
            return _computed(term, parts) if len(parts) == len(term.args) else None
        return ANY_REMAINDER


def _wrapped(found: Remainder | None, event: StaticEvent) -> Remainder | None:
    """What is left of a value in a cell of the width of an access."""
    if found is None:
        return None
    modulus = gcd(found[0], 1 << getattr(event.instruction, "bits", 64))
    return modulus, found[1] % modulus


def _computed(term: Apply, parts: list[Remainder]) -> Remainder:
    """What is known of an operator's result."""
    modulus, rest = _before_wrapping(term, parts)
    wrapped = gcd(modulus, 1 << term.bits)
    return wrapped, rest % wrapped


def _before_wrapping(term: Apply, parts: list[Remainder]) -> Remainder:
    modulus, rest = parts[0]
    if term.name in ("zext", "sext"):
        return modulus, rest
    other, more = parts[1] if len(parts) > 1 else ANY_REMAINDER
    if term.name in ("add", "sub"):
        return gcd(modulus, other), rest + more if term.name == "add" else rest - more
    if term.name == "and":
        masks = [mask for of_mask, mask in parts if of_mask == 0]
        return max((mask & -mask for mask in masks if mask), default=1), 0
    if term.name == "shl" and other == 0 and 0 <= more < term.bits:
        more = 1 << more
    elif term.name != "mul":
        return ANY_REMAINDER
    return gcd(modulus * other, modulus * more, other * rest), rest * more


def _joined(parts: list[Remainder | None]) -> Remainder | None:
    """What holds of a value that is one of several."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    modulus, rest = known[0]
    for other, more in known[1:]:
        modulus = gcd(modulus, other, rest - more)
    return modulus, rest % modulus if modulus else rest
