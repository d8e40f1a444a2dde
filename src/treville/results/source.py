"""Text with a name, and places in it: what every error message of the tool points at."""

from __future__ import annotations

import re
from bisect import bisect_right

from treville.records import dataclass, field

_LONGEST = 1_000
_WIDEST = 160  # of a long line only the surroundings of the place are shown


@dataclass(frozen=True, slots=True)
class Span:
    """A place in an input: 1-based line and column, and the text of that line for the caret."""

    file: str
    line: int
    column: int
    length: int = 1
    line_text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def caret(self) -> str:
        """The source line with a caret below the place, or nothing when the line is unknown."""
        if not self.line_text:
            return ""
        first = max(0, self.column - _WIDEST // 2) if len(self.line_text) > _WIDEST else 0
        shown = printable(self.line_text[first : first + _WIDEST].replace("\t", " "))
        width = max(1, min(self.length, len(shown) + first - self.column + 1))
        return f"  {shown}\n  {' ' * (self.column - 1 - first)}{'^' * width}"


def printable(text: str) -> str:
    """The text with control characters replaced, so that an input cannot steer the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


@dataclass(slots=True)
class Source:
    """An input text; turns character offsets into spans (line table built on first use)."""

    name: str
    text: str
    _starts: list[int] = field(default_factory=list, repr=False)

    def span(self, offset: int, length: int = 1) -> Span:
        """The span of `length` characters from `offset`; O(log lines) after the first call."""
        if not self._starts:
            self._starts = [0, *(newline.end() for newline in re.finditer("\n", self.text))]
        offset = max(0, min(offset, len(self.text)))
        row = bisect_right(self._starts, offset) - 1
        start = self._starts[row]
        end = self.text.find("\n", start)
        # Spans are many: of a line without end (a file in one line) they keep no text.
        end = min(end if end >= 0 else len(self.text), start + _LONGEST)
        line_text = self.text[start:end] if offset - start < _LONGEST else ""
        return Span(self.name, row + 1, offset - start + 1, length, line_text)
