"""The flags of x86: what arithmetic does to them, and what conditions say about them."""

from __future__ import annotations

from treville.programs.ir import Const, Expr, Op, Reg
from treville.programs.litmus.x86.operands import FLAGS


def flags_of(operator: str, left: Expr, right: Expr, result: Expr, bits: int) -> dict[str, Expr]:
    """What ZF, SF, CF and OF become after `left operator right` gave the result; INC and DEC leave CF."""
    zero = Const(0)
    flags: dict[str, Expr] = {"ZF": Op("eq", (result, zero), bits), "SF": Op("lt", (result, zero), bits)}
    if operator == "sub":
        flags["CF"] = Op("ult", (left, right), bits)
        flags["OF"] = Op("xor", (Op("lt", (left, right), bits), flags["SF"]), bits)
    elif operator == "add":
        flags["CF"] = Op("ult", (result, left), bits)
        flags["OF"] = Op("xor", (Op("lt", (result, left), bits), Op("lt", (right, zero), bits)), bits)
    elif operator in ("inc", "dec"):
        limit = -1 << (bits - 1) if operator == "inc" else (1 << (bits - 1)) - 1
        flags["OF"] = Op("eq", (result, Const(limit)), bits)
    else:
        flags["CF"] = flags["OF"] = zero
    return flags


_ZERO, _SIGN, _CARRY, _OVERFLOW = (Reg(name) for name in FLAGS)
_LESS = Op("xor", (_SIGN, _OVERFLOW))
_CONDITIONS: dict[str, Expr] = {
    "e": _ZERO, "z": _ZERO, "eq": _ZERO, "s": _SIGN, "o": _OVERFLOW,
    "b": _CARRY, "c": _CARRY, "nae": _CARRY, "be": Op("or", (_CARRY, _ZERO)), "na": Op("or", (_CARRY, _ZERO)),
    "l": _LESS, "lt": _LESS, "nge": _LESS, "le": Op("or", (_LESS, _ZERO)), "ng": Op("or", (_LESS, _ZERO)),
}  # fmt: skip
_OPPOSITES = {
    "ne": "e", "nz": "z", "ns": "s", "no": "o", "ae": "b", "nb": "b", "nc": "c", "a": "be", "nbe": "be",
    "ge": "l", "nl": "l", "g": "le", "gt": "le", "nle": "le",
}  # fmt: skip


def condition_of(suffix: str) -> Expr | None:
    """What a condition suffix says about the flags; None if there is no such suffix."""
    opposite = _OPPOSITES.get(suffix)
    if opposite is not None:
        return Op("lnot", (_CONDITIONS[opposite],))
    return _CONDITIONS.get(suffix)
