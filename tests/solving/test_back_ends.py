"""The four back ends against brute force: random formulas with gates, clauses, counts and acyclic graphs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from random import Random

import pytest
from tests.seeds import conclusive, generator

from treville.formulas.formula import Formula, Literal
from treville.results import Budget, BudgetExceeded
from treville.solving.back_ends.by_name import BackEnd, make_solver
from treville.solving.back_ends.clasp import Solver, satisfiable
from treville.solving.solution import IsTrue

Choice = Mapping[Literal, bool]
Edge = tuple[int, int, Literal]


class RandomFormula:
    """Five free atoms, and what is wanted of them, as a formula and as plain data."""

    def __init__(self, random: Random) -> None:
        self.formula = Formula()
        self.free = [self.formula.choice() for _ in range(5)]
        self.literals = self.free + [Literal(-atom) for atom in self.free]
        gates = [random.sample(self.literals, 2) for _ in range(2)]
        self.gates = [(self.formula.both(*two), two) for two in gates]
        self.clauses = [
            random.sample(self.literals, random.choice((2, 3))) for _ in range(random.randint(0, 3))
        ]
        for clause in self.clauses:
            self.formula.require(*clause)
        self.counted = random.sample(self.literals, 4) if random.random() < 0.5 else []
        if self.counted:
            self.formula.at_most_one(self.counted)
        vertices = self.formula.vertices(4)
        self.edges: list[Edge] = []
        for _ in range(random.randint(0, 7)):
            source, target = random.sample(range(4), 2)
            self.edges.append((source, target, random.choice(self.literals)))
            self.formula.edge(vertices[source], vertices[target], self.edges[-1][2])

    def holds(self, choice: Choice) -> bool:
        def true(literal: Literal) -> bool:
            return choice[Literal(abs(literal))] == (literal > 0)

        reached = {(a, b) for a, b, literal in self.edges if true(literal)}
        for middle, one, other in product(range(4), repeat=3):
            if (one, middle) in reached and (middle, other) in reached:
                reached.add((one, other))
        return (
            all(any(map(true, clause)) for clause in self.clauses)
            and sum(map(true, self.counted)) <= 1
            and not any((number, number) in reached for number in range(4))
        )

    def solutions(self, assumed: list[Literal]) -> set[tuple[bool, ...]]:
        found = set()
        for values in product((False, True), repeat=5):
            choice = dict(zip(self.free, values, strict=True))
            if self.holds(choice) and all(
                choice[Literal(abs(literal))] == (literal > 0) for literal in assumed
            ):
                found.add(values)
        return found

    def listed(self, solver: Solver, assumed: list[Literal]) -> list[tuple[bool, ...]]:
        found = []

        def keep(is_true: IsTrue) -> bool:
            found.append(tuple(bool(is_true(atom)) for atom in self.free))
            for gate, two in self.gates:
                assert bool(is_true(gate)) == all(map(is_true, two))
                assert bool(is_true(Literal(-gate))) != bool(is_true(gate))
            return True

        solver.enumerate(Budget(60), keep, assumed)
        return found


@pytest.mark.parametrize("name", BackEnd)
def test_all_solutions_are_found_once_and_again(name: BackEnd) -> None:
    """Asked with assumptions, and then without: what was found before is not excluded later."""
    random, sizes = generator(f"back end {name}"), set()
    for _ in range(40):
        case = RandomFormula(random)
        solver = make_solver(name, case.formula)
        for assumed in (random.sample(case.literals, 2), [], random.sample(case.literals, 1)):
            found = case.listed(solver, assumed)
            assert len(found) == len(set(found))
            assert set(found) == case.solutions(assumed)
            sizes.add(len(found))
        assert satisfiable(solver, Budget()) == bool(case.solutions([]))
    assert conclusive(0 in sizes and len(sizes) > 8)


@pytest.mark.parametrize("name", BackEnd)
def test_solutions_that_agree_on_what_is_asked_count_once(name: BackEnd) -> None:
    random = generator(f"projected {name}")
    for _ in range(15):
        case = RandomFormula(random)
        found = case.listed(make_solver(name, case.formula, case.free[:2]), [])
        assert sorted(one[:2] for one in found) == sorted({one[:2] for one in case.solutions([])})


def pigeons(count: int) -> Formula:
    """So many pigeons do not fit into one hole less, which takes a solver of clauses very long."""
    formula = Formula()
    sits = [[formula.choice() for _ in range(count - 1)] for _ in range(count)]
    for row in sits:
        formula.require(*row)
    for one, other in product(sits, repeat=2):
        if one is not other:
            for a, b in zip(one, other, strict=True):
                formula.forbid(a, b)
    return formula


@pytest.mark.parametrize("name", [BackEnd.CLASP, BackEnd.Z3, BackEnd.SAT])
@pytest.mark.parametrize("budget", [(0.3, None), (0.3, 1 << 34)])
def test_a_search_ends_with_its_time(name: BackEnd, budget: tuple[float, int | None]) -> None:
    assert not satisfiable(make_solver(name, pigeons(4)), Budget(*budget))
    with pytest.raises(BudgetExceeded):
        satisfiable(make_solver(name, pigeons(14)), Budget(*budget))
