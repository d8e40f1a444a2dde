"""Circuits compute what the operators compute, on all small arguments."""

import itertools

import pytest
from tests.seeds import generator

from treville.encoding.circuits import Circuits
from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.programs.operators import OPERATORS, wrap
from treville.results import Budget
from treville.solving.back_ends.clasp import Clasp
from treville.solving.solution import IsTrue

WIDTH = 4
UNARY = {"not", "neg", "lnot", "zext", "sext", "reverse_bits", "leading_zeros"}
OF_BYTES = "reverse_bytes"  # which needs whole bytes, and a number that is known


def number_of(bits: list[Literal], is_true: IsTrue) -> int:
    total = 0
    for place, literal in enumerate(bits):
        if literal == TRUE or (literal != FALSE and is_true(literal)):
            total += -(1 << place) if place == len(bits) - 1 else 1 << place
    return total


@pytest.mark.parametrize("name", sorted(set(OPERATORS) - {OF_BYTES}))
def test_circuit_equals_operator_on_all_arguments(name: str) -> None:
    count = 1 if name in UNARY else 2
    formula = Formula()
    circuits = Circuits(formula)
    arguments = [[formula.choice() for _ in range(WIDTH)] for _ in range(count)]
    result = circuits.operators()[name](arguments, WIDTH)
    seen = set()

    def on_solution(is_true: IsTrue) -> bool:
        numbers = tuple(number_of(bits, is_true) for bits in arguments)
        seen.add(numbers)
        assert number_of(result, is_true) == OPERATORS[name](numbers, WIDTH), numbers
        return True

    Clasp(formula).enumerate(Budget(), on_solution)
    every = range(-(1 << (WIDTH - 1)), 1 << (WIDTH - 1))
    assert seen == set(itertools.product(every, repeat=count))


def test_every_operator_has_a_circuit() -> None:
    assert set(OPERATORS) == set(Circuits(Formula()).operators())
    assert wrap(8, 4) == -8


def bits_of(number: int, width: int) -> list[Literal]:
    return [TRUE if number >> place & 1 else FALSE for place in range(width)]


@pytest.mark.parametrize("group", [0, 16, 32])
@pytest.mark.parametrize("width", [32, 64])
def test_bytes_are_reversed_in_groups(group: int, width: int) -> None:
    operate = Circuits(Formula()).operators()[OF_BYTES]
    for number in (1, -2, 0x12345678, 0x0102030405060708):
        result = operate([bits_of(number, width), bits_of(group, 8)], width)
        known = number_of(result, lambda _literal: False)
        assert known == OPERATORS[OF_BYTES]((number, group), width)


@pytest.mark.parametrize("width", [1, 3, 5, 8, 16, 32, 64])
@pytest.mark.parametrize("name", sorted(set(OPERATORS) - {OF_BYTES}))
def test_circuits_of_known_bits_are_known_at_all_widths(name: str, width: int) -> None:
    """Also of numbers that have fewer bits than the operator asks for, or more."""
    choose = generator(f"{name} {width}")
    for _ in range(6 if width > 16 else 20):
        lengths = [
            choose.choice((width, max(2, width // 2), width + 3)) for _ in range(1 + (name not in UNARY))
        ]
        numbers = tuple(wrap(choose.choice((-1, 0, 1, width, choose.getrandbits(64))), n) for n in lengths)
        made = [bits_of(number, length) for number, length in zip(numbers, lengths, strict=True)]
        if name != "lnot":  # the only one that looks at all bits of a longer number
            numbers = tuple(wrap(number, width) for number in numbers)
        found = Circuits(Formula()).operators()[name](made, width)
        assert set(found) <= {TRUE, FALSE}
        assert number_of(found, bool) == OPERATORS[name](numbers, width), (numbers, lengths)
