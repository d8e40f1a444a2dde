"""AArch64 condition flags: what sets them, the conditions over them, and the instructions that read them.

Each flag is a register of the IR, assigned only where some instruction of the test reads that flag.
Conditional selects become `Select`, so their condition gives pick dependencies only (Arm ARM, B2.3.4).
"""

from __future__ import annotations

from collections.abc import Callable

from treville.programs.ir import Const, Expr, Op, Reg, Select
from treville.programs.litmus.aarch64.operands import (
    ONE,
    ZERO,
    BadOperands,
    Builder,
    Compiled,
    Handler,
    number,
    register,
    second_operand,
    take,
)

FLAG = {letter: f"flag.{letter}" for letter in "NZCV"}
_N, _Z, _C, _V = (Reg(FLAG[letter]) for letter in "NZCV")


def _not(value: Expr) -> Expr:
    return Op("lnot", (value,))


_SAME = Op("eq", (_N, _V))
_DIFFERENT = Op("ne", (_N, _V))
CONDITIONS: dict[str, tuple[Expr, str]] = {
    "eq": (_Z, "Z"), "ne": (_not(_Z), "Z"), "cs": (_C, "C"), "hs": (_C, "C"), "cc": (_not(_C), "C"),
    "lo": (_not(_C), "C"), "mi": (_N, "N"), "pl": (_not(_N), "N"), "vs": (_V, "V"), "vc": (_not(_V), "V"),
    "hi": (Op("and", (_C, _not(_Z))), "CZ"), "ls": (Op("or", (_not(_C), _Z)), "CZ"),
    "ge": (_SAME, "NV"), "lt": (_DIFFERENT, "NV"), "gt": (Op("and", (_not(_Z), _SAME)), "NZV"),
    "le": (Op("or", (_Z, _DIFFERENT)), "NZV"), "al": (ONE, ""), "nv": (ONE, ""),
}  # fmt: skip
"""Each condition: when it holds, and the flags that it reads."""

Flags = dict[str, Expr]


def flags_of_sum(left: Expr, right: Expr, bits: int) -> Flags:
    """The flags of an addition."""
    total = Op("add", (left, right), bits)
    negative, left_negative = (Op("lt", (value, ZERO), bits) for value in (total, left))
    same_signs = Op("eq", (left_negative, Op("lt", (right, ZERO), bits)))
    return {
        "N": negative,
        "Z": Op("eq", (total, ZERO), bits),
        "C": Op("ult", (total, left), bits),
        "V": Op("and", (same_signs, Op("ne", (left_negative, negative)))),
    }


def flags_of_difference(left: Expr, right: Expr, bits: int) -> Flags:
    """The flags of a subtraction; carry means that nothing was borrowed."""
    negative = Op("lt", (Op("sub", (left, right), bits), ZERO), bits)
    return {
        "N": negative,
        "Z": Op("eq", (left, right), bits),
        "C": Op("uge", (left, right), bits),
        "V": Op("ne", (Op("lt", (left, right), bits), negative)),
    }


def flags_of_result(result: Expr, bits: int) -> Flags:
    """The flags of a logical operation."""
    return {"N": Op("lt", (result, ZERO), bits), "Z": Op("eq", (result, ZERO), bits), "C": ZERO, "V": ZERO}


def set_flags(builder: Builder, flags: Flags) -> None:
    """Assign the flags that some instruction of the test reads."""
    for letter in builder.flags:
        builder.local(FLAG[letter], flags[letter])


def condition(word: str) -> tuple[Expr, str]:
    """A condition code."""
    found = CONDITIONS.get(word.lower())
    if found is None:
        raise BadOperands(f"a condition like EQ instead of '{word}'")
    return found


# -- selects ---------------------------------------------------------------------------------------


def _select(build: Callable[[Expr, int], Expr]) -> Handler:
    """CSEL, CSINC, CSINV, CSNEG"""

    def handler(operands: list[str]) -> Compiled:
        word, then, otherwise, code = take(operands, 4, "three registers and a condition")
        target, first, second = register(word), register(then).value, register(otherwise).value
        holds, read = condition(code)
        value = Select(holds, first, build(second, target.bits))
        wide = not isinstance(value.otherwise, (Reg, Const))
        return Compiled(lambda builder: builder.write(target, value), wide, read)

    return handler


