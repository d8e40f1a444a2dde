"""RISC-V litmus tests -> IR (RV64IMA and the `lw.aq`, `sw.rl` pseudo forms of the RVWMO litmus suite).

Each instruction's text is translated once into a function that adds its IR to a thread (`arithmetic`,
`accesses`, `branches`), and that function is kept, since whole suites consist of few different
lines.
"""

from __future__ import annotations

import re
from functools import cache

from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.litmus.assembly import ThreadBuilder, split_table
from treville.programs.litmus.condition.clauses import read_conditions
from treville.programs.litmus.initial import RegisterNamer, apply_initial, read_initial
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.observed_registers import Observation, has_wide_values
from treville.programs.litmus.riscv import accesses, arithmetic, branches
from treville.programs.litmus.riscv.operands import BadOperands, Compiled, Handler
from treville.programs.litmus.riscv.registers import register_name
from treville.programs.litmus.test import LitmusTest
from treville.results import InputError, Source, Unsupported

_TEXT = re.compile(r"([A-Za-z][\w.]*)\s*(.*)$", re.DOTALL)
_KEPT: dict[str, Compiled] = {}
_MOST_KEPT = 20_000


def read(sections: Sections, _source: Source) -> LitmusTest:
    """The test of a file whose dialect is RISCV."""
    columns = split_table(sections)
    program = ProgramDraft([ThreadDraft(name) for name, _ in columns])
    namer = _namer(sections)
    types = apply_initial(sections, program, read_initial(sections), namer)
    wide = has_wide_values(program)
    smallest = min((location.bits for location in program.locations.values()), default=0)
    for thread, (_, lines) in zip(program.threads, columns, strict=True):
        builder = ThreadBuilder(sections, program, thread)
        for line in lines:
            builder.place(line)
            if line.text:
                compiled = _KEPT.get(line.text) or _compile(builder, line.text)
                if 0 < compiled.bits < smallest:
                    raise builder.unsupported(
                        f"an access of {compiled.bits} bits to a larger location (mixed sizes)"
                    )
                compiled.emit(builder)
                wide = wide or compiled.wide
        builder.finish()
    return read_conditions(sections, program, "RISCV", namer, Observation(program, types, cast=wide))


def _namer(sections: Sections) -> RegisterNamer:
    def name(_thread: int, written: str, offset: int) -> tuple[str, str]:
        found = register_name(written)
        if found is None:
            hint = "x0 to x31, a0, t1, s2, ..."
            raise sections.error(f"unknown RISC-V register '{written}'", offset, len(written), hint)
        return found, found

    return name


@cache
def _handlers() -> dict[str, Handler]:
    return arithmetic.handlers() | branches.handlers() | accesses.handlers()


def _compile(builder: ThreadBuilder, text: str) -> Compiled:
    match = _TEXT.match(text)
    if match is None:
        raise builder.error("expected an instruction")
    mnemonic = match.group(1).lower()
    rest = match.group(2).strip()
    operands = [word.strip() for word in rest.split(",")] if rest else []
    handler = _handlers().get(mnemonic)
    if handler is None:
        raise Unsupported(f"the RISC-V instruction '{mnemonic}'", builder.span)
    try:
        compiled = handler(operands)
    except BadOperands as problem:
        raise InputError(f"{mnemonic}: expected {problem}", builder.span) from None
    if len(_KEPT) < _MOST_KEPT:
        _KEPT[text] = compiled
    return compiled
