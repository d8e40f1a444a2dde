"""Assertions, assumptions, arbitrary values, atomic blocks, the end of the program, output."""

from __future__ import annotations

import re

from treville.fences import PLACE
from treville.programs import ir
from treville.programs.c.body import bits_of
from treville.programs.c.library import ending
from treville.programs.c.library.calls import ZERO, Call, Handler
from treville.programs.c.llvm import (
    ArrayType,
    GlobalName,
    IntType,
    OtherType,
    PointerType,
    StructType,
    Type,
    VoidType,
)
from treville.programs.grids import Cell


def _fail(here: Call) -> None:
    here.body.emit(ir.Assert(ZERO, f"{here.name} is reached"))


def _assert(here: Call) -> None:
    here.body.emit(ir.Assert(here.argument(0), "assertion"))


def _verifier_assert(here: Call) -> None:
    """The verifier's own test is no branch of the program; one that the program defines is like `assert`."""
    defined = here.name in here.body.translation.module.functions
    here.body.emit(ir.Assert(here.argument(0), "assertion", observes=not defined))


def _assume(here: Call) -> None:
    here.body.emit(ir.Assume(here.argument(0)))


def nondet(here: Call) -> None:
    """An arbitrary value of the call's type."""
    kind = here.instruction.type
    register = here.body.name(here.frame, here.instruction)
    if isinstance(kind, IntType | OtherType):
        here.body.choose(register, 1 if here.name.endswith("_bool") else here.body.bits(kind))
    else:
        raise here.body.unsupported(f"{here.name}: values that are no numbers")


def _atomic_begin(here: Call) -> None:
    here.body.emit(ir.AtomicBegin())


def _atomic_end(here: Call) -> None:
    here.body.emit(ir.AtomicEnd())


def _place(here: Call) -> None:
    """Room for a fence: the number tells which (`questions.repair`)."""
    number = here.argument(0)
    assert isinstance(number, ir.Const)
    here.body.emit(ir.Fence(frozenset({PLACE, f"site {number.value}"})))


def undefined(here: Call) -> None:
    """A function that is defined nowhere: it returns anything."""
    kind = here.instruction.type
    if isinstance(kind, StructType | ArrayType):
        raise here.body.unsupported(f"{here.name}, which is defined nowhere, returns a struct")
    here.body.translation.note_undefined(here.name, here.instruction)
    ignored(here)


def call_of_data(here: Call) -> None:
    """A variable that is called as if it was a function."""
    told = f"a call of {here.name}, which is no function, is reached"
    here.body.emit(ir.Assert(ir.Const(0), told, memory=True))
    ignored(here)


_ERRNO = GlobalName("treville_errno")
_FENCES = {"_mm_mfence": "MFENCE", "_mm_lfence": "LFENCE", "_mm_sfence": "SFENCE"}


def _fence(tag: str) -> Handler:
    return lambda here: here.body.emit(ir.Fence(frozenset({tag})))


def _may_fail(here: Call) -> None:
    """The thread's errno is anything, where the program looks at it."""
    place = here.body.translation.thread_local_place(_ERRNO)
    if place is not None or _ERRNO.name in here.body.translation.own_objects:
        number = here.body.fresh("errno")
        here.body.emit(ir.Nondet(number, 32))
        here.body.memory.write_cell(here.frame, (PointerType(), _ERRNO), Cell(0, 32), ir.Reg(number))


def ignored(here: Call) -> None:
    """Output and the like: no effect but on errno; the result is anything."""
    _may_fail(here)
    if here.instruction.result is not None:
        kind: Type = here.instruction.type
        if not isinstance(kind, VoidType):
            here.body.choose(here.body.name(here.frame, here.instruction), bits_of(kind))


def _random(here: Call) -> None:
    """Any number that is not negative."""
    number = here.body.fresh("random")
    here.body.emit(ir.Nondet(number, 32))
    here.returns(ir.Op("and", (ir.Reg(number), ir.Const(0x7FFF_FFFF)), 32))


def _scan_text(here: Call) -> None:
    """Numbers out of a text: any, unless everybody can see what stands there."""
    if here.body.translation.text_of(here.operands[0][1]) is not None:
        raise here.body.unsupported(f"{here.name} of a text that is constant")
    _scan(here, 1)


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
    ignored(here)


FUNCTIONS: dict[str, Handler] = {
    "__VERIFIER_assert": _verifier_assert, "__VERIFIER_assume": _assume, "assume_abort_if_not": _assume,
    "treville_atomic_begin": _atomic_begin, "treville_atomic_end": _atomic_end, "treville_place": _place,
    **dict.fromkeys(("__assert_fail", "__assert", "__assert_rtn", "reach_error", "__VERIFIER_error"), _fail),
    **ending.FUNCTIONS,
}  # fmt: skip
OTHERS: dict[str, Handler] = {
    **dict.fromkeys(("__VERIFIER_atomic_begin", "__CPROVER_atomic_begin"), _atomic_begin),
    **dict.fromkeys(("__VERIFIER_atomic_end", "__CPROVER_atomic_end"), _atomic_end),
    "__CPROVER_assume": _assume, "__CPROVER_assert": _assert,
    **{name: _fence(tag) for name, tag in _FENCES.items()}, "_mm_pause": Call.nothing,
    **dict.fromkeys(
        ("__VERIFIER_loop_bound", "__VERIFIER_loop_begin", "__VERIFIER_spin_start", "__VERIFIER_spin_end"),
        Call.nothing,
    ),
    "rand": _random, "random": _random,
    "scanf": lambda here: _scan(here, 0), "__isoc99_scanf": lambda here: _scan(here, 0),
    "sscanf": _scan_text, "__isoc99_sscanf": _scan_text,
    "fscanf": lambda here: _scan(here, 1), "__isoc99_fscanf": lambda here: _scan(here, 1),
    **dict.fromkeys(
        ("srand", "srandom", "fflush"),
        Call.nothing,
    ),
    **dict.fromkeys(
        ("puts", "putchar", "perror", "fputs", "putc", "fputc",
         "getpid", "getchar", "gettid"),
        ignored,
    ),
}  # fmt: skip
