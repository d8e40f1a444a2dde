"""Symbolic program -> the numbers that each value may be, the conditions that may hold, the live events.

A forward analysis over the terms in the order they were built; values leave and enter memory through the
addresses that accesses may have, so it is also the alias analysis (paper 004, section 4.8, sensitive to
control flow in registers and insensitive in memory). Every value that an execution computes is justified
by a chain of distinct writes, so as many rounds as there are writes are enough even where a counter
feeds itself. Control is different: threads may take branches because of each other (two threads that each
write only after reading the other's write), which is for the model to forbid. So every branch is first
taken to go both ways, and what the values then exclude is excluded in a further pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

from treville.events.symbolic import StaticEvent, SymbolicProgram
from treville.events.symbolic_terms import (
    Any,
    Apply,
    Both,
    Choose,
    Constant,
    Either,
    Equal,
    Free,
    NonZero,
    Read,
    Terms,
)
from treville.programs.ir import LOCATION_BASE, LOCATION_STRIDE, Program
from treville.programs.operators import OPERATORS
from treville.results import TooLarge, Unsupported

MAX_NUMBERS = 2_000
MAX_TABLE = 200_000
MAX_PASSES = 4
EMPTY: frozenset[int] = frozenset()


@dataclass(slots=True)
class Values:
    """What the analysis found. `numbers[v]`: what value v may be; `may_hold[c]`, `may_fail[c]`: whether
    condition c (a positive index) may be true, may be false; `initial`: what memory holds at first."""

    numbers: list[frozenset[int]]
    may_hold: list[bool]
    may_fail: list[bool]
    initial: dict[int, int]
    live: int = 0

    def possible(self, condition: int) -> bool:
        """May the (signed) condition hold?"""
        return self.may_hold[condition] if condition > 0 else self.may_fail[-condition]

    def certain(self, condition: int) -> bool:
        """Must the (signed) condition hold?"""
        return not self.possible(-condition)

    def addresses(self, event: StaticEvent) -> frozenset[int]:
        """Where the event may access memory; a run that goes where no cell is does not count."""
        if event.address is None:
            return EMPTY
        return self.numbers[event.address] & self.initial.keys()


def analyse_values(symbolic: SymbolicProgram, coherent: bool) -> Values:
    """Compute `Values`. With `coherent` the model is known to forbid reading from one's own later write."""
    analysis = _Analysis(symbolic, coherent)
    for _ in range(MAX_PASSES):
        analysis.run()
        if not analysis.exclude():
            break
    values = analysis.values
    for event in symbolic.events:
        if not values.possible(event.guard):
            continue
        values.live |= 1 << event.number
        if event.address is not None and event.kind != "F":
            _refuse_parts(symbolic.program, event, values)
    for target, allowed, instruction in symbolic.jumps:
        if not values.numbers[target] <= allowed:
            raise Unsupported("a jump to a computed address that is no label", instruction.span)
    return values


def _refuse_parts(program: Program, event: StaticEvent, values: Values) -> None:
    """Refuse accesses that may touch a part of a cell only."""
    for address in values.numbers[event.address or 0] - values.initial.keys():
        slot, offset = divmod(address - LOCATION_BASE, LOCATION_STRIDE)
        if 0 <= slot < len(program.locations):
            location = list(program.locations.values())[slot]
            if offset < len(location.initial) * location.cell_bytes:
                place = event.instruction.span
                raise Unsupported("an access to a part of a memory cell (mixed-size)", place)


@dataclass(slots=True)
class _Memory:
    """Numbers that may lie at each address, by the thread that wrote them."""

    by_thread: dict[int, dict[int, set[int]]] = field(default_factory=dict)
    readers: dict[int, set[int]] = field(default_factory=dict)


