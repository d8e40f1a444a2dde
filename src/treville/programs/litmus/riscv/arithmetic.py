"""RISC-V instructions that compute -> assignments of the IR (RV64I, M, and the usual pseudo-instructions)."""

from __future__ import annotations

from collections.abc import Callable

from treville.programs.ir import CODE_BASE, Const, Expr, Op
from treville.programs.litmus.assembly import ThreadBuilder
from treville.programs.litmus.riscv.operands import (
    ZERO,
    Compiled,
    Handler,
    nothing,
    number,
    register,
    source,
    take,
)


def _assign(target: str, value: Expr, wide: bool) -> Compiled:
    if target == "x0":
        return Compiled(nothing, False)
    return Compiled(lambda builder: builder.local(target, value), wide)


def _binary(build: Callable[[Expr, Expr], Expr], wide: bool) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        target, left, right = take(operands, 3, "three registers")
        return _assign(register(target), build(source(left), source(right)), wide)

    return handler


def _immediate(build: Callable[[Expr, Expr], Expr], wide: bool) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        target, left, right = take(operands, 3, "two registers and a number")
        constant, value = number(right), source(left)
        large = wide or not 0 <= constant < 1 << 11
        if value == ZERO and build in _KEEPING:
            return _assign(register(target), Const(constant), large)
        return _assign(register(target), build(value, Const(constant)), large)

    return handler


def _unary(build: Callable[[Expr], Expr], wide: bool) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        target, word = take(operands, 2, "two registers")
        return _assign(register(target), build(source(word)), wide)

    return handler


def _op(name: str, bits: int = 64) -> Callable[[Expr, Expr], Expr]:
    return lambda left, right: Op(name, (left, right), bits)


def _shift(name: str, bits: int) -> Callable[[Expr, Expr], Expr]:
    def build(left: Expr, right: Expr) -> Expr:
        if isinstance(right, Const):
            return Op(name, (left, Const(right.value & (bits - 1))), bits)
        return Op(name, (left, Op("and", (right, Const(bits - 1)))), bits)

    return build


def _quotient(name: str, bits: int) -> Callable[[Expr, Expr], Expr]:
    """Division by zero gives all ones on RISC-V, and 0 by the IR's operator."""

    def build(left: Expr, right: Expr) -> Expr:
        all_ones = Op("neg", (Op("eq", (right, ZERO), bits),), bits)
        return Op("or", (Op(name, (left, right), bits), all_ones), bits)

    return build


def _load_immediate(operands: list[str]) -> Compiled:
    target, word = take(operands, 2, "a register and a number")
    value = number(word)
    return _assign(register(target), Const(value), not 0 <= value < 1 << 31)


def _load_upper(operands: list[str]) -> Compiled:
    target, word = take(operands, 2, "a register and a number")
    return _assign(register(target), Op("sext", (Const(number(word) << 12),), 32), True)


def _add_upper_to_counter(operands: list[str]) -> Compiled:
    target, word = take(operands, 2, "a register and a number")
    name, offset = register(target), number(word) << 12

    def emit(builder: ThreadBuilder) -> None:
        builder.local(name, Const(CODE_BASE + 4 * builder.index + offset))

    return Compiled(emit if name != "x0" else nothing, True)


def _nothing(operands: list[str]) -> Compiled:
    take(operands, 0, "no operands")
    return Compiled(nothing)


# -- the table --------------------------------------------------------------------------------------

_OR, _ADD = _op("or"), _op("add")
_KEEPING = (_OR, _ADD)
"""With these `x0` as the first operand gives the second."""


def handlers() -> dict[str, Handler]:
    """The handler of each computing instruction."""
    table: dict[str, Handler] = {}
    for name, operator, wide in (
        ("add", "add", False), ("sub", "sub", True), ("and", "and", False), ("or", "or", False),
        ("xor", "xor", False), ("slt", "lt", False), ("sltu", "ult", False), ("mul", "mul", True),
        ("rem", "srem", True), ("remu", "urem", True),
    ):  # fmt: skip
        table[name] = _binary(_op(operator), wide)
    for name, operator in (("andi", "and"), ("xori", "xor"), ("slti", "lt"), ("sltiu", "ult")):
        table[name] = _immediate(_op(operator), False)
    table["ori"] = _immediate(_OR, False)
    table["addi"] = _immediate(_ADD, False)
    for name, operator in (("sll", "shl"), ("srl", "lshr"), ("sra", "ashr")):
        table[name] = _binary(_shift(operator, 64), True)
        table[name + "i"] = _immediate(_shift(operator, 64), True)
        table[name + "w"] = _binary(_shift(operator, 32), True)
        table[name + "iw"] = _immediate(_shift(operator, 32), True)
    words = {"addw": "add", "subw": "sub", "mulw": "mul", "remw": "srem", "remuw": "urem"}
    for name, operator in words.items():
        table[name] = _binary(_op(operator, 32), True)
    table["addiw"] = _immediate(_op("add", 32), True)
    for name, operator in (("div", "sdiv"), ("divu", "udiv")):
        table[name] = _binary(_quotient(operator, 64), True)
        table[name + "w"] = _binary(_quotient(operator, 32), True)
    table |= {
        "mv": _unary(lambda a: a, False),
        "not": _unary(lambda a: Op("not", (a,)), True),
        "neg": _unary(lambda a: Op("neg", (a,)), True),
        "negw": _unary(lambda a: Op("neg", (a,), 32), True),
        "seqz": _unary(lambda a: Op("eq", (a, ZERO)), False),
        "snez": _unary(lambda a: Op("ne", (a, ZERO)), False),
        "sltz": _unary(lambda a: Op("lt", (a, ZERO)), False),
        "sgtz": _unary(lambda a: Op("gt", (a, ZERO)), False),
        "sext.b": _unary(lambda a: Op("sext", (a,), 8), True),
        "sext.h": _unary(lambda a: Op("sext", (a,), 16), True),
        "sext.w": _unary(lambda a: Op("sext", (a,), 32), True),
        "zext.b": _unary(lambda a: Op("zext", (a,), 8), True),
        "zext.h": _unary(lambda a: Op("zext", (a,), 16), True),
        "zext.w": _unary(lambda a: Op("zext", (a,), 32), True),
        "li": _load_immediate, "lui": _load_upper, "auipc": _add_upper_to_counter, "nop": _nothing,
    }  # fmt: skip
    return table
