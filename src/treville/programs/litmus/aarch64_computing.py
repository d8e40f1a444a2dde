"""AArch64 instructions that compute: text of operands -> assignments of the IR (Arm ARM, parts C3.4 and C3.5)."""

from __future__ import annotations

from collections.abc import Callable

from treville.programs.ir import Const, Expr, Op, Reg, Select
from treville.programs.litmus.aarch64_operands import (
    ONE,
    ZERO,
    BadOperands,
    Builder,
    Compiled,
    Handler,
    Register,
    is_number,
    modified,
    number,
    register,
    second_operand,
    shifted,
    small,
    take,
)
from treville.programs.operators import wrap

# -- condition flags -------------------------------------------------------------------------------

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


def _flags_of_sum(left: Expr, right: Expr, bits: int) -> Flags:
    total = Op("add", (left, right), bits)
    negative, left_negative = (Op("lt", (value, ZERO), bits) for value in (total, left))
    same_signs = Op("eq", (left_negative, Op("lt", (right, ZERO), bits)))
    return {
        "N": negative,
        "Z": Op("eq", (total, ZERO), bits),
        "C": Op("ult", (total, left), bits),
        "V": Op("and", (same_signs, Op("ne", (left_negative, negative)))),
    }


def _flags_of_difference(left: Expr, right: Expr, bits: int) -> Flags:
    negative = Op("lt", (Op("sub", (left, right), bits), ZERO), bits)
    return {
        "N": negative,
        "Z": Op("eq", (left, right), bits),
        "C": Op("uge", (left, right), bits),
        "V": Op("ne", (Op("lt", (left, right), bits), negative)),
    }


def _flags_of_result(result: Expr, bits: int) -> Flags:
    return {"N": Op("lt", (result, ZERO), bits), "Z": Op("eq", (result, ZERO), bits), "C": ZERO, "V": ZERO}


def _set_flags(builder: Builder, flags: Flags) -> None:
    for letter in builder.flags:
        builder.local(FLAG[letter], flags[letter])


def condition(word: str) -> tuple[Expr, str]:
    """A condition code."""
    found = CONDITIONS.get(word.lower())
    if found is None:
        raise BadOperands(f"a condition like EQ instead of '{word}'")
    return found


# -- arithmetic and logic --------------------------------------------------------------------------

_ARITHMETIC = {"add": "add", "sub": "sub", "and": "and", "orr": "or", "eor": "xor", "bic": "and", "orn": "or", "eon": "xor"}
_INVERTING = ("bic", "orn", "eon")


def _three(name: str, flagged: bool) -> Handler:
    operator = _ARITHMETIC[name]

    def handler(operands: list[str]) -> Compiled:
        if len(operands) < 3:
            raise BadOperands("three operands")
        target, left = register(operands[0]), register(operands[1])
        return _arithmetic(name, operator, flagged, target, left, operands[2:])

    return handler


def _arithmetic(
    name: str, operator: str, flagged: bool, target: Register, left: Register, rest: list[str]
) -> Compiled:
    bits = target.bits
    right, wide = second_operand(rest, bits)
    if name in _INVERTING:
        right, wide = Op("not", (right,), bits), True
    wide = wide or operator == "sub" or (operator == "add" and bits == 32 and not isinstance(right, Const))
    result = Op(operator, (left.value, right), bits)
    if not flagged:
        return Compiled(lambda builder: builder.write(target, result), wide)
    flags = _flags(operator, left.value, right, result, bits)

    def emit(builder: Builder) -> None:
        _set_flags(builder, flags)
        builder.write(target, result)

    return Compiled(emit, wide and target.name is not None)


def _flags(operator: str, left: Expr, right: Expr, result: Expr, bits: int) -> Flags:
    if operator == "add":
        return _flags_of_sum(left, right, bits)
    if operator == "sub":
        return _flags_of_difference(left, right, bits)
    return _flags_of_result(result, bits)


def _compare(name: str) -> Handler:
    """CMP, CMN, TST: SUBS, ADDS, ANDS into the zero register."""
    operator = _ARITHMETIC[name]

    def handler(operands: list[str]) -> Compiled:
        if len(operands) < 2:
            raise BadOperands("two operands")
        left = register(operands[0])
        return _arithmetic(name, operator, True, Register(None, left.bits), left, operands[1:])

    return handler


