"""Guessing invariants: a cube becomes a more general one that no known state of a small instance meets.

This is what Cubicle's -brab does under SC, done for weak memory as well, which paper 002 left open. The known
states come from the operational machine. They need not be all: a guess that is wrong leads the search to an
initial state, and then the search starts again without that guess (`decide`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from treville.parameterised.backward.initial import Initial
from treville.parameterised.logic.cube import Node, kept
from treville.parameterised.logic.theory import Theory
from treville.parameterised.states.known_states import KnownStates
from treville.parameterised.states.replay import replay, trace_to
from treville.parameterised.system import (
    Cube,
    Literal,
    Property,
    System,
    Term,
    linear,
    literal_processes,
    terms_of,
)
from treville.results import Budget

_MOST_CANDIDATES = 60
_LARGEST = 3
_FIRST_STATES = 10_000
_MOST_STATES = 60_000
_STATES_A_NODE = 50
_NODES_BETWEEN_REVIEWS = 8
_MOST_PROCESSES = 4
_STATES_AROUND = 200
_MOST_COMPARISONS = 12


class Approximation:
    """Proposes guesses; `refused` holds those that proved wrong."""

    def __init__(self, system: System, assumptions: tuple[Property, ...], budget: Budget) -> None:
        self.system, self.assumptions, self.budget = system, assumptions, budget
        self.refused: set[frozenset[Literal]] = set()
        self.made: list[Node] = []
        self.reviews = 0
        self.theory = Theory(system.symbols, named=system.named)
        self.initial = Initial(system, self.theory, assumptions)
        self.states = KnownStates(system, assumptions, budget)
        self._explore(_FIRST_STATES)

    def _explore(self, more: int, most: int = _MOST_STATES) -> None:
        """Collect states of instances with three and two processes; large ones add to small ones."""
        sizes = [self.system.processes] if self.system.named else [3, 2]
        for size in sizes:
            if not self.system.processes or size <= self.system.processes:
                self.states.grow(size, more, most)

    def review(self) -> Node | None:
        """Explore some more; a guess that one of the new states meets."""
        self.reviews += 1
        if self.reviews % _NODES_BETWEEN_REVIEWS or self.states.count() > 2 * _MOST_STATES:
            return None
        self._explore(_NODES_BETWEEN_REVIEWS * _STATES_A_NODE)
        return next((guess for guess in self.made if self.states.meets(guess)), None)

    def refuse(self, guess: Node) -> None:
        """A guess was wrong."""
        self.refused.add(guess.literals)

    def learn(self, guess: Node, found: Node, start: Cube) -> None:
        """`found` meets the initial states and leads to a guess: the run from there shows more states."""
        trace = trace_to(self.system, found, guess, start)
        if trace.processes <= _MOST_PROCESSES:
            _, run = replay(self.system, trace, self.assumptions, self.budget)
            if run is not None:
                self.states.learn(trace.processes, (step.state for step in run), _STATES_AROUND)

    def known_states(self) -> int:
        """How many states the guesses avoid."""
        return self.states.count()

    def propose(self, node: Node) -> Node | None:
        """The first (smallest) generalisation of the cube that no known state meets, unless refused."""
        if node.guessed:
            return None
        everyone = self.system.processes if self.system.named else 0
        for literals in self._parts(node):
            guess = kept(node, literals, everyone)
            if guess.literals in self.refused or self.states.meets(guess) or self.initial.meets(guess):
                continue
            guess.guessed = True
            guess.parent, guess.step = node, None
            guess.origin = _origin(node, literals, everyone)
            guess.depth = node.depth
            self.made.append(guess)
            return guess
        return None

    def _parts(self, node: Node) -> Iterator[frozenset[Literal]]:
        """Sets of literals that follow from the cube, small ones first; reads are left out."""
        plain = sorted((lit for lit in node.literals if not _reads(lit)), key=_rank)
        weaker = weaker_comparisons(plain, self.system, self.theory)
        pool = sorted([*plain, *weaker], key=_rank) if weaker else plain
        count = 0
        for size in range(1, min(_LARGEST, len(pool)) + 1):
            for part in combinations(pool, size):
                if node.literals == set(part) or (size > 1 and not _connected(part)):
                    continue
                count += 1
                if count > _MOST_CANDIDATES * size:
                    break
                yield frozenset(part)
        if len(plain) < len(node.literals) and len(plain) > _LARGEST:
            yield frozenset(plain)


def weaker_comparisons(literals: list[Literal], system: System, theory: Theory) -> list[Literal]:
    """Orders between two terms of the cube, or a term and a number of its own, that follow from it.

    Going backward, `x = y + 1` becomes `x = y + 2`, `x = y + 3` and so on; `y < x` covers them all. In the
    same way `x = 1` becomes a bound.
    """
    sums = [literal for literal in literals if literal[0] == "L"]
    facts = theory.facts(sums) if sums else None
    if facts is None:
        return []
    found: dict[Literal, None] = {}
    for literal in sums[:_MOST_COMPARISONS]:
        terms = [term for term, _ in literal[2] if not system.symbols[_symbol(term)].rigid]
        whole = _symbol(literal[2][0][0]) in theory.integral
        if literal[1] == "=" and len(literal[2]) == 1:
            term, factor = literal[2][0]
            for sign in (1, -1):
                made = linear("<=", {term: sign * factor}, sign * literal[3], integral=whole)
                if isinstance(made, tuple):
                    found[made] = None
        for x, y in [(x, y) for x in terms for y in terms if x != y]:
            for gap in (0, 1):
                made = linear("<=", {x: 1, y: -1}, gap, integral=whole)
                if isinstance(made, tuple) and made not in literals and facts.entails(made):
                    found[made] = None
    return list(found)


def _symbol(term: Term) -> str:
    return str(term[3] if term[0] == "r" else term[1])


def _reads(literal: Literal) -> bool:
    return any(term[0] == "r" for term in terms_of(literal))


def _rank(literal: Literal) -> tuple[int, int, bool, str]:
    """Few processes first, enumerations before numbers, weak comparisons of numbers before exact ones."""
    kind = 0
    if literal[0] == "L":
        kind = 1 + (literal[1] not in ("<=", "r<=")) + (literal[3] != 0)
    return (len(literal_processes(literal)), kind, literal[0] != "=", repr(literal))


def _connected(part: tuple[Literal, ...]) -> bool:
    """At most two processes are worth a guess."""
    return len({i for literal in part for i in literal_processes(literal)}) <= 2


def _origin(node: Node, literals: frozenset[Literal], everyone: int) -> tuple[int, ...]:
    """Processes of the guess in the numbering of the cube it was made from."""
    bare = Node(node.literals, node.processes, node.frontier)
    return kept(bare, literals, everyone).origin
