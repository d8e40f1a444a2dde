"""Remainders of values, which tell where arrays are accessed, against the numbers that they are said of."""

from __future__ import annotations

from random import Random

import pytest
from tests.seeds import conclusive, generator

from treville.analysis.pointers import Pointers, Remainder, _computed, _joined
from treville.events.symbolic_terms import Apply, Value
from treville.events.symbolic_whole import whole_program
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import LOCATION_BASE, LOCATION_STRIDE, Const, Havoc, Reg, Store
from treville.programs.operators import OPERATORS, wrap

UNARY = {"not", "neg", "lnot", "zext", "sext", "reverse_bits", "leading_zeros", "reverse_bytes"}
KNOWING = ("add", "sub", "mul", "shl", "and")


def has(remainder: Remainder, number: int) -> bool:
    modulus, rest = remainder
    return number == rest if modulus == 0 else (number - rest) % modulus == 0


def some(choose: Random, bits: int) -> tuple[Remainder, int]:
    """What is known of a number, and such a number. Numbers of a width are known up to multiples of powers of
    two at most."""
    modulus = choose.choice((0, 1, 2, 4, 8, 16))
    rest = choose.randrange(-9, 70) if modulus == 0 else choose.randrange(modulus)
    number = wrap(rest + modulus * choose.randrange(-40, 40), bits)
    return ((0, number), number) if modulus == 0 else ((modulus, rest), number)


@pytest.mark.parametrize("bits", [8, 32, 64])
@pytest.mark.parametrize("name", [*KNOWING, *sorted(set(OPERATORS) - {*KNOWING, "reverse_bytes"})])
def test_what_is_known_of_a_result_holds_for_it(name: str, bits: int) -> None:
    choose, sharp = generator(f"remainder {name} {bits}"), 0
    for _ in range(150):
        (one, first), (other, second) = some(choose, bits), some(choose, bits)
        if name in ("shl", "lshr", "ashr"):
            second = choose.choice((0, 1, 3, bits - 1, bits, bits + 1))
            other = (0, second)
        parts, numbers = ([one], (first,)) if name in UNARY else ([one, other], (first, second))
        result = wrap(OPERATORS[name](numbers, bits), bits)
        known = _computed(Apply(name, tuple(Value(n) for n in range(len(numbers))), bits), parts)
        assert has(known, result), (parts, numbers, result, known)
        sharp += known[0] != 1
    assert conclusive(sharp > 10 or name not in KNOWING)


def test_a_value_that_is_one_of_several_has_what_they_share() -> None:
    choose = generator("joined")
    for _ in range(200):
        found = [some(choose, 32) for _ in range(choose.randint(1, 4))]
        known = _joined([None, *(remainder for remainder, _ in found)])
        assert known is not None
        assert all(has(known, number) for _, number in found)
    assert _joined([(0, 12), (0, 20)]) == (8, 4)
    assert _joined([(0, 12), None]) == (0, 12)
    assert _joined([None]) is None


def test_values_point_to_the_objects_whose_addresses_they_are() -> None:
    """One address in each of two objects, one before the first, one behind the last."""
    x, y = LOCATION_BASE, LOCATION_BASE + LOCATION_STRIDE
    for numbers, expected in (
        ((x,), [0]), ((y, x), [0, 1]), ((y + LOCATION_STRIDE - 1,), [1]), ((y + LOCATION_STRIDE,), []),
        ((x - 1,), []), ((x - 1, y + 4), [1]),
    ):  # fmt: skip
        draft = ProgramDraft()
        for name in "xy":
            draft.location(name)
        draft.threads.append(ThreadDraft("main", [Havoc("r", numbers), Store(Const(x), Reg("r"), bits=64)]))
        symbolic = whole_program(draft.finished(), 1)
        pointers = Pointers(symbolic, {x: 0, y: 0})
        write = symbolic.access(symbolic.events[0].number)
        assert pointers.objects(write.value) == expected
        assert pointers.objects(write.address) == [0]
