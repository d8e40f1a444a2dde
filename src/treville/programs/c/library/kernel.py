"""The Linux kernel's primitives, as `runtime/lkmm.h` declares them: what litmus tests of the kernel have.

The events of a primitive are defined once, in `programs.litmus.c.linux`; here they are built for C, where the
width of an access is that of its type. Macros that work for every type become functions named `__lkmm_` with
the width as last argument.
"""

from __future__ import annotations

import re
from functools import partial

from treville.programs import ir
from treville.programs.c.library import kernel_intrinsics
from treville.programs.c.library.calls import WORD, Call, Handler
from treville.programs.litmus.c.expressions import ExpressionReader, Primitive
from treville.programs.litmus.c.linux import primitive
from treville.records import replace

GENERIC = "__lkmm_"
_LONG = re.compile(r"atomic(?:64|_long)_")
_WAITING = frozenset({"LKR"})


class _Builder(ExpressionReader):
    """Stands in for the reader of litmus tests, on the code of a C thread."""

    def __init__(self, here: Call, bits: int) -> None:
        self.here, self.bits = here, bits
        self.waits = False

    def emit(self, instruction: ir.Instruction) -> None:
        if isinstance(instruction, ir.Load | ir.Store):
            instruction = replace(instruction, bits=self.bits)
            self.waits = bool(instruction.tags & _WAITING)
        elif isinstance(instruction, ir.Assume):
            instruction = replace(instruction, waits=self.waits)
        self.here.body.emit(instruction)

    def temporary(self) -> str:
        return self.here.body.fresh("kernel")

    def new_label(self) -> str:
        return self.here.body.fresh("kernel label")

    def place_label(self, label: str) -> None:
        self.here.body.label(label)


def handler(name: str) -> Handler | None:
    """What a call of a kernel function becomes; None if the kernel's model does not know it."""
    if name == "cpu_relax":
        return Call.nothing
    if name.startswith(kernel_intrinsics.PREFIX):
        return _intrinsic
    if name.startswith(GENERIC):
        generic = primitive(name.removeprefix(GENERIC))
        return None if generic is None else partial(_generic, found=generic)
    found = primitive(name)
    if found is None:
        return None
    return partial(_build, found=found, bits=64 if _LONG.match(name) else WORD)


def _generic(here: Call, found: Primitive) -> None:
    bits = here.argument(len(here.operands) - 1)
    if not isinstance(bits, ir.Const) or bits.value not in (8, 16, 32, 64):
        raise here.body.unsupported("a kernel macro on something that is no integer or pointer")
    here.operands = here.operands[:-1]
    _build(here, found, bits.value)


def _intrinsic(here: Call) -> None:
    name, arguments, bits = kernel_intrinsics.meant(here)
    found = primitive(name)
    if found is None or bits not in (8, 16, 32, 64):
        raise here.body.unsupported(f"{here.name}, here {name} of {bits} bits")
    _add(here, found, arguments, bits)


def _build(here: Call, found: Primitive, bits: int) -> None:
    _add(here, found, [here.argument(number) for number in range(len(here.operands))], bits)


def _add(here: Call, found: Primitive, arguments: list[ir.Expr], bits: int) -> None:
    if len(arguments) != len(found.arguments):
        raise here.body.unsupported(f"{here.name} with {len(arguments)} arguments")
    result = found.build(_Builder(here, bits), arguments, [])
    if result is not None:
        here.returns(ir.Op("sext", (result,), bits))
