"""Gates for arithmetic on bit-vectors (lists of literals, lowest bit first, last bit the sign).

Each operator has the meaning that `programs.operators` gives it on numbers; the tests compare the two on all
small arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from treville.formulas.formula import FALSE, TRUE, Formula, Literal

Bits = list[Literal]
Operator = Callable[[list[Bits], int], Bits]


class Circuits:
    """Builds gates in one formula."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self._table: dict[str, Operator] | None = None
        self._gates: dict[tuple[str, Literal, Literal, Literal | None], Literal] = {}

    # -- gates -------------------------------------------------------------------------------------------

    def xor(self, one: Literal, other: Literal) -> Literal:
        """Exactly one of two literals."""
        if one in (TRUE, FALSE):
            return -other if one == TRUE else other
        if other in (TRUE, FALSE):
            return -one if other == TRUE else one
        if one == other:
            return FALSE
        if one == -other:
            return TRUE
        flip = (one < 0) != (other < 0)
        one, other = sorted((abs(one), abs(other)))
        gate, new = self._gate("xor", one, other, None)
        if new:
            for a, b in ((one, other), (-one, -other)):
                self.formula.forbid(a, b, gate)
                self.formula.forbid(a, -b, -gate)
        return -gate if flip else gate

    def _gate(self, name: str, a: Literal, b: Literal, c: Literal | None) -> tuple[Literal, bool]:
        """The output of a gate that clauses define; True if they are still to be written. Clauses propagate
        better than rules, which have atoms of their own for their bodies."""
        key = (name, a, b, c)
        known = self._gates.get(key)
        if known is not None:
            return known, False
        gate = self._gates[key] = self.formula.choice()
        return gate, True

    def parity(self, a: Literal, b: Literal, c: Literal) -> Literal:
        """An odd number of three literals."""
        if any(x in (TRUE, FALSE) for x in (a, b, c)) or len({abs(a), abs(b), abs(c)}) < 3:
            return self.xor(self.xor(a, b), c)
        flip = (a < 0) ^ (b < 0) ^ (c < 0)
        one, two, three = sorted((abs(a), abs(b), abs(c)))
        gate, new = self._gate("parity", one, two, three)
        if new:
            for x, y, z in product((one, -one), (two, -two), (three, -three)):
                odd = (x > 0) ^ (y > 0) ^ (z > 0)
                self.formula.forbid(x, y, z, -gate if odd else gate)
        return -gate if flip else gate

    def majority(self, a: Literal, b: Literal, c: Literal) -> Literal:
        """At least two of three literals."""
        for one, two, three in ((a, b, c), (b, c, a), (c, a, b)):
            if three == TRUE:
                return self.formula.either([one, two])
            if three == FALSE or one == two:
                return self.formula.both(one, two) if three == FALSE else one
            if one == -two:
                return three
        one, two, three = sorted((a, b, c))
        gate, new = self._gate("majority", one, two, three)
        if new:
            for x, y in ((one, two), (one, three), (two, three)):
                self.formula.forbid(x, y, -gate)
                self.formula.forbid(-x, -y, gate)
        return gate

    def choose(self, cases: list[tuple[Literal, Literal]]) -> Literal:
        """The bit of the case whose literal holds; cases exclude each other and one of them holds wherever
        the result matters."""
        if len({bit for _, bit in cases}) == 1:
            return cases[0][1]
        if all(bit in (TRUE, FALSE) for _, bit in cases):
            return self.formula.either([when for when, bit in cases if bit == TRUE])
        if len(cases) == 2 and cases[0][0] == -cases[1][0]:
            return self.pick(cases[0][0], cases[0][1], cases[1][1])
        return self.formula.any_of([[when, bit] for when, bit in cases])

    def pick(self, condition: Literal, then: Literal, otherwise: Literal) -> Literal:
        """One of two bits."""
        if then == otherwise or condition == TRUE:
            return then
        if condition == FALSE:
            return otherwise
        if then == -otherwise:
            return -self.xor(condition, then)
        gate, new = self._gate("pick", condition, then, otherwise)
        if new:
            for when, bit in ((condition, then), (-condition, otherwise)):
                self.formula.forbid(when, bit, -gate)
                self.formula.forbid(when, -bit, gate)
        return gate

    def equal(self, one: Bits, other: Bits) -> Literal:
        """All bits are the same."""
        width = max(len(one), len(other))
        pairs = zip(_extend(one, width), _extend(other, width), strict=True)
        return self.formula.both(*[-self.xor(a, b) for a, b in dict.fromkeys(pairs)])

    # -- arithmetic --------------------------------------------------------------------------------------

    def add(self, one: Bits, other: Bits, carry: Literal = FALSE) -> Bits:
        """The sum of two vectors of the same width, carry in, no carry out."""
        out = []
        last = len(one) - 1
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            out.append(self.parity(a, b, carry))
            if place < last:
                carry = self.majority(a, b, carry)
        return out

    def subtract(self, one: Bits, other: Bits) -> Bits:
        """The difference of two vectors of the same width."""
        return self.add(one, [-bit for bit in other], TRUE)

    def multiply(self, one: Bits, other: Bits) -> Bits:
        """The product of two vectors, cut to their common width."""
        width = len(one)
        if sum(bit in (TRUE, FALSE) for bit in one) > sum(bit in (TRUE, FALSE) for bit in other):
            one, other = other, one
        total = [FALSE] * width
        for place, bit in enumerate(other):
            if bit != FALSE:
                row = [FALSE] * place + [self.formula.both(bit, a) for a in one[: width - place]]
                total = self.add(total, row)
        return total

    def less(self, one: Bits, other: Bits, signed: bool) -> Literal:
        """one < other, for vectors of the same width."""
        if signed:
            one, other = [*one[:-1], -one[-1]], [*other[:-1], -other[-1]]
        below = FALSE
        for a, b in zip(one, other, strict=True):
            below = self.majority(-a, b, below)
        return below

    def larger(self, one: Bits, other: Bits, signed: bool, smaller: bool = False) -> Bits:
        """The larger of two vectors of the same width, or the smaller one."""
        takes_other = self.less(one, other, signed)
        if smaller:
            takes_other = -takes_other
        return [self.pick(takes_other, b, a) for a, b in zip(one, other, strict=True)]

    def negate_if(self, condition: Literal, bits: Bits) -> Bits:
        """-bits where the condition holds."""
        flipped = [self.xor(condition, bit) for bit in bits]
        zero = [FALSE] * len(bits)
        return self.add(flipped, zero, condition)

    def divide(self, one: Bits, other: Bits) -> tuple[Bits, Bits]:
        """Quotient and remainder of unsigned vectors by long division; by zero: 0 and the dividend."""
        width = len(one)
        rest: Bits = [FALSE] * width
        quotient: Bits = [FALSE] * width
        for place in reversed(range(width)):
            wide = [one[place], *rest]
            fits = -self.less(wide, [*other, FALSE], signed=False)
            smaller = self.subtract(wide, [*other, FALSE])
            rest = [self.pick(fits, a, b) for a, b in zip(smaller[:width], wide[:width], strict=True)]
            quotient[place] = fits
        zero = -self.formula.either(other)
        return (
            [self.formula.both(-zero, bit) for bit in quotient],
            [self.pick(zero, a, b) for a, b in zip(one, rest, strict=True)],
        )

    def signed_divide(self, one: Bits, other: Bits) -> tuple[Bits, Bits]:
        """As C divides: the quotient is rounded towards zero, the remainder has the dividend's sign."""
        quotient, rest = self.divide(self.negate_if(one[-1], one), self.negate_if(other[-1], other))
        return self.negate_if(self.xor(one[-1], other[-1]), quotient), self.negate_if(one[-1], rest)

    def shift(self, bits: Bits, amount: Bits, left: bool, fill: Literal) -> Bits:
        """Shift by a vector read as unsigned; beyond the width only the fill is left."""
        width = len(bits)
        stages = max(1, (width - 1).bit_length())
        for stage in range(stages):
            step = 1 << stage
            condition = amount[stage] if stage < len(amount) else amount[-1]
            if left:
                moved = [fill] * min(step, width) + bits[: max(0, width - step)]
            else:
                moved = bits[step:] + [fill] * min(step, width)
            bits = [self.pick(condition, a, b) for a, b in zip(moved, bits, strict=True)]
        beyond = self.formula.either(amount[stages:]) if len(amount) > stages else FALSE
        if width != 1 << stages:
            large = -self.less([*amount[:stages], FALSE], _constant(width, stages + 1), signed=False)
            beyond = self.formula.either([beyond, large])
        return [self.pick(beyond, fill, bit) for bit in bits]

    # -- the operators of the IR ---------------------------------------------------------------------------

    def operators(self) -> dict[str, Operator]:
        """Every operator of `programs.operators` as a circuit."""
        if self._table is None:
            self._table = self._operators()
        return self._table

    def leading_zeros(self, bits: Bits) -> Bits:
        """How many bits above the highest one are not set."""
        width = len(bits)
        count = _constant(width, width.bit_length() + 1)
        for place, bit in enumerate(bits):
            here = _constant(width - 1 - place, len(count))
            count = [self.pick(bit, one, other) for one, other in zip(here, count, strict=True)]
        return count

    def _operators(self) -> dict[str, Operator]:
        def bitwise(gate: Callable[[Literal, Literal], Literal]) -> Operator:
            def operate(args: list[Bits], width: int) -> Bits:
                one, other = (_extend(arg, width) for arg in args)
                return [gate(a, b) for a, b in zip(one, other, strict=True)]

            return operate

        def sized(function: Callable[[Bits, Bits], Bits]) -> Operator:
            return lambda args, width: function(_extend(args[0], width), _extend(args[1], width))

        def test(function: Callable[[Bits, Bits], Literal]) -> Operator:
            return lambda args, width: [function(_extend(args[0], width), _extend(args[1], width)), FALSE]

        def shifted(left: bool, arithmetic: bool) -> Operator:
            def operate(args: list[Bits], width: int) -> Bits:
                bits = _extend(args[0], width)
                return self.shift(bits, _extend(args[1], width), left, bits[-1] if arithmetic else FALSE)

            return operate

        both, either = self.formula.both, self.formula.either
        return {
            "add": sized(self.add),
            "sub": sized(self.subtract),
            "mul": sized(self.multiply),
            "and": bitwise(both),
            "or": bitwise(lambda a, b: either([a, b])),
            "xor": bitwise(self.xor),
            "not": lambda args, width: [-bit for bit in _extend(args[0], width)],
            "neg": lambda args, width: self.negate_if(TRUE, _extend(args[0], width)),
            "shl": shifted(left=True, arithmetic=False),
            "lshr": shifted(left=False, arithmetic=False),
            "ashr": shifted(left=False, arithmetic=True),
            "sdiv": sized(lambda a, b: self.signed_divide(a, b)[0]),
            "srem": sized(lambda a, b: self.signed_divide(a, b)[1]),
            "udiv": sized(lambda a, b: self.divide(a, b)[0]),
            "urem": sized(lambda a, b: self.divide(a, b)[1]),
            "eq": test(self.equal),
            "ne": test(lambda a, b: -self.equal(a, b)),
            "lt": test(lambda a, b: self.less(a, b, signed=True)),
            "le": test(lambda a, b: -self.less(b, a, signed=True)),
            "gt": test(lambda a, b: self.less(b, a, signed=True)),
            "ge": test(lambda a, b: -self.less(a, b, signed=True)),
            "ult": test(lambda a, b: self.less(a, b, signed=False)),
            "ule": test(lambda a, b: -self.less(b, a, signed=False)),
            "ugt": test(lambda a, b: self.less(b, a, signed=False)),
            "uge": test(lambda a, b: -self.less(a, b, signed=False)),
            "smax": sized(lambda a, b: self.larger(a, b, signed=True)),
            "smin": sized(lambda a, b: self.larger(a, b, signed=True, smaller=True)),
            "umax": sized(lambda a, b: self.larger(a, b, signed=False)),
            "umin": sized(lambda a, b: self.larger(a, b, signed=False, smaller=True)),
            "reverse_bits": lambda args, width: _extend(args[0], width)[::-1],
            "reverse_bytes": lambda args, width: _reversed_bytes(_extend(args[0], width), args[1]),
            "leading_zeros": lambda args, width: self.leading_zeros(_extend(args[0], width)),
            "lnot": lambda args, _width: [-either(args[0]), FALSE],
            "zext": lambda args, width: [*_extend(args[0], width), FALSE],
            "sext": lambda args, width: _extend(args[0], width),
        }


def _extend(bits: Bits, width: int) -> Bits:
    return bits + bits[-1:] * (width - len(bits)) if len(bits) < width else bits[:width]


def _reversed_bytes(bits: Bits, group: Bits) -> Bits:
    """The bytes of each group of so many bits (0: all) in reverse order; how many is known."""
    number = sum(1 << place for place, bit in enumerate(group) if bit == TRUE)
    size = number or len(bits)
    return [
        bits[start + size - 8 - at + place]
        for start in range(0, len(bits), size)
        for at in range(0, size, 8)
        for place in range(8)
    ]


def _constant(number: int, width: int) -> Bits:
    return [TRUE if number >> place & 1 else FALSE for place in range(width)]
