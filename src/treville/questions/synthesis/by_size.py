"""Enumerates terms by size, each relation once (paper 004, section 6.3, with observational equivalence).

Two terms that have the same pairs in every execution of the tests cannot be told apart by them, so that only
the smaller one is kept. This takes the place of the thesis's normal forms, of what Theorem 14 inherits, and
of caching; `Dropping` has the normal forms for comparison.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from treville.models.model import Operator
from treville.questions.synthesis.evaluation import apply
from treville.questions.synthesis.listing import Executions, Value
from treville.questions.synthesis.problem import Dropping
from treville.questions.synthesis.terms import Term, made
from treville.records import dataclass, field
from treville.results import Budget

_UNARY = (Operator.PLUS, Operator.STAR, Operator.INVERSE)
_COMMUTATIVE = (Operator.UNION, Operator.INTERSECTION)


@dataclass(frozen=True, slots=True)
class Known:
    """A term and its value in all executions."""

    term: Term
    value: Value


@dataclass(slots=True)
class Terms:
    """All terms up to a size. `minus` are leaves that may be subtracted."""

    world: Executions
    leaves: list[Known]
    minus: list[Known]
    budget: Budget
    dropping: Dropping = Dropping.OBSERVED
    levels: list[list[Known]] = field(default_factory=lambda: [[]])
    examined: int = 0
    _seen: set[Hashable] = field(default_factory=set)

    def next_level(self) -> list[Known]:
        """The terms of the next size that are new; also those of the largest size are kept."""
        size = len(self.levels)
        level: list[Known] = []
        for term, value in self._made(size):
            self.examined += 1
            if self.examined & 63 == 0:
                self.budget.spend(64)
                self.budget.check()
            if not any(value):
                continue
            key = value if self.dropping is Dropping.OBSERVED else term
            if key in self._seen:
                continue
            self._seen.add(key)
            level.append(Known(term, value))
        self.levels.append(level)
        return level

    def expected(self) -> int:
        """How many terms the next level looks at."""
        size = len(self.levels)
        counts = [len(level) for level in self.levels]
        pairs = sum(counts[i] * counts[size - i] for i in range(1, size))
        return 2 * pairs + (len(_UNARY) + len(self.minus)) * counts[-1]

    def _made(self, size: int) -> Iterator[tuple[Term, Value]]:
        if size == 1:
            yield from ((each.term, each.value) for each in self.leaves)
            return
        world = self.world
        for each in self.levels[size - 1]:
            for op in _UNARY:
                if self._is_normal(op, each.term):
                    yield made(op, each.term), apply(world, op, each.value)
            for taken in self.minus:
                if self._is_normal(Operator.DIFFERENCE, each.term, taken.term):
                    value = apply(world, Operator.DIFFERENCE, each.value, taken.value)
                    yield made(Operator.DIFFERENCE, each.term, taken.term), value
        for left in range(1, size):
            yield from self._pairs(self.levels[left], self.levels[size - left], left <= size - left)

    def _pairs(
        self, lefts: list[Known], rights: list[Known], commutative: bool
    ) -> Iterator[tuple[Term, Value]]:
        world = self.world
        same = lefts is rights
        for i, one in enumerate(lefts):
            for other in rights[i + 1 :] if same else rights:
                for op in _COMMUTATIVE if commutative or same else ():
                    if self._is_normal(op, one.term, other.term):
                        yield made(op, one.term, other.term), apply(world, op, one.value, other.value)
            for other in rights:
                if self._is_normal(Operator.COMPOSITION, one.term, other.term):
                    value = apply(world, Operator.COMPOSITION, one.value, other.value)
                    yield made(Operator.COMPOSITION, one.term, other.term), value

    def _is_normal(self, op: Operator, *args: Term) -> bool:
        """Is the term of the thesis's normal form? (section 6.3.1)"""
        return self.dropping is not Dropping.NORMAL or is_normal(op, *args)


def is_normal(op: Operator, *args: Term) -> bool:
    """Section 6.3.1: inverses of base relations only; associative operators are nested from one side and
    commutative ones sorted (here by their text); no union below an intersection, neither of them below a
    composition or a difference."""
    below = {each.op for each in args}
    mixed = {Operator.UNION, Operator.INTERSECTION}
    match op:
        case Operator.INVERSE:
            return below == {Operator.BASE}
        case Operator.PLUS | Operator.STAR:
            return not below & {Operator.PLUS, Operator.STAR}
        case Operator.DIFFERENCE:
            return args[0].op not in mixed
        case Operator.COMPOSITION:
            return not below & mixed and args[1].op is not Operator.COMPOSITION
        case Operator.INTERSECTION:
            return Operator.UNION not in below and _sorted(op, *args)
        case _:
            return _sorted(op, *args)


def _sorted(op: Operator, first: Term, second: Term) -> bool:
    """Operands of a nest in the order of their text, nested in the larger operand only."""
    if first.op is op and second.op is op:
        return False
    nest, alone = (second, first) if second.op is op else (first, second)
    if nest.op is op:
        return str(alone) < min(map(str, nest.args))
    return str(first) != str(second)
