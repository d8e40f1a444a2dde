"""The decision procedure against brute force over small values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from treville.parameterised.logic.theory import Theory
from treville.parameterised.system import Literal, Symbol, Term, Type, equality, linear

Sum = tuple[str, dict[Term, int], int]  # comparison, terms, constant
COLOUR = Type("colour", "enum", ("R", "G", "B"))
SYMBOLS = {name: Symbol(name, COLOUR, 0, False, False) for name in "XYZ"}
SYMBOLS |= {name: Symbol(name, Type("int", "int"), 0, False, False) for name in "IJK"}
THEORY = Theory(SYMBOLS)

colours = st.sampled_from([("v", "X"), ("v", "Y"), ("v", "Z"), ("k", "R"), ("k", "G"), ("k", "B")])
equalities = st.tuples(st.sampled_from("=!"), colours, colours)
sums = st.tuples(
    st.sampled_from(["=", "!", "<=", "<"]),
    st.dictionaries(st.sampled_from([("v", n) for n in "IJK"]), st.sampled_from([1, -1, 2]), max_size=2),
    st.integers(-2, 2),
)


def _holds(literal: Literal, values: Mapping[str, str | int]) -> bool:
    def value(term: Term) -> Any:
        return term[1] if term[0] == "k" else values[term[1]]

    if literal[0] == "L":
        total = sum(factor * value(term) for term, factor in literal[2]) + literal[3]
        return bool({"=": total == 0, "!": total != 0, "<=": total <= 0, "<": total < 0}[literal[1]])
    return bool((value(literal[1]) == value(literal[2])) == (literal[0] == "="))


def _models(
    literals: Collection[Literal], names: str, domain: Iterable[str | int]
) -> Iterator[dict[str, str | int]]:
    for chosen in product(domain, repeat=len(names)):
        values = dict(zip(names, chosen, strict=True))
        if all(_holds(literal, values) for literal in literals):
            yield values


@settings(max_examples=400, deadline=None)
@given(st.lists(equalities, max_size=6))
def test_equalities_keep_their_models(drawn: list[tuple[str, Term, Term]]) -> None:
    literals = [made for op, a, b in drawn if not isinstance(made := equality(op, a, b), bool)]
    normal = THEORY.normal(literals)
    models = list(_models(literals, "XYZ", COLOUR.values))
    if normal is None:
        assert not models
    else:
        assert models == list(_models(normal, "XYZ", COLOUR.values))


@settings(max_examples=400, deadline=None)
@given(st.lists(sums, max_size=5))
def test_sums_keep_their_models(drawn: list[Sum]) -> None:
    literals: list[Literal] = []
    for op, terms, constant in drawn:
        made = linear(op, dict(terms), constant, integral=True)
        if not isinstance(made, bool):
            literals.append(made)
    normal = THEORY.normal(literals)
    models = list(_models(literals, "IJK", range(-3, 4)))
    if normal is None:
        assert not models
    else:
        assert models == list(_models(normal, "IJK", range(-3, 4)))


@settings(max_examples=300, deadline=None)
@given(st.lists(sums, max_size=4), sums)
def test_what_is_entailed_holds_in_all_models(drawn: list[Sum], last: Sum) -> None:
    literals = [m for op, t, c in drawn if not isinstance(m := linear(op, dict(t), c, integral=True), bool)]
    claim = linear(last[0], dict(last[1]), last[2], integral=True)
    facts = THEORY.facts(literals)
    if isinstance(claim, bool) or facts is None or not facts.entails(claim):
        return
    assert all(_holds(claim, values) for values in _models(literals, "IJK", range(-3, 4)))


def test_the_last_value_of_an_enumeration_follows() -> None:
    normal = THEORY.normal([("!", ("k", "R"), ("v", "X")), ("!", ("k", "G"), ("v", "X"))])
    assert normal == frozenset({("=", ("k", "B"), ("v", "X"))})


def test_an_order_with_a_cycle_is_contradictory() -> None:
    a, b, c = ("p", 0), ("p", 1), ("p", 2)
    assert THEORY.normal([("<", a, b), ("<", b, c)]) is not None
    assert THEORY.normal([("<", a, b), ("<", b, c), ("<", c, a)]) is None
