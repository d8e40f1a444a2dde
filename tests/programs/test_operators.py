"""The operators of expressions against the machine that the tests run on, through LLVM, at all its widths."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from tests.seeds import generator

from treville.events.evaluation import ZERO, evaluate
from treville.events.symbolic_terms import Constant, Terms
from treville.programs.ir import Const, Op, Reg
from treville.programs.operators import OPERATORS, unsigned, wrap

WIDTHS = (8, 16, 32, 64)
BINARY = {
    "add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "or", "xor": "xor", "shl": "shl",
    "lshr": "lshr", "ashr": "ashr", "sdiv": "sdiv", "srem": "srem", "udiv": "udiv", "urem": "urem",
}  # fmt: skip
TESTS = {
    "eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge", "ult": "ult", "ule": "ule",
    "ugt": "ugt", "uge": "uge",
}  # fmt: skip
CALLS = {"smax": "smax", "smin": "smin", "umax": "umax", "umin": "umin"}
UNARY = {
    "not": "xor {t} %a, -1", "neg": "sub {t} 0, %a", "reverse_bits": "call {t} @llvm.bitreverse.{t}({t} %a)",
    "leading_zeros": "call {t} @llvm.ctlz.{t}({t} %a, i1 false)",
}  # fmt: skip
DIVISIONS, SHIFTS = ("sdiv", "srem", "udiv", "urem"), ("shl", "lshr", "ashr")
APART = {"lnot", "zext", "sext", "reverse_bytes"}  # no width, or two widths


def body(name: str, kind: str) -> str:
    """LLVM's code for an operator."""
    if name in BINARY:
        return f"%r = {BINARY[name]} {kind} %a, %b\nret {kind} %r"
    if name in TESTS:
        return f"%c = icmp {TESTS[name]} {kind} %a, %b\n%r = zext i1 %c to {kind}\nret {kind} %r"
    if name in CALLS:
        return f"%r = call {kind} @llvm.{CALLS[name]}.{kind}({kind} %a, {kind} %b)\nret {kind} %r"
    return f"%r = {UNARY[name].format(t=kind)}\nret {kind} %r"


Native = dict[tuple[str, int], Callable[[int, int], int]]


