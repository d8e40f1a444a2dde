"""Transitions with processes put in for their parameters, made once and used for many cubes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations, product
from math import perm
from typing import Any

from treville.parameterised.backward.frontier import CellKey
from treville.parameterised.logic.cube import ordered
from treville.parameterised.logic.terms import rename_literal, rename_term
from treville.parameterised.system import (
    NAMED,
    Cube,
    Disjunction,
    Literal,
    System,
    Term,
    Update,
    terms_of,
)
from treville.results import BudgetExceeded

_MOST_CHOICES = 200_000


def arrangements(pool: Iterable[int], count: int) -> Iterator[tuple[int, ...]]:
    """All ways to choose `count` distinct processes in order; raises where they are far too many."""
    processes = tuple(pool)
    if count <= len(processes) and perm(len(processes), count) > _MOST_CHOICES:
        raise BudgetExceeded(
            f"{count} processes can be chosen of {len(processes)} in too many ways", "use fewer parameters"
        )
    return permutations(processes, count)


def put_in(cubes: Disjunction, place: dict[int, int]) -> list[Cube]:
    """The cubes with processes put in; literals between processes are decided."""
    made: list[Cube] = []
    for cube in cubes:
        literals: list[Literal] | None = []
        for literal in cube:
            new = decided(rename_literal(literal, place))
            if new is False:
                literals = None
                break
            if new is not True and literals is not None:
                literals.append(new)
        if literals is not None:
            made.append(tuple(literals))
            if not literals:
                return [()]
    return made


def decided(literal: Literal) -> Any:
    """True or False for equalities between processes, else the literal in normal order."""
    if literal[0] in "=!" and literal[1][0] == "p" == literal[2][0]:
        return (literal[1][1] == literal[2][1]) == (literal[0] == "=")
    if literal[0] == "<" and literal[1] == literal[2]:
        return False
    return ordered(literal)


class Instance:
    """One transition with its parameters mapped to processes."""

    def __init__(self, system: System, number: int, place: tuple[int, ...]) -> None:
        self.transition = transition = system.transitions[number]
        self.system = system
        self.place = dict(enumerate(place))
        if system.named:
            self.place.update({NAMED + i: i for i in range(system.processes)})
        self.actor = place[transition.actor] if transition.actor >= 0 else -1
        self.weak = system.model != "sc" and (transition.reads or transition.writes or transition.fence)
        self.updates = {update.symbol.name: update for update in transition.updates}
        self._values: dict[Term, list[tuple[Cube, Any]]] = {}
        self._guards: dict[int, list[list[Cube]]] = {}
        self._sure: dict[int, list[CellKey]] = {}
        self._reads: dict[int, set[CellKey]] = {}
        guard = put_in((transition.guard,), self.place)
        self.possible = bool(guard)
        self.guard = guard[0] if guard else ()

    def touches(self, term: Term) -> bool:
        """Can the transition change this term (or feed this read)?"""
        name, indices = (term[3], term[4]) if term[0] == "r" else (term[1], term[2] if term[0] == "a" else ())
        if name not in self.updates or not self.possible:
            return False
        plain: Term = ("a", name, indices) if indices else ("v", name)
        return any(value != plain for _, value in self.values(plain))

    def values(self, term: Term) -> list[tuple[Cube, Any]]:
        """The ways in which a plain variable or cell gets its next value: (condition, value)."""
        found = self._values.get(term)
        if found is None:
            found = self._values[term] = self._branches(self.updates[term[1]], term)
        return found

    def _branches(self, update: Update, term: Term) -> list[tuple[Cube, Any]]:
        place = dict(self.place)
        for position, index in enumerate(term[2] if term[0] == "a" else ()):
            place[-1 - position] = index
        made = []
        for branch in update.branches:
            value = None if branch.value is None else rename_term(branch.value, place)
            made += [(cube, value) for cube in put_in(branch.when, place)]
        return made

    def guards(self, total: int) -> list[list[Cube]]:
        """The guard and, for every tuple of processes, the alternatives of every universal guard."""
        found = self._guards.get(total)
        if found is None:
            found = self._guards[total] = [[self.guard]]
            for universal in self.transition.universals:
                excluded = {self.place[i] for i in range(len(self.transition.parameters))}
                pool = [i for i in range(total) if not universal.other or i not in excluded]
                for chosen in arrangements(pool, universal.count):
                    place = {**self.place, **{-1 - k: i for k, i in enumerate(chosen)}}
                    alternatives = put_in(universal.cubes, place)
                    if alternatives != [()]:
                        found.append(alternatives)
        return found

    def sure_writes(self, total: int) -> list[CellKey]:
        """Weak cells that are written in every case."""
        found = self._sure.get(total)
        if found is None:
            found = self._sure[total] = []
            for update in self.transition.updates:
                if update.symbol.weak:
                    found += [cell for cell in _cells(update, total) if self._always(cell)]
        return found

    def _always(self, cell: CellKey) -> bool:
        name, indices = cell
        term: Term = ("a", name, indices) if indices else ("v", name)
        return all(value != term for _, value in self.values(term))

    def read_cells(self, total: int) -> set[CellKey]:
        """Weak cells that the transition reads."""
        found = self._reads.get(total)
        if found is None:
            terms = {
                t for cubes in self.guards(total) for cube in cubes for lit in cube for t in terms_of(lit)
            }
            for update in self.transition.updates:
                if update.symbol.weak or update.symbol.arity == 0:
                    for name, indices in _cells(update, total):
                        terms |= self._value_terms(("a", name, indices) if indices else ("v", name))
                else:
                    for cell in product(range(total), repeat=update.symbol.arity):
                        terms |= self._value_terms(("a", update.symbol.name, cell))
            symbols = self.system.symbols
            found = self._reads[total] = {
                (term[1], term[2] if term[0] == "a" else ())
                for term in terms
                if term[0] in "av" and symbols[term[1]].weak
            }
        return found

    def _value_terms(self, term: Term) -> set[Term]:
        found: set[Term] = set()
        for cube, value in self.values(term):
            found |= {t for literal in cube for t in terms_of(literal)}
            if value is not None and value != term:
                found |= {t for t, _ in value[1]} if value[0] == "s" else {value}
        return found


def _cells(update: Update, total: int) -> list[CellKey]:
    return [(update.symbol.name, indices) for indices in product(range(total), repeat=update.symbol.arity)]


class Instances:
    """The instances of a system's transitions, by number and processes."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.known: dict[tuple[int, tuple[int, ...]], Instance] = {}

    def get(self, number: int, place: tuple[int, ...]) -> Instance:
        """The instance, made on first use."""
        found = self.known.get((number, place))
        if found is None:
            found = self.known[number, place] = Instance(self.system, number, place)
        return found
