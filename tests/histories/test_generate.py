"""Generated histories are consistent with their level, and the hardness reductions mirror their formulas."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from tests.seeds import conclusive, generator, number

from treville.histories import LEVELS, check, find_level
from treville.histories.generate import generate, machine_for, mutate
from treville.histories.hardness import RANGES, read_dimacs, reduce_formula
from treville.histories.hierarchy import weaker_than
from treville.results import Budget, InputError, Verdict


@pytest.mark.parametrize("name", LEVELS)
def test_generated_histories_are_allowed_by_their_level(name: str) -> None:
    level = find_level(name)
    for seed in range(3):
        history = generate(level, 40, 3, 3, number(seed), timed=level.needs_times)
        assert check(history, level).verdict is Verdict.PASS
        history = generate(level, 20, 3, 2, number(seed), values=2, timed=level.needs_times)
        assert check(history, level).verdict is Verdict.PASS


def test_a_machine_is_never_weaker_than_the_level_it_serves() -> None:
    for name, level in LEVELS.items():
        machine = machine_for(level)
        assert machine == name or name in weaker_than(machine) or name == "linearizability"


def test_machines_show_what_only_they_allow() -> None:
    def fails(made_by: str, level: str, keys: int = 3) -> bool:
        histories = (generate(find_level(made_by), 60, 4, keys, number(seed)) for seed in range(12))
        return any(check(h, find_level(level)).verdict is Verdict.FAIL for h in histories)

    assert conclusive(fails("TSO", "SC"))
    assert conclusive(fails("PSO", "TSO"))
    assert conclusive(fails("causal", "CC"))
    assert conclusive(fails("PRAM", "CC"))
    assert conclusive(fails("SLOW", "PRAM"))
    assert conclusive(fails("CC", "PRAM"))


def test_mutation_changes_reads_only() -> None:
    history = generate(find_level("SC"), 50, 3, 2, 1)
    changed = mutate(history, 1, 5)
    differences = [(a, b) for a, b in zip(history.operations, changed.operations, strict=True) if a != b]
    assert 0 < len(differences) <= 5
    assert all(not a.is_write and (a.process, a.key) == (b.process, b.key) for a, b in differences)


def satisfiable(clauses: list[list[int]]) -> bool:
    variables = sorted({abs(literal) for clause in clauses for literal in clause})
    for values in product([False, True], repeat=len(variables)):
        chosen = dict(zip(variables, values, strict=True))
        if all(any(chosen[abs(literal)] == (literal > 0) for literal in clause) for clause in clauses):
            return True
    return False


def random_formula(random: Random) -> list[list[int]]:
    count = random.randint(1, 2)
    return [
        [random.choice((1, -1)) * v for v in random.sample(range(1, count + 1), random.randint(1, count))]
        for _ in range(random.randint(1, 3))
    ]


@pytest.mark.parametrize("reduction", ["slow", "gwo", "cc"])
def test_a_formula_is_satisfiable_exactly_when_its_history_passes_throughout_the_range(
    reduction: str,
) -> None:
    random = generator(13)
    formulas = [random_formula(random) for _ in range(4)]
    formulas += [[[1], [-1]], [[1, 2], [-1]], [[1, -1]], [[1, 2], [-1, 2], [-2]]]
    assert {satisfiable(formula) for formula in formulas} == {True, False}
    for formula in formulas:
        history = reduce_formula(reduction, formula)
        for level in RANGES[reduction]:
            answer = check(history, find_level(level), Budget(60))
            expected = Verdict.PASS if satisfiable(formula) else Verdict.FAIL
            assert answer.verdict is expected, (level, formula)


@pytest.mark.parametrize("level", RANGES["pso"])
def test_the_reduction_with_twelve_threads_mirrors_its_formula(level: str) -> None:
    satisfied = [[1, -2, 3], [-1, 2, -3]]
    assert check(reduce_formula("pso", satisfied), find_level(level), Budget(60)).verdict is Verdict.PASS


@pytest.mark.slow
@pytest.mark.parametrize("level", RANGES["pso"])
def test_the_reduction_with_twelve_threads_rejects_an_unsatisfiable_formula(level: str) -> None:
    formula = [[a, 2 * b, 3 * c] for a in (1, -1) for b in (1, -1) for c in (1, -1)]
    history = reduce_formula("pso", formula)
    assert len(history.processes()) == 12
    assert check(history, find_level(level), Budget(600)).verdict is Verdict.FAIL


def test_ranges_lie_between_their_ends() -> None:
    for weak, levels in zip(("SLOW", "GWO", "CC", "PSO"), RANGES.values(), strict=True):
        between = {name for name in weaker_than("SC") | {"SC"} if weak in weaker_than(name) | {name}}
        assert set(levels) == between


def test_reductions_refuse_what_they_cannot_take() -> None:
    with pytest.raises(InputError, match="three literals"):
        reduce_formula("pso", [[1, 2]])
    with pytest.raises(InputError, match="unknown reduction"):
        reduce_formula("tso", [[1]])


def test_dimacs_is_read_and_wrong_words_are_named() -> None:
    assert read_dimacs("c hello\np cnf 2 2\n1 -2 0\n2\n0\n", "f") == [[1, -2], [2]]
    with pytest.raises(InputError, match="literal") as caught:
        read_dimacs("1 0\nx 0", "f")
    assert caught.value.span is not None
    assert caught.value.span.line == 2
