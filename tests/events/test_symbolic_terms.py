"""Terms: conditions of values by the cases of these."""

from __future__ import annotations

from treville.events.symbolic_terms import FALSE, Terms, Value


def test_a_choice_of_numbers_decides_a_condition() -> None:
    terms = Terms()
    free, other = terms.free(0), terms.free(1)
    cases = [(free, terms.constant(2)), (terms.both(-free, other), terms.constant(3))]
    value = terms.apply("sub", (terms.choose(cases), terms.constant(2)), 32)
    assert terms.by_cases(terms.non_zero(value)) == terms.both(-free, other)
    assert terms.by_cases(-terms.non_zero(value)) == free
    assert terms.by_cases(terms.non_zero(terms.constant(0))) == FALSE


def test_values_that_share_parts_are_looked_at_once() -> None:
    """There are more ways through these choices than anybody could follow."""
    terms = Terms()
    value: Value = terms.choose([(terms.free(0), terms.constant(1)), (-terms.free(0), terms.constant(2))])
    for key in range(1, 80):
        up, down = (terms.apply(name, (value, terms.constant(1)), 32) for name in ("add", "sub"))
        value = terms.choose([(terms.free(key), up), (-terms.free(key), down)])
    condition = terms.non_zero(value)
    assert terms.by_cases(condition) == condition
