"""Questions -> reports, by worker processes that are killed when they overrun a limit.

What overruns its time or memory inside of native code cannot be stopped by an exception, and what ends its
process (a reader's abort, a solver's segmentation fault) must not end the batch. So everything about a
question happens in a forked worker: reading, compiling, solving, explaining. The parent kills a worker that
overran, with all that it started, reports the question as lost, and asks the rest of another worker.
Engines watch their budget themselves and end well, with what they found so far; this is for those that do
not.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Generic, NoReturn

from treville.campaigns.guard import broken, refused
from treville.campaigns.kind import Kind, Q, R, Telling
from treville.campaigns.processes import (
    Guard,
    become_worker,
    ended,
    forget_words,
    kill_group,
    last_words,
    remove,
    resident_bytes,
)
from treville.campaigns.wire import Inbox, receive, send
from treville.records import dataclass, field, replace
from treville.results import InputError
from treville.results.errors import Limit
from treville.results.progress import READING, Progress
from treville.results.reports.report import Status
from treville.results.verdict import Verdict

WINDOW = 512
_GRACE = 0.4  # seconds after the limit, for engines that end by themselves
_TICK = 0.05
_TICK_FOR_MEMORY = 0.01
_QUESTIONS_PER_WORKER = 400
_ATTEMPTS = 3  # for questions whose worker somebody else killed
_BROKEN = 70
_KILLED = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


@dataclass(slots=True)
class Group(Generic[Q]):
    """Questions about one file and their places in the batch; those at the front are answered first."""

    questions: deque[tuple[int, Q]]
    attempts: int = 0


@dataclass(slots=True)
class _Worker(Generic[Q, R]):
    """A process, what it works on, and what it said of the question at hand."""

    process: int
    tasks: int
    inbox: Inbox
    folder: str
    alive: bool = True
    group: Group[Q] | None = None
    started: float = 0.0
    done: int = 0
    stage: str = READING
    provisional: R | None = None


@dataclass(slots=True)
class Happened(Generic[R]):
    """A report of the question with that number, or what is being done about it."""

    number: int
    report: R | None = None
    progress: Progress | None = None


@dataclass(slots=True)
class Workers(Generic[Q, R]):
    """Worker processes for one kind of question; `close` ends them. `_private` are descriptors of this
    process that are no business of theirs. Not for use by several threads."""

    kind: Kind[Q, R]
    jobs: int
    _private: tuple[int, ...] = ()
    _workers: list[_Worker[Q, R]] = field(default_factory=list)
    _guard: Guard | None = None
    _made: int = 0

    @property
    def window(self) -> int:
        """How many questions may be under way."""
        return WINDOW

    def has_room(self) -> bool:
        """Whether a group could be worked on at once."""
        return len(self._workers) < self.jobs or any(worker.group is None for worker in self._workers)

    def busy(self) -> bool:
        """Whether anything is being worked on."""
        return any(worker.group is not None for worker in self._workers)

    def begin(self, group: Group[Q]) -> None:
        """Let an idle worker, or a new one, begin with a group."""
        worker = next((worker for worker in self._workers if worker.group is None), None)
        if worker is not None and worker.done >= _QUESTIONS_PER_WORKER:
            self._end(worker)
            worker = None
        if worker is None:
            worker = self._fork()
        worker.group = group
        self._begin_next(worker)
        with suppress(BrokenPipeError):  # a worker that died while idle shows when no answer comes
            send(worker.tasks, [question for _, question in group.questions])

    def _begin_next(self, worker: _Worker[Q, R]) -> None:
        worker.started, worker.stage, worker.provisional = time.monotonic(), READING, None

    def wait(self, others: Sequence[int] = ()) -> Iterator[Happened[R]]:
        """Wait a moment, or until something can be read from another descriptor; what has happened by then.
        Workers that overran are ended, their groups go on."""
        for worker in self._speaking(self._tick(), others):
            yield from self._read(worker)
        now = time.monotonic()
        # Who has something to say may have ended in time: this process was busy, or its output was blocked.
        speaking = self._speaking(0)
        silent = [w for w in self._workers if w.group is not None and w not in speaking]
        for worker in silent:
            limit = self._overrun(worker, now)
            if limit is not None:
                yield from self._stop(worker, limit)

    def _speaking(self, seconds: float, others: Sequence[int] = ()) -> list[_Worker[Q, R]]:
        """The workers that have said something, or do so in time."""
        busy = {w.inbox.descriptor: w for w in self._workers if w.group is not None}
        poll = select.poll()
        for descriptor in (*busy, *others):
            poll.register(descriptor, select.POLLIN)
        return [busy[descriptor] for descriptor, _ in poll.poll(1000 * seconds) if descriptor in busy]

    def _tick(self) -> float:
        groups = [worker.group for worker in self._workers if worker.group is not None]
        limited = any(group.questions[0][1].limits.memory is not None for group in groups if group.questions)
        return _TICK_FOR_MEMORY if limited else _TICK

    def _read(self, worker: _Worker[Q, R]) -> Iterator[Happened[R]]:
        try:
            for what, content in worker.inbox.read():
                yield from self._heard(worker, what, content)
        except EOFError:
            yield from self._died(worker)

    def _heard(self, worker: _Worker[Q, R], what: str, content: Any) -> Iterator[Happened[R]]:
        group = worker.group
        if group is None:
            return
        if what == "report":
            number, _ = group.questions.popleft()
            group.attempts = 0
            worker.done += 1
            self._begin_next(worker)
            if not group.questions:
                worker.group = None  # it can have another one at once
            yield Happened(number, report=content)
        elif what == "provisional":
            worker.provisional = content
        elif group.questions:
            worker.stage = content.stage
            yield Happened(group.questions[0][0], progress=content)

    def _overrun(self, worker: _Worker[Q, R], now: float) -> Limit | None:
        assert worker.group is not None
        if not worker.group.questions:
            return None
        limits = worker.group.questions[0][1].limits
        if limits.seconds is not None and now - worker.started > limits.seconds + _GRACE:
            return Limit.TIME
        if limits.memory is not None and resident_bytes(worker.process) > limits.memory:
            return Limit.MEMORY
        return None

    def known(self) -> Iterator[Happened[R]]:
        """What is known already of questions that are being worked on."""
        for worker in self._workers:
            if worker.group is not None and worker.group.questions and worker.provisional is not None:
                seconds = round(time.monotonic() - worker.started, 4)
                yield Happened(worker.group.questions[0][0], replace(worker.provisional, seconds=seconds))

    def _stop(self, worker: _Worker[Q, R], limit: Limit) -> Iterator[Happened[R]]:
        """The question at hand is lost, the others go on."""
        assert worker.group is not None
        number, question = worker.group.questions.popleft()
        report = worker.provisional
        if report is None:
            report = replace(self.kind.blank(question), reason=_reason(limit, question.limits), limit=limit)
        seconds = round(time.monotonic() - worker.started, 4)
        yield Happened(number, report=replace(report, seconds=seconds, limit=limit))
        self._go_on_without(worker)

    def _died(self, worker: _Worker[Q, R]) -> Iterator[Happened[R]]:
        """A worker ended by itself: a question that somebody else killed is asked again, one that broke its
        reader or engine is answered so."""
        group = worker.group
        kill_group(worker.process)
        code = ended(worker.process)
        worker.alive = False
        if group is not None and group.questions:
            group.attempts += 1
            if -code not in _KILLED or group.attempts >= _ATTEMPTS:
                number, question = group.questions.popleft()
                group.attempts = 0
                known = worker.provisional
                failed = known is not None and known.verdict is Verdict.FAIL
                blank = known if known is not None and failed else self.kind.blank(question)
                how = f"{_cause(code)}{_said(worker.folder)}"
                report = replace(
                    self._death(blank, worker.stage, code, how),
                    seconds=round(time.monotonic() - worker.started, 4),
                )
                yield Happened(number, report=report)
        self._go_on_without(worker)

    def _death(self, report: R, stage: str, code: int, how: str) -> R:
        if report.verdict is Verdict.FAIL:
            return report  # only the explanation is missing
        if -code in _KILLED:
            reason = f"the process was {how} again and again, perhaps for lack of memory (set --memory)"
            return replace(report, status=Status.UNKNOWN, reason=reason, limit=Limit.MEMORY)
        if stage == READING:
            return refused(report, InputError(f"{report.file}: reading it ends the process ({how})"))
        return broken(report, f"the process ended while {stage or 'answering'} ({how})")

    def _go_on_without(self, worker: _Worker[Q, R]) -> None:
        group = worker.group
        self._end(worker)
        if group is not None and group.questions:
            self.begin(group)

    def _end(self, worker: _Worker[Q, R]) -> None:
        self._workers.remove(worker)
        os.close(worker.tasks)
        os.close(worker.inbox.descriptor)
        if worker.alive:
            kill_group(worker.process)
            ended(worker.process)
        if self._guard is not None:
            self._guard.releases(worker.process)
        remove(worker.folder)

    def close(self) -> None:
        """End all workers, and remove their temporary files."""
        for worker in list(self._workers):
            self._end(worker)
        if self._guard is not None:
            self._guard.dismiss()
            self._guard = None

    def _fork(self) -> _Worker[Q, R]:
        if self._guard is None:
            self._guard = Guard()
        self._made += 1
        folder = f"{self._guard.folder}/{self._made}"
        task_reader, task_writer = os.pipe()
        result_reader, result_writer = os.pipe()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        gc.freeze()  # workers need not look through what they share: memory that is looked at is copied
        process = os.fork()
        if not process:
            self._in_child(folder, task_reader, result_writer, (task_writer, result_reader))
        with suppress(OSError):
            os.setpgid(process, process)
        self._guard.protects(process)
        os.close(task_reader)
        os.close(result_writer)
        worker: _Worker[Q, R] = _Worker(process, task_writer, Inbox(result_reader), folder)
        self._workers.append(worker)
        return worker

    def _in_child(self, folder: str, tasks: int, results: int, parents: tuple[int, int]) -> NoReturn:
        try:
            assert self._guard is not None
            # An open end of another one's pipe would keep that one waiting for ever.
            for sibling in self._workers:
                os.close(sibling.tasks)
                os.close(sibling.inbox.descriptor)
            for descriptor in (*parents, *self._private, self._guard.descriptor):
                os.close(descriptor)
            become_worker(folder)
            serve(self.kind, tasks, results)
        except (EOFError, BrokenPipeError):
            pass  # the parent needs nothing more
        except BaseException:
            if os.environ.get("TREVILLE_TRACEBACK"):
                import traceback

                traceback.print_exc()
            os._exit(_BROKEN)
        finally:
            os._exit(0)


def serve(kind: Kind[Q, R], tasks: int, results: int) -> None:
    """A worker's loop, until the parent closes its end: groups of questions in, reports out."""
    telling: Telling[R] = Telling(
        lambda progress: send(results, ("progress", progress)),
        lambda report: send(results, ("provisional", report)),
    )
    while True:
        questions: Sequence[Q] = receive(tasks)
        answered = 0
        for report in kind.answers(questions, telling):
            send(results, ("report", report))
            forget_words()
            answered += 1
        assert answered == len(questions), "a question without an answer"


def _reason(limit: Limit, limits: Any) -> str:
    if limit is Limit.TIME:
        return f"stopped after {limits.seconds:g} s (raise --timeout)"
    return f"stopped at {limits.memory // 1_000_000} MB of memory (raise --memory)"


def _said(folder: str) -> str:
    words = last_words(folder)
    return f": {words}" if words else ""


def _cause(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"