@pytest.fixture(scope="module")
def native() -> Iterator[Native]:
    """Operator and width -> a function of the machine."""
    llvm = pytest.importorskip("llvmlite.binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    names = [*BINARY, *TESTS, *CALLS, *UNARY]
    code = [
        f"define i{bits} @{name}_{bits}(i{bits} %a, i{bits} %b) {{\n{body(name, f'i{bits}')}\n}}"
        for name, bits in product(names, WIDTHS)
    ]
    for bits in WIDTHS:
        kind = f"i{bits}"
        code += [f"declare {kind} @llvm.{call}.{kind}({kind}, {kind})" for call in CALLS.values()]
        code += [
            f"declare {kind} @llvm.bitreverse.{kind}({kind})",
            f"declare {kind} @llvm.ctlz.{kind}({kind}, i1)",
        ]
    module = llvm.parse_assembly("\n".join(code))
    machine = llvm.Target.from_default_triple().create_target_machine()
    with llvm.create_mcjit_compiler(module, machine) as engine:
        engine.finalize_object()
        types = {bits: getattr(ctypes, f"c_int{bits}") for bits in WIDTHS}
        yield {
            (name, bits): ctypes.CFUNCTYPE(*[types[bits]] * 3)(engine.get_function_address(f"{name}_{bits}"))
            for name, bits in product(names, WIDTHS)
        }


def numbers(bits: int, case: str) -> list[int]:
    """Numbers of so many bits: those at the ends, those around zero, and some others."""
    choose, half = generator(f"{case} {bits}"), 1 << (bits - 1)
    known = [-half, 1 - half, -7, -2, -1, 0, 1, 2, 3, 7, bits - 1, half - 2, half - 1]
    return sorted({*known, *(choose.randrange(-half, half) for _ in range(4))})


def is_defined(name: str, one: int, other: int, bits: int) -> bool:
    """Does the machine say what the result is?"""
    if name in DIVISIONS:
        overflows = name in ("sdiv", "srem") and (one, other) == (-(1 << (bits - 1)), -1)
        return other != 0 and not overflows
    return name not in SHIFTS or 0 <= other < bits


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", [*BINARY, *TESTS, *CALLS, *UNARY])
def test_an_operator_computes_what_the_machine_computes(name: str, bits: int, native: Native) -> None:
    chosen, function = numbers(bits, name), native[name, bits]
    for one, other in product(chosen, chosen):
        if is_defined(name, one, other, bits):
            args = (one,) if name in UNARY else (one, other)
            assert OPERATORS[name](args, bits) == function(one, other), (one, other)


def test_every_operator_is_compared_with_the_machine() -> None:
    assert {*BINARY, *TESTS, *CALLS, *UNARY, *APART} == set(OPERATORS)


@pytest.mark.parametrize("bits", WIDTHS)
def test_what_the_machine_leaves_open_is_what_hardware_and_readers_rely_on(bits: int) -> None:
    least = -(1 << (bits - 1))
    for number in numbers(bits, "open"):
        assert OPERATORS["sdiv"]((number, 0), bits) == OPERATORS["udiv"]((number, 0), bits) == 0
        assert OPERATORS["srem"]((number, 0), bits) == OPERATORS["urem"]((number, 0), bits) == number
        for amount in (-1, bits, bits + 1):
            assert OPERATORS["shl"]((number, amount), bits) == OPERATORS["lshr"]((number, amount), bits) == 0
            assert OPERATORS["ashr"]((number, amount), bits) == -(number < 0)
    assert OPERATORS["sdiv"]((least, -1), bits) == least
    assert OPERATORS["srem"]((least, -1), bits) == 0


@pytest.mark.parametrize("bits", WIDTHS)
def test_operators_that_change_the_width(bits: int) -> None:
    kind, positive = getattr(ctypes, f"c_int{bits}"), getattr(ctypes, f"c_uint{bits}")
    for number in (*numbers(64, "widths"), *numbers(bits, "widths")):
        assert OPERATORS["sext"]((number,), bits) == wrap(number, bits) == kind(number).value
        assert OPERATORS["zext"]((number,), bits) == unsigned(number, bits) == positive(number).value
        assert OPERATORS["lnot"]((number,), bits) == (number == 0)
        octets = positive(number).value.to_bytes(bits // 8, "little")
        assert OPERATORS["reverse_bytes"]((number, 0), bits) == int.from_bytes(octets, "big", signed=True)
        for group in (16, 32, 64):
            if group <= bits:
                size = group // 8
                parts = [octets[at : at + size][::-1] for at in range(0, len(octets), size)]
                wanted = int.from_bytes(b"".join(parts), "little", signed=True)
                assert OPERATORS["reverse_bytes"]((number, group), bits) == wanted


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_runs_and_folded_terms_compute_what_the_operator_computes(name: str, bits: int) -> None:
    unary = name in UNARY or name in ("lnot", "zext", "sext")
    seconds = [0, 16] if name == "reverse_bytes" else numbers(bits, f"{name} folded")[::3]
    if name == "reverse_bytes" and bits == 8:
        seconds = [0]
    for one, other in product(numbers(bits, f"{name} run")[::2], seconds):
        args = (one,) if unary else (one, other)
        wanted = OPERATORS[name](args, bits)
        registers = {f"r{place}": ZERO._replace(number=number) for place, number in enumerate(args)}
        expression = Op(name, tuple(Reg(register) for register in registers), bits)
        assert evaluate(expression, registers).number == wanted
        assert evaluate(Op(name, tuple(map(Const, args)), bits), {}).number == wanted
        terms = Terms()
        found = terms.values[terms.apply(name, tuple(terms.constant(number) for number in args), bits)]
        assert found == Constant(wanted)


@pytest.mark.parametrize("name", [*BINARY, *TESTS, *CALLS])
def test_terms_that_are_folded_without_numbers_are_right_for_all(name: str) -> None:
    """`x - x`, `x * 0` and the like have one value whatever x is."""
    for args in (("x", "x"), ("x", 0), (0, "x"), ("x", 1), (1, "x")):
        terms = Terms()
        unknown = terms.unknown(8)
        made = terms.apply(
            name, tuple(unknown if arg == "x" else terms.constant(int(arg)) for arg in args), 8
        )
        found = terms.values[made]
        for number in numbers(8, f"{name} folds"):
            wanted = OPERATORS[name](tuple(number if arg == "x" else int(arg) for arg in args), 8)
            if isinstance(found, Constant):
                assert found.number == wanted
            elif made == unknown:
                assert number == wanted
