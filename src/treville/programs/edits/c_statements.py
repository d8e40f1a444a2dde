"""The statements of a C source as it is typed: where a new one has room.

The source is read without being compiled, so that places are those that people see: macros are words like
any other, and all branches of conditionals are there. What does not read as statements has no room.
"""

from __future__ import annotations

from collections.abc import Sequence

from treville.programs.edits.c_tokens import Word, closing
from treville.records import dataclass

_HEADED = frozenset({"if", "while", "for", "switch"})
_LEAVING = frozenset({"return", "goto", "break", "continue"})
_NO_BODY = frozenset({"=", ",", "(", "return", "enum"})


@dataclass(frozen=True, slots=True)
class Room:
    """A statement could stand before the offset `at`. Where the statement there is the whole body of an `if`
    or a loop, it gets braces: it ends at `end`. `beside` is the statement whose indentation tells how far to
    indent: that of the `if` or loop for braces, for the end of a block its first one."""

    at: int
    end: int | None = None
    beside: int | None = None
    closes: bool = False


class _Wrong(Exception):
    """It does not read as statements."""


def rooms(words: Sequence[Word]) -> list[Room]:
    """Room for statements in all functions of a source."""
    found: list[Room] = []
    at = 0
    while at < len(words):
        if words[at].text != "{":
            at += 1
            continue
        before = words[at - 1].text if at else ""
        end = closing(words, at)
        if end is None:
            break
        if before == ")" or before in ("const", "noexcept", "override"):
            reader = _Reader(words)
            try:
                reader.block(at + 1, end)
            except (_Wrong, RecursionError):
                reader.found = []
            found += reader.found
            at = end + 1
        else:  # of an initial value, or of a struct that may have functions
            at = end + 1 if before in _NO_BODY else at + 1
    return found


class _Reader:
    """Reads the statements of one function."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        self.found: list[Room] = []

    def block(self, at: int, end: int) -> None:
        """The statements up to the closing brace at `end`."""
        last, first = "", self.words[at].start
        empty = at == end
        while at < end:
            last = self.words[at].text
            at = self.statement(at, end)
        if last not in _LEAVING and not empty:
            self.found.append(Room(self.words[end].start, None, first, closes=True))

    def statement(self, at: int, end: int, head: int | None = None) -> int:
        """One statement; the place behind it. `head`: it is the body of the `if` or loop there."""
        if at >= end:
            raise _Wrong
        text = self.words[at].text
        if text == "{":
            return self._braces(at)
        at = self._labels(at, end)
        if at >= end:
            return at
        text = self.words[at].text
        number = len(self.found)
        self.found.append(Room(self.words[at].start))
        behind = self._rest(at, end, text)
        if text == ";":
            del self.found[number]
        elif head is not None:
            end_of_it = self.words[behind - 1].end
            self.found[number] = Room(self.words[at].start, end_of_it, self.words[head].start)
        return behind

    def _braces(self, at: int) -> int:
        close = closing(self.words, at)
        if close is None:
            raise _Wrong
        self.block(at + 1, close)
        return close + 1

    def _labels(self, at: int, end: int) -> int:
        """Step over labels, which are in front of a statement."""
        while at < end:
            text = self.words[at].text
            following = self.words[at + 1].text if at + 1 < end else ""
            if text in ("case", "default"):
                while at < end and self.words[at].text != ":":
                    at += 1
                at += 1
            elif self.words[at].is_name and following == ":" and text not in ("public", "private"):
                at += 2
            else:
                break
        return at

    def _rest(self, at: int, end: int, text: str) -> int:
        if text in _HEADED:
            return self._headed(at, end, text)
        if text == "do":
            at = self.statement(at + 1, end, at)
            return self._simple(at, end)
        if text == "{":
            return self._braces(at)
        return self._simple(at, end)

    def _headed(self, at: int, end: int, text: str) -> int:
        if at + 1 >= end or self.words[at + 1].text != "(":
            raise _Wrong
        close = closing(self.words, at + 1)
        if close is None or close >= end:
            raise _Wrong
        head, at = at, self.statement(close + 1, end, at)
        if text == "if" and at < end and self.words[at].text == "else":
            if at + 1 < end and self.words[at + 1].text == "if":
                return self._headed(at + 1, end, "if")
            return self.statement(at + 1, end, head)
        return at

    def _simple(self, at: int, end: int) -> int:
        """Up to the next semicolon outside of brackets."""
        while at < end:
            text = self.words[at].text
            if text == ";":
                return at + 1
            if text in "([{":
                close = closing(self.words, at)
                if close is None or close >= end:
                    raise _Wrong
                at = close
            at += 1
        raise _Wrong
