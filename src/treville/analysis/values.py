"""Symbolic program -> the numbers that each value may be, the conditions that may hold, the live events.

A forward analysis over the terms in the order they were built; values leave and enter memory through the
addresses that accesses may have, so it is also the alias analysis (paper 004, section 4.8, sensitive to
control flow in registers and insensitive in memory). Every value that an execution computes is justified
by a chain of distinct writes, so as many rounds as there are writes are enough even where a counter
feeds itself (only those writes count whose values can get to each other, see `analysis.flow`). Control is
different: threads may take branches because of each other (two threads that each write only after reading
the other's write), which is for the model to forbid. So every branch is first taken to go both ways, and what
the values then exclude is excluded in a further pass.

A value that may be too many numbers is *ranged*: only a range of numbers is known. A ranged address goes to a
cell of the objects that it may point into (`analysis.pointers`), or to no cell at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from treville.analysis.flow import groups_of_writes
from treville.analysis.pointers import TESTS, Pointers
from treville.analysis.possible import EMPTY, MAX_ADDRESSES, Numbers, Values, cells_of, signed_range
from treville.events.symbolic import StaticAccess, StaticEvent, SymbolicProgram
from treville.events.symbolic_terms import (
    TRUE,
    Any,
    Apply,
    Both,
    Choose,
    ConditionTerm,
    Constant,
    Either,
    Equal,
    Free,
    NonZero,
    Read,
    Terms,
    Unknown,
    Value,
)
from treville.programs.ir import FREED, LOCATION_BASE, LOCATION_STRIDE, Load, Program
from treville.programs.operators import OPERATORS
from treville.records import dataclass, field
from treville.relations import EventId, Relation, elements
from treville.results import Unsupported

MAX_TABLE = 200_000
MAX_PASSES = 4
MAX_MASK_BITS = 4
BOOLEAN = frozenset((0, 1))
WIDEST = 64
ANYTHING = signed_range(WIDEST)


def analyse_values(symbolic: SymbolicProgram, coherent: bool, most: int = 2_000) -> Values:
    """Compute `Values`. With `coherent` the model is known to imply coherence per location. A value that may
    be more than `most` numbers is ranged."""
    analysis = _Analysis(symbolic, coherent, most)
    analysis.run_passes()
    values = analysis.values
    if values.ranged and len(groups := groups_of_writes(symbolic, values)) > 1:
        analysis.groups = groups
        analysis.run_passes()
    for event in symbolic.events:
        if not values.possible(event.guard):
            continue
        values.live |= 1 << event.number
        if isinstance(event, StaticAccess) and FREED not in event.tags:
            _refuse_parts(symbolic.program, event, values)
    for target, allowed, instruction in symbolic.jumps:
        if target in values.ranged or not values.listed(target) <= allowed:
            raise Unsupported("a jump to a computed address that is no label", instruction.span)
    return values


def _refuse_parts(program: Program, event: StaticAccess, values: Values) -> None:
    """Refuse accesses that may touch a part of a cell only."""
    if event.address in values.ranged:
        if not values.is_aligned(event):
            raise Unsupported("an access to a part of a memory cell (mixed-size)", event.instruction.span)
        return
    for address in values.listed(event.address) - values.initial.keys():
        slot, offset = divmod(address - LOCATION_BASE, LOCATION_STRIDE)
        if 0 <= slot < len(program.locations):
            location = list(program.locations.values())[slot]
            if offset < max(at + bits // 8 for at, bits, _ in cells_of(location)):
                place = event.instruction.span
                raise Unsupported("an access to a part of a memory cell (mixed-size)", place)


@dataclass(slots=True)
class _Memory:
    """The writes that may reach each address with what they write, and the reads there. `settled` are the
    writes that surely go to an address; `visible` says which writes a read may see at one, and whether the
    initial value, if it reads there alone or not."""

    writers: dict[int, dict[EventId, Numbers]] = field(default_factory=dict)
    written: dict[int, int] = field(default_factory=dict)  # masks of the writers
    readers: dict[int, set[EventId]] = field(default_factory=dict)
    settled: dict[int, list[StaticAccess]] = field(default_factory=dict)
    visible: dict[tuple[EventId, int, bool], tuple[bool, int]] = field(default_factory=dict)


class _Analysis:
    def __init__(self, symbolic: SymbolicProgram, coherent: bool, most: int) -> None:
        self.symbolic = symbolic
        self.terms: Terms = symbolic.terms
        self.coherent = coherent
        self.most = most
        locations = symbolic.program.locations
        initial = {
            location.address + offset: number
            for location in locations.values()
            for offset, _, number in cells_of(location)
        }
        count = len(self.terms.conditions)
        self.values = Values([EMPTY] * len(self.terms.values), [True] * count, [True] * count, initial)
        self.values.may_fail[TRUE] = False
        self.values.ends = {
            slot: max((at + bits // 8 for at, bits, _ in cells_of(location)), default=0)
            for slot, location in enumerate(locations.values())
        }
        self.values.pointers = Pointers(symbolic, initial)
        self.values.sizes = {len(locations) + i: size for i, (_, size) in enumerate(symbolic.objects)}
        self.memory = _Memory()
        self.writes = symbolic.writes()
        self.groups = [self.writes]
        self.order = [Value(number) for number in range(len(self.terms.values))]
        self.dependents = _dependents(symbolic)
        self.after = _after(symbolic)
        self.before = Relation(self.after).inverse().rows
        self._guards = {event.guard: set(self.terms.conjuncts(event.guard)) for event in symbolic.events}

    def run_passes(self) -> None:
        """All values, until they exclude no more conditions."""
        for _ in range(MAX_PASSES):
            self.run()
            if not self.exclude():
                return

    def run(self) -> None:
        """All values, conditions being as they are: rounds of terms in order, then writes into memory. In a
        run sets only grow, so what is overwritten for sure is decided by the run before."""
        self.memory = _Memory()
        for write in self.writes:
            address = self._settled(write)
            if address is not None and self.values.possible(write.guard):
                self.memory.settled.setdefault(address, []).append(write)
        self.values.numbers = [EMPTY] * len(self.terms.values)
        self.values.ranged = set()
        dirty = bytearray([1]) * len(self.terms.values)
        for writes in self.groups:
            for _ in writes:
                self._sweep(dirty)
                stale = self._store(writes)
                if not stale:
                    break
                for event in stale:
                    dirty[self.symbolic.access(event).value] = 1
        self._sweep(dirty)

    def _sweep(self, dirty: bytearray) -> None:
        """Look again at the values that need it, in the order in which terms were built."""
        for value in self.order:
            if dirty[value]:
                dirty[value] = 0
                if self._update(value):
                    for dependent in self.dependents[value]:
                        dirty[dependent] = 1

    def _settled(self, write: StaticAccess) -> int | None:
        """The one address of a write, if it is known before the run."""
        term = self.terms.values[write.address]
        if isinstance(term, Constant):
            return term.number
        numbers = self.values.numbers[write.address]
        return next(iter(numbers)) if isinstance(numbers, frozenset) and len(numbers) == 1 else None

    def _update(self, value: Value) -> bool:
        """Compute what a value may be; True if that is new."""
        ranged, known = self.values.ranged, self.values.numbers
        if value in ranged:
            return False
        numbers = self._numbers(value)
        if isinstance(numbers, range) or (len(numbers) > self.most and not self._are_addresses(numbers)):
            ranged.add(value)
            known[value] = self._range(value)
            return True
        if numbers == known[value]:
            return False
        known[value] = numbers
        return True

    def _range(self, value: Value) -> range:
        """All numbers that fit a ranged value."""
        term = self.terms.values[value]
        if isinstance(term, Apply) and term.name == "zext":
            return range(1 << term.bits)
        if isinstance(term, Apply | Unknown):
            return signed_range(term.bits)
        if isinstance(term, Read):
            instruction = self.symbolic.events[term.event].instruction
            return signed_range(instruction.bits if isinstance(instruction, Load) else WIDEST)
        return signed_range(WIDEST)

    def _are_addresses(self, numbers: frozenset[int]) -> bool:
        return len(numbers) <= MAX_ADDRESSES and all(
            number >= LOCATION_BASE or not number for number in numbers
        )

    def exclude(self) -> bool:
        """Exclude ways that conditions cannot go with the values found; True if that is news."""
        news = False
        may_hold, may_fail = self.values.may_hold, self.values.may_fail
        for name, term in islice(enumerate(self.terms.conditions), TRUE + 1, None):
            found = self._truth(term)
            news = news or found != (may_hold[name], may_fail[name])
            may_hold[name], may_fail[name] = found
        return news

    def _numbers(self, value: Value) -> Numbers:
        """The numbers that a value may be, some range if they are too many."""
        term = self.terms.values[value]
        numbers, ranged = self.values.numbers, self.values.ranged
        if isinstance(term, Constant):
            return frozenset((term.number,))
        if isinstance(term, Any):
            return frozenset(term.numbers)
        if isinstance(term, Unknown):
            return BOOLEAN if term.bits == 1 else ANYTHING
        if isinstance(term, Choose):
            chosen = [case for when, case in term.cases if self.values.possible(when)]
            if ranged.intersection(chosen):
                return ANYTHING
            return EMPTY.union(*[numbers[case] for case in chosen])
        if isinstance(term, Apply):
            return self._table(term)
        return self._readable(self.symbolic.events[term.event])

    def _table(self, term: Apply) -> Numbers:
        numbers, bits = self.values.numbers, term.bits
        operator = OPERATORS[term.name]
        if not self.values.ranged.isdisjoint(term.args):
            return BOOLEAN if term.name in TESTS else self._bounded(term)
        if len(term.args) == 1:
            return frozenset([operator((number,), bits) for number in numbers[term.args[0]]])
        table = 1
        for arg in term.args:
            table *= len(numbers[arg])
        if table > MAX_TABLE:
            return BOOLEAN if term.name in TESTS else ANYTHING
        return frozenset([operator(row, bits) for row in product(*(numbers[arg] for arg in term.args))])

    def _bounded(self, term: Apply) -> Numbers:
        """What an operator makes of a ranged argument, where that is not much: remainders and masks."""
        known = [self.values.numbers[arg] for arg in term.args if arg not in self.values.ranged]
        if len(term.args) != 2 or len(known) != 1 or not known[0]:
            return ANYTHING
        least, most = min(known[0]), max(known[0])
        if term.name in ("urem", "srem") and term.args[1] not in self.values.ranged and least > 0:
            found = range(0 if term.name == "urem" else 1 - most, most)
            return frozenset(found) if most <= self.most else ANYTHING
        if term.name == "and" and least >= 0 and len(known[0]) == 1 and most.bit_count() <= MAX_MASK_BITS:
            return frozenset(_parts_of(most))
        return ANYTHING

    # -- memory ------------------------------------------------------------------------------------------

    def _readable(self, event: StaticEvent) -> Numbers:
        if not self.values.possible(event.guard):
            return EMPTY
        found: set[int] = set()
        addresses = self.values.addresses(event)
        for address in addresses:
            self.memory.readers.setdefault(address, set()).add(event.number)
            from_start, visible = self._visible(event, address, alone=len(addresses) == 1)
            if from_start:
                found.add(self.values.initial.get(address, 0))
            writers = self.memory.writers.get(address, {})
            for write in elements(visible & self.memory.written.get(address, 0)):
                numbers = writers[write]
                if isinstance(numbers, range):
                    return ANYTHING
                found |= numbers
        return frozenset(found)

    def _visible(self, event: StaticEvent, address: int, alone: bool) -> tuple[bool, int]:
        """May a read see the initial value of an address, and which writes? With coherence no later ones and,
        if it reads there `alone`, none that are overwritten before it."""
        key = (event.number, address, alone)
        found = self.memory.visible.get(key)
        if found is None:
            later = self.after[event.number] if self.coherent else 0
            over = self._overwritten(event, address) if self.coherent and alone else None
            found = self.memory.visible[key] = (over is None, ~(later | (over or 0)))
        return found

    def _overwritten(self, event: StaticEvent, address: int) -> int | None:
        """The writes that are overwritten before a read; None if not even the initial value surely is."""
        guards, before = self._guards[event.guard], self.before
        over = None
        for write in self.memory.settled.get(address, ()):
            sure = write.guard in guards or self.values.certain(write.guard)
            if sure and before[event.number] >> write.number & 1:
                over = (over or 0) | before[write.number]
        return over

    def _truth(self, term: ConditionTerm) -> tuple[bool, bool]:
        numbers, possible = self.values.numbers, self.values.possible
        ranged = self.values.ranged
        if isinstance(term, NonZero):
            found = numbers[term.value]
            return any(number != 0 for number in found), 0 in found
        if isinstance(term, Equal):
            if term.left in ranged or term.right in ranged:
                return True, True
            left, right = self.values.listed(term.left), self.values.listed(term.right)
            return not left.isdisjoint(right), bool(left and right) and len(left | right) > 1
        if isinstance(term, Both):
            holds = possible(term.left) and possible(term.right)
            return holds, possible(-term.left) or possible(-term.right)
        if isinstance(term, Either):
            return any(possible(case) for case in term.cases), all(possible(-case) for case in term.cases)
        return True, isinstance(term, Free)

    def _store(self, writes: list[StaticAccess]) -> set[EventId]:
        """Put live writes where they may write; the reads that may now find something new."""
        stale: set[EventId] = set()
        for write in writes:
            if not self.values.possible(write.guard):
                continue
            numbers = self.values.numbers[write.value]
            for address in self.values.addresses(write):
                there = self.memory.writers.setdefault(address, {})
                if write.number not in there or there[write.number] != numbers:
                    there[write.number] = numbers
                    written = self.memory.written
                    written[address] = written.get(address, 0) | 1 << write.number
                    stale |= self._readers(address, write.number)
        return stale

    def _readers(self, address: int, write: EventId) -> set[EventId]:
        """The reads that may see a write at the address."""
        found = set()
        for read in self.memory.readers.get(address, ()):
            known = self.memory.visible
            seen = known.get((read, address, False)) or known[read, address, True]
            if seen[1] >> write & 1:
                found.add(read)
        return found


def _parts_of(mask: int) -> Iterator[int]:
    """All numbers with some of the mask's bits."""
    part = mask
    while part:
        yield part
        part = (part - 1) & mask
    yield 0


def _after(symbolic: SymbolicProgram) -> list[int]:
    """Program order with the joins of threads that are known by now."""
    rows = list(symbolic.po)
    if not symbolic.joins:
        return rows
    threads: dict[int, list[int]] = {}
    for event in symbolic.events:
        threads.setdefault(event.thread, []).append(event.number)
    for value, after in symbolic.joins:
        term = symbolic.terms.values[value]
        if isinstance(term, Constant):
            for number in threads.get(term.number, []):
                rows[number] |= after
    return Relation(rows).plus().rows


def _dependents(symbolic: SymbolicProgram) -> list[list[int]]:
    """For each value the values to look at again when it changes."""
    terms = symbolic.terms
    dependents: list[list[int]] = [[] for _ in terms.values]
    for value, term in enumerate(terms.values):
        arguments: list[int] = []
        if isinstance(term, Read):
            arguments = [symbolic.access(term.event).address]
        elif isinstance(term, Apply):
            arguments = list(term.args)
        elif isinstance(term, Choose):
            arguments = [case for _, case in term.cases]
        for argument in arguments:
            dependents[argument].append(value)
    return dependents
