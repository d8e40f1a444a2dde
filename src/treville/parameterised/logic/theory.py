"""Conjunctions of literals -> their normal form, or nothing when they contradict each other.

Decides equality over enumerations, processes and abstract values (classes of equal terms, excluded values
of finite types), linear arithmetic (Gauss for equations, Fourier-Motzkin for the rest, over the rationals)
and the order of processes. Array indices are distinct processes, so cells need no congruence. What it misses
(pigeon holes between terms of a finite type, integer gaps) only makes the search visit more.
"""

from __future__ import annotations

from collections.abc import Iterable

from treville.parameterised.logic.arithmetic import entailed, solve
from treville.parameterised.system import Cube, Literal, Symbol, Term, equality

_CONSTANT = "kp"


class Theory:
    """Normal forms of cubes over the symbols of one system."""

    def __init__(self, symbols: dict[str, Symbol], *, named: bool = False) -> None:
        self.domains = {
            name: tuple(("k", value) for value in symbol.type.values)
            for name, symbol in symbols.items()
            if symbol.type.kind == "enum"
        }
        self.integral = {name for name, symbol in symbols.items() if symbol.type.kind == "int"}
        self.named = named
        self.calls = 0

    def domain(self, term: Term) -> tuple[Term, ...] | None:
        """The values of a term of a finite type."""
        return self.domains.get(term[3] if term[0] == "r" else term[1])

    def normal(self, literals: Iterable[Literal]) -> frozenset[Literal] | None:
        """The normal form of a conjunction; None when it is contradictory."""
        self.calls += 1
        facts = self.facts(literals)
        return None if facts is None else frozenset(facts.literals())

    def facts(self, literals: Iterable[Literal]) -> Facts | None:
        """The normal form with what it says about terms."""
        sums: list[Literal] = []
        facts = Facts(self)
        for literal in literals:
            if literal[0] == "L":
                sums.append(literal)
            elif not facts.add(literal):
                return None
        if not facts.close():
            return None
        if sums:
            solved = solve(sorted(sums, key=repr), self.integral)
            if solved is None:
                return None
            facts.sums = solved
        return facts


class Facts:
    """Values, equal terms, excluded values, orders and sums of one conjunction."""

    __slots__ = ("different", "excluded", "order", "parent", "sums", "theory", "values")

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        # Root of a class -> its value.
        self.values: dict[Term, Term] = {}
        self.parent: dict[Term, Term] = {}
        self.different: list[tuple[Term, Term]] = []
        self.excluded: dict[Term, set[Term]] = {}
        self.order: set[tuple[Term, Term]] = set()
        self.sums: Cube = ()

    def root(self, term: Term) -> Term:
        """The representative of a term's class."""
        parent = self.parent
        while term in parent:
            term = parent[term]
        return term

    def value(self, term: Term) -> Term:
        """The constant that a term equals, or the representative of its class."""
        if term[0] in _CONSTANT:
            return term
        root = self.root(term)
        return self.values.get(root, root)

    def add(self, literal: Literal) -> bool:
        """Note a literal that is not a sum; False when it contradicts what is known."""
        op, left, right = literal
        if op == "=":
            return self.equate(left, right)
        if op == "!":
            self.different.append((left, right))
        else:
            self.order.add((left, right))
        return True

    def equate(self, left: Term, right: Term) -> bool:
        """Merge two classes; False when their values differ."""
        left_constant, right_constant = left[0] in _CONSTANT, right[0] in _CONSTANT
        if left_constant and right_constant:
            return left == right
        if left_constant or right_constant:
            term, constant = (right, left) if left_constant else (left, right)
            return self.values.setdefault(self.root(term), constant) == constant
        left, right = sorted((self.root(left), self.root(right)))
        if left == right:
            return True
        self.parent[right] = left
        value = self.values.pop(right, None)
        return value is None or self.values.setdefault(left, value) == value

    def close(self) -> bool:
        """Propagate differences and orders; False when they contradict the equalities."""
        while self.different:
            waiting, self.different = self.different, []
            learnt = False
            for left, right in waiting:
                outcome = self.separate(self.value(left), self.value(right))
                if outcome is None:
                    return False
                learnt |= outcome
            if not learnt:
                break
        return not self.order or self.close_order()

    def separate(self, left: Term, right: Term) -> bool | None:
        """Two classes differ: None for a contradiction, True when a value follows from it."""
        if left == right:
            return None
        left_constant, right_constant = left[0] in _CONSTANT, right[0] in _CONSTANT
        if left_constant and right_constant:
            return False
        if not (left_constant or right_constant):
            self.different.append((left, right))
            return False
        term, constant = (right, left) if left_constant else (left, right)
        excluded = self.excluded.setdefault(term, set())
        excluded.add(constant)
        # Kept waiting, so that it is looked at again when its class gets a value or grows.
        self.different.append((term, constant))
        domain = self.theory.domain(term)
        if domain is None or len(excluded) < len(domain) - 1:
            return False
        rest = [value for value in domain if value not in excluded]
        if not rest:
            return None
        self.values[term] = rest[0]
        return True

    def close_order(self) -> bool:
        """Close the order of processes; False when it has a cycle."""
        pairs = {(self.value(left), self.value(right)) for left, right in self.order}
        while True:
            more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
            if not more:
                break
            pairs |= more
        if self.theory.named:
            for left, right in list(pairs):
                if left[0] == "p" == right[0]:
                    if left[1] >= right[1]:
                        return False
                    pairs.discard((left, right))
        self.order = pairs
        return all(left != right for left, right in pairs)

    def literals(self) -> list[Literal]:
        """The conjunction in normal form."""
        found: list[Literal] = list(self.sums)
        values = self.values
        for root, value in values.items():
            found.append(("=", root, value) if root < value else ("=", value, root))
        for term in self.parent:
            value = self.value(term)
            found.append(("=", term, value) if term < value else ("=", value, term))
        for left, right in self.different:
            a, b = self.value(left), self.value(right)
            made = equality("!", a, b)
            if not isinstance(made, bool):
                found.append(made)
        found.extend(("<", left, right) for left, right in self.order)
        return found

    def entails(self, literal: Literal) -> bool:
        """Does the literal follow? May say no for literals that follow in a roundabout way."""
        op = literal[0]
        if op == "L":
            return entailed(self.sums, literal)
        left, right = self.value(literal[1]), self.value(literal[2])
        if op == "=":
            return left == right
        if op == "<":
            return (left, right) in self.order or (
                self.theory.named and left[0] == "p" == right[0] and left[1] < right[1]
            )
        if left[0] in _CONSTANT and right[0] in _CONSTANT:
            return left != right
        if (left, right) in self.order or (right, left) in self.order:
            return True
        return any({self.value(a), self.value(b)} == {left, right} for a, b in self.different)
