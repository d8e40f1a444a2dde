"""JSON lines (one operation a line), or one JSON array of operations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from treville.histories.formats.records import Record, numbered_lines, read_records
from treville.histories.history import History
from treville.results import InputError, Source

_EXPECTED = 'expected one object a line: {"process": 0, "type": "write", "key": "x", "value": 1}'


def read(source: Source) -> History:
    """A history from JSON."""
    if source.text.lstrip().startswith("["):
        return read_records(source.name, _array(source))
    return read_records(source.name, _lines(source))


def _lines(source: Source) -> Iterator[Record]:
    for _, offset, line in numbered_lines(source.text):
        yield _record(source, offset, len(line), _parse(source, offset, line))


def _array(source: Source) -> Iterator[Record]:
    """The array's elements, each with its own place."""
    decoder = json.JSONDecoder(parse_int=_integer)
    text, at = source.text, source.text.index("[") + 1
    while True:
        at = _blanks(text, at)
        if text[at : at + 1] == "]":
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except RecursionError:
            raise InputError("nested too deeply", source.span(at)) from None
        except ValueError as error:
            where = getattr(error, "pos", at)
            raise InputError("not JSON", source.span(where), _EXPECTED) from None
        yield _record(source, at, end - at, value)
        at = _blanks(text, end)
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != "]":
            raise InputError("expected , or ] here", source.span(at))


def _blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _parse(source: Source, offset: int, line: str) -> Any:
    try:
        return json.loads(line, parse_int=_integer)
    except RecursionError:
        raise InputError("nested too deeply", source.span(offset)) from None
    except ValueError as error:
        where = offset + getattr(error, "pos", 0)
        reason = getattr(error, "msg", str(error))
        raise InputError(f"not JSON: {reason}", source.span(where), _EXPECTED) from None


def _integer(digits: str) -> int | str:
    """Integers of any size; those too long to convert quickly stay text, which compares the same."""
    return int(digits) if len(digits) < 400 else digits


def _record(source: Source, offset: int, length: int, value: Any) -> Record:
    if not isinstance(value, dict):
        raise InputError("this is no object", source.span(offset, length), _EXPECTED)
    return Record(value, source.span(offset, length))
