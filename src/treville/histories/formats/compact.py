"""The compact notation of the thesis: `(w,x,1).(r,y,0) || (w,y,1).(r,x,0)`.

Threads are separated by `||` (or `∥`), operations by `.` or blanks. A thread may begin with `name:`, which
also ends the thread before it.
`⊥` or `_` as the value of a read is the initial value. `#` begins a comment. A line
`init x=1 y=2` gives initial values.
"""

from __future__ import annotations

import re

from treville.histories.history import History, Operation, Value
from treville.histories.values import parse_scalar
from treville.results import InputError, Source

# Nothing is tried twice (`+`): blanks may be many.
_OPERATION = re.compile(r"\(\s*+([A-Za-z]++)\s*+,\s*+([^,()\s]++)\s*+,([^,()]*+)\)")
_NAME = re.compile(r"([A-Za-z_][\w-]*)\s*:")
_SEPARATOR = re.compile(r"\|\||∥")
_INITIAL = re.compile(r"^[ \t]*init[ \t]+([^\n]*)$", re.MULTILINE)
_KINDS = {"w": True, "write": True, "r": False, "read": False}


def read(source: Source) -> History:
    """A history from the compact notation."""
    return _Reader(source).history()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        # Blank comments and init lines so that offsets stay those of the file.
        self.text = re.sub(r"#[^\n]*", lambda m: " " * len(m.group()), source.text)
        self.initial: dict[str, Value] = {}
        for match in _INITIAL.finditer(self.text):
            self._read_initial(match)
        self.text = _INITIAL.sub(lambda m: " " * len(m.group()), self.text)
        self.at = 0
        self.operations: list[Operation] = []

    def _read_initial(self, match: re.Match[str]) -> None:
        for part in re.finditer(r"\S+", match.group(1)):
            key, equals, value = part.group().partition("=")
            if not equals or not key or not value:
                span = self.source.span(match.start(1) + part.start(), len(part.group()))
                raise InputError("expected key=value after init", span)
            self.initial[key] = parse_scalar(value)

    def history(self) -> History:
        number, names = 0, set[str]()
        self._skip_blanks()
        while True:
            name = self._name(f"P{number}")
            if name in names:
                raise InputError(f"thread {name} is given twice", self.source.span(self.at))
            names.add(name)
            self._thread(name)
            if self.at >= len(self.text):
                break
            number += 1
        return History(self.source.name, tuple(self.operations), self.initial)

    def _skip_blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _name(self, default: str) -> str:
        match = _NAME.match(self.text, self.at)
        if not match:
            return default
        self.at = match.end()
        self._skip_blanks()
        return match.group(1)

    def _thread(self, name: str) -> None:
        while self.at < len(self.text):
            separator = _SEPARATOR.match(self.text, self.at)
            if separator:
                self.at = separator.end()
                self._skip_blanks()
                return
            if self.text[self.at] in ".·;" or self.text[self.at].isspace():
                self.at += 1
                continue
            if _NAME.match(self.text, self.at):
                return
            self._operation(name)

    def _operation(self, name: str) -> None:
        match = _OPERATION.match(self.text, self.at)
        if not match:
            raise InputError(
                "expected an operation such as (w,x,1) or (r,x,0)",
                self.source.span(self.at),
                "threads are separated by ||, operations by a dot",
            )
        span = self.source.span(self.at, len(match.group()))
        kind = _KINDS.get(match.group(1).lower())
        if kind is None:
            raise InputError(f"unknown operation {match.group(1)!r}", span, "r reads, w writes")
        text = match.group(3).strip()
        value = None if text in ("⊥", "_") else parse_scalar(text)
        if text == "" or (value is None and kind):
            raise InputError("this operation needs a value", span)
        self.operations.append(Operation(name, kind, match.group(2), value, span=span))
        self.at = match.end()
