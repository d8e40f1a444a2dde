"""Binary relations as lists of row masks, with cat's operators and the searches for cycles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from treville.relations.graphs import shortest_cycle, shortest_path, successors_first
from treville.relations.sets import EventId, by_event, elements

# A relation over so many events with more than one of so many pairs is inverted as a whole.
_MANY, _DENSE = 100, 16
_SOME = 16  # Warshall's closure is faster for fewer events


class Relation:
    """A relation over the events `0 .. n-1`. Treated as immutable: operators return new ones."""

    __slots__ = ("rows",)

    def __init__(self, rows: list[int]) -> None:
        self.rows = rows

    # -- making one ------------------------------------------------------------------------------

    @staticmethod
    def empty(n: int) -> Relation:
        """The relation without pairs."""
        return Relation([0] * n)

    @staticmethod
    def full(n: int) -> Relation:
        """Every pair."""
        return Relation([(1 << n) - 1] * n)

    @staticmethod
    def of(n: int, pairs: Iterable[tuple[int, int]]) -> Relation:
        """The relation of the given pairs."""
        rows = [0] * n
        for source, target in pairs:
            rows[source] |= 1 << target
        return Relation(rows)

    @staticmethod
    def identity(n: int, members: int = -1) -> Relation:
        """cat's `[S]`: the pairs (e, e) with e in the set (by default in all events)."""
        return Relation([(1 << i) & members for i in range(n)])

    @staticmethod
    def product(n: int, sources: int, targets: int) -> Relation:
        """cat's `S * T`."""
        return Relation([targets if sources >> i & 1 else 0 for i in range(n)])

    # -- asking ----------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """How many events the relation ranges over."""
        return len(self.rows)

    def __contains__(self, pair: tuple[int, int]) -> bool:
        return bool(self.rows[pair[0]] >> pair[1] & 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Relation) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(tuple(self.rows))

    def __bool__(self) -> bool:
        return any(self.rows)

    def __len__(self) -> int:
        return sum(row.bit_count() for row in self.rows)

    def __repr__(self) -> str:
        return f"Relation({self.n}, {sorted(self.pairs())})"

    def pairs(self) -> Iterator[tuple[EventId, EventId]]:
        """All pairs, in order."""
        for source, row in by_event(self.rows):
            for target in elements(row):
                yield source, target

    def __le__(self, other: Relation) -> bool:
        return all(a & ~b == 0 for a, b in zip(self.rows, other.rows, strict=True))

    def domain(self) -> int:
        """The set of events with a successor."""
        mask = 0
        for i, row in enumerate(self.rows):
            if row:
                mask |= 1 << i
        return mask

    def range(self) -> int:
        """The set of events with a predecessor."""
        mask = 0
        for row in self.rows:
            mask |= row
        return mask

    # -- cat's operators -------------------------------------------------------------------------

    def __or__(self, other: Relation) -> Relation:
        return Relation([a | b for a, b in zip(self.rows, other.rows, strict=True)])

    def __and__(self, other: Relation) -> Relation:
        return Relation([a & b for a, b in zip(self.rows, other.rows, strict=True)])

    def __sub__(self, other: Relation) -> Relation:
        return Relation([a & ~b for a, b in zip(self.rows, other.rows, strict=True)])

    def complement(self) -> Relation:
        """cat's `~r`."""
        everything = (1 << self.n) - 1
        return Relation([everything & ~row for row in self.rows])

    def __matmul__(self, other: Relation) -> Relation:
        """Composition, cat's `r ; s`. O(pairs) row unions; from the last row to the first, because events of
        a thread are mostly related to all that later ones are related to, and such rows need one union."""
        theirs, rows = other.rows, self.rows
        out = [0] * len(rows)
        if not any(theirs) or not any(rows):
            return Relation(out)  # most of a model is about fences and orders that a test does not have
        known = union = 0  # a row that was looked at, and what it leads to
        many = len(rows) >= _MANY
        middle, leap = (other.domain(), other._is_an_order()) if many else (-1, False)
        for number in range(len(rows) - 1, -1, -1):
            row = rows[number] & middle
            if not row:
                continue
            left, reached = (row, 0) if known & ~row else (row ^ known, union)
            while left:
                low = left & -left
                following = theirs[low.bit_length() - 1]
                reached |= following
                left &= ~(low | following) if leap else ~low
            known, union = row, reached
            out[number] = reached
        return Relation(out)

    def _is_an_order(self) -> bool:
        """Transitive and without cycles: what follows later events follows earlier ones."""
        rows, order = self.rows, successors_first(self.rows)
        if order is None or not self.is_irreflexive():
            return False
        for event in order:
            row = left = rows[event]
            while left:
                low = left & -left
                following = rows[low.bit_length() - 1]
                if following & ~row:
                    return False
                left &= ~(low | following)
        return True

    def inverse(self) -> Relation:
        """cat's `r^-1`. Bit by bit, or where many bits are set by columns of the rows' binary digits."""
        n = self.n
        if n >= _MANY and len(self) * _DENSE > n * n:
            digits = [f"{row:0{n}b}" for row in self.rows]
            return Relation([int("".join(column)[::-1], 2) for column in zip(*digits, strict=True)][::-1])
        rows = [0] * n
        for source, row in enumerate(self.rows):
            bit = 1 << source
            for target in elements(row):
                rows[target] |= bit
        return Relation(rows)

    def optional(self) -> Relation:
        """cat's `r?`."""
        return Relation([row | (1 << i) for i, row in enumerate(self.rows)])

    def plus(self) -> Relation:
        """Transitive closure, cat's `r+`. Warshall on row masks: O(n^2) row operations. Many events without
        cycles of several of them need fewer: rows are built from their successors' rows."""
        order = successors_first(self.rows) if self.n >= _SOME else None
        if order is not None:
            return self._plus_in(order)
        rows = list(self.rows)
        for middle, reached in enumerate(self.rows):
            if not reached:
                continue
            bit = 1 << middle
            through = rows[middle]
            for i, row in enumerate(rows):
                if row & bit:
                    rows[i] = row | through
        return Relation(rows)

    def _plus_in(self, order: Sequence[int]) -> Relation:
        """The closure, where successors come first in the order. The one before is looked at first: with it
        most of the others are known."""
        rows = list(self.rows)
        before = 0
        for event in order:
            reached = rows[event]
            left = reached & ~(1 << event)
            if left >> before & 1:
                reached |= rows[before]
                left &= ~(rows[before] | 1 << before)
            while left:
                low = left & -left
                following = rows[low.bit_length() - 1]
                reached |= following
                left &= ~(following | low)
            rows[event] = reached
            before = event
        return Relation(rows)

    def star(self) -> Relation:
        """Reflexive transitive closure, cat's `r*`."""
        return self.plus().optional()

    def restrict(self, sources: int, targets: int) -> Relation:
        """`[S] ; r ; [T]` without building the identities."""
        return Relation([row & targets if sources >> i & 1 else 0 for i, row in enumerate(self.rows)])

    # -- axioms ----------------------------------------------------------------------------------

    def is_irreflexive(self) -> bool:
        """No event is related to itself."""
        return not any(row >> i & 1 for i, row in enumerate(self.rows))

    def is_acyclic(self) -> bool:
        """No cycle."""
        return self.is_irreflexive() and successors_first(self.rows) is not None

    def shortest_cycle(self) -> list[EventId] | None:
        """The events of a shortest cycle in order, or None."""
        starts = elements(self.domain() & self.range())
        return shortest_cycle(starts, self.n, lambda start, most: self.shortest_path(start, start, most))

    def shortest_path(self, start: EventId, goal: EventId, most: int | None = None) -> list[EventId] | None:
        """A shortest non-empty path from `start` to `goal` of at most so many steps, both ends included."""
        rows, seen = self.rows, 0

        def fresh(event: EventId) -> Iterator[EventId]:
            nonlocal seen
            found = rows[event] & ~seen
            seen |= found
            return elements(found)

        return shortest_path(start, goal, self.n if most is None else most, fresh)