def _conditional_change(build: Callable[[Expr, int], Expr]) -> Handler:
    """CINC, CINV, CNEG"""

    def handler(operands: list[str]) -> Compiled:
        word, source, code = take(operands, 3, "two registers and a condition")
        target, value = register(word), register(source).value
        holds, read = condition(code)
        chosen = Select(holds, build(value, target.bits), value)
        return Compiled(lambda builder: builder.write(target, chosen), True, read)

    return handler


def _conditional_set(number_if: int) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, code = take(operands, 2, "a register and a condition")
        target = register(word)
        holds, read = condition(code)
        value = Select(holds, Const(number_if), ZERO)
        return Compiled(lambda builder: builder.write(target, value), number_if < 0, read)

    return handler


def _plus_one(value: Expr, bits: int) -> Expr:
    return ONE if value == ZERO else Op("add", (value, ONE), bits)


# -- arithmetic with carry -------------------------------------------------------------------------


def _with_carry(name: str) -> Handler:
    """ADC and SBC: the carry flag is added, or its absence is taken away."""

    def handler(operands: list[str]) -> Compiled:
        word, left, right = take(operands, 3, "three registers")
        target, first, second = register(word), register(left).value, register(right).value
        if name == "sbc":
            second = Op("not", (second,), target.bits)
        total = Op("add", (Op("add", (first, second), target.bits), _C), target.bits)
        return Compiled(lambda builder: builder.write(target, total), True, "C")

    return handler


# -- conditional compares ---------------------------------------------------------------------------


def _conditional_compare(name: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, other, otherwise, code = take(operands, 4, "two operands, flags and a condition")
        left = register(word)
        right, _ = second_operand([other], left.bits)
        holds, read = condition(code)
        build = flags_of_difference if name == "ccmp" else flags_of_sum
        flags = build(left.value, right, left.bits)
        constant = number(otherwise)
        chosen: Flags = {
            letter: Select(Reg("holds#"), flags[letter], Const(constant >> place & 1))
            for place, letter in enumerate("VCZN")
        }

        def emit(builder: Builder) -> None:
            builder.local("holds#", holds)
            set_flags(builder, chosen)

        return Compiled(emit, flags=read)

    return handler


# -- the flags as a register -----------------------------------------------------------------------

_PLACES = {"N": 31, "Z": 30, "C": 29, "V": 28}


def _read_system_register(operands: list[str]) -> Compiled:
    word, system = take(operands, 2, "a register and a system register")
    target = register(word)
    if system.upper() != "NZCV":
        raise NotImplementedError(f"the system register {system}")
    value: Expr = ZERO
    for letter, place in _PLACES.items():
        value = Op("or", (value, Op("shl", (Reg(FLAG[letter]), Const(place)))))
    return Compiled(lambda builder: builder.write(target, value), True, "NZCV")


def _write_system_register(operands: list[str]) -> Compiled:
    system, word = take(operands, 2, "a system register and a register")
    if system.upper() != "NZCV":
        raise NotImplementedError(f"the system register {system}")
    value = register(word).value
    flags: Flags = {
        letter: Op("and", (Op("lshr", (value, Const(place))), ONE)) for letter, place in _PLACES.items()
    }
    return Compiled(lambda builder: set_flags(builder, flags))


# -- the table -------------------------------------------------------------------------------------


def handlers() -> dict[str, Handler]:
    """The handler of each instruction that reads flags."""
    return {
        "ccmp": _conditional_compare("ccmp"), "ccmn": _conditional_compare("ccmn"),
        "adc": _with_carry("adc"), "sbc": _with_carry("sbc"),
        "mrs": _read_system_register, "msr": _write_system_register,
        "csel": _select(lambda value, _bits: value), "csinc": _select(_plus_one),
        "csinv": _select(lambda value, bits: Op("not", (value,), bits)),
        "csneg": _select(lambda value, bits: Op("neg", (value,), bits)),
        "cinc": _conditional_change(_plus_one),
        "cinv": _conditional_change(lambda value, bits: Op("not", (value,), bits)),
        "cneg": _conditional_change(lambda value, bits: Op("neg", (value,), bits)),
        "cset": _conditional_set(1), "csetm": _conditional_set(-1),
    }  # fmt: skip
