"""Nidhugg's calls that wait for a value: a load, or an exchange, that happens only once a condition holds.

A condition is a constant of four bits: whether numbers are compared with their signs, and whether less, equal
and greater are what is waited for.
"""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.library.calls import LOCKING, ONE, ZERO, Call, Handler

_LOAD, _EXCHANGE = "__VERIFIER_load_await_", "__VERIFIER_xchg_await_"
_SIGNED, _LESS, _EQUAL, _GREATER = 8, 4, 2, 1
_LOADING = frozenset({"SC", "A"})


def handler(name: str) -> Handler | None:
    """What a call of that name becomes, if it waits."""
    if name.startswith(_LOAD):
        return _load
    return _exchange if name.startswith(_EXCHANGE) else None


def _load(here: Call) -> None:
    bits, found = here.body.bits(here.instruction.type), ir.Reg(here.body.fresh("found"))
    here.body.emit(ir.Load(found.name, here.argument(0), _LOADING, bits))
    here.body.emit(ir.Assume(_holds(here, found, 1, bits), waits=True))
    here.returns(found)


def _exchange(here: Call) -> None:
    bits, found = here.body.bits(here.instruction.type), ir.Reg(here.body.fresh("found"))
    address, new = here.argument(0), here.argument(1)
    here.body.emit(ir.Load(found.name, address, LOCKING, bits, link=True))
    here.body.emit(ir.Assume(_holds(here, found, 2, bits), waits=True))
    here.body.emit(ir.Store(address, new, LOCKING, bits, link=True))
    here.returns(found)


def _holds(here: Call, found: ir.Reg, number: int, bits: int) -> ir.Expr:
    """Is what was found as the arguments from that number on say?"""
    kind, operand = here.argument(number), here.argument(number + 1)
    if not isinstance(kind, ir.Const):
        raise here.body.unsupported(f"{here.name} with a condition that is not constant")
    sign = "" if kind.value & _SIGNED else "u"
    wanted = {"eq": _EQUAL, f"{sign}lt": _LESS, f"{sign}gt": _GREATER}
    holds: ir.Expr = ZERO
    for operator, bit in wanted.items():
        if kind.value & bit:
            holds = ir.Select(ir.Op(operator, (found, operand), bits), ONE, holds)
    return holds
