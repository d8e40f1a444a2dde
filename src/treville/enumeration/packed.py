"""Relations over few events packed into one int each: bit `i*n + j` says that (i, j) is in it.

Union, intersection and difference are then single operations, whatever the number of pairs, and
composition is a sum of outer products, each one multiplication (column k spread over the rows, times row k).
Against row lists this is 10 times faster for Boolean operators and no slower for composition up to
about 60 events, which is where the explicit engine stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache


class Kernel:
    """The operations that need to know `n`; one instance per `n`, with hot ones as closures."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.row = (1 << n) - 1
        self.column = sum(1 << (i * n) for i in range(n))
        self.full = (1 << (n * n)) - 1
        self.diagonal = sum(1 << (i * (n + 1)) for i in range(n))
        self.seq = _compose(n, self.column, self.row)
        self.plus = _closure(n, self.column, self.row)
        self.inverse = _transpose(n, self.column)

    def pack(self, pairs: Iterable[tuple[int, int]]) -> int:
        """The relation of the given pairs."""
        n, out = self.n, 0
        for source, target in pairs:
            out |= 1 << (source * n + target)
        return out

    def rows(self, members: int) -> int:
        """The pairs whose source is in the set."""
        n, row, out = self.n, self.row, 0
        while members:
            low = members & -members
            out |= row << ((low.bit_length() - 1) * n)
            members ^= low
        return out

    def columns(self, members: int) -> int:
        """The pairs whose target is in the set."""
        return self.column * members

    def identity(self, members: int) -> int:
        """cat's `[S]`."""
        return self.diagonal & (self.column * members)

    def product(self, sources: int, targets: int) -> int:
        """cat's `S * T`."""
        return self.rows(sources) & (self.column * targets)

    def domain(self, relation: int) -> int:
        """The set of sources."""
        n, row, out, bit = self.n, self.row, 0, 1
        while relation:
            if relation & row:
                out |= bit
            relation >>= n
            bit <<= 1
        return out

    def range(self, relation: int) -> int:
        """The set of targets."""
        n, row, out = self.n, self.row, 0
        while relation:
            out |= relation & row
            relation >>= n
        return out

    def cyclic(self, relation: int) -> bool:
        """Is there a cycle?"""
        if relation & self.diagonal:
            return True
        return bool(self.plus(relation) & self.diagonal)


def _compose(n: int, column: int, row: int) -> Callable[[int, int], int]:
    def seq(left: int, right: int) -> int:
        out = 0
        while right and left:
            targets = right & row
            if targets:
                sources = left & column
                if sources:
                    out |= sources * targets
            left >>= 1
            right >>= n
        return out

    return seq


def _closure(n: int, column: int, row: int) -> Callable[[int], int]:
    shifts = [(k, k * n) for k in range(n)]

    def plus(relation: int) -> int:
        for k, at in shifts:
            targets = (relation >> at) & row
            if targets:
                sources = (relation >> k) & column
                if sources:
                    relation |= sources * targets
        return relation

    return plus


def _transpose(n: int, column: int) -> Callable[[int], int]:
    # Multiplying a column (bits at i*n) by bits at j*(n-1) gathers it into n adjacent bits at (n-1)^2.
    gather = sum(1 << (j * (n - 1)) for j in range(n))
    base, row = (n - 1) * (n - 1), (1 << n) - 1

    def inverse(relation: int) -> int:
        out = at = 0
        while relation:
            sources = relation & column
            if sources:
                out |= ((sources * gather >> base) & row) << at
            relation >>= 1
            at += n
            if at >= n * n:
                break
        return out

    return inverse


@lru_cache(maxsize=128)
def kernel(n: int) -> Kernel:
    """The operations for `n` events."""
    return Kernel(n)
