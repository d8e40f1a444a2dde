"""Does a cube hold in some initial state? Then the way back from the unsafe cube is a trace."""

from __future__ import annotations

from treville.parameterised.backward.instances import arrangements, put_in
from treville.parameterised.backward.preimage import replaced
from treville.parameterised.logic.cube import Node
from treville.parameterised.logic.normal_form import negation
from treville.parameterised.logic.theory import Theory
from treville.parameterised.system import NAMED, Cube, Literal, Property, System, Term, terms_of


class Initial:
    """The initial states of a system, for cubes of any size. Assumptions are cubes that never hold."""

    def __init__(self, system: System, theory: Theory, assumptions: tuple[Property, ...]) -> None:
        self.system = system
        self.theory = theory
        self.assumptions = assumptions
        self.facts: dict[int, tuple[list[Literal], list[list[Cube]]]] = {}
        self.possible: dict[int, bool] = {}

    def meets(self, node: Node) -> bool:
        """Is some initial state in the cube? An open read sees the initial value of its cell."""
        if node.frontier.passed:
            return False
        return self.satisfiable(self.at_start(node.literals), node.processes)

    def excludes(self, processes: int) -> bool:
        """Is there no initial state at all with at least that many processes?"""
        if processes not in self.possible:
            self.possible[processes] = self.satisfiable([], processes)
        return not self.possible[processes]

    def at_start(self, literals: frozenset[Literal]) -> list[Literal] | None:
        """The literals with open reads replaced by the cells they read; None when that decides them."""
        made: list[Literal] = []
        for literal in literals:
            values: dict[Term, Term] = {}
            for term in terms_of(literal):
                if term[0] == "r":
                    values[term] = ("a", term[3], term[4]) if term[4] else ("v", term[3])
            new = replaced(literal, values, self.theory.integral) if values else literal
            if new is False:
                return None
            if new is not True:
                made.append(new)
        return made

    def satisfiable(self, literals: list[Literal] | None, processes: int) -> bool:
        """Does some initial state with that many processes satisfy the literals?"""
        if literals is None:
            return False
        sure, open_choices = self.constraints(processes)
        normal = self.theory.normal([*literals, *sure])
        return normal is not None and self._choose(normal, open_choices, 0)

    def _choose(self, known: frozenset[Literal], choices: list[list[Cube]], position: int) -> bool:
        if position == len(choices):
            return True
        for cube in choices[position]:
            normal = self.theory.normal([*known, *cube])
            if normal is not None and self._choose(normal, choices, position + 1):
                return True
        return False

    def constraints(self, processes: int) -> tuple[list[Literal], list[list[Cube]]]:
        """Literals that hold at the start for this many processes, and disjunctions that do."""
        if processes in self.facts:
            return self.facts[processes]
        sure: list[Literal] = []
        choices: list[list[Cube]] = []
        named = {NAMED + i: i for i in range(self.system.processes)} if self.system.named else {}
        for constraint in self.system.initial:
            for chosen in arrangements(range(processes), constraint.count):
                self._add(put_in(constraint.cubes, {**named, **dict(enumerate(chosen))}), sure, choices)
        for assumption in self.assumptions:
            for chosen in arrangements(range(processes), assumption.parameters):
                place = {**named, **dict(enumerate(chosen))}
                negated = tuple((literal,) for lit in assumption.cube for literal in _negated(lit))
                self._add(put_in(negated, place), sure, choices)
        self.facts[processes] = (sure, choices)
        return sure, choices

    @staticmethod
    def _add(cubes: list[Cube], sure: list[Literal], choices: list[list[Cube]]) -> None:
        if cubes == [()]:
            return
        if len(cubes) == 1:
            sure.extend(cubes[0])
        else:
            choices.append(cubes)


def _negated(literal: Literal) -> list[Literal]:
    """Literals whose disjunction is the negation."""
    shape = negation(literal)
    return list(shape[1]) if shape[0] == "or" else [shape]
