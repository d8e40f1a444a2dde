"""Certificates of least fixpoints: the same solutions as the solver's rules, on random rules with cycles."""

from __future__ import annotations

from tests.seeds import conclusive, generator

from treville.engines.differences.certificates import with_certificates
from treville.formulas.formula import Formula, Literal
from treville.results import Budget
from treville.solving.back_ends.clasp import Clasp
from treville.solving.back_ends.clauses import cyclic_atoms
from treville.solving.solution import IsTrue

CHOICES, ATOMS = 4, 6


def random_formula(seed: int) -> Formula:
    """A few free atoms, and atoms that are defined by each other."""
    pick, formula = generator(seed), Formula()
    free = [formula.choice() for _ in range(CHOICES)]
    defined = [formula.atom() for _ in range(ATOMS)]
    for head in defined:
        for _ in range(pick.choice((1, 2, 2, 3))):
            body = [pick.choice(defined) for _ in range(pick.choice((0, 1, 1, 2)))]
            formula.rule(head, [*body, Literal(pick.choice(free) * pick.choice((1, 1, -1)))])
    formula.forbid(pick.choice(defined), -pick.choice(defined))
    return formula


def solutions(formula: Formula, atoms: int) -> set[tuple[bool, ...]]:
    found: set[tuple[bool, ...]] = set()
    watched = [Literal(atom) for atom in range(2, atoms + 1)]

    def on_solution(is_true: IsTrue) -> bool:
        found.add(tuple(is_true(atom) for atom in watched))
        return True

    Clasp(formula, watched).enumerate(Budget(), on_solution)
    return found


def test_certificates_have_the_solutions_of_rules() -> None:
    circular = larger = 0
    for seed in range(150):
        formula = random_formula(seed)
        certified = with_certificates(formula)
        assert not cyclic_atoms(certified)
        expected = solutions(formula, formula.atoms)
        assert solutions(certified, formula.atoms) == expected, seed
        circular += bool(cyclic_atoms(formula))
        # Without an order of derivations pairs may justify each other, which must have been ruled out here.
        certified.edges.clear()
        larger += len(solutions(certified, formula.atoms)) > len(expected)
    assert conclusive(circular > 50)
    assert conclusive(larger > 10)
