"""CSV (also with tabs or semicolons), with or without a header line.

Without a header the columns are process, type, key, value and optionally invoke, complete, status.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from treville.histories.formats.records import FIELD_OF, Record, numbered_lines, read_records
from treville.histories.history import History
from treville.histories.values import parse_scalar
from treville.results import InputError, Source

_COLUMNS = ("process", "type", "key", "value", "invoke", "complete", "status")


def read(source: Source) -> History:
    """A history from a table."""
    return read_records(source.name, _records(source))


def delimiter_of(line: str) -> str:
    """The character that separates the columns of a line."""
    return max(",;\t", key=line.count)


def is_header(cells: list[str]) -> bool:
    """Whether a line names columns: at least a process, a type and a key or value."""
    names = {FIELD_OF.get(cell.strip().lower()) for cell in cells}
    return {"process", "type"} <= names and bool({"key", "value"} & names)


def _records(source: Source) -> Iterator[Record]:
    columns: list[str] | None = None
    delimiter = ","
    for _, offset, line in numbered_lines(source.text):
        if line.lstrip().startswith("#"):
            continue
        if columns is None:
            delimiter = delimiter_of(line)
        cells = _cells(source, offset, line, delimiter)
        if columns is None:
            columns = [cell.lower() for cell in cells] if is_header(cells) else list(_COLUMNS)
            if is_header(cells):
                continue
        yield _record(source, offset, line, cells, columns)


def _cells(source: Source, offset: int, line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter, strict=True))]
    except (csv.Error, StopIteration) as error:
        raise InputError(f"not a line of a table: {error}", source.span(offset, len(line))) from None


def _record(source: Source, offset: int, line: str, cells: list[str], columns: list[str]) -> Record:
    span = source.span(offset, len(line))
    if len(cells) < 4 or len(cells) > len(columns):
        raise InputError(
            f"{len(cells)} columns",
            span,
            f"expected {', '.join(columns)} (process, type, key and value at least)",
        )
    fields: dict[str, object] = {}
    for name, cell in zip(columns, cells, strict=False):
        if cell == "" and name not in ("key", "process", "type"):
            continue
        is_text = FIELD_OF.get(name) in ("type", "status")
        fields[name] = cell if is_text else parse_scalar(cell)
    return Record(fields, span)
