"""Formulas: folding, sharing, least solutions, acyclic graphs; every solution as clasp sees it."""

from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.results import Budget
from treville.solving.back_ends.clasp import Clasp, satisfiable
from treville.solving.solution import IsTrue


def solutions(formula: Formula, literals: list[Literal], projected: bool = False) -> set[tuple[bool, ...]]:
    found: list[tuple[bool, ...]] = []

    def on_solution(is_true: IsTrue) -> bool:
        found.append(tuple(bool(is_true(literal)) for literal in literals))
        return True

    Clasp(formula, literals if projected else None).enumerate(Budget(), on_solution)
    assert len(found) == len(set(found))
    return set(found)


def test_constants_fold_and_gates_are_shared() -> None:
    formula = Formula()
    a, b = formula.choice(), formula.choice()
    assert formula.both(a, TRUE) == a
    assert formula.both(a, -a) == FALSE
    assert formula.either([a, FALSE]) == a
    assert formula.both(a, b) == formula.both(b, a)
    assert formula.any_of([[a, b], [b, a]]) == formula.both(a, b)
    assert formula.any_of([[a], []]) == TRUE


def test_gates_mean_what_they_say() -> None:
    formula = Formula()
    a, b = formula.choice(), formula.choice()
    gates = [formula.both(a, b), formula.either([a, b]), formula.any_of([[a, -b], [-a, b]])]
    expected = {(x, y, x and y, x or y, x != y) for x in (False, True) for y in (False, True)}
    assert solutions(formula, [a, b, *gates]) == expected


def test_circular_rules_have_their_least_solution() -> None:
    formula = Formula()
    start = formula.choice()
    one, two = formula.atom(), formula.atom()
    formula.rule(one, [two])
    formula.rule(two, [one])
    formula.rule(two, [start])
    assert solutions(formula, [start, one, two]) == {(False, False, False), (True, True, True)}


def test_edges_forbid_cycles() -> None:
    formula = Formula()
    vertices = formula.vertices(3)
    literals = [formula.choice() for _ in range(3)]
    for index, literal in enumerate(literals):
        formula.edge(vertices[index], vertices[(index + 1) % 3], literal)
    assert len(solutions(formula, literals)) == 7


def test_exactly_one_of_many_under_a_condition() -> None:
    formula = Formula()
    condition = formula.choice()
    literals = [formula.choice() for _ in range(7)]
    formula.exactly_one(literals, condition)
    found = solutions(formula, [condition, *literals])
    assert all(sum(row[1:]) == 1 for row in found if row[0])
    assert len(found) == 7 + 8


def test_projection_shows_each_assignment_once() -> None:
    formula = Formula()
    a = formula.choice()
    for _ in range(6):
        formula.choice()
    assert solutions(formula, [a], projected=True) == {(False,), (True,)}


def test_a_formula_can_be_unsatisfiable() -> None:
    formula = Formula()
    a = formula.choice()
    formula.forbid(a)
    formula.require(a)
    assert not satisfiable(Clasp(formula), Budget())
    assert satisfiable(Clasp(Formula()), Budget())
