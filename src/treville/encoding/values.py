"""Values over finite domains: one literal per number that a value may be (paper 004, section 4.5.2).

Operators become tables, merges become cases under their guards, and a read takes the value of the write it
reads from. Reads are defined by rules, so a cycle of values that justify each other has no solution:
nothing comes out of thin air. Control is no part of such a cycle: where values may form one, the outcome
of every branch is a choice of its own that is only required to be right.

`ValueEncoding` is the contract that it shares with bit-vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Protocol, assert_never

from treville.analysis.facts import Facts
from treville.analysis.possible import EMPTY
from treville.events.symbolic_terms import TRUE as HOLDS
from treville.events.symbolic_terms import (
    Any,
    Apply,
    Both,
    Choose,
    Condition,
    ConditionTerm,
    Constant,
    Either,
    Equal,
    Free,
    Holds,
    NonZero,
    Read,
    Value,
    ValueTerm,
)
from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.programs.operators import OPERATORS
from treville.relations import EventId, Relation
from treville.relations.graphs import successors_first


class ValueEncoding(Protocol):
    """What the other encoders need to know of values."""

    def condition(self, condition: Condition) -> Literal:
        """The literal of a (signed) condition."""

    def is_number(self, value: Value, number: int) -> Literal:
        """The literal that a value is the number."""

    def same_address(self, one: EventId, other: EventId) -> Literal:
        """The literal that two events access the same address."""

    def at_address(self, event: EventId, address: int) -> Literal:
        """The literal that an event accesses the address."""

    def written(self, write: EventId, number: int) -> Literal:
        """The literal that the write writes the number."""

    def prepare(self, value: Value) -> None:
        """Make the literals that `number` looks at."""

    def number(self, value: Value, is_true: Callable[[Literal], bool]) -> int:
        """What a value is in a solution."""

    def settle_unused_choices(self) -> None:
        """Leave no choice to free values that no executed instruction chose."""


class EventValues:
    """What events access and write in terms of `is_number`, and conditions in terms of comparisons: what all
    value encodings share."""

    def __init__(self, formula: Formula, facts: Facts) -> None:
        self.formula = formula
        self.facts = facts
        self.terms = facts.symbolic.terms
        self._conditions: dict[Condition, Literal] = {HOLDS: TRUE}

    def is_non_zero(self, term: NonZero) -> Literal:
        """The literal that a value is not zero."""
        raise NotImplementedError

    def is_equal(self, term: Equal) -> Literal:
        """The literal that two values are the same."""
        raise NotImplementedError

    def condition(self, condition: Condition) -> Literal:
        """The literal of a (signed) condition."""
        literal = self._conditions.get(abs(condition))
        if literal is None:
            literal = self._conditions[abs(condition)] = self._condition(abs(condition))
        return literal if condition > 0 else -literal

    def _condition(self, condition: Condition) -> Literal:
        values = self.facts.values
        if not values.may_hold[condition]:
            return FALSE
        if not values.may_fail[condition]:
            return TRUE
        term = self.terms.conditions[condition]
        match term:
            case Holds():
                return TRUE
            case Both():
                return self.formula.both(self.condition(term.left), self.condition(term.right))
            case Either():
                return self.formula.either([self.condition(case) for case in term.cases])
            case Free():
                return self.formula.choice()
            case NonZero():
                return self.is_non_zero(term)
            case Equal():
                return self.is_equal(term)
            case _:
                assert_never(term)

    def is_number(self, value: Value, number: int) -> Literal:
        """The literal that a value is the number."""
        raise NotImplementedError

    def written(self, write: EventId, number: int) -> Literal:
        """The literal that the write writes the number."""
        address = self.facts.initial_writes.get(write)
        if address is not None:
            return TRUE if self.facts.values.initial.get(address, 0) == number else FALSE
        return self.is_number(self.facts.symbolic.access(write).value, number)

    def at_address(self, event: EventId, address: int) -> Literal:
        """The literal that an event accesses the address, or is a fence there."""
        if event in self.facts.initial_writes:
            return TRUE if self.facts.initial_writes[event] == address else FALSE
        where = self.facts.symbolic.events[event].address
        return FALSE if where is None else self.is_number(where, address)

    def same_address(self, one: EventId, other: EventId) -> Literal:
        """The literal that two events access the same address."""
        common = self.facts.addresses(one) & self.facts.addresses(other)
        rows = [[self.at_address(one, number), self.at_address(other, number)] for number in common]
        return self.formula.any_of(rows)


class FiniteDomains(EventValues):
    """The value encoding for programs whose values can only be few numbers."""

    def __init__(
        self,
        formula: Formula,
        facts: Facts,
        sources: dict[EventId, list[tuple[EventId, Literal]]],
        founded: bool = True,
    ) -> None:
        """`sources[r]` lists for each read the writes it may read from, with the literal of each choice.
        Not `founded`: the model forbids cycles of values anyway, and plain clauses are easier to solve."""
        super().__init__(formula, facts)
        self.numbers = [
            numbers if isinstance(numbers, frozenset) else EMPTY for numbers in facts.values.numbers
        ]
        self.sources = sources
        self._is: dict[tuple[Value, int], Literal] = {}
        order = self._read_order()
        self.circular = order is None and founded
        if order is None and not founded:
            self._choose_reads()
        elif order is None:
            self._define_circular_reads()
        else:
            for read in order:
                self._define_read(read)

    # -- reads -------------------------------------------------------------------------------------------

    def _read_order(self) -> list[EventId] | None:
        """The reads such that every read comes after those its value may come from; None: there is none."""
        support = _Support(self)
        rows = [0] * self.facts.n
        for read, sources in self.sources.items():
            for write, _ in sources:
                if write not in self.facts.initial_writes:
                    rows[read] |= support.of_value(self.facts.symbolic.access(write).value)
        order = successors_first(rows)
        if order is None or not Relation(rows).is_irreflexive():
            return None
        return [read for read in self.sources if not rows[read]] + order

    def _bodies(self, read: EventId, number: int) -> list[list[Literal]]:
        return [[literal, self.written(write, number)] for write, literal in self.sources[read]]

    def _define_read(self, read: EventId) -> None:
        value = self.facts.symbolic.access(read).value
        numbers = sorted(self.numbers[value])
        self._define(value, numbers, lambda number: self.formula.any_of(self._bodies(read, number)))

    def _define(self, value: Value, numbers: list[int], literal: Callable[[int], Literal]) -> None:
        """Literals for all numbers of a value; the last of two is the negation of the first."""
        if len(numbers) == 1:
            self._is[value, numbers[0]] = TRUE
        elif len(numbers) == 2:
            first = literal(numbers[1])
            self._is[value, numbers[1]] = first
            self._is[value, numbers[0]] = -first
        else:
            for number in numbers:
                self._is[value, number] = literal(number)

    def _define_circular_reads(self) -> None:
        """All literals first, then the rules, whose least solution leaves out values from thin air."""
        access = self.facts.symbolic.access
        for read in self.sources:
            value = access(read).value
            for number in self.numbers[value]:
                self._is[value, number] = self.formula.atom()
        for read in self.sources:
            value = access(read).value
            for number in self.numbers[value]:
                for body in self._bodies(read, number):
                    self.formula.rule(self._is[value, number], body)
            some = [self._is[value, number] for number in self.numbers[value]]
            self.formula.require(-self.condition(access(read).guard), *some)

    def _choose_reads(self) -> None:
        """Free literals for the numbers of every read, equal to those of its source."""
        access = self.facts.symbolic.access
        for read in self.sources:
            value = access(read).value
            self._define_choice(value, sorted(self.numbers[value]))
        for read, sources in self.sources.items():
            value = access(read).value
            for number in self.numbers[value]:
                here = self.is_number(value, number)
                for write, literal in sources:
                    there = self.written(write, number)
                    self.formula.forbid(literal, there, -here)
                    self.formula.forbid(literal, -there, here)

    # -- values ------------------------------------------------------------------------------------------

    def is_number(self, value: Value, number: int) -> Literal:
        """The literal that a value is the number."""
        if number not in self.numbers[value]:
            return FALSE
        found = self._is.get((value, number))
        if found is None:
            self._define_value(value)
            found = self._is[value, number]
        return found

    def _define_value(self, value: Value) -> None:
        term = self.terms.values[value]
        numbers = sorted(self.numbers[value])
        if len(numbers) == 1 and not self.circular:
            self._is[value, numbers[0]] = TRUE
        elif isinstance(term, Constant):
            self._is[value, term.number] = TRUE
        elif isinstance(term, Any):
            self._define_choice(value, numbers)
        elif isinstance(term, Apply):
            self._define_table(value, term)
        elif isinstance(term, Choose):
            cases = [(self.condition(when), case) for when, case in term.cases]
            for number in numbers:
                bodies = [[when, self.is_number(case, number)] for when, case in cases if when != FALSE]
                self._is[value, number] = self.formula.any_of(bodies)
        else:
            # A read without sources, in code that no execution reaches.
            for number in numbers:
                self._is[value, number] = FALSE

    def _define_choice(self, value: Value, numbers: list[int]) -> None:
        if len(numbers) <= 2:
            self._define(value, numbers, lambda _: self.formula.choice())
            return
        literals = [self.formula.choice() for _ in numbers]
        self.formula.exactly_one(literals)
        for number, literal in zip(numbers, literals, strict=True):
            self._is[value, number] = literal

    def number(self, value: Value, is_true: Callable[[Literal], bool]) -> int:
        """What a value is in a solution; its literals must have been asked for before."""
        for number in self.numbers[value]:
            literal = self._is.get((value, number), FALSE)
            if literal == TRUE or (literal != FALSE and is_true(literal)):
                return number
        return 0

    def prepare(self, value: Value) -> None:
        """Make the literals that `number` looks at."""
        for number in self.numbers[value]:
            self.is_number(value, number)

    def settle_unused_choices(self) -> None:
        """Free values that no executed instruction chose are the smallest, so that each execution is found
        once; all others are told apart even where nothing depends on them."""
        for guard, value in self.facts.symbolic.havocs:
            smallest = min(self.numbers[value])
            self.formula.forbid(-self.condition(guard), -self.is_number(value, smallest))

    def _define_table(self, value: Value, term: Apply) -> None:
        operator = OPERATORS[term.name]
        bodies: dict[int, list[list[Literal]]] = {}
        for row in product(*(self.numbers[arg] for arg in term.args)):
            body = [self.is_number(arg, number) for arg, number in zip(term.args, row, strict=True)]
            bodies.setdefault(operator(row, term.bits), []).append(body)
        if self.circular:
            for number, rows in bodies.items():
                self._is[value, number] = self.formula.any_of(rows)
        else:
            self._define(value, sorted(bodies), lambda number: self.formula.any_of(bodies[number]))

    # -- conditions --------------------------------------------------------------------------------------

    def is_non_zero(self, term: NonZero) -> Literal:
        """See `EventValues`."""
        return self._decided(lambda: -self.is_number(term.value, 0))

    def is_equal(self, term: Equal) -> Literal:
        """See `EventValues`."""
        return self._decided(lambda: self.equal(term.left, term.right))

    def _decided(self, literal: Callable[[], Literal]) -> Literal:
        """The literal itself, or where values may be circular a choice that must agree with it."""
        if not self.circular:
            return literal()
        choice = self.formula.choice()
        self.formula.equal(choice, literal())
        return choice

    def equal(self, one: Value, other: Value) -> Literal:
        """The literal that two values are equal."""
        common = self.numbers[one] & self.numbers[other]
        rows = [[self.is_number(one, number), self.is_number(other, number)] for number in common]
        return self.formula.any_of(rows)


class _Support:
    """Which reads a value depends on, through registers and conditions."""

    def __init__(self, domains: FiniteDomains) -> None:
        self.terms = domains.terms
        self.values = [0] * len(self.terms.values)
        self.conditions = [0] * len(self.terms.conditions)
        for name in self.terms.order:
            if name < 0:
                self.conditions[~name] = self._of_condition_term(self.terms.conditions[~name])
            else:
                self.values[name] = self._of_value_term(self.terms.values[name])

    def of_value(self, value: Value) -> int:
        """The reads as a mask."""
        return self.values[value]

    def _of_condition_term(self, term: ConditionTerm) -> int:
        known = self.values
        if isinstance(term, NonZero):
            return known[term.value]
        if isinstance(term, Equal):
            return known[term.left] | known[term.right]
        if isinstance(term, Both):
            return self.conditions[abs(term.left)] | self.conditions[abs(term.right)]
        return self._union(term.cases) if isinstance(term, Either) else 0

    def _of_value_term(self, term: ValueTerm) -> int:
        if isinstance(term, Read):
            return 1 << term.event
        mask = 0
        if isinstance(term, Apply):
            for arg in term.args:
                mask |= self.values[arg]
        elif isinstance(term, Choose):
            mask = self._union([when for when, _ in term.cases])
            for _, case in term.cases:
                mask |= self.values[case]
        return mask

    def _union(self, conditions: Iterable[Condition]) -> int:
        mask = 0
        for condition in conditions:
            mask |= self.conditions[abs(condition)]
        return mask
