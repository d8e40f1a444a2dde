"""The errors of the tool. Anything that is not a `TrevilleError` is a bug in Treville.

`InputError` and `Unsupported` become exit code 2, `BudgetExceeded` becomes the verdict UNKNOWN.
Libraries raise; only `cli` prints.
"""

from __future__ import annotations

from enum import StrEnum

from treville.results.source import Span, printable


class Limit(StrEnum):
    """A limit of the command line that may end a question."""

    TIME = "time"
    MEMORY = "memory"


RAISE = {Limit.TIME: "raise --timeout", Limit.MEMORY: "raise --memory"}


def limit_in(text: str) -> Limit | None:
    """The limit that advice says to raise, if it is one of the command line's."""
    return next((limit for limit, advice in RAISE.items() if advice in text), None)


class TrevilleError(Exception):
    """Root of all expected errors."""


class InputError(TrevilleError):
    """The input is wrong at `span`; `hint` says what to do about it."""

    heading = ""

    def __init__(self, message: str, span: Span | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint

    @property
    def complaint(self) -> str:
        """What is wrong, in one line without its place."""
        return self.heading + printable(self.message)

    def __str__(self) -> str:
        lines = [f"{self.span}: error: {self.complaint}" if self.span else f"error: {self.complaint}"]
        if self.span and (caret := self.span.caret()):
            lines.append(caret)
        if self.hint:
            lines.append(f"  {self.hint}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[type[InputError], tuple[str, Span | None, str]]:
        """Errors cross process borders in batches."""
        return (type(self), (self.message, self.span, self.hint))


class Unsupported(InputError):
    """The input is meaningful, but Treville does not handle what `message` names (LIMITATIONS.md)."""

    heading = "not supported: "


class BudgetExceeded(TrevilleError):
    """Time, memory or a search bound ran out; `advice` says what to raise."""

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.advice = advice

    @property
    def limit(self) -> Limit | None:
        """The limit of the command line that ran out, if it was one of those."""
        return limit_in(self.advice)

    def __reduce__(self) -> tuple[type[BudgetExceeded], tuple[str, str]]:
        return (type(self), (self.reason, self.advice))


class TooLarge(BudgetExceeded):
    """The search space is larger than this engine lists; another engine may still answer."""


class SchedulerLost(TrevilleError):
    """A cluster has nobody left to ask; what was answered is answered."""


class OutOfWork(BudgetExceeded):
    """The slice of work that an engine was given is used up; with another one it goes on."""
