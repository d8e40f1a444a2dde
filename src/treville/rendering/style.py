"""Text for terminals: the few words that have colours, and characters that may not reach a terminal."""

from __future__ import annotations

import re
from typing import Protocol, TypeVar

from treville.records import dataclass
from treville.results.reports.report import Report, Status

_COLOURS = {
    "PASS": 32, "FAIL": 31, "UNKNOWN": 33, "Never": 31, "Sometimes": 33, "Always": 32,
}  # fmt: skip
_WORD = "|".join(rf"\x1b\[{colour}m{word} *\x1b\[0m" for word, colour in _COLOURS.items())
_UNPRINTABLE = r"[\x00-\x08\x0b-\x1f\x7f-\x9f]"
_COMMAND = re.compile(_UNPRINTABLE)
_WORD_OR_COMMAND = re.compile(f"({_WORD})|{_UNPRINTABLE}")


def harmless(text: str, *, coloured: bool = False) -> str:
    """The text without what a terminal takes for a command, but for words in our own colours: a name in an
    input must not steer a terminal."""
    if not coloured:
        return _COMMAND.sub("\N{REPLACEMENT CHARACTER}", text)
    return _WORD_OR_COMMAND.sub(lambda found: found.group(1) or "\N{REPLACEMENT CHARACTER}", text)


@dataclass(frozen=True, slots=True)
class Style:
    """Whether words have colours."""

    colour: bool = False

    def word(self, text: str, width: int = 0) -> str:
        """A word in its colour, filled up to a width."""
        padded = f"{text:<{width}}"
        colour = _COLOURS.get(text)
        return f"\x1b[{colour}m{padded}\x1b[0m" if self.colour and colour else padded


R_contra = TypeVar("R_contra", bound=Report, contravariant=True)


class Text(Protocol[R_contra]):
    """Reports as text, in their order: what to print when a report has come, and at the end."""

    def add(self, report: R_contra) -> str:
        """What to print now; nothing while a table waits for more."""

    def finish(self) -> str:
        """What is left to print."""


def verdict_word(report: Report) -> str:
    """One word for an answer."""
    return "error" if report.status is Status.ERROR else report.verdict.value
