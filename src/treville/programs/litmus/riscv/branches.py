"""RISC-V branches and fences -> branches and fences of the IR; fences are tagged `Fence.rw.w` and so on."""

from __future__ import annotations

from treville.programs.ir import Expr, Op
from treville.programs.litmus.riscv.operands import (
    ZERO,
    BadOperands,
    Compiled,
    Handler,
    label,
    nothing,
    register,
    source,
    take,
)


def _branch(name: str, swapped: bool = False) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        left, right, target = take(operands, 3, "two registers and a label")
        pair = (source(right), source(left)) if swapped else (source(left), source(right))
        return _branching(Op(name, pair), label(target))

    return handler


def _branch_zero(name: str, swapped: bool = False) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        word, target = take(operands, 2, "a register and a label")
        pair = (ZERO, source(word)) if swapped else (source(word), ZERO)
        return _branching(Op(name, pair), label(target))

    return handler


def _branching(condition: Expr, target: str) -> Compiled:
    return Compiled(lambda builder: builder.branch(target, condition))


def _jump(operands: list[str]) -> Compiled:
    if len(operands) == 2 and register(operands[0]) != "x0":
        raise BadOperands("a jump that links nothing (jal x0,label)")
    if len(operands) not in (1, 2):
        raise BadOperands("a label")
    target = label(operands[-1])
    return Compiled(lambda builder: builder.branch(target))


def _fence(operands: list[str]) -> Compiled:
    before, after = operands if len(operands) == 2 else ("rw", "rw")
    if len(operands) not in (0, 2):
        raise BadOperands("what comes before and what comes after (fence rw,w)")
    tag = f"Fence.{_accesses(before)}.{_accesses(after)}"
    if ".." in tag or tag.endswith("."):
        return Compiled(nothing)  # orders input and output only
    return Compiled(lambda builder: builder.fence(tag))


def _accesses(word: str) -> str:
    """The memory accesses of a fence's operand: `iorw` -> `rw`."""
    lowered = word.lower()
    if not lowered or set(lowered) - set("iorw"):
        raise BadOperands(f"a set of i, o, r, w instead of '{word}'")
    return "".join(letter for letter in "rw" if letter in lowered)


def _simple_fence(tag: str) -> Handler:
    def handler(operands: list[str]) -> Compiled:
        take(operands, 0, "no operands")
        return Compiled(lambda builder: builder.fence(tag))

    return handler


def handlers() -> dict[str, Handler]:
    """The handler of each branch and fence."""
    table: dict[str, Handler] = {"j": _jump, "jal": _jump, "fence": _fence}
    table["fence.tso"] = _simple_fence("Fence.tso")
    table["fence.i"] = _simple_fence("Fence.i")
    for name in ("eq", "ne", "lt", "ge"):
        table["b" + name] = _branch(name)
    for name, operator in (("ltu", "ult"), ("geu", "uge")):
        table["b" + name] = _branch(operator)
    for name, operator in (("gt", "lt"), ("le", "ge"), ("gtu", "ult"), ("leu", "uge")):
        table["b" + name] = _branch(operator, swapped=True)
    for operator in ("eq", "ne", "le", "ge", "lt", "gt"):
        table[f"b{operator}z"] = _branch_zero(operator)
    return table
