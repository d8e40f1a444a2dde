"""Packed vectors behave like the tuples they hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treville.petri.packing import FieldOverflow, MinimalSet, Packing

numbers = st.lists(st.integers(0, 7), min_size=5, max_size=5)
P = Packing(5, 4)


@given(numbers, numbers)
def test_comparison_and_maximum_are_pointwise(a: list[int], b: list[int]) -> None:
    x, y = P.pack(a), P.pack(b)
    assert P.unpack(x) == tuple(a)
    assert P.leq(x, y) == all(i <= j for i, j in zip(a, b, strict=True))
    assert P.unpack(P.maximum(x, y)) == tuple(map(max, a, b))
    assert P.support(x) == [i for i, n in enumerate(a) if n]
    assert [P.at(x, i) for i in range(5)] == a


@given(st.lists(numbers, max_size=30), numbers)
def test_a_minimal_set_knows_what_is_below(members: list[list[int]], asked: list[int]) -> None:
    known = MinimalSet(P)
    for member in members:
        value = P.pack(member)
        known.add(value, P.support(value))
    value = P.pack(asked)
    expected = any(all(i <= j for i, j in zip(m, asked, strict=True)) for m in members)
    assert known.below(value, P.support(value)) == expected
    smallest = {P.unpack(v) for v in known.minimal()}
    for member in members:
        assert any(all(i <= j for i, j in zip(m, member, strict=True)) for m in smallest)
    assert not any(
        a != b and all(i <= j for i, j in zip(a, b, strict=True)) for a in smallest for b in smallest
    )


def test_numbers_that_do_not_fit_are_noticed() -> None:
    with pytest.raises(FieldOverflow):
        P.pack([8, 0, 0, 0, 0])
    with pytest.raises(FieldOverflow):
        P.checked(P.pack([7, 0, 0, 0, 0]) + P.pack([1, 0, 0, 0, 0]))
