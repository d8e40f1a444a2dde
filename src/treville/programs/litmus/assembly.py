"""The common part of all assembly dialects: the table `P0 | P1 ;` -> threads of IR instructions.

A dialect supplies a decoder, which turns one line into IR through a `ThreadBuilder`, and a register namer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.ir import (
    Branch,
    Expr,
    Fence,
    Instruction,
    Load,
    Local,
    Store,
    place,
)
from treville.programs.litmus.condition.clauses import read_conditions
from treville.programs.litmus.initial import RegisterNamer, apply_initial, read_initial
from treville.programs.litmus.layout import Sections
from treville.programs.litmus.observed_registers import Observation
from treville.programs.litmus.test import LitmusTest
from treville.records import NamedTuple
from treville.results import InputError, Span, Unsupported

PLAIN: frozenset[str] = frozenset()


class Line(NamedTuple):
    """One cell of the table: labels in front, the instruction's text ("" for none), its place in the file."""

    labels: tuple[str, ...]
    text: str
    offset: int


_PROCESSOR = re.compile(r"P(\d+)$")
_LABEL = re.compile(r"([A-Za-z_.$][\w.$]*)\s*:(?!:)\s*")
_MANY_LINES = 100_000


def split_table(sections: Sections) -> list[tuple[str, list[Line]]]:
    """The columns of the program: each thread's name and its lines."""
    text, base = sections.program
    rows = text.split(";")
    starts: list[int] = []
    position = base
    for row in rows:
        starts.append(position)
        position += len(row) + 1
    first = 0
    while first < len(rows) - 1 and not rows[first].strip():
        first += 1
    columns = _header(sections, rows[first], starts[first])
    if rows[-1].strip():
        skipped = len(rows[-1]) - len(rows[-1].lstrip())
        raise sections.error("this row has no ';' at its end", starts[-1] + skipped)
    for row, start in zip(rows[first + 1 : -1], starts[first + 1 : -1], strict=True):
        cells = row.split("|")
        if len(cells) > len(columns):
            message = f"{len(cells)} columns, but {len(columns)} threads"
            raise sections.error(message, start + len(cells[0]) + 1)
        for (_, lines), cell in zip(columns, cells, strict=False):
            stripped = cell.strip()
            if stripped:
                lines.append(_line(stripped, start + cell.index(stripped[0])))
            start += len(cell) + 1
    return columns


def _header(sections: Sections, row: str, start: int) -> list[tuple[str, list[Line]]]:
    columns: list[tuple[str, list[Line]]] = []
    seen: set[str] = set()
    for cell in row.split("|"):
        name = cell.strip()
        offset = start + len(cell) - len(cell.lstrip())
        if not _PROCESSOR.match(name):
            if re.match(r"P\d+\s*[.:]", name):
                span = sections.source.span(offset, len(name))
                raise Unsupported(f"the column '{name}' (fault handlers and processor annotations)", span)
            message = f"expected a thread like P0, found '{name[:40]}'"
            raise sections.error(message, offset, hint="the table starts with P0 | P1 ;")
        if name in seen:
            raise sections.error(f"thread {name} occurs twice", offset, len(name))
        seen.add(name)
        columns.append((name, []))
        start += len(cell) + 1
    return columns


def _line(cell: str, offset: int) -> Line:
    if ":" not in cell:
        return Line((), cell, offset)
    labels: list[str] = []
    position = 0
    while (match := _LABEL.match(cell, position)) is not None:
        labels.append(match.group(1))
        position = match.end()
    return Line(tuple(labels), cell[position:], offset + position)


def split_label(cell: str) -> tuple[str, str]:
    """The labels in front of an instruction, as they are written, and the instruction."""
    text = _line(cell, 0)
    return cell[: text.offset], text.text


