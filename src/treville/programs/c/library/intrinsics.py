"""Bit counts, checked arithmetic, minimum and maximum of LLVM (and of C), and what has no effect."""

from __future__ import annotations

from collections.abc import Callable

from treville.programs import ir
from treville.programs.c.library.calls import ONE, ZERO, Call, Handler
from treville.programs.c.llvm import StructType

_NO_EFFECT = (
    "llvm.dbg", "llvm.lifetime", "llvm.stack", "llvm.va_", "llvm.prefetch", "llvm.assume", "llvm.annotation",
    "llvm.experimental.noalias", "llvm.invariant", "llvm.var.annotation",
)  # fmt: skip
_SELECTIONS = {"umin": "ult", "umax": "ugt", "smin": "lt", "smax": "gt"}


def intrinsic(here: Call) -> bool:
    """Translate a call of an LLVM function that does not access memory; False if it is none."""
    name = here.name.split(".")
    if here.name.startswith(_NO_EFFECT):
        return True
    if name[1] in ("trap", "debugtrap", "ubsantrap"):
        here.body.emit(ir.Stop(reason=here.name))
    elif name[2:4] == ["with", "overflow"]:
        _checked(here, name[1])
    elif name[1] == "threadlocal":
        here.body.memory.point_to_thread_local(here.frame, here.instruction)
    elif name[1] in _VALUES:
        here.returns(_VALUES[name[1]](here, here.body.bits(here.instruction.type)))
    else:
        return False
    return True


def _select(here: Call, bits: int) -> ir.Expr:
    left, right = here.argument(0), here.argument(1)
    return ir.Select(ir.Op(_SELECTIONS[here.name.split(".")[1]], (left, right), bits), left, right)


def _absolute(here: Call, bits: int) -> ir.Expr:
    value = here.argument(0)
    return ir.Select(ir.Op("lt", (value, ZERO), bits), ir.Op("neg", (value,), bits), value)


def _ones(here: Call, bits: int) -> ir.Expr:
    return _count(here.argument(0), bits)


def _count(value: ir.Expr, bits: int) -> ir.Expr:
    total: ir.Expr = ZERO
    for at in range(bits):
        bit = ir.Op("and", (ir.Op("lshr", (value, ir.Const(at)), bits), ONE), bits)
        total = ir.Op("add", (total, bit), bits)
    return total


def _trailing_zeros(here: Call, bits: int) -> ir.Expr:
    """The ones below the lowest one of the value."""
    value = here.argument(0)
    below = ir.Op("and", (ir.Op("not", (value,), bits), ir.Op("sub", (value, ONE), bits)), bits)
    return _count(below, bits)


def _first_set(here: Call, bits: int) -> None:
    """The place of the lowest one, counted from 1; 0 if there is none."""
    none = ir.Op("eq", (here.argument(0), ZERO), bits)
    here.returns(ir.Select(none, ZERO, ir.Op("add", (_trailing_zeros(here, bits), ONE), bits)))


def _leading_zeros(here: Call, bits: int) -> ir.Expr:
    return ir.Op("leading_zeros", (here.argument(0),), bits)


def _reversed_bytes(here: Call, bits: int) -> ir.Expr:
    return ir.Op("reverse_bytes", (here.argument(0), ZERO), bits)


def _first(here: Call, _bits: int) -> ir.Expr:
    return here.argument(0)


def _not_constant(_here: Call, _bits: int) -> ir.Expr:
    return ZERO


def _saturated(here: Call, bits: int) -> ir.Expr:
    left, right = here.argument(0), here.argument(1)
    return ir.Select(ir.Op("ult", (left, right), bits), ZERO, ir.Op("sub", (left, right), bits))


FUNCTIONS: dict[str, Handler] = {
    "ffs": lambda here: _first_set(here, 32), "ffsl": lambda here: _first_set(here, 64),
    "ffsll": lambda here: _first_set(here, 64),
}  # fmt: skip
_VALUES: dict[str, Callable[[Call, int], ir.Expr]] = {
    **dict.fromkeys(_SELECTIONS, _select),
    "abs": _absolute, "ctpop": _ones, "cttz": _trailing_zeros, "ctlz": _leading_zeros,
    "bswap": _reversed_bytes, "expect": _first, "is": _not_constant, "ptrmask": _first, "usub": _saturated,
}  # fmt: skip


def _checked(here: Call, operation: str) -> None:
    """The wrapped result, and whether it was wrapped: computed at twice the width, or from the signs."""
    kind = here.instruction.type
    if not isinstance(kind, StructType):
        raise here.body.unsupported(f"the LLVM intrinsic {here.name}")
    bits, signed = here.body.bits(kind.fields[0]), operation[0] == "s"
    name = here.body.name(here.frame, here.instruction)
    left, right = here.argument(0), here.argument(1)
    result = here.body.set(f"{name}.0", ir.Op(operation[1:], (left, right), bits))
    if bits <= 32:
        extended = [value if signed else ir.Op("zext", (value,), bits) for value in (left, right, result)]
        exact = ir.Op(operation[1:], (extended[0], extended[1]), 64)
        wrapped = ir.Op("ne", (exact, extended[2]), 64)
    elif operation in ("uadd", "usub"):
        smaller = (result, left) if operation == "uadd" else (left, right)
        wrapped = ir.Op("ult", smaller, bits)
    elif operation in ("sadd", "ssub"):
        other = right if operation == "sadd" else ir.Op("not", (right,), bits)
        same = ir.Op("not", (ir.Op("xor", (left, other), bits),), bits)
        wrapped = ir.Op("lt", (ir.Op("and", (same, ir.Op("xor", (left, result), bits)), bits), ZERO), bits)
    else:
        raise here.body.unsupported("a checked multiplication of 64 bits")
    here.body.set(f"{name}.1", wrapped)
