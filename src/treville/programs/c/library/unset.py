"""Marks of locals without a value (`programs.c.unset`): any number, and an error where it is used."""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.library.calls import ZERO, Call, Handler
from treville.programs.c.llvm import PointerType
from treville.programs.c.marks import BEGIN, READ, UNSET
from treville.programs.c.unset_values import UNSET_FLAG
from treville.results.properties import NEVER_SET

_NO_OBJECT = 8  # no object is there


def handler(name: str) -> Handler | None:
    """What a mark of that name becomes."""
    if name.startswith(UNSET):
        return _unset
    if name == BEGIN:
        return _begin
    return _read if name.startswith(READ) else None


def _begin(here: Call) -> None:
    """No element of a large array has a value, also where its block is entered again."""
    place = here.body.memory.place_of(here.frame, here.operands[0][1])
    if place is not None:
        here.body.memory.set_cells.forget_all(here.frame, place[0])


def _unset(here: Call) -> None:
    register = here.body.name(here.frame, here.instruction)
    if isinstance(here.instruction.type, PointerType):
        here.body.emit(ir.Havoc(register, (0, _NO_OBJECT)))
    else:
        here.body.choose(register, here.body.bits(here.instruction.type))
    here.body.set(register + UNSET_FLAG, ir.Const(-1))


def _read(here: Call) -> None:
    """A read of what may be such a variable; a run goes on where nobody asks."""
    (unset,) = here.body.unset_bits(here.frame, *here.operands[0])
    is_set = ir.Op("eq", (unset, ZERO), here.body.bits(here.operands[0][0]))
    here.body.emit(ir.Assert(is_set, NEVER_SET, memory=True, fatal=False))
