"""Which writes can contribute to each other's values: groups of writes in an order in which values flow.

A write contributes to another if the other's value or address depends on a read of a cell that the first may
write. Values flow from earlier groups to later ones, and around in a cycle within a group only, so a counter
that threads increment has as many values as there are increments of it. The cells that accesses may go to are
known from a first, coarser analysis.
"""

from __future__ import annotations

from treville.analysis.possible import Values
from treville.events.kinds import FENCE
from treville.events.symbolic import StaticAccess, SymbolicProgram
from treville.events.symbolic_terms import Apply, Choose, Read, ValueTerm
from treville.relations import Relation, bits


def groups_of_writes(symbolic: SymbolicProgram, values: Values) -> list[list[StaticAccess]]:
    """The live writes, those first whose values do not depend on later ones."""
    cells = _Cells(symbolic, values)
    rows = [0] * len(cells.numbers)
    writes = [event for event in symbolic.writes() if cells.of[event.number]]
    for write in writes:
        targets = cells.of[write.number]
        for cell in bits(cells.read[write.value] | cells.read[write.address]):
            rows[cell] |= targets
        first = (targets & -targets).bit_length() - 1  # one write to several cells belongs to one group
        rows[first] |= targets
        for cell in bits(targets):
            rows[cell] |= 1 << first
    order = Relation(rows).plus()
    before = order.inverse().rows
    groups: dict[int, list[StaticAccess]] = {}
    for write in writes:
        cell = cells.of[write.number].bit_length() - 1
        cycle = order.rows[cell] & before[cell]  # the cell itself, too
        groups.setdefault(cycle.bit_length() - 1, []).append(write)
    return [groups[cell] for cell in sorted(groups, key=lambda cell: before[cell].bit_count())]


class _Cells:
    """The cells that events access (`of`, masks by event), and those read to compute each value (`read`)."""

    def __init__(self, symbolic: SymbolicProgram, values: Values) -> None:
        self.numbers: dict[int, int] = {}
        self.of: list[int] = []
        for event in symbolic.events:
            mask = 0
            if event.kind is not FENCE and values.possible(event.guard):
                for address in values.addresses(event):
                    mask |= 1 << self.numbers.setdefault(address, len(self.numbers))
            self.of.append(mask)
        self.read = [0] * len(symbolic.terms.values)
        for value, term in enumerate(symbolic.terms.values):
            self.read[value] = self._read_for(symbolic, term)

    def _read_for(self, symbolic: SymbolicProgram, term: ValueTerm) -> int:
        found = 0
        if isinstance(term, Read):
            found = self.of[term.event] | self.read[symbolic.access(term.event).address]
        elif isinstance(term, Apply):
            for arg in term.args:
                found |= self.read[arg]
        elif isinstance(term, Choose):
            for _, case in term.cases:
                found |= self.read[case]
        return found