class ThreadBuilder:
    """Collects the IR of one thread. `place(line)` starts a source instruction, `emit` adds to it."""

    def __init__(self, sections: Sections, program: ProgramDraft, thread: ThreadDraft) -> None:
        self.sections, self.program, self.thread = sections, program, thread
        self.source = sections.source
        self.instructions = thread.instructions
        self.text = ""
        self.offset = 0
        self.span: Span | None = None
        self.index = -1
        self.jumps: list[tuple[str, Span | None]] = []
        self.leaving = ""
        self._fresh = 0

    def place(self, line: Line) -> None:
        """Start the source instruction of a line and put its labels here."""
        for label in line.labels:
            if label in self.thread.labels:
                raise self.sections.error(
                    f"label {label} occurs twice in {self.thread.name}", line.offset - len(label), len(label)
                )
            self.thread.labels[label] = len(self.instructions)
        if line.text:
            self.index += 1
            self.text, self.offset = line.text, line.offset
            self.span = self.source.span(line.offset, len(line.text))

    def emit(self, instruction: Instruction) -> None:
        """Add an IR instruction that belongs to the current source instruction."""
        place(instruction, self.text, self.span, self.index)
        self.instructions.append(instruction)

    def local(self, register: str, value: Expr) -> None:
        """`register := value`"""
        self.emit(Local(register, value))

    def load(
        self,
        register: str | None,
        address: Expr,
        tags: frozenset[str] = PLAIN,
        bits: int = 32,
        *,
        link: bool = False,
    ) -> None:
        """`register := *address`"""
        self.emit(Load(register, address, tags, bits, link))

    def store(
        self, address: Expr, value: Expr, tags: frozenset[str] = PLAIN, bits: int = 32, *, link: bool = False
    ) -> None:
        """`*address := value`"""
        self.emit(Store(address, value, tags, bits, link))

    def fence(self, *tags: str) -> None:
        """A fence event."""
        self.emit(Fence(frozenset(tags)))

    def branch(self, target: str, condition: Expr | None = None) -> None:
        """Go to a label of the source, which may come later."""
        self.jumps.append((target, self.span))
        self.emit(Branch(target, condition))

    def exit(self) -> None:
        """Leave the thread."""
        self.leaving = self.leaving or self.fresh("end")
        self.emit(Branch(self.leaving))

    def skip_next(self, condition: Expr) -> str:
        """Jump over what follows if the condition holds; `land` the returned label where it is to end.

        Only what is skipped is control-dependent on the condition.
        """
        label = self.fresh("skip")
        self.emit(Branch(label, condition, until=label))
        return label

    def land(self, label: str) -> None:
        """Put a label made by `skip_next` here."""
        self.thread.labels[label] = len(self.instructions)

    def fresh(self, prefix: str) -> str:
        """A name for a register or label that no source text can mention."""
        self._fresh += 1
        return f"{prefix}#{self._fresh}"

    def finish(self) -> None:
        """Check that every jump has a target, and put the end of the thread where it is."""
        if self.leaving:
            self.land(self.leaving)
        for target, span in self.jumps:
            if target not in self.thread.labels:
                raise InputError(f"no label {target} in {self.thread.name}", span)

    def error(self, message: str, hint: str = "") -> InputError:
        """An input error at the current source instruction, for the caller to raise."""
        return InputError(message, self.span, hint)

    def unsupported(self, construct: str) -> Unsupported:
        """A refusal of the current source instruction, for the caller to raise."""
        return Unsupported(construct, self.span)


Decoder: TypeAlias = Callable[[ThreadBuilder, str], None]
"""Turns the text of one instruction into IR."""


def read_assembly(
    sections: Sections,
    dialect: str,
    decode: Decoder,
    register: RegisterNamer,
    *,
    default_bits: int = 32,
    wide: bool = False,
) -> LitmusTest:
    """Read a whole test of an assembly dialect.

    `wide` says that registers may hold more than `int` values, so that what states show must be cast.
    """
    columns = split_table(sections)
    if sum(len(lines) for _, lines in columns) > _MANY_LINES:
        raise sections.error(f"more than {_MANY_LINES} instructions", sections.program.offset)
    program = ProgramDraft([ThreadDraft(name) for name, _ in columns])
    types = apply_initial(sections, program, read_initial(sections), register, default_bits)
    for thread, (_, lines) in zip(program.threads, columns, strict=True):
        builder = ThreadBuilder(sections, program, thread)
        for line in lines:
            builder.place(line)
            if line.text:
                decode(builder, line.text)
        builder.finish()
    return read_conditions(sections, program, dialect, register, Observation(program, types, cast=wide))
