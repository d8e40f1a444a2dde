"""Marks of locals without a value (`programs.c.unset`): any number, and an error where it is used."""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.body import UNSET_FLAG
from treville.programs.c.library.calls import ONE, ZERO, Call, Handler
from treville.programs.c.llvm import LocalName, PointerType
from treville.programs.c.marks import READ, UNSET
from treville.results.properties import NEVER_SET

_NO_OBJECT = 8  # no object is there


def handler(name: str) -> Handler | None:
    """What a mark of that name becomes."""
    if name.startswith(UNSET):
        return _unset
    return _read if name.startswith(READ) else None


def _unset(here: Call) -> None:
    register = here.body.name(here.frame, here.instruction)
    if isinstance(here.instruction.type, PointerType):
        here.body.emit(ir.Havoc(register, (0, _NO_OBJECT)))
    else:
        here.body.emit(ir.Nondet(register, here.body.bits(here.instruction.type)))
    here.body.set(register + UNSET_FLAG, ONE)


def _read(here: Call) -> None:
    """A read of what may be such a variable; a run goes on where nobody asks."""
    value = here.operands[0][1]
    assert isinstance(value, LocalName)
    flag = ir.Reg(f"{here.frame.prefix}{value.name}{UNSET_FLAG}")
    is_set = ir.Op("eq", (flag, ZERO), 8)
    here.body.emit(ir.Assert(is_set, NEVER_SET, memory=True, fatal=False))
