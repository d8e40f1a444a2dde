"""An expression and what registers hold -> its value, with the reads that it depends on."""

from __future__ import annotations

from treville.events.trace import Value
from treville.programs.ir import Const, Expr, Op, Reg, Select, Thread
from treville.programs.operators import OPERATORS

ZERO = Value(0)


def evaluate(expression: Expr, registers: dict[str, Value]) -> Value:
    """The value of an expression with its dependencies."""
    kind = type(expression)  # isinstance is slower, and this is where explicit engines spend their time
    if kind is Reg:
        return registers.get(expression.name, ZERO)  # type: ignore[union-attr]
    if kind is Const:
        return Value(expression.value)  # type: ignore[union-attr]
    if isinstance(expression, Op):
        return _apply(expression, registers)
    assert isinstance(expression, Select)
    condition = evaluate(expression.condition, registers)
    chosen = evaluate(expression.then if condition.number else expression.otherwise, registers)
    return Value(
        chosen.number,
        chosen.data,
        chosen.pick | condition.data | condition.pick,
        chosen.origin | condition.origin,
    )


def decided(thread: Thread, value: Value) -> Value:
    """What a branch of the thread depends on: where selects are branches, also on what they pick by."""
    if thread.selects_pick or not value.pick:
        return value
    return value._replace(data=value.data | value.pick, pick=0)


def written(thread: Thread, address: Value, value: Value, when: Value) -> tuple[Value, int, int]:
    """The address of a write of the thread, and the reads that its value depends on, by data and by picking:
    `when` is the condition under which it is done."""
    picked = when.data | when.pick
    value = decided(thread, value)
    if thread.updates_pick:
        return decided(thread, address), value.data, value.pick | picked
    return decided(thread, address), value.data | picked, value.pick


def _apply(expression: Op, registers: dict[str, Value]) -> Value:
    args = [evaluate(arg, registers) for arg in expression.args]
    number = OPERATORS[expression.name](tuple([arg.number for arg in args]), expression.bits)
    data = pick = origin = 0
    for arg in args:
        data |= arg.data
        pick |= arg.pick
        origin |= arg.origin
    if origin and _cancels(expression):
        origin = 0
    return Value(number, data, pick, origin)


def _cancels(expression: Op) -> bool:
    """Is the result the same whatever the registers hold?"""
    args = expression.args
    if expression.name in ("xor", "sub", "eq", "ne"):
        return args[0] == args[1]
    return expression.name in ("and", "mul") and (Const(0) in args)
