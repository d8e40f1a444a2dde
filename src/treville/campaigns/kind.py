"""What a batch needs to know of a kind of question: one class for each command that takes files.

Questions are frozen and can be pickled; answers are reports (`results/reports`). Questions about one file may
share what is made of it: they are answered in turn by one worker.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from treville.records import dataclass
from treville.results.errors import TrevilleError
from treville.results.progress import READING, Listener, Progress
from treville.results.reports.report import Report


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds of the clock and bytes for each question; None is no limit."""

    seconds: float | None = None
    memory: int | None = None


class Question(Protocol):
    """What every kind of question has."""

    @property
    def file(self) -> str:
        """What it is about."""

    @property
    def limits(self) -> Limits:
        """When it is given up."""


Q = TypeVar("Q", bound=Question)
R = TypeVar("R", bound=Report)


@dataclass(frozen=True, slots=True)
class Telling(Generic[R]):
    """Whom a question tells what it is doing, and what it knows already: a `provisional` report stands if the
    worker is stopped while it looks for an explanation."""

    progress: Listener
    provisional: Callable[[R], None]


def nobody() -> Telling[R]:
    """Nobody listens."""
    return Telling(lambda _: None, lambda _: None)


class _WasRead(BaseException):
    """Reading ended: nobody on the way takes this for an error."""


def _until_read(progress: Progress) -> None:
    if progress.stage != READING:
        raise _WasRead


class StaysHere(TrevilleError):
    """A question needs files that are known only while it is answered: no other machine can have them."""


class Kind(ABC, Generic[Q, R]):
    """A kind of question: how it is answered, and what its report says while there is no answer."""

    name: str
    report: type[R]
    talks = False
    """Does it talk to the person at the terminal while it answers? Workers have none."""

    @abstractmethod
    def blank(self, question: Q) -> R:
        """The report of a question that has no answer yet."""

    @abstractmethod
    def answers(self, questions: Sequence[Q], telling: Telling[R]) -> Iterator[R]:
        """A report for each question, in order; all are about one file. Raises nothing but
        `KeyboardInterrupt`."""

    @abstractmethod
    def key(self, question: Q) -> str:
        """What two questions have in common that must get the same answer: contents, options, no limits."""

    def read(self, question: Q) -> None:
        """Read all files that answering reads, so that they can be carried to another machine; raises
        `TrevilleError` where that fails. Kinds that know no quicker way begin to answer, and stop when
        reading ends. Kinds whose questions must be answered here raise `StaysHere`."""
        try:
            for _ in self.answers([question], Telling(_until_read, lambda _: None)):
                raise TrevilleError("it cannot be read")
        except _WasRead:
            pass

    def warm_up(self) -> None:
        """Import what questions need, so that forked workers share it and no question's time is spent on
        it."""
