"""The table of a litmus test in assembly, as text that can be changed: new lines, other lines, none.

A new line of one thread is a row of its own, with the fences that other threads get at the same place; lines
that are taken away leave their cell empty. Everything else in the file stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping

from treville.programs.edits.text import Edit
from treville.programs.litmus.assembly import split_label
from treville.programs.litmus.layout import Sections
from treville.records import NamedTuple


class Cell(NamedTuple):
    """One instruction: where its text with its labels begins, its labels as written, its text, its row."""

    start: int
    labels: str
    text: str
    row: int

    @property
    def at(self) -> int:
        """Where the instruction itself begins."""
        return self.start + len(self.labels)

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.at + len(self.text)


class Row(NamedTuple):
    """Where a row begins, and the widths of its cells."""

    start: int
    widths: tuple[int, ...]


class Table:
    """The cells of each thread that hold an instruction, in order."""

    def __init__(self, sections: Sections) -> None:
        self.file = sections.source.name
        self.text = sections.source.text
        self.threads: list[list[Cell]] = []
        self.rows: list[Row] = []
        position = sections.program.offset
        for text in sections.program.text.split(";")[:-1]:
            self._row(text, position)
            position += len(text) + 1

    def _row(self, text: str, start: int) -> None:
        cells = text.split("|")
        if not self.threads:
            if text.strip():
                self.threads = [[] for _ in cells]
            return
        self.rows.append(Row(start, tuple(map(len, cells))))
        for thread, cell in zip(self.threads, cells, strict=False):
            stripped = cell.strip()
            labels, instruction = split_label(stripped)
            if instruction:
                at = start + cell.index(stripped[0])
                thread.append(Cell(at, labels, instruction, len(self.rows) - 1))
            start += len(cell) + 1

    # -- changes -----------------------------------------------------------------------------------

    def edits(
        self, inserted: Mapping[tuple[int, int], str], replaced: Mapping[tuple[int, int], str]
    ) -> list[Edit]:
        """Edits that put lines before instructions, given by thread and number, and others in place of
        them (nothing: the instruction goes)."""
        edits = []
        rows: dict[int, dict[int, str]] = {}
        for (thread, number), line in inserted.items():
            cell = self.threads[thread][number]
            rows.setdefault(cell.row, {})[thread] = cell.labels + line
            if cell.labels:
                edits.append(Edit(self.file, cell.start, cell.at, " " * len(cell.labels)))
        for (thread, number), line in replaced.items():
            cell = self.threads[thread][number]
            edits.append(Edit(self.file, cell.at, cell.end, line.ljust(len(cell.text))))
        for row, lines in rows.items():
            edits.append(self._new_row(row, lines))
        return edits

    def _new_row(self, row: int, lines: Mapping[int, str]) -> Edit:
        """A row of the same form before a row."""
        start, widths = self.rows[row]
        cells = []
        for thread, width in enumerate(widths):
            line = lines.get(thread, "")
            cells.append(f" {line}".ljust(width if thread else max(0, width - 1)))
        cells += [f" {lines[thread]} " for thread in sorted(lines) if thread >= len(widths)]
        return Edit(self.file, start, start, "\n" + "|".join(cells) + ";")
