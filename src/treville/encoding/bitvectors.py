"""Values as bit-vectors: one literal per bit, for programs whose values can be many numbers.

The counterpart of `values.FiniteDomains`. A value is a list of literals, lowest bit first, read as a signed
number whose last bit is repeated as far as needed; so a value that is known to be small has few bits, and
constants have none of their own. Operators become gates, and a read has the bits of the write that it
reads from. A cycle of values that justify each other has solutions here, so the model must forbid cycles of
dependencies and reads-from (all hardware models do, and RC11).
"""

from __future__ import annotations

from collections.abc import Callable

from treville.analysis.facts import Facts
from treville.encoding.circuits import Circuits
from treville.encoding.values import EventValues
from treville.events.symbolic_terms import (
    Any,
    Apply,
    Choose,
    Constant,
    Equal,
    NonZero,
    Read,
    Unknown,
    Value,
)
from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.programs.ir import Load
from treville.relations import EventId

Bits = list[Literal]


class BitVectors(EventValues):
    """The value encoding for programs with arithmetic."""

    def __init__(
        self, formula: Formula, facts: Facts, sources: dict[EventId, list[tuple[EventId, Literal]]]
    ) -> None:
        """`sources[r]` lists for each read the writes it may read from, with the literal of each choice."""
        super().__init__(formula, facts)
        self.numbers = facts.values.numbers
        self.sources = sources
        self.circuits = Circuits(formula)
        self._bits: dict[Value, Bits] = {}
        self._is: dict[tuple[Value, int], Literal] = {}
        for read in sources:
            self.bits(facts.symbolic.access(read).value)
        for read, writes in sources.items():
            self._connect(read, writes)

    # -- reads -------------------------------------------------------------------------------------------

    def _connect(self, read: EventId, writes: list[tuple[EventId, Literal]]) -> None:
        """Where a read takes a write, their bits are the same, as far as the read goes."""
        mine, seen = self.bits(self.facts.symbolic.access(read).value), self._seen_bits(read)
        for write, literal in writes:
            theirs = self._written_bits(write)[:seen]
            width = max(len(mine), len(theirs))
            pairs = zip(extend(mine, width), extend(theirs, width), strict=True)
            self.formula.equal_where(literal, dict.fromkeys(pairs))

    def _seen_bits(self, read: EventId) -> int:
        """How many bits a read reads, the lowest ones of what was written."""
        instruction = self.facts.symbolic.events[read].instruction
        return instruction.bits if isinstance(instruction, Load) else 64

    def _written_bits(self, write: EventId) -> Bits:
        address = self.facts.initial_writes.get(write)
        if address is not None:
            return constant_bits(self.facts.values.initial.get(address, 0))
        return self.bits(self.facts.symbolic.access(write).value)

    # -- values ------------------------------------------------------------------------------------------

    def bits(self, value: Value) -> Bits:
        """The bits of a value. What it is computed from comes first, one after the other: long straight code
        computes values from values to any depth."""
        pending = [value]
        while value not in self._bits:
            last = pending[-1]
            missing = [argument for argument in self._arguments(last) if argument not in self._bits]
            if missing:
                pending += reversed(missing)
                continue
            if last not in self._bits:
                self._bits[last] = trim(self._define(last)[: self._width(last)])
            pending.pop()
        return self._bits[value]

    def _arguments(self, value: Value) -> tuple[Value, ...]:
        """What the bits of a value are computed from."""
        term, numbers = self.terms.values[value], self.numbers[value]
        known = isinstance(numbers, frozenset) and len(numbers) == 1
        return term.args if isinstance(term, Apply) and not known else ()

    def _width(self, value: Value) -> int:
        """How many bits the numbers that the value may be need."""
        numbers = self.numbers[value]
        if not numbers:
            return 1
        low, high = (numbers[0], numbers[-1]) if isinstance(numbers, range) else (min(numbers), max(numbers))
        return max(len(constant_bits(low)), len(constant_bits(high)))

    def _define(self, value: Value) -> Bits:
        term, numbers = self.terms.values[value], self.numbers[value]
        if isinstance(numbers, frozenset) and len(numbers) == 1:
            return constant_bits(next(iter(numbers)))
        if isinstance(term, Constant):
            return constant_bits(term.number)
        if isinstance(term, Any):
            return self._choice(term.numbers)
        if isinstance(term, Unknown):
            return [self.formula.choice() for _ in range(term.bits)]
        if isinstance(term, Read):
            width = min(self._seen_bits(term.event), self._width(value))
            return [self.formula.choice() for _ in range(width)]
        if isinstance(term, Choose):
            return self._cases([(self.condition(when), self.bits(case)) for when, case in term.cases])
        return self._apply(term)

    def _choice(self, numbers: tuple[int, ...]) -> Bits:
        literals = [self.formula.choice() for _ in numbers]
        self.formula.exactly_one(literals)
        return self._cases([(one, constant_bits(n)) for one, n in zip(literals, numbers, strict=True)])

    def _cases(self, cases: list[tuple[Literal, Bits]]) -> Bits:
        cases = [case for case in cases if case[0] != FALSE]
        width = max((len(bits) for _, bits in cases), default=1)
        columns = zip(*[extend(bits, width) for _, bits in cases], strict=True)
        return [
            self.circuits.choose([(when, bit) for (when, _), bit in zip(cases, column, strict=True)])
            for column in columns
        ] or [FALSE]

    def _apply(self, term: Apply) -> Bits:
        operate = self.circuits.operators()[term.name]
        return operate([self.bits(arg) for arg in term.args], term.bits)

    def is_number(self, value: Value, number: int) -> Literal:
        """The literal that a value is the number."""
        if number not in self.numbers[value]:
            return FALSE
        found = self._is.get((value, number))
        if found is None:
            found = self.circuits.equal(self.bits(value), constant_bits(number))
            self._is[value, number] = found
        return found

    def number(self, value: Value, is_true: Callable[[Literal], bool]) -> int:
        """What a value is in a solution."""
        total = 0
        bits = self.bits(value)
        for place, literal in enumerate(bits):
            if literal == TRUE or (literal != FALSE and is_true(literal)):
                total += (1 << place) if place < len(bits) - 1 else -(1 << place)
        return total

    def prepare(self, value: Value) -> None:
        """Make the literals that `number` looks at."""
        self.bits(value)

    def settle_unused_choices(self) -> None:
        """Free values that no executed instruction chose are the smallest."""
        for guard, value in self.facts.symbolic.havocs:
            unused, smallest = -self.condition(guard), min(self.facts.values.listed(value))
            self.formula.forbid(unused, -self.is_number(value, smallest))

    # -- conditions --------------------------------------------------------------------------------------

    def is_non_zero(self, term: NonZero) -> Literal:
        """See `EventValues`."""
        return self.formula.either(self.bits(term.value))

    def is_equal(self, term: Equal) -> Literal:
        """See `EventValues`."""
        return self.equal(term.left, term.right)

    def equal(self, one: Value, other: Value) -> Literal:
        """The literal that two values are equal."""
        return self.circuits.equal(self.bits(one), self.bits(other))


def constant_bits(number: int) -> Bits:
    """A number as bits: the fewest that show it with its sign."""
    width = (number if number >= 0 else ~number).bit_length() + 1
    return [TRUE if number >> place & 1 else FALSE for place in range(width)]


def extend(bits: Bits, width: int) -> Bits:
    """The bits repeated to a width, or cut to it."""
    return bits + bits[-1:] * (width - len(bits)) if len(bits) < width else bits[:width]


def trim(bits: Bits) -> Bits:
    """Without last bits that repeat the one before."""
    end = len(bits)
    while end > 1 and bits[end - 1] == bits[end - 2]:
        end -= 1
    return bits[:end]
