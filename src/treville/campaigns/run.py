"""A batch: questions of one kind -> their reports, in the order of the questions.

Questions that an earlier, interrupted run answered are taken from its journal. The others go to worker
processes, those about one file together, so that the file is read once. A report is in the journal as soon
as it is there, also while an earlier one is still awaited. Only a window of questions is under way, so
memory does not grow with their number.

This is all that a front end needs: `run` with a kind (`campaigns/kinds.py`) and its questions gives typed
reports, a `Watcher` is told of progress, `cancelled` ends it from anywhere.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, Protocol

from treville.campaigns.kind import Kind, Q, R, nobody
from treville.campaigns.processes import can_fork
from treville.campaigns.workers import WINDOW, Group, Happened, Workers
from treville.records import dataclass
from treville.results.progress import Progress
from treville.results.reports.report import Report

if TYPE_CHECKING:
    from treville.campaigns.journal import Journal


class Watcher(Protocol):
    """Who wants to know how a batch goes."""

    def stored(self, report: Report) -> None:
        """An answer of an earlier run was found."""

    def working(self, file: str, progress: Progress) -> None:
        """What is being done about a file."""

    def answered(self, report: Report) -> None:
        """There is an answer."""

    def waiting(self) -> None:
        """Some time has passed."""


class Nobody:
    """Nobody wants to know."""

    def stored(self, report: Report) -> None:
        """Told to nobody."""

    def working(self, file: str, progress: Progress) -> None:
        """Told to nobody."""

    def answered(self, report: Report) -> None:
        """Told to nobody."""

    def waiting(self) -> None:
        """Told to nobody."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How many processes share a batch; `together` keeps questions about one file in one of them. `threads`:
    the caller has some, so that another process starts these. With a `cluster` (an address, or `local:N`)
    they only prepare inputs."""

    jobs: int = 1
    together: bool = True
    cluster: str = ""
    threads: bool = False


class Crew(Protocol[Q, R]):
    """Who answers: worker processes here, or those of a cluster."""

    @property
    def window(self) -> int:
        """How many questions may be under way."""

    def has_room(self) -> bool:
        """Whether a group could be begun at once."""

    def busy(self) -> bool:
        """Whether anything is being worked on."""

    def begin(self, group: Group[Q]) -> None:
        """Begin with a group."""

    def wait(self) -> Iterator[Happened[R]]:
        """Wait a moment; what has happened by then."""

    def known(self) -> Iterator[Happened[R]]:
        """What is known already of questions that are being worked on."""

    def close(self) -> None:
        """End all that is under way."""


def run(
    kind: Kind[Q, R],
    questions: Iterable[Q],
    settings: Settings = Settings(),  # noqa: B008 - frozen
    journal: Journal | None = None,
    watcher: Watcher = Nobody(),  # noqa: B008 - without state
    cancelled: Callable[[], bool] = lambda: False,
) -> Generator[R, None, None]:
    """A report for each question, in order. Closing the iterator ends all that is under way; so does
    `cancelled`, which is asked every moment: then there are no more reports."""
    batch = _Batch(kind, iter(questions), settings, journal, watcher, cancelled)
    return batch.by_workers() if can_fork() and not kind.talks else batch.in_this_process()


class _Batch(Generic[Q, R]):
    """A batch on its way: questions are read, asked, and their reports handed on in order."""

    def __init__(
        self,
        kind: Kind[Q, R],
        questions: Iterator[Q],
        settings: Settings,
        journal: Journal | None,
        watcher: Watcher,
        cancelled: Callable[[], bool],
    ) -> None:
        self.kind = kind
        self.questions = questions
        self.settings = settings
        self.journal = journal
        self.watcher = watcher
        self.cancelled = cancelled
        self.read = 0
        self.emitted = 0
        self.exhausted = False
        self.asked: dict[int, tuple[Q, str]] = {}
        self.ready: dict[int, R] = {}
        self.ahead: tuple[int, Q] | None = None
        self.window = WINDOW

    def by_workers(self) -> Generator[R, None, None]:
        """The reports, by worker processes."""
        workers = self.crew()
        try:
            while not self.cancelled() and (not self.exhausted or workers.busy() or self.ready):
                self.window = workers.window
                while not self.exhausted and workers.has_room() and self.has_room():
                    if group := self.next_group():
                        workers.begin(group)
                yield from self.in_order()
                if workers.busy():
                    for happened in workers.wait():
                        self.take(happened)
                    self.watcher.waiting()
        except KeyboardInterrupt:
            for happened in workers.known():
                self.take(happened, record=False)
            yield from self.in_order()
            raise
        finally:
            workers.close()

    def crew(self) -> Crew[Q, R]:
        """Who answers."""
        if self.settings.cluster:
            from treville.campaigns.cluster.crew import Crew as ClusterCrew

            return ClusterCrew(self.kind, self.settings.cluster, self.settings.jobs)
        if self.settings.threads:
            from treville.campaigns.apart import Apart

            return Apart(self.kind, self.settings.jobs)
        if self.settings.jobs > 1:
            self.kind.warm_up()
        return Workers(self.kind, self.settings.jobs)

    def in_this_process(self) -> Generator[R, None, None]:
        """The reports, where processes cannot be forked, or somebody is talked to: engines watch their limits
        themselves."""
        while not self.cancelled() and (not self.exhausted or self.ready):
            group = self.next_group()
            questions = list(group.questions) if group else []
            reports = (
                self.kind.answers([question for _, question in questions], nobody()) if questions else ()
            )
            for (number, _), report in zip(questions, reports, strict=True):
                self.take(Happened(number, report=report))
                yield from self.in_order()
            yield from self.in_order()

    def has_room(self) -> bool:
        """Whether another question may be read."""
        return self.read - self.emitted < self.window

    def in_order(self) -> Iterator[R]:
        """Reports whose turn it is."""
        while self.emitted in self.ready:
            report = self.ready.pop(self.emitted)
            self.emitted += 1
            yield report

    def take(self, happened: Happened[R], *, record: bool = True) -> None:
        """A worker said something. What is not recorded is asked again when the batch goes on."""
        question, key = self.asked[happened.number]
        if happened.progress is not None:
            self.watcher.working(question.file, happened.progress)
        if happened.report is not None:
            if self.journal is not None and record:
                self.journal.add(key, question.limits, happened.report)
            del self.asked[happened.number]
            self.ready[happened.number] = happened.report
            self.watcher.answered(happened.report)

    def next_group(self) -> Group[Q] | None:
        """The next questions that belong together, if there are any before the window is full."""
        found: deque[tuple[int, Q]] = deque()
        while not self.exhausted and (self.ahead or self.has_room()):
            numbered = self.ahead or self.following()
            self.ahead = None
            if numbered is None:
                continue
            if found and (numbered[1].file != found[0][1].file or not self.settings.together):
                self.ahead = numbered
                break
            found.append(numbered)
        return Group(found) if found else None

    def following(self) -> tuple[int, Q] | None:
        """The next question; None if the journal has its answer, or there is none."""
        question = next(self.questions, None)
        if question is None:
            self.exhausted = True
            return None
        number = self.read
        self.read += 1
        key = self.kind.key(question) if self.journal is not None else ""
        stored = (
            self.journal.find(key, question.limits, self.kind.report) if self.journal is not None else None
        )
        if stored is None:
            self.asked[number] = question, key
            return number, question
        self.ready[number] = stored
        self.watcher.stored(stored)
        return None
