"""The exact linear programming: rays are in the cone and improve, failures come with Farkas multipliers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from treville.petri.linear import Cone
from treville.results.budget import Budget

rows = st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), max_size=6)
objectives = st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=4)


@settings(max_examples=400, deadline=None)
@given(rows, objectives)
def test_every_answer_carries_its_own_proof(matrix: list[list[int]], goals: list[list[int]]) -> None:
    cone = Cone(4, [dict(enumerate(row)) for row in matrix], Budget())
    for goal in goals:
        point = cone.ray(dict(enumerate(goal)))
        if point is not None:
            x = [point.get(i, 0) for i in range(4)]
            assert min(x) >= 0
            assert all(sum(a * b for a, b in zip(row, x, strict=True)) <= 0 for row in matrix)
            assert sum(a * b for a, b in zip(goal, x, strict=True)) > 0
        else:
            scale, multipliers = cone.combination()
            assert scale > 0
            assert all(value >= 0 for value in multipliers.values())
            for column in range(4):
                combined = sum(f * matrix[row][column] for row, f in multipliers.items())
                assert scale * goal[column] <= combined


def test_a_cone_without_rows_is_everything() -> None:
    cone = Cone(2, [], Budget())
    assert cone.ray({0: -1, 1: 2}) == {1: 1}
    assert cone.ray({0: -1}) is None


def test_degenerate_pivots_end() -> None:
    # A classic cycling example: Bland's rule must take over.
    matrix = [{0: 1, 1: -11, 2: -5, 3: 18}, {0: 1, 1: -3, 2: -1, 3: 2}, {0: 1}]
    assert Cone(4, matrix, Budget(5)).ray({0: 10, 1: -57, 2: -9, 3: -24}) is None
