"""Guessing invariants: a cube becomes a more general one that no known state of a small instance meets.

This is what Cubicle's -brab does under SC, done for weak memory as well, which paper 002 left open. The known
states come from the operational machine. They need not be all: a guess that is wrong leads the search to an
initial state, and then the search starts again without that guess (`decide`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from treville.parameterised.cube import Node, kept
from treville.parameterised.forward import Exploration, explore
from treville.parameterised.instances import arrangements
from treville.parameterised.machine import Bounds, Machine, State, compiled
from treville.parameterised.system import Literal, Property, System, literal_processes
from treville.results import Budget

_MOST_CANDIDATES = 60
_LARGEST = 3
_FIRST_STATES = 10_000
_MORE_STATES_AFTER = (8, 40)
_BOUNDS = Bounds(initial_states=60)


class Approximation:
    """Proposes guesses; `refused` holds those that proved wrong."""

    def __init__(self, system: System, assumptions: tuple[Property, ...], budget: Budget) -> None:
        self.system, self.assumptions, self.budget = system, assumptions, budget
        self.refused: set[frozenset[Literal]] = set()
        self.made: list[Node] = []
        self.most = _FIRST_STATES
        self._explore()

    def _explore(self) -> None:
        """Collect the states of instances with two and three processes."""
        self.explorations: list[Exploration] = []
        sizes = [self.system.processes] if self.system.named else [2, 3]
        for size in sizes:
            if not self.system.processes or size <= self.system.processes:
                most = self.most if size == 2 else self.most // 2
                self.explorations.append(
                    explore(
                        self.system, size, assumptions=self.assumptions, most=most, budget=self.budget,
                        bounds=_BOUNDS, stop_at_unsafe=False, properties=(),
                    )
                )  # fmt: skip
        self.states = [list(exploration.states) for exploration in self.explorations]
        # Per instance: literal with concrete processes -> states in which it holds, as a mask.
        self.masks: list[dict[str, int]] = [{} for _ in self.explorations]

    def refuse(self, guess: Node) -> None:
        """A guess was wrong; after some of those it pays to know more states."""
        self.refused.add(guess.literals)
        incomplete = any(not exploration.complete for exploration in self.explorations)
        if len(self.refused) in _MORE_STATES_AFTER and incomplete:
            self.most *= 4
            self._explore()

    def known_states(self) -> int:
        """How many states the guesses avoid."""
        return sum(len(states) for states in self.states)

    def propose(self, node: Node) -> Node | None:
        """The first (smallest) part of the cube that no known state meets, unless it was refused."""
        if node.guessed or len(node.literals) < 2:
            return None
        everyone = self.system.processes if self.system.named else 0
        for literals in self._parts(node):
            guess = kept(node, literals, everyone)
            if guess.literals in self.refused or self._met(guess):
                continue
            guess.guessed = True
            guess.parent, guess.step = node, None
            guess.origin = _origin(node, literals, everyone)
            guess.depth = node.depth
            self.made.append(guess)
            return guess
        return None

    def _parts(self, node: Node) -> Iterator[frozenset[Literal]]:
        """Proper subsets of the literals, small ones first; reads are left out."""
        plain = sorted((lit for lit in node.literals if not _reads(lit)), key=_rank)
        count = 0
        for size in range(1, min(_LARGEST, len(node.literals) - 1) + 1):
            for part in combinations(plain, size):
                if size > 1 and not _connected(part):
                    continue
                count += 1
                if count > _MOST_CANDIDATES * size:
                    break
                yield frozenset(part)
        if len(plain) < len(node.literals) and len(plain) > _LARGEST:
            yield frozenset(plain)

    def _met(self, node: Node) -> bool:
        for index, exploration in enumerate(self.explorations):
            machine = exploration.machine
            if node.processes > machine.processes:
                continue
            if self.system.named:
                places: Iterator[tuple[int, ...]] = iter([tuple(range(machine.processes))])
            else:
                places = arrangements(range(machine.processes), node.processes)
            for place in places:
                if self._holding(index, machine, node, dict(enumerate(place))):
                    return True
        # Nothing was explored with that many processes: no guess.
        return all(node.processes > e.machine.processes for e in self.explorations)

    def _holding(self, index: int, machine: Machine, node: Node, place: dict[int, int]) -> int:
        mask = -1
        for literal in node.literals:
            mask &= self._mask(index, machine, literal, place)
            if not mask:
                return 0
        return mask

    def _mask(self, index: int, machine: Machine, literal: Literal, place: dict[int, int]) -> int:
        text = machine.source(((literal,),), place)
        known = self.masks[index]
        mask = known.get(text)
        if mask is None:
            mask = known[text] = self._compute(self.states[index], text)
        return mask

    @staticmethod
    def _compute(states: list[State], text: str) -> int:
        check = compiled(f"lambda s: {text}")
        bits = "".join("1" if check(values) else "0" for values, _ in reversed(states))
        return int(bits, 2) if bits else 0


def _reads(literal: Literal) -> bool:
    return "r" in {term[0] for term in (literal[1:] if literal[0] != "L" else [t for t, _ in literal[2]])}


def _rank(literal: Literal) -> tuple[int, int, str]:
    return (len(literal_processes(literal)), literal[0] != "=", repr(literal))


def _connected(part: tuple[Literal, ...]) -> bool:
    """At most two processes are worth a guess."""
    return len({i for literal in part for i in literal_processes(literal)}) <= 2


def _origin(node: Node, literals: frozenset[Literal], everyone: int) -> tuple[int, ...]:
    """Processes of the guess in the numbering of the cube it was made from."""
    bare = Node(node.literals, node.processes, node.frontier)
    return kept(bare, literals, everyone).origin
