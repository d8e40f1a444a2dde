"""Relations over the events of many executions at once, packed side by side into one int.

Execution number e has a field of `stride` bits from bit `e * stride` on; bit `i*n + j` of the field says that
the pair (i, j) is in the relation there. Every operator of cat then costs a few operations on large ints for
all executions together. Sets are kept as identities (`[S]`). A field has one bit more than pairs, so that an
addition can carry into it: that tells which fields are empty. """

from __future__ import annotations

from collections.abc import Iterable, Sequence


class SideBySide:
    """Executions of at most `n` events each; `events` says how many each one really has."""

    def __init__(self, n: int, events: Sequence[int]) -> None:
        self.n = n
        self.count = len(events)
        self.bytes = n * n // 8 + 1
        self.stride = 8 * self.bytes
        self.pairs = n * n
        ones = self._everywhere(1)
        self.ones = ones
        self.row = self._everywhere((1 << n) - 1)
        self.column = self._everywhere(sum(1 << (i * n) for i in range(n)))
        self.copies = sum(1 << (i * n) for i in range(n))
        self.field = (1 << self.pairs) - 1
        self.full = ones * self.field
        self.diagonal = self.join([_identity(n, real) for real in events])
        self.universe = self.product(self.diagonal, self.diagonal)
        self._bands = [self._everywhere(sum(1 << (i * n + i + d) for i in range(n - d))) for d in range(1, n)]

    def _everywhere(self, pattern: int) -> int:
        """The same field for every execution."""
        return int.from_bytes(pattern.to_bytes(self.bytes, "little") * self.count, "little")

    def join(self, fields: Iterable[int]) -> int:
        """The relation that has these fields."""
        return int.from_bytes(b"".join(each.to_bytes(self.bytes, "little") for each in fields), "little")

    def fields(self, relation: int) -> list[int]:
        """The field of each execution."""
        data = relation.to_bytes(self.bytes * self.count, "little")
        return [
            int.from_bytes(data[at : at + self.bytes], "little") for at in range(0, len(data), self.bytes)
        ]

    def taken(self, relation: int, numbers: Sequence[int]) -> int:
        """The fields of some executions, side by side."""
        size = self.bytes
        data = relation.to_bytes(size * self.count, "little")
        return int.from_bytes(b"".join(data[at * size : (at + 1) * size] for at in numbers), "little")

    # -- operators -------------------------------------------------------------------------------

    def compose(self, r: int, s: int) -> int:
        """`r ; s`: the sum over all events of the pairs that meet there."""
        n, column, row, copies, out = self.n, self.column, self.row, self.copies, 0
        if not r or not s:
            return 0
        for k in range(n):
            sources = (r >> k) & column
            if sources:
                targets = (s >> (k * n)) & row
                if targets:
                    out |= ((sources << n) - sources) & (targets * copies)
        return out

    def plus(self, r: int) -> int:
        """`r+`, by Warshall's algorithm."""
        n, column, row, copies = self.n, self.column, self.row, self.copies
        for k in range(n):
            sources = (r >> k) & column
            if sources:
                targets = (r >> (k * n)) & row
                if targets:
                    r |= ((sources << n) - sources) & (targets * copies)
        return r

    def inverse(self, r: int) -> int:
        """`r^-1`: each diagonal moves to the other side."""
        out = r & self.diagonal
        for d, band in enumerate(self._bands, 1):
            shift = d * (self.n - 1)
            out |= (r & band) << shift | (r >> shift) & band
        return out

    def product(self, sources: int, targets: int) -> int:
        """`S * T` of two sets."""
        n, rows, columns = self.n, 0, 0
        for i in range(n):
            rows |= (sources >> i) & (self.ones << (i * n))
            columns |= (targets >> (i * n)) & (self.ones << i)
        return ((rows << n) - rows) & (columns * self.copies)

    def domain(self, r: int) -> int:
        """The set of sources."""
        out, spread = 0, 0
        for k in range(self.n):
            spread |= (r >> k) & self.column
        for i in range(self.n):
            out |= (spread & (self.ones << (i * self.n))) << i
        return out

    def range(self, r: int) -> int:
        """The set of targets."""
        return self.domain(self.inverse(r))

    # -- asking ----------------------------------------------------------------------------------

    def nonempty(self, r: int) -> int:
        """A byte for each execution: 1 where the relation has a pair."""
        carried = ((r + self.full) >> self.pairs) & self.ones
        return int.from_bytes(carried.to_bytes(self.bytes * self.count, "little")[:: self.bytes], "little")

    def reflexive(self, r: int) -> int:
        """1 where some event is related to itself."""
        return self.nonempty(r & self.diagonal)

    def cyclic(self, r: int) -> int:
        """1 where there is a cycle."""
        return self.nonempty(self.plus(r) & self.diagonal)

    def chosen(self, executions: int) -> int:
        """The fields of the executions whose byte is 1, all bits set."""
        spread = bytearray(self.bytes * self.count)
        spread[:: self.bytes] = executions.to_bytes(self.count, "little")
        low = int.from_bytes(bytes(spread), "little")
        return (low << self.pairs) - low


def _identity(n: int, real: int) -> int:
    return sum(1 << (i * (n + 1)) for i in range(real))


def repacked(packed: int, events: int, n: int) -> int:
    """A relation over so many events as one over `n`."""
    if events == n:
        return packed
    row, out = (1 << events) - 1, 0
    for i in range(events):
        out |= ((packed >> (i * events)) & row) << (i * n)
    return out
