"""Any fixpoint in place of the least one: where that is enough the answers are the same, and only there."""

from __future__ import annotations

from random import Random

import pytest
from tests.seeds import conclusive, generator

from treville.formulas.formula import Formula, Literal
from treville.results import Budget
from treville.solving.back_ends.by_name import BackEnd, make_solver
from treville.solving.back_ends.clasp import satisfiable
from treville.solving.back_ends.clauses import clauses_of, cyclic_atoms
from treville.solving.back_ends.polarity import of_any_fixpoint
from treville.solving.solution import IsTrue

ANY = [BackEnd.Z3_ANY, BackEnd.SAT_ANY]
SIZE = 3


class Reachability:
    """The edges of a small graph are free, and what they reach is defined by recursive rules."""

    def __init__(self) -> None:
        formula = self.formula = Formula()
        places = range(SIZE)
        self.steps = {(a, b): formula.choice() for a in places for b in places}
        self.paths = {pair: formula.atom() for pair in self.steps}
        for (a, b), head in self.paths.items():
            formula.rule(head, [self.steps[a, b]])
            for middle in places:
                formula.rule(head, [self.steps[a, middle], self.paths[middle, b]])

    def constrain(self, random: Random, *, harm_only: bool) -> None:
        """Some constraints in which paths forbid, and perhaps some that ask for paths."""
        formula, paths, steps = self.formula, list(self.paths.values()), list(self.steps.values())
        vertices = formula.vertices(SIZE)
        for _ in range(random.randint(2, 5)):
            path, step = random.choice(paths), random.choice(steps)
            kind = random.randrange(3 if harm_only else 5)
            if kind == 0:
                formula.forbid(path, step)
            elif kind == 1:
                formula.forbid(path, formula.either([random.choice(paths), step]))
            elif kind == 2:
                formula.edge(random.choice(vertices), random.choice(vertices), path)
            elif kind == 3:
                formula.require(path, random.choice(paths))
            else:
                formula.forbid(step, -path)
        formula.require(*random.sample(steps, 3))

    def choices(self, name: BackEnd) -> set[tuple[bool, ...]]:
        """The graphs that satisfy the constraints."""
        wanted = list(self.steps.values())
        found: set[tuple[bool, ...]] = set()

        def keep(is_true: IsTrue) -> bool:
            found.add(tuple(bool(is_true(step)) for step in wanted))
            return True

        make_solver(name, self.formula, wanted).enumerate(Budget(60), keep)
        return found


@pytest.mark.parametrize("name", ANY)
@pytest.mark.parametrize("harm_only", [True, False])
def test_solutions_are_those_of_least_fixpoints(name: BackEnd, harm_only: bool) -> None:
    random, sizes = generator(f"fixpoints {harm_only}"), set()
    for _ in range(12 if name is BackEnd.SAT_ANY else 4):
        case = Reachability()
        case.constrain(random, harm_only=harm_only)
        expected = case.choices(BackEnd.CLASP)
        assert case.choices(name) == expected
        sizes.add(len(expected))
    assert conclusive(len(sizes) > 2)


def test_relations_that_only_forbid_need_no_levels() -> None:
    case = Reachability()
    for path in case.paths.values():
        case.formula.forbid(path, case.steps[0, 1])
    cyclic = cyclic_atoms(case.formula)
    assert of_any_fixpoint(case.formula, cyclic) == set(cyclic)
    assert clauses_of(case.formula).comparisons
    assert not clauses_of(case.formula, any_fixpoint=True).comparisons


def asked_for(formula: Formula, path: Literal) -> None:
    formula.require(path)


def forbidden_if_not(formula: Formula, path: Literal) -> None:
    formula.forbid(formula.choice(), -path)


def edge_if_not(formula: Formula, path: Literal) -> None:
    a, b = formula.vertices(2)
    formula.edge(a, b, -path)


def allowing(formula: Formula, path: Literal) -> None:
    formula.require(formula.either([path, formula.choice()]))


def asked_for_later(formula: Formula, path: Literal) -> None:
    formula.both(path, formula.choice())  # nothing uses it: a flag


@pytest.mark.parametrize("use", [asked_for, forbidden_if_not, edge_if_not, allowing, asked_for_later])
def test_relations_that_help_keep_their_levels(use: object) -> None:
    case = Reachability()
    assert callable(use)
    use(case.formula, case.paths[0, 1])
    larger = of_any_fixpoint(case.formula, cyclic_atoms(case.formula))
    assert not larger & {path for (_, target), path in case.paths.items() if target == 1}
    assert clauses_of(case.formula, any_fixpoint=True).comparisons


@pytest.mark.parametrize("name", ANY)
def test_a_path_that_nothing_makes_does_not_help(name: BackEnd) -> None:
    """A path that justifies itself is a solution of the rules, and not the least one."""
    case = Reachability()
    case.formula.require(case.paths[0, 1])
    for step in case.steps.values():
        if step not in (case.steps[0, 0], case.steps[2, 1]):
            case.formula.forbid(step)
    assert not satisfiable(make_solver(name, case.formula), Budget())
