"""AArch64 litmus tests -> IR: reads a test's table of instructions and puts its threads together.

Each instruction's text is compiled once (`aarch64_computing`, `aarch64_accessing`, `aarch64_control`) and kept, since
whole suites consist of few different lines. A thread that jumps to code addresses gets copies of the
threads whose labels the test mentions, because threads may run each other's code.
"""

from __future__ import annotations

import re
from functools import cache

from treville.programs.ir import Program, Thread
from treville.programs.litmus import aarch64_accessing, aarch64_computing, aarch64_control
from treville.programs.litmus.aarch64_operands import (
    BadOperands,
    Builder,
    Compiled,
    Handler,
    find_register,
    small,
    split_operands,
)
from treville.programs.litmus.assembly import Line, split_table
from treville.programs.litmus.condition import read_conditions
from treville.programs.litmus.initial import RegisterNamer, apply_initial, code_address, read_initial
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.observation import Observation
from treville.programs.litmus.test import LitmusTest
from treville.results import InputError, Source, Span, Unsupported

_TEXT = re.compile(r"([A-Za-z][\w.]*)\s*(.*)$", re.DOTALL)
_KEPT: dict[str, Compiled] = {}
_MOST_KEPT = 20_000
_OTHER_VARIANTS = frozenset(
    ("mixed", "memtag", "morello", "vmsa", "kvm", "ifetch", "self", "neon", "sve", "sme", "nv2", "fatal", "pac", "asl")
)
_END = "end#"


def read(sections: Sections, _source: Source) -> LitmusTest:
    """The test of a file whose dialect is AArch64."""
    _refuse_variants(sections)
    columns = split_table(sections)
    program = Program([Thread(name) for name, _ in columns])
    namer = _namer(sections)
    types = apply_initial(sections, program, read_initial(sections), namer)
    codes = [[_compiled(sections, line) for line in lines] for _, lines in columns]
    wide = _has_wide_values(program) or any(part.wide for code in codes for part in code if part is not None)
    _refuse_mixed_sizes(sections, program, codes)
    _Assembler(sections, program, [lines for _, lines in columns], codes, wide).assemble()
    return read_conditions(sections, program, "AArch64", namer, Observation(program, types, cast=wide))


def _refuse_variants(sections: Sections) -> None:
    for key, value in sections.information.items():
        if key.lower() == "variant":
            for word in re.split(r"[\s,]+", value.lower()):
                if word in _OTHER_VARIANTS:
                    offset = max(0, sections.source.text.find(value))
                    span = sections.source.span(offset, len(value))
                    raise Unsupported(f"tests of the variant '{word}'", span)


def _namer(sections: Sections) -> RegisterNamer:
    def name(_thread: int, written: str, offset: int) -> tuple[str, str]:
        found = find_register(written)
        if found is None or found.name is None:
            span = sections.source.span(offset, len(written))
            if written.upper().endswith(("_EL0", "_EL1", "_EL2", "_EL3")):
                raise Unsupported(f"the system register {written}", span)
            raise InputError(f"unknown AArch64 register '{written}'", span, "X0 to X30, W0 to W30, SP")
        return found.name, found.name

    return name


def _has_wide_values(program: Program) -> bool:
    """Does the initial state hold numbers that are negative or large?"""
    numbers = [value for thread in program.threads for value in thread.registers.values()]
    for location in program.locations.values():
        numbers += location.initial
    end = 1 << 31
    return any(not 0 <= value < end for value in numbers)


def _refuse_mixed_sizes(sections: Sections, program: Program, codes: list[list[Compiled | None]]) -> None:
    """Bytes and half-words are accessed only where some location has that size."""
    sizes = {location.bits for location in program.locations.values()}
    for code in codes:
        for part in code:
            if part is not None and part.bits in (8, 16) and part.bits not in sizes:
                span = sections.source.span(sections.program.offset)
                raise Unsupported(f"an access of {part.bits} bits to a larger location (mixed sizes)", span)


# -- instructions ----------------------------------------------------------------------------------


