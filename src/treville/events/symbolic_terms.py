"""Hash-consed terms of symbolic threads: values (what a register may hold) and conditions (when).

A value is an index into `Terms.values`, a condition a signed index into `Terms.conditions` whose sign is
negation, so that equal terms are equal ints and constants fold while terms are built. Arguments precede
the terms built of them; the only way back is through memory (`Read`). What a term can be is found out
by `analysis.values`; how it becomes a formula is up to `encoding` (finite domains today).

To the type checker, values and conditions are types of their own. TRUE and FALSE are those of conditions;
literals of formulas have others (`encoding.formula`), and only a value encoding turns one into the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from treville.programs.operators import OPERATORS
from treville.records import NamedTuple, dataclass, field
from treville.relations import EventId

if TYPE_CHECKING:

    class Value(int):
        """A term that is a number: its place in `Terms.values`."""

    class Condition(int):
        """A term that is true or not: its place in `Terms.conditions`, negative if it is negated."""

        def __neg__(self) -> Condition: ...

        def __abs__(self) -> Condition: ...

else:
    Value = Condition = int

TRUE: Final = Condition(1)
FALSE: Final = Condition(-1)


class Constant(NamedTuple):
    """A number."""

    number: int


class Read(NamedTuple):
    """What a read event finds in memory."""

    event: EventId


class Apply(NamedTuple):
    """An operator of `programs.operators`."""

    name: str
    args: tuple[Value, ...]
    bits: int


class Choose(NamedTuple):
    """The value of the case whose condition holds; cases exclude each other. Where none holds the value
    does not matter."""

    cases: tuple[tuple[Condition, Value], ...]


class Any(NamedTuple):
    """Any one of the numbers, chosen freely. `key` tells choices apart."""

    key: int
    numbers: tuple[int, ...]


class Unknown(NamedTuple):
    """Any number of `bits` bits. `key` tells choices apart."""

    key: int
    bits: int


ValueTerm: TypeAlias = Constant | Read | Apply | Choose | Any | Unknown


class Holds(NamedTuple):
    """The constant true, condition 1."""


class NonZero(NamedTuple):
    """A value is not zero."""

    value: Value


class Equal(NamedTuple):
    """Two values are equal."""

    left: Value
    right: Value


class Both(NamedTuple):
    """Conjunction."""

    left: Condition
    right: Condition


class Either(NamedTuple):
    """Disjunction."""

    cases: tuple[Condition, ...]


class Free(NamedTuple):
    """A choice of its own: a store conditional succeeds, or, where `key` is negative, a byte that is read was
    never set. `key` tells choices apart."""

    key: int


ConditionTerm: TypeAlias = Holds | NonZero | Equal | Both | Either | Free


@dataclass(slots=True)
class Terms:
    """The table of all terms of a program."""

    values: list[ValueTerm] = field(default_factory=list)
    conditions: list[ConditionTerm] = field(default_factory=lambda: [Holds(), Holds()])
    order: list[int] = field(default_factory=list)  # all terms as they were built; condition c as ~c
    _value_index: dict[tuple[type, ValueTerm], Value] = field(default_factory=dict)
    _condition_index: dict[tuple[type, ConditionTerm], Condition] = field(default_factory=dict)
    _known_cases: dict[Value, list[tuple[Condition, int]] | None] = field(default_factory=dict)

    def _value(self, term: ValueTerm) -> Value:
        key = (type(term), term)  # named tuples of different types can be equal
        found = self._value_index.get(key)
        if found is None:
            found = self._value_index[key] = Value(len(self.values))
            self.values.append(term)
            self.order.append(found)
        return found

    def _condition(self, term: ConditionTerm) -> Condition:
        key = (type(term), term)  # named tuples of different types can be equal
        found = self._condition_index.get(key)
        if found is None:
            found = self._condition_index[key] = Condition(len(self.conditions))
            self.conditions.append(term)
            self.order.append(~found)
        return found

    # -- values ------------------------------------------------------------------------------------------

    def constant(self, number: int) -> Value:
        """The value that is that number."""
        return self._value(Constant(number))

    def read(self, event: EventId) -> Value:
        """The value that a read event finds."""
        return self._value(Read(event))

    def any_of(self, key: int, numbers: tuple[int, ...]) -> Value:
        """A free choice of one of the numbers."""
        return self.constant(numbers[0]) if len(numbers) == 1 else self._value(Any(key, numbers))

    def unknown(self, bits: int) -> Value:
        """A free choice of a number of that many bits."""
        return self._value(Unknown(len(self.values), bits))

    def apply(self, name: str, args: tuple[Value, ...], bits: int) -> Value:
        """The operator applied to the values, folded where the result is known."""
        terms = [self.values[arg] for arg in args]
        numbers = [term.number for term in terms if isinstance(term, Constant)]
        if len(numbers) == len(args):
            return self.constant(OPERATORS[name](tuple(numbers), bits))
        if len(args) == 2 and args[0] == args[1] and name in ("xor", "sub", "eq", "ne"):
            return self.constant(int(name == "eq"))
        if 0 in numbers and name in ("and", "mul"):
            return self.constant(0)
        return self._value(Apply(name, args, bits))

    def choose(self, cases: list[tuple[Condition, Value]]) -> Value:
        """The value of the one case whose condition holds; cases with the same value are joined."""
        joined: dict[Value, list[Condition]] = {}
        for condition, value in cases:
            if condition != FALSE:
                joined.setdefault(value, []).append(condition)
        if not joined:
            return self.constant(0)
        if len(joined) == 1:
            return next(iter(joined))
        return self._value(Choose(tuple((self.either(when), value) for value, when in joined.items())))

    # -- conditions --------------------------------------------------------------------------------------

    def non_zero(self, value: Value) -> Condition:
        """The condition that the value is not zero."""
        term = self.values[value]
        if isinstance(term, Constant):
            return TRUE if term.number else FALSE
        return self._condition(NonZero(value))

    def equal(self, left: Value, right: Value) -> Condition:
        """The condition that two values are equal."""
        if left == right:
            return TRUE
        one, other = self.values[left], self.values[right]
        if isinstance(one, Constant) and isinstance(other, Constant):
            return FALSE
        return self._condition(Equal(min(left, right), max(left, right)))

    def free(self, key: int) -> Condition:
        """A choice of its own."""
        return self._condition(Free(key))

    def both(self, left: Condition, right: Condition) -> Condition:
        """Conjunction, folded."""
        if left in (TRUE, right):
            return right
        if right == TRUE:
            return left
        if left in (FALSE, -right) or right == FALSE:
            return FALSE
        for one, other in ((left, right), (right, left)):
            term = self.conditions[one] if one > 0 else None
            if isinstance(term, Both) and other in (term.left, term.right):
                return one
        return self._condition(Both(left, right))

    def conjuncts(self, condition: Condition) -> list[Condition]:
        """The condition and all that it is a conjunction of."""
        found, pending = [], [condition]
        while pending:
            part = pending.pop()
            found.append(part)
            term = self.conditions[part] if part > 0 else None
            if isinstance(term, Both):
                pending += [term.left, term.right]
        return found

    def by_cases(self, condition: Condition) -> Condition:
        """The same condition of a value that is one of a few numbers, by the conditions of its cases; others
        as they are."""
        term = self.conditions[abs(condition)]
        cases = self._cases(term.value) if isinstance(term, NonZero) else None
        if cases is None:
            return condition
        return self.either([case for case, number in cases if bool(number) == (condition > 0)])

    def _cases(self, value: Value) -> list[tuple[Condition, int]] | None:
        """The numbers that a value may be, with their conditions, where one choice of numbers decides."""
        if value not in self._known_cases:
            self._known_cases[value] = self._found_cases(value)
        return self._known_cases[value]

    def _found_cases(self, value: Value) -> list[tuple[Condition, int]] | None:
        term = self.values[value]
        if isinstance(term, Constant):
            return [(TRUE, term.number)]
        if isinstance(term, Choose):
            parts = [(case, self._cases(each)) for case, each in term.cases]
            found = [(case, part[0][1]) for case, part in parts if part is not None and len(part) == 1]
            return found if len(found) == len(parts) else None
        if isinstance(term, Apply):
            given = [self._cases(arg) for arg in term.args]
            choices = [case for cases in given if cases is not None and len(cases) > 1 for case, _ in cases]
            if None in given or sum(len(cases or []) > 1 for cases in given) != 1:
                return None
            return [(case, self._applied(term, given, number)) for number, case in enumerate(choices)]
        return None

    @staticmethod
    def _applied(term: Apply, given: list[list[tuple[Condition, int]] | None], chosen: int) -> int:
        numbers = [cases[chosen if len(cases) > 1 else 0][1] for cases in given if cases is not None]
        return OPERATORS[term.name](tuple(numbers), term.bits)

    def either(self, cases: list[Condition]) -> Condition:
        """Disjunction; `g and c` together with `g and not c` is `g`, so guards shrink where paths join."""
        pending = [case for case in dict.fromkeys(cases) if case != FALSE]
        kept: list[Condition] = []
        while pending:
            case = pending.pop()
            if case == TRUE or -case in kept:
                return TRUE
            joined = next((g for other in kept if (g := self._join(case, other)) is not None), None)
            if joined is None:
                kept.append(case)
                continue
            kept = [other for other in kept if self._join(case, other) != joined]
            pending.append(joined)
        if len(kept) <= 1:
            return kept[0] if kept else FALSE
        return self._condition(Either(tuple(sorted(kept))))

    def _join(self, one: Condition, other: Condition) -> Condition | None:
        """`g` if the two are `g and c` and `g and not c`, or one of them if it covers the other."""
        if one == other:
            return one
        left = self.conditions[one] if one > 0 else None
        right = self.conditions[other] if other > 0 else None
        if isinstance(left, Both) and other in (left.left, left.right):
            return other
        if isinstance(right, Both) and one in (right.left, right.right):
            return one
        if isinstance(left, Both) and isinstance(right, Both):
            if left.left == right.left and left.right == -right.right:
                return left.left
            if left.right == right.right and left.left == -right.left:
                return left.right
        return None
