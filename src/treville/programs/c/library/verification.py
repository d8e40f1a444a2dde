"""Assertions, assumptions, arbitrary values, atomic blocks, the end of the program, output."""

from __future__ import annotations

import re

from treville.programs import ir
from treville.programs.c.body import bits_of
from treville.programs.c.library.calls import ZERO, Call, Handler
from treville.programs.c.llvm import IntType, LocalName, OtherType, Type, VoidType
from treville.programs.c.private import is_read


def _fail(here: Call) -> None:
    here.body.emit(ir.Assert(ZERO, f"{here.name} is reached"))


def _assert(here: Call) -> None:
    here.body.emit(ir.Assert(here.argument(0), "assertion"))


def _assume(here: Call) -> None:
    here.body.emit(ir.Assume(here.argument(0)))


def _stop(here: Call) -> None:
    here.body.emit(ir.Stop(reason=here.name))


def nondet(here: Call) -> None:
    """An arbitrary value of the call's type."""
    kind = here.instruction.type
    register = here.body.name(here.frame, here.instruction)
    if here.name.endswith("_bool"):
        here.body.emit(ir.Havoc(register, (0, 1)))
    elif isinstance(kind, IntType | OtherType):
        here.body.emit(ir.Nondet(register, here.body.bits(kind)))
    else:
        raise here.body.unsupported(f"{here.name}: values that are no numbers")


def _atomic_begin(here: Call) -> None:
    here.body.emit(ir.AtomicBegin())


def _atomic_end(here: Call) -> None:
    here.body.emit(ir.AtomicEnd())


def _ignored(here: Call) -> None:
    """Output and the like: no effect; the result is anything."""
    if here.instruction.result is not None:
        kind: Type = here.instruction.type
        if not isinstance(kind, VoidType):
            here.body.emit(ir.Nondet(here.body.name(here.frame, here.instruction), bits_of(kind)))


def _random(here: Call) -> None:
    """Any number that is not negative."""
    number = here.body.fresh("random")
    here.body.emit(ir.Nondet(number, 32))
    here.returns(ir.Op("and", (ir.Reg(number), ir.Const(0x7FFF_FFFF)), 32))


def _print_into(here: Call, size: int | None) -> None:
    """Text in a buffer, of which nobody can tell what it is; argument `size` says how much of it."""
    target, private = here.operands[0][1], here.frame.private
    _ignored(here)
    found = private.get(target.name) if isinstance(target, LocalName) else None
    if found is not None and not is_read(here.frame.function, private, found.variable):
        return
    cells = here.body.memory.cells_of(here.frame, target)
    length = here.argument(size) if size is not None else None
    if cells is None:
        raise here.body.unsupported(f"{here.name} into memory whose layout is not known")
    for offset, bits in cells:
        if not isinstance(length, ir.Const) or offset < length.value:
            text = here.body.fresh("text")
            here.body.emit(ir.Nondet(text, bits))
            here.body.memory.write_cell(here.frame, here.operands[0], offset, ir.Reg(text), bits)


_CONVERSION = re.compile(r"%(\*?)\d*(hh|h|ll|l|z|j|t|)([diuxXoc])")


def _scan(here: Call, skipped: int) -> None:
    """Input: any numbers of the widths that the format tells, and any result."""
    formats = here.body.translation.text_of(here.operands[skipped][1])
    if formats is None:
        raise here.body.unsupported(f"{here.name} with a format that is not constant")
    found = [(size, kind) for star, size, kind in _CONVERSION.findall(formats) if not star]
    if len(found) != len(here.operands) - skipped - 1:
        raise here.body.unsupported(f"{here.name} of anything but integers")
    for number, (size, kind) in enumerate(found, skipped + 1):
        bits = 8 if kind == "c" else {"hh": 8, "h": 16, "": 32}.get(size, 64)
        value = here.body.fresh("input")
        here.body.emit(ir.Nondet(value, bits))
        here.write(number, ir.Reg(value), bits)
    _ignored(here)


FUNCTIONS: dict[str, Handler] = {
    "__VERIFIER_assert": _assert, "__VERIFIER_assume": _assume, "assume_abort_if_not": _assume,
    "__VERIFIER_atomic_begin": _atomic_begin, "__VERIFIER_atomic_end": _atomic_end,
    **dict.fromkeys(("__assert_fail", "__assert", "__assert_rtn", "reach_error", "__VERIFIER_error"), _fail),
    **dict.fromkeys(("abort", "exit", "_exit", "_Exit", "quick_exit"), _stop),
}  # fmt: skip
OTHERS: dict[str, Handler] = {
    **dict.fromkeys(
        ("__VERIFIER_loop_bound", "__VERIFIER_loop_begin", "__VERIFIER_spin_start", "__VERIFIER_spin_end"),
        Call.nothing,
    ),
    "rand": _random, "random": _random,
    "sprintf": lambda here: _print_into(here, None), "snprintf": lambda here: _print_into(here, 1),
    "scanf": lambda here: _scan(here, 0), "__isoc99_scanf": lambda here: _scan(here, 0),
    "sscanf": lambda here: _scan(here, 1), "__isoc99_sscanf": lambda here: _scan(here, 1),
    "fscanf": lambda here: _scan(here, 1), "__isoc99_fscanf": lambda here: _scan(here, 1),
    **dict.fromkeys(
        ("usleep", "sleep", "nanosleep", "srand", "srandom", "fflush", "setbuf", "setvbuf"),
        Call.nothing,
    ),
    **dict.fromkeys(
        ("printf", "puts", "putchar", "fprintf", "perror", "fputs", "putc", "fputc", "vprintf", "vfprintf",
         "getpid", "time", "clock", "getchar", "gettid", "strerror"),
        _ignored,
    ),
}  # fmt: skip
