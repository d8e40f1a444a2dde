"""Time: clocks show anything, sleeping takes no time.

A clock's reading is an arbitrary number that is not negative; nothing says that it grows from one call to the
next, so a program that relies on that may fail here. Nobody sends signals, so no sleep is interrupted.
"""

from __future__ import annotations

from treville.programs import ir
from treville.programs.c.library.calls import ZERO, Call, Handler
from treville.programs.c.llvm import LocalName, Number
from treville.programs.c.private import is_read
from treville.programs.grids import Cell

_LONG = 64
_NOT_NEGATIVE = ir.Const((1 << 62) - 1)
_MICROSECONDS, _NANOSECONDS = 1_000_000, 1_000_000_000


def _seconds(here: Call) -> ir.Reg:
    """Any number that is not negative, and far from the largest."""
    number = here.body.fresh("clock")
    here.body.emit(ir.Nondet(number, _LONG))
    return here.body.set(here.body.fresh("seconds"), ir.Op("and", (ir.Reg(number), _NOT_NEGATIVE), _LONG))


def _part(here: Call, parts: int) -> ir.Reg:
    """Any number of parts of a second."""
    number = ir.Reg(here.body.fresh("clock"))
    here.body.emit(ir.Nondet(number.name, _LONG))
    here.body.emit(ir.Assume(ir.Op("ult", (number, ir.Const(parts)), _LONG)))
    return number


def _is_looked_at(here: Call, number: int) -> bool:
    """Does anybody look at what is behind a pointer argument? Null has nothing behind it."""
    target, private = here.operands[number][1], here.frame.private
    if target == Number(0):
        return False
    found = private.get(target.name) if isinstance(target, LocalName) else None
    return found is None or is_read(here.frame.function, private, found.variable)


def _tell(argument: int, parts: int, result: ir.Expr) -> Handler:
    """Write seconds and parts of a second through an argument."""

    def handle(here: Call) -> None:
        if _is_looked_at(here, argument):
            memory, target = here.body.memory, here.operands[argument]
            memory.write_cell(here.frame, target, Cell(0, _LONG), _seconds(here))
            memory.write_cell(here.frame, target, Cell(8, _LONG), _part(here, parts))
        here.returns(result)

    return handle


def _time(here: Call) -> None:
    """Seconds, returned and written through the argument unless that is null."""
    now = _seconds(here)
    target = here.operands[0][1]
    if target != Number(0):
        there = here.body.fresh("no time wanted")
        if isinstance(target, LocalName) and target.name not in here.frame.private:
            here.body.emit(ir.Branch(there, ir.Op("eq", (here.argument(0), ZERO), _LONG)))
        here.write(0, now, _LONG)
        here.body.label(there)
    here.returns(now)


def _timespec_get(here: Call) -> None:
    _tell(0, _NANOSECONDS, ZERO)(here)
    here.returns(here.argument(1))


def _sleep(here: Call) -> None:
    here.returns(ZERO)


FUNCTIONS: dict[str, Handler] = {
    "time": _time, "clock_gettime": _tell(1, _NANOSECONDS, ZERO),
    "clock_getres": _tell(1, _NANOSECONDS, ZERO), "gettimeofday": _tell(0, _MICROSECONDS, ZERO),
    "timespec_get": _timespec_get,
    "clock": lambda here: here.returns(_seconds(here)),
    **dict.fromkeys(("usleep", "sleep", "nanosleep", "clock_nanosleep", "thrd_sleep"), _sleep),
}  # fmt: skip
