"""AArch64 instructions that compute -> assignments of the IR (Arm ARM, parts C3.4 and C3.5)."""

from __future__ import annotations

from collections.abc import Callable

from treville.programs.ir import Const, Expr, Op
from treville.programs.litmus.aarch64.flags import (
    Flags,
    flags_of_difference,
    flags_of_result,
    flags_of_sum,
    set_flags,
)
from treville.programs.litmus.aarch64.operands import (
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

# -- arithmetic and logic --------------------------------------------------------------------------

_ARITHMETIC = {
    "add": "add", "sub": "sub", "and": "and", "orr": "or", "eor": "xor",
    "bic": "and", "orn": "or", "eon": "xor",
}  # fmt: skip
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
        set_flags(builder, flags)
        builder.write(target, result)

    return Compiled(emit, wide and target.name is not None)


def _flags(operator: str, left: Expr, right: Expr, result: Expr, bits: int) -> Flags:
    if operator == "add":
        return flags_of_sum(left, right, bits)
    if operator == "sub":
        return flags_of_difference(left, right, bits)
    return flags_of_result(result, bits)


def _compare(name: str) -> Handler:
    """CMP, CMN, TST: SUBS, ADDS, ANDS into the zero register."""
    operator = _ARITHMETIC[name]

    def handler(operands: list[str]) -> Compiled:
        if len(operands) < 2:
            raise BadOperands("two operands")
        left = register(operands[0])
        return _arithmetic(name, operator, True, Register(None, left.bits), left, operands[1:])

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


def _extract(operands: list[str]) -> Compiled:
    """EXTR: the low bits of the pair of two registers, from a given bit on."""
    word, upper, lower, place = take(operands, 4, "three registers and a number")
    target, low = register(word), number(place)
    bits = target.bits
    if not 0 <= low < bits:
        raise BadOperands(f"a number below {bits}")
    result: Expr = Op("lshr", (register(lower).value, Const(low)), bits)
    if low:
        result = Op("or", (result, Op("shl", (register(upper).value, Const(bits - low)), bits)), bits)
    return Compiled(lambda builder: builder.write(target, result), True)


# -- multiplication and division -------------------------------------------------------------------


def _multiply(extend: str, combine: str, addend: bool) -> Handler:
    """MUL, MADD, SMULL, UMSUBL, ...: `extend` the factors from 32 bits, `combine` with the addend or 0."""

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


def _multiply_high(operands: list[str], extend: str, shift: str) -> Compiled:
    """SMULH and UMULH: the upper half of a product of 128 bits."""
    word, left, right = take(operands, 3, "three registers")
    factors = [Op(extend, (register(factor).value,), 64) for factor in (left, right)]
    high = Op(shift, (Op("mul", (factors[0], factors[1]), 128), Const(64)), 128)
    target = register(word)
    return Compiled(lambda builder: builder.write(target, Op("sext", (high,), 64)), True)


def _divide(operator: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, left, right = take(operands, 3, "three registers")
        target = register(word)
        result = Op(operator, (register(left).value, register(right).value), target.bits)
        return Compiled(lambda builder: builder.write(target, result), True)

    return handler


# -- the table -------------------------------------------------------------------------------------


def handlers() -> dict[str, Handler]:
    """The handler of each computing instruction."""
    table: dict[str, Handler] = {name: _three(name, False) for name in _ARITHMETIC}
    table |= {name + "s": _three(name, True) for name in ("add", "sub", "and", "bic")}
    table |= {"cmp": _compare("sub"), "cmn": _compare("add"), "tst": _compare("and")}
    table |= {
        "mov": _move, "movz": _move_wide("movz"), "movn": _move_wide("movn"), "movk": _move_wide("movk"),
        "neg": _two(lambda value, bits: Op("neg", (value,), bits)), "negs": _negate_with_flags,
        "mvn": _two(lambda value, bits: Op("not", (value,), bits)),
        "abs": _two(lambda value, bits: Op("smax", (value, Op("neg", (value,), bits)), bits)),
        "sxtb": _extend("sext", 8), "sxth": _extend("sext", 16), "sxtw": _extend("sext", 32),
        "uxtb": _extend("zext", 8), "uxth": _extend("zext", 16), "uxtw": _extend("zext", 32),
        "rbit": _reverse("reverse_bits"), "clz": _reverse("leading_zeros"),
        "rev": _reverse("reverse_bytes", 0), "rev16": _reverse("reverse_bytes", 16),
        "rev32": _reverse("reverse_bytes", 32), "rev64": _reverse("reverse_bytes", 64),
        "bfi": _insert_field("bfi"), "bfxil": _insert_field("bfxil"),
        "sdiv": _divide("sdiv"), "udiv": _divide("udiv"), "extr": _extract,
        "smulh": lambda operands: _multiply_high(operands, "sext", "ashr"),
        "umulh": lambda operands: _multiply_high(operands, "zext", "lshr"),
    }  # fmt: skip
    for kind in ("lsl", "lsr", "asr", "ror"):
        table[kind] = table[kind + "v"] = _shift(kind)
    for letter, extend in (("s", "sext"), ("u", "zext")):
        table[letter + "bfm"] = _bit_field(extend, lambda first, second, _bits: (first, second))
        table[letter + "bfx"] = _bit_field(extend, lambda low, width, _bits: (low, low + width - 1))
        table[letter + "bfiz"] = _bit_field(extend, lambda low, width, bits: (-low % bits, width - 1))
        table |= {
            f"{letter}mull": _multiply(extend, "", False),
            f"{letter}mnegl": _multiply(extend, "sub", False),
            f"{letter}maddl": _multiply(extend, "add", True),
            f"{letter}msubl": _multiply(extend, "sub", True),
        }
    table |= {
        "mul": _multiply("", "", False), "mneg": _multiply("", "sub", False),
        "madd": _multiply("", "add", True), "msub": _multiply("", "sub", True),
    }  # fmt: skip
    return table
