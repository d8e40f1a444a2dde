"""EDN, as Clojure programs (Jepsen among them) log: maps one after the other, or a vector of maps.

Read: nil, booleans, integers, floats, strings, characters, keywords, symbols, lists, vectors, maps, sets,
comments, discards (`#_`) and tagged values (the tag is dropped). Keywords become their name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from treville.histories.formats.records import Record, read_records
from treville.histories.history import History
from treville.histories.values import parse_scalar
from treville.results import InputError, Source

_DEEPEST = 100
_ATOM = re.compile(r"[^\s,()\[\]{}\";]+")
_FLOAT = re.compile(r"[+-]?\d+\.?\d*([eE][+-]?\d+)?M?")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


def read(source: Source) -> History:
    """A history from EDN."""
    return read_records(source.name, _records(source))


def value_at(source: Source, start: int, end: int) -> Any:
    """The only value between two places of a text."""
    reader = _Reader(Source(source.name, source.text[start:end]))
    try:
        if not reader.skip():
            raise reader.error("no value")
        value = reader.value(0)
        if reader.skip():
            raise reader.error("something follows the value")
    except InputError as error:
        raise InputError(error.message, source.span(start + reader.at)) from None
    return _plain(value)


def _records(source: Source) -> Iterator[Record]:
    reader = _Reader(source)
    while reader.skip():
        start = reader.at
        value = reader.value(0)
        if isinstance(value, _Sequence):
            for item, place, length in value.items:
                yield _record(source, item, place, length)
        else:
            yield _record(source, value, start, reader.at - start)


def _record(source: Source, value: Any, offset: int, length: int) -> Record:
    if not isinstance(value, dict):
        raise InputError(
            "this is no map",
            source.span(offset, length),
            "expected maps such as {:process 0, :type :write, :key x, :value 1}",
        )
    return Record(_plain(value), source.span(offset, length))


def _plain(value: Any) -> Any:
    if isinstance(value, _Sequence):
        return [_plain(item) for item, _, _ in value.items]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


class _Sequence:
    """A list, vector or set, its items with their places."""

    def __init__(self, items: list[tuple[Any, int, int]]) -> None:
        self.items = items


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source, self.text, self.at = source, source.text, 0

    def error(self, message: str, at: int | None = None) -> InputError:
        return InputError(message, self.source.span(self.at if at is None else at))

    def skip(self, depth: int = 0) -> bool:
        """Pass blanks, commas, comments and discarded values; whether something follows."""
        if depth > _DEEPEST:
            raise self.error("nested too deeply")
        while self.at < len(self.text):
            here = self.text[self.at]
            if here.isspace() or here == ",":
                self.at += 1
            elif here == ";":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif self.text.startswith("#_", self.at):
                self.at += 2
                if not self.skip(depth + 1):
                    raise self.error("nothing to discard")
                self.value(depth + 1)
            else:
                return True
        return False

    def value(self, depth: int) -> Any:
        """The value that begins here."""
        if depth > _DEEPEST:
            raise self.error("nested too deeply")
        here = self.text[self.at]
        if here == '"':
            return self._string()
        if here in "([":
            return self._sequence(here, depth)
        if here == "{":
            return self._map(depth)
        if here == "#":
            return self._dispatch(depth)
        return self._atom()

    def _sequence(self, opening: str, depth: int) -> _Sequence:
        start = self.at
        self.at += 1
        items: list[tuple[Any, int, int]] = []
        while True:
            if not self.skip():
                raise self.error(f"no {_CLOSING[opening]} for this", start)
            if self.text[self.at] == _CLOSING[opening]:
                self.at += 1
                return _Sequence(items)
            place = self.at
            items.append((self.value(depth + 1), place, self.at - place))

    def _map(self, depth: int) -> dict[str, Any]:
        start = self.at
        flat = self._sequence("{", depth).items
        if len(flat) % 2:
            raise self.error("a key without a value in this map", start)
        return {_key_text(flat[i][0]): flat[i + 1][0] for i in range(0, len(flat), 2)}

    def _dispatch(self, depth: int) -> Any:
        if self.text.startswith("#{", self.at):
            self.at += 1
            return self._sequence("{", depth)
        match = _ATOM.match(self.text, self.at + 1)
        if not match:
            raise self.error("unexpected #")
        self.at = match.end()
        if not self.skip():
            raise self.error("a tag without a value")
        return self.value(depth + 1)

    def _string(self) -> str:
        start = self.at
        parts: list[str] = []
        self.at += 1
        while self.at < len(self.text):
            here = self.text[self.at]
            self.at += 1
            if here == '"':
                return "".join(parts)
            if here == "\\":
                escape = self.text[self.at : self.at + 1]
                self.at += 1
                here = _ESCAPES.get(escape, escape)
            parts.append(here)
        raise self.error("this string has no end", start)

    def _atom(self) -> Any:
        match = _ATOM.match(self.text, self.at)
        if not match:
            raise self.error(f"unexpected {self.text[self.at]!r}")
        self.at = match.end()
        text = match.group()
        if text == "nil":
            return None
        if text.startswith(":") and len(text) > 1:
            return text[1:]
        if text.endswith("N") and text[:-1].lstrip("+-").isdigit():
            text = text[:-1]
        number = parse_scalar(text)
        if isinstance(number, str) and len(text) < 100 and _FLOAT.fullmatch(text):
            return float(text.rstrip("M"))
        return number


def _key_text(key: Any) -> str:
    if isinstance(key, _Sequence | dict):
        return repr(_plain(key))
    return str(key)