def _conditional_compare(name: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, other, otherwise, code = take(operands, 4, "two operands, flags and a condition")
        left = register(word)
        right, _ = second_operand([other], left.bits)
        holds, read = condition(code)
        build = _flags_of_difference if name == "ccmp" else _flags_of_sum
        flags = build(left.value, right, left.bits)
        constant = number(otherwise)
        chosen: Flags = {
            letter: Select(Reg("holds#"), flags[letter], Const(constant >> place & 1))
            for place, letter in enumerate("VCZN")
        }

        def emit(builder: Builder) -> None:
            builder.local("holds#", holds)
            _set_flags(builder, chosen)

        return Compiled(emit, flags=read)

    return handler


def _two(build: Callable[[Expr, int], Expr], wide: bool = True) -> Handler:
    """Instructions with a target and a second operand: NEG, MVN, ABS, ..."""

    def handler(operands: list[str]) -> Compiled:
        if len(operands) < 2:
            raise BadOperands("two operands")
        target = register(operands[0])
        source, large = second_operand(operands[1:], target.bits)
        value = build(source, target.bits)
        return Compiled(lambda builder: builder.write(target, value), wide or large)

    return handler


def _negate_with_flags(operands: list[str]) -> Compiled:
    if len(operands) < 2:
        raise BadOperands("two operands")
    target = register(operands[0])
    return _arithmetic("sub", "sub", True, target, Register(None, target.bits), operands[1:])


# -- moves -----------------------------------------------------------------------------------------


def _move(operands: list[str]) -> Compiled:
    word, source = take(operands, 2, "a register and a register or a number")
    target = register(word)
    if is_number(source):
        value = wrap(number(source), 64)
        return Compiled(lambda builder: builder.write(target, Const(value)), not small(value))
    found = register(source)
    return Compiled(lambda builder: builder.write(target, found.value))


def _move_wide(name: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        if len(operands) not in (2, 3):
            raise BadOperands("a register, a number and an optional LSL")
        target = register(operands[0])
        bits, immediate = target.bits, number(operands[1]) & 0xFFFF
        moved = modified(Const(immediate), bits, operands[2]) if len(operands) == 3 else Const(immediate)
        amount = moved.args[1].value if isinstance(moved, Op) and isinstance(moved.args[1], Const) else 0
        part = immediate << amount
        if name == "movk":
            kept = Op("and", (target.value, Const(wrap(~(0xFFFF << amount), 64))), bits)
            return Compiled(lambda builder: builder.write(target, Op("or", (kept, Const(part)), bits)), True)
        value = wrap(~part if name == "movn" else part, bits)
        return Compiled(lambda builder: builder.write(target, Const(value)), not small(value))

    return handler


# -- shifts, fields, reversals ---------------------------------------------------------------------


def _shift(kind: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, source, by = take(operands, 3, "three operands")
        target, value = register(word), register(source).value
        bits = target.bits
        if is_number(by):
            amount: Expr = Const(number(by) & (bits - 1))
        else:
            amount = Op("and", (register(by).value, Const(bits - 1)), bits)
        result = shifted(kind, value, amount, bits)
        return Compiled(lambda builder: builder.write(target, result), True)

    return handler


def _extend(name: str, width: int) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, source = take(operands, 2, "two registers")
        target, value = register(word), Op(name, (register(source).value,), width)
        return Compiled(lambda builder: builder.write(target, value), True)

    return handler


def _bit_field(name: str, places: Callable[[int, int, int], tuple[int, int]]) -> Handler:
    """SBFM, UBFM and their aliases; `places` turns the two numbers into those of xBFM."""

    def handler(operands: list[str]) -> Compiled:
        word, source, first, second = take(operands, 4, "two registers and two numbers")
        target, value = register(word), register(source).value
        bits = target.bits
        rotate, last = places(number(first), number(second), bits)
        if not (0 <= rotate < bits and 0 <= last < bits):
            raise BadOperands(f"numbers from 0 to {bits - 1}")
        if last >= rotate:
            result = Op(name, (Op("lshr", (value, Const(rotate)), bits),), last - rotate + 1)
        else:
            result = Op("shl", (Op(name, (value,), last + 1), Const(bits - rotate)), bits)
        return Compiled(lambda builder: builder.write(target, result), True)

    return handler


def _insert_field(name: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, source, first, second = take(operands, 4, "two registers and two numbers")
        target, value = register(word), register(source).value
        bits, low, width = target.bits, number(first), number(second)
        if low < 0 or width < 1 or low + width > bits:
            raise BadOperands(f"a field within {bits} bits")
        at = low if name == "bfi" else 0
        taken = value if name == "bfi" else Op("lshr", (value, Const(low)), bits)
        mask = ((1 << width) - 1) << at
        moved = Op("and", (Op("shl", (taken, Const(at)), bits), Const(wrap(mask, 64))), bits)
        result = Op("or", (Op("and", (target.value, Const(wrap(~mask, 64))), bits), moved), bits)
        return Compiled(lambda builder: builder.write(target, result), True)

    return handler


def _reverse(operator: str, width: int | None = None) -> Handler:
    """RBIT, CLZ and REV: reversals of the bits, or of the bytes in groups of `width` bits."""

    def handler(operands: list[str]) -> Compiled:
        word, source = take(operands, 2, "two registers")
        target, value = register(word), register(source).value
        args = (value,) if width is None else (value, Const(width or target.bits))
        result = Op(operator, args, target.bits)
        return Compiled(lambda builder: builder.write(target, result), True)

    return handler


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


# -- multiplication and division -------------------------------------------------------------------


def _multiply(extend: str, combine: str, addend: bool) -> Handler:
    """MUL, MADD, SMULL, UMSUBL, ...: `extend` the factors from 32 bits, `combine` with the addend or with 0."""

    def handler(operands: list[str]) -> Compiled:
        words = take(operands, 4 if addend else 3, "four registers" if addend else "three registers")
        target, left, right = register(words[0]), register(words[1]).value, register(words[2]).value
        if extend:
            left, right = Op(extend, (left,), 32), Op(extend, (right,), 32)
        product: Expr = Op("mul", (left, right), target.bits)
        if combine:
            base = register(words[3]).value if addend else ZERO
            product = Op(combine, (base, product), target.bits)
        return Compiled(lambda builder: builder.write(target, product), True)

    return handler


def _divide(operator: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, left, right = take(operands, 3, "three registers")
        target = register(word)
        result = Op(operator, (register(left).value, register(right).value), target.bits)
        return Compiled(lambda builder: builder.write(target, result), True)

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
    return Compiled(lambda builder: _set_flags(builder, flags))


# -- the table -------------------------------------------------------------------------------------


def handlers() -> dict[str, Handler]:
    """The handler of each computing instruction."""
    table: dict[str, Handler] = {name: _three(name, False) for name in _ARITHMETIC}
    table |= {name + "s": _three(name, True) for name in ("add", "sub", "and", "bic")}
    table |= {"cmp": _compare("sub"), "cmn": _compare("add"), "tst": _compare("and")}
    table |= {"ccmp": _conditional_compare("ccmp"), "ccmn": _conditional_compare("ccmn")}
    table |= {
        "mov": _move, "movz": _move_wide("movz"), "movn": _move_wide("movn"), "movk": _move_wide("movk"),
        "neg": _two(lambda value, bits: Op("neg", (value,), bits)), "negs": _negate_with_flags,
        "mvn": _two(lambda value, bits: Op("not", (value,), bits)),
        "abs": _two(lambda value, bits: Op("smax", (value, Op("neg", (value,), bits)), bits)),
        "sxtb": _extend("sext", 8), "sxth": _extend("sext", 16), "sxtw": _extend("sext", 32),
        "uxtb": _extend("zext", 8), "uxth": _extend("zext", 16), "uxtw": _extend("zext", 32),
        "rbit": _reverse("reverse_bits"), "clz": _reverse("leading_zeros"), "rev": _reverse("reverse_bytes", 0),
        "rev16": _reverse("reverse_bytes", 16), "rev32": _reverse("reverse_bytes", 32),
        "rev64": _reverse("reverse_bytes", 64), "bfi": _insert_field("bfi"), "bfxil": _insert_field("bfxil"),
        "mrs": _read_system_register, "msr": _write_system_register,
        "sdiv": _divide("sdiv"), "udiv": _divide("udiv"),
    }  # fmt: skip
    for kind in ("lsl", "lsr", "asr", "ror"):
        table[kind] = table[kind + "v"] = _shift(kind)
    for letter, extend in (("s", "sext"), ("u", "zext")):
        table[letter + "bfm"] = _bit_field(extend, lambda first, second, _bits: (first, second))
        table[letter + "bfx"] = _bit_field(extend, lambda low, width, _bits: (low, low + width - 1))
        table[letter + "bfiz"] = _bit_field(extend, lambda low, width, bits: (-low % bits, width - 1))
        table |= {
            f"{letter}mull": _multiply(extend, "", False), f"{letter}mnegl": _multiply(extend, "sub", False),
            f"{letter}maddl": _multiply(extend, "add", True), f"{letter}msubl": _multiply(extend, "sub", True),
        }  # fmt: skip
    table |= {
        "mul": _multiply("", "", False), "mneg": _multiply("", "sub", False),
        "madd": _multiply("", "add", True), "msub": _multiply("", "sub", True),
        "csel": _select(lambda value, _bits: value), "csinc": _select(_plus_one),
        "csinv": _select(lambda value, bits: Op("not", (value,), bits)),
        "csneg": _select(lambda value, bits: Op("neg", (value,), bits)),
        "cinc": _conditional_change(_plus_one),
        "cinv": _conditional_change(lambda value, bits: Op("not", (value,), bits)),
        "cneg": _conditional_change(lambda value, bits: Op("neg", (value,), bits)),
        "cset": _conditional_set(1), "csetm": _conditional_set(-1),
    }  # fmt: skip
    return table
