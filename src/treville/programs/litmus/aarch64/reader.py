"""AArch64 litmus tests -> IR: reads a test's table of instructions and puts its threads together.

Each instruction's text is compiled once (`arithmetic`, `flags`, `accesses`,
`branches`) and kept, since whole suites consist of few different lines. A thread that jumps to code
addresses gets copies of the threads whose labels the test mentions, because threads may run each other's
code.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TypeAlias

from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.litmus.aarch64 import accesses, arithmetic, branches, flags
from treville.programs.litmus.aarch64.operands import (
    BadOperands,
    Builder,
    Compiled,
    Handler,
    find_register,
    split_operands,
)
from treville.programs.litmus.assembly import Line, split_table
from treville.programs.litmus.condition.clauses import read_conditions
from treville.programs.litmus.initial import RegisterNamer, apply_initial, code_address, read_initial
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.observed_registers import Observation, has_wide_values
from treville.programs.litmus.test import LitmusTest
from treville.results import InputError, Source, Span, Unsupported

_TEXT = re.compile(r"([A-Za-z][\w.]*)\s*(.*)$", re.DOTALL)
_KEPT: dict[str, Compiled] = {}
_MOST_KEPT = 20_000
_OTHER_VARIANTS = (
    "mixed", "memtag", "morello", "vmsa", "kvm", "ifetch", "self", "neon", "sve", "sme", "nv2", "fatal",
    "pac", "asl",
)  # fmt: skip
_END = "end#"
Codes: TypeAlias = list[list[Compiled | None]]


def read(sections: Sections, _source: Source) -> LitmusTest:
    """The test of a file whose dialect is AArch64."""
    _refuse_variants(sections)
    columns = split_table(sections)
    program = ProgramDraft([ThreadDraft(name) for name, _ in columns])
    namer = _namer(sections)
    types = apply_initial(sections, program, read_initial(sections), namer)
    codes = [[_compiled(sections, line) for line in column] for _, column in columns]
    wide = (
        sections.fragment
        or has_wide_values(program)
        or any(part.wide for code in codes for part in code if part is not None)
    )
    lines = [column for _, column in columns]
    _refuse_mixed_sizes(sections, program, lines, codes)
    _Assembler(sections, program, lines, codes, wide).assemble()
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
        if found is not None:
            return found.name or "XZR", found.name or "XZR"
        span = sections.source.span(offset, len(written))
        if written.upper().endswith(("_EL0", "_EL1", "_EL2", "_EL3")):
            raise Unsupported(f"the system register {written}", span)
        raise InputError(f"unknown AArch64 register '{written}'", span, "X0 to X30, W0 to W30, SP")

    return name


def _refuse_mixed_sizes(
    sections: Sections, program: ProgramDraft, lines: list[list[Line]], codes: Codes
) -> None:
    """An access that is smaller than every location touches a part of one."""
    smallest = min((location.bits for location in program.locations.values()), default=0)
    for column, code in zip(lines, codes, strict=True):
        for line, part in zip(column, code, strict=True):
            if part is not None and 0 < part.bits < smallest:
                span = sections.source.span(line.offset, len(line.text))
                raise Unsupported(f"an access of {part.bits} bits to a larger location (mixed sizes)", span)


# -- instructions ----------------------------------------------------------------------------------


@cache
def _handlers() -> dict[str, Handler]:
    parts = (arithmetic, flags, accesses, branches)
    return {name: handler for part in parts for name, handler in part.handlers().items()}


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
        program: ProgramDraft,
        lines: list[list[Line]],
        codes: Codes,
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
            self.name_addresses()
        for builder in builders:
            builder.finish()

    def _add(self, builder: Builder, owner: int) -> None:
        """Add the code of thread `owner`, which is the builder's own or a copy of another one's."""
        builder.owner = owner
        builder.first_index = builder.index + 1
        numbered = any(".+" in line.text or ".-" in line.text for line in self.lines[owner])
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
        """Copy other threads' code behind a thread that can jump there; say which labels addresses mean."""
        own, thread = builder.owner, builder.thread
        jumps = any(part is not None and part.indirect for part in self.codes[own])
        if jumps:
            for index in self._mentioned(own):
                builder.branch(_END)
                builder.prefix = f"P{index}:"
                self._add(builder, index)
                names = self.program.threads[index].code_addresses
                thread.code_addresses |= {
                    a: f"P{index}:{name}" for a, name in names.items() if ":" not in name and name != _END
                }
            builder.owner, builder.prefix = own, ""
            builder.land(_END)
            if "X30" not in thread.registers:
                thread.registers["X30"] = code_address(self.program, own, _END)
        for name in thread.code_addresses.values():
            if name not in thread.labels:
                raise self.sections.error(f"no label {name} in {thread.name}", self.sections.initial.offset)

    def _mentioned(self, own: int) -> list[int]:
        """The other threads whose labels the initial state or an instruction turns into addresses."""
        return [
            index
            for index, other in enumerate(self.program.threads)
            if index != own and not all("#" in name or ":" in name for name in other.code_addresses.values())
        ]

    def name_addresses(self) -> None:
        """Let states show code addresses as labels."""
        for index, thread in enumerate(self.program.threads):
            at = {place: name for name, place in reversed(thread.labels.items()) if "#" not in name}
            for address, name in thread.code_addresses.items():
                place = thread.labels[name]
                if ":" not in name and place in at:
                    self.program.code_names[address] = f'label:"P{index}:{at[place]}"'