class _Analysis:
    def __init__(self, symbolic: SymbolicProgram, coherent: bool) -> None:
        self.symbolic = symbolic
        self.terms: Terms = symbolic.terms
        self.coherent = coherent
        program = symbolic.program
        initial = {
            location.address + cell * location.cell_bytes: number
            for location in program.locations.values()
            for cell, number in enumerate(location.initial)
        }
        count = len(self.terms.conditions)
        self.values = Values([EMPTY] * len(self.terms.values), [True] * count, [True] * count, initial)
        self.values.may_fail[1] = False
        self.memory = _Memory()
        self.writes = [event for event in symbolic.events if event.kind == "W"]
        self.order = [term for term in self.terms.order if term >= 0]
        self.dependents = _dependents(symbolic)

    def run(self) -> None:
        """All values, conditions being as they are: rounds of terms in order, then writes into memory."""
        self.memory = _Memory()
        self.values.numbers = [EMPTY] * len(self.terms.values)
        dirty = bytearray([1]) * len(self.terms.values)
        for _ in range(len(self.writes) + 2):
            for value in self.order:
                if dirty[value]:
                    dirty[value] = 0
                    numbers = self._numbers(value)
                    if len(numbers) > MAX_NUMBERS:
                        raise TooLarge("a register may hold too many numbers", "lower --bound")
                    if numbers != self.values.numbers[value]:
                        self.values.numbers[value] = numbers
                        for dependent in self.dependents[value]:
                            dirty[dependent] = 1
            stale = self._store()
            if not stale:
                return
            for event in stale:
                dirty[self.symbolic.events[event].value or 0] = 1

    def exclude(self) -> bool:
        """Exclude ways that conditions cannot go with the values found; True if that is news."""
        news = False
        for name in self.terms.order:
            if name < 0:
                found = self._truth(~name)
                news = news or found != (self.values.may_hold[~name], self.values.may_fail[~name])
                self.values.may_hold[~name], self.values.may_fail[~name] = found
        return news

    def _numbers(self, value: int) -> frozenset[int]:
        term = self.terms.values[value]
        numbers = self.values.numbers
        if isinstance(term, Constant):
            return frozenset((term.number,))
        if isinstance(term, Any):
            return frozenset(term.numbers)
        if isinstance(term, Choose):
            chosen = [numbers[case] for when, case in term.cases if self.values.possible(when)]
            return EMPTY.union(*chosen)
        if isinstance(term, Apply):
            operator, bits = OPERATORS[term.name], term.bits
            if len(term.args) == 1:
                return frozenset([operator((number,), bits) for number in numbers[term.args[0]]])
            table = 1
            for arg in term.args:
                table *= len(numbers[arg])
            if table > MAX_TABLE:
                raise TooLarge("an operator's arguments may be too many numbers", "lower --bound")
            return frozenset([operator(row, bits) for row in product(*(numbers[arg] for arg in term.args))])
        return self._readable(self.symbolic.events[term.event])

    def _readable(self, event: StaticEvent) -> frozenset[int]:
        if not self.values.possible(event.guard):
            return EMPTY
        found: set[int] = set()
        for address in self.values.addresses(event):
            self.memory.readers.setdefault(address, set()).add(event.number)
            found.add(self.values.initial.get(address, 0))
            for thread, numbers in self.memory.by_thread.get(address, {}).items():
                if thread != event.thread or not self.coherent:
                    found |= numbers
        if self.coherent:
            found |= self._own_earlier(event)
        return frozenset(found)

    def _own_earlier(self, event: StaticEvent) -> set[int]:
        found: set[int] = set()
        bit, po = 1 << event.number, self.symbolic.po
        for write in self.writes:
            if write.thread == event.thread and po[write.number] & bit and self._may_alias(write, event):
                found |= self.values.numbers[write.value or 0]
        return found

    def _may_alias(self, one: StaticEvent, other: StaticEvent) -> bool:
        return not self.values.addresses(one).isdisjoint(self.values.addresses(other))

    def _truth(self, condition: int) -> tuple[bool, bool]:
        term = self.terms.conditions[condition]
        numbers, possible = self.values.numbers, self.values.possible
        if isinstance(term, NonZero):
            found = numbers[term.value]
            return bool(found - {0}), 0 in found
        if isinstance(term, Equal):
            left, right = numbers[term.left], numbers[term.right]
            return not left.isdisjoint(right), bool(left and right) and len(left | right) > 1
        if isinstance(term, Both):
            holds = possible(term.left) and possible(term.right)
            return holds, possible(-term.left) or possible(-term.right)
        if isinstance(term, Either):
            return any(possible(case) for case in term.cases), all(possible(-case) for case in term.cases)
        return True, isinstance(term, Free)

    def _store(self) -> set[int]:
        """Put what live writes may write into memory; the reads that may now find something new."""
        stale: set[int] = set()
        for write in self.writes:
            if not self.values.possible(write.guard):
                continue
            numbers = self.values.numbers[write.value or 0]
            for address in self.values.addresses(write):
                there = self.memory.by_thread.setdefault(address, {}).setdefault(write.thread, set())
                if not numbers <= there:
                    there |= numbers
                    stale |= self.memory.readers.get(address, set())
        return stale


def _dependents(symbolic: SymbolicProgram) -> list[list[int]]:
    """For each value the values to look at again when it changes."""
    terms = symbolic.terms
    dependents: list[list[int]] = [[] for _ in terms.values]
    for value, term in enumerate(terms.values):
        arguments: list[int] = []
        if isinstance(term, Read):
            arguments = [symbolic.events[term.event].address or 0]
        elif isinstance(term, Apply):
            arguments = list(term.args)
        elif isinstance(term, Choose):
            arguments = [case for _, case in term.cases]
        for argument in arguments:
            dependents[argument].append(value)
    return dependents