@cache
def _handlers() -> dict[str, Handler]:
    return aarch64_computing.handlers() | aarch64_accessing.handlers() | aarch64_control.handlers()


def _compiled(sections: Sections, line: Line) -> Compiled | None:
    """The instruction of a line; None if it has only labels."""
    text = line.text
    if not text:
        return None
    found = _KEPT.get(text)
    if found is None:
        found = _compile(text, sections.source.span(line.offset, len(text)))
        if len(_KEPT) < _MOST_KEPT:
            _KEPT[text] = found
    return found


def _compile(text: str, span: Span) -> Compiled:
    match = _TEXT.match(text)
    if match is None:
        raise InputError("expected an instruction", span)
    mnemonic = match.group(1)
    handler = _handlers().get(mnemonic.lower())
    if handler is None:
        raise Unsupported(f"the AArch64 instruction '{mnemonic}'", span)
    try:
        return handler(split_operands(match.group(2)))
    except BadOperands as problem:
        raise InputError(f"{mnemonic}: expected {problem}", span) from None
    except NotImplementedError as problem:
        raise Unsupported(str(problem), span) from None


# -- threads ---------------------------------------------------------------------------------------


class _Assembler:
    """Puts the compiled instructions into the threads of the program."""

    def __init__(
        self,
        sections: Sections,
        program: Program,
        lines: list[list[Line]],
        codes: list[list[Compiled | None]],
        wide: bool,
    ) -> None:
        self.sections, self.program, self.lines, self.codes, self.wide = sections, program, lines, codes, wide
        parts = [part for code in codes for part in code if part is not None]
        self.flags = "".join(letter for letter in "NZCV" if any(letter in part.flags for part in parts))
        self.indirect = any(part.indirect for part in parts) or any(t.code_addresses for t in program.threads)

    def assemble(self) -> None:
        """Build all threads."""
        builders = []
        for index, thread in enumerate(self.program.threads):
            builder = Builder(self.sections, self.program, thread, index, self.wide, self.flags)
            self._add(builder, index)
            builders.append(builder)
        if self.indirect:
            for builder in builders:
                self._finish_jumps(builder)
        for builder in builders:
            builder.finish()

    def _add(self, builder: Builder, owner: int) -> None:
        """Add the code of thread `owner`, which is the builder's own or a copy of another one's."""
        builder.owner = owner
        builder.first_index = builder.index + 1
        numbered = any("." in line.text and (".+" in line.text or ".-" in line.text) for line in self.lines[owner])
        for line, part in zip(self.lines[owner], self.codes[owner], strict=True):
            if builder.prefix:
                line = Line(tuple(builder.prefix + name for name in line.labels), line.text, line.offset)
            builder.place(line)
            if part is not None:
                if numbered:
                    builder.land(f"{builder.prefix}line#{builder.line}")
                part.emit(builder)
        if numbered:
            builder.land(f"{builder.prefix}line#{builder.line + 1}")

    def _finish_jumps(self, builder: Builder) -> None:
        """Copy other threads' code behind a thread that can jump there, and say which labels addresses mean."""
        own = builder.owner
        thread = builder.thread
        foreign = [
            index
            for index, other in enumerate(self.program.threads)
            if index != own and any(not name.startswith("return#") for name in other.code_addresses.values())
        ]
        jumps = any(part is not None and part.indirect for part in self.codes[own])
        addresses = {address: name for address, name in thread.code_addresses.items() if ":" not in name}
        if jumps and foreign:
            builder.branch(_END)
            for index in foreign:
                builder.prefix = f"P{index}:"
                self._add(builder, index)
                builder.branch(_END)
                names = self.program.threads[index].code_addresses
                addresses |= {a: f"P{index}:{name}" for a, name in names.items() if ":" not in name}
            builder.owner, builder.prefix = own, ""
        builder.land(_END)
        if jumps and "X30" not in thread.registers:
            thread.registers["X30"] = code_address(self.program, own, _END)
            addresses[thread.registers["X30"]] = _END
        thread.code_addresses = {a: name for a, name in addresses.items() if name in thread.labels}
