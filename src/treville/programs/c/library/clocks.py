"""Time: clocks show anything, sleeping takes no time.

A clock's reading is an arbitrary number that is not negative. What one thread reads from the monotonic clock
does not go back; nothing is said of other clocks, or of what threads tell each other. Nobody sends signals,
so no sleep is interrupted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treville.programs import ir
from treville.programs.c.library.calls import ZERO, Call, Handler
from treville.programs.c.llvm import LocalName, Number
from treville.programs.c.private import is_read
from treville.programs.grids import Cell

if TYPE_CHECKING:
    from treville.programs.c.body import Body

_LONG = 64
_LAST = "last reading of the monotonic clock"
_MONOTONIC = tuple(Number(clock) for clock in (1, 4, 6, 7))  # also raw, coarse, and since the machine started
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


def start_clock(body: Body) -> None:
    """No thread has read the monotonic clock at first."""
    if "clock_gettime" in body.translation.module.declared:
        for offset in (0, _LONG // 8):
            body.emit(ir.WritePrivate(_LAST, ir.Const(offset), ZERO, _LONG))


def _not_before(here: Call, now: tuple[ir.Reg, ir.Reg]) -> None:
    """This reading of the monotonic clock is not before the thread's last one."""
    last = ir.Reg(here.body.fresh("last")), ir.Reg(here.body.fresh("last"))
    for register, number, offset in zip(last, now, (0, _LONG // 8), strict=True):
        here.body.emit(ir.ReadPrivate(register.name, _LAST, ir.Const(offset), _LONG))
        here.body.emit(ir.WritePrivate(_LAST, ir.Const(offset), number, _LONG))
    same = ir.Op("eq", (now[0], last[0]), _LONG)
    parts = ir.Op("uge", (now[1], last[1]), _LONG)
    here.body.emit(ir.Assume(ir.Select(same, parts, ir.Op("ugt", (now[0], last[0]), _LONG))))


def _clock_gettime(here: Call) -> None:
    if _is_looked_at(here, 1):
        memory, target = here.body.memory, here.operands[1]
        now = _seconds(here), _part(here, _NANOSECONDS)
        if here.operands[0][1] in _MONOTONIC:
            _not_before(here, now)
        for number, offset in zip(now, (0, _LONG // 8), strict=True):
            memory.write_cell(here.frame, target, Cell(offset, _LONG), number)
    here.returns(ZERO)


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
    "time": _time, "clock_gettime": _clock_gettime,
    "clock_getres": _tell(1, _NANOSECONDS, ZERO), "gettimeofday": _tell(0, _MICROSECONDS, ZERO),
    "timespec_get": _timespec_get,
    "clock": lambda here: here.returns(_seconds(here)),
    **dict.fromkeys(("usleep", "sleep", "nanosleep", "clock_nanosleep", "thrd_sleep"), _sleep),
}  # fmt: skip
