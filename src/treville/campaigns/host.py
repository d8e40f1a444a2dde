"""A process of its own that runs workers for another process: groups of questions in, reports out.

Clients of Dask, its workers and servers have threads, and a process with threads should not be forked. So
they start this one, which has none, and which forks, watches and kills workers as the command does by itself
(`campaigns/workers.py`). It ends when its standard input does, with all that it started.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from treville.campaigns.kind import Kind
from treville.campaigns.parcels import pickled
from treville.campaigns.wire import Inbox, framed, receive, send
from treville.campaigns.workers import Group, Happened, Workers
from treville.records import NamedTuple, dataclass
from treville.results.progress import Progress

_SECONDS_TO_END = 5.0
_SECONDS_BETWEEN_WORDS = 0.2


@dataclass(frozen=True, slots=True)
class Work:
    """Groups of numbered questions, each group pickled, but for questions that are `answered` already. After
    so many `seconds` no further group is begun."""

    groups: Sequence[bytes]
    answered: frozenset[int] = frozenset()
    seconds: float | None = None


class Said(NamedTuple):
    """Reports, pickled, with the numbers of their questions, and what is being done about others; `idle`:
    nothing is left to do of the `works` that came by then. Another may be under way, so only `Host` knows
    whether that is all."""

    reports: Sequence[tuple[int, bytes]]
    progress: Sequence[tuple[int, Progress]]
    idle: bool
    works: int


class Host:
    """The other end of such a process. Not for use by several threads."""

    def __init__(self, kind: bytes, jobs: int) -> None:
        """`kind` is pickled."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # interruptions from a terminal are its user's business
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._tasks = self._process.stdin.fileno()
        self._inbox = Inbox(self._process.stdout.fileno())
        self._begun = 0
        self._heard: list[Said] = []
        with suppress(BrokenPipeError):  # that it ended shows when nothing is said
            send(self._tasks, (kind, jobs))
        os.set_blocking(self._tasks, False)

    @property
    def descriptor(self) -> int:
        """What can be read when the host has said something."""
        return self._inbox.descriptor

    def wait_until_awake(self) -> None:
        """Wait until it has imported what it needs. Raises `EOFError` if it cannot."""
        while not any(said.idle for said in self.said(1)):
            pass

    def begin(self, work: Work) -> None:
        """Let it work; what it has not begun waits until a worker is idle. What it says meanwhile is kept:
        it reads nothing while nobody listens, so two that only talk would wait for each other for ever.
        Raises `BrokenPipeError` if it has ended."""
        self._begun += 1
        left = memoryview(framed(work))
        ready = select.poll()
        ready.register(self._tasks, select.POLLOUT)
        ready.register(self.descriptor, select.POLLIN)
        while left:
            for descriptor, _ in ready.poll():
                if descriptor == self._tasks:
                    left = left[self._taken(left) :]
                else:
                    self._listen()

    def _taken(self, data: memoryview) -> int:
        """How much of the data there was room for."""
        with suppress(BlockingIOError):
            return os.write(self._tasks, data)
        return 0

    def _listen(self) -> None:
        try:
            self._heard += self._inbox.read()
        except EOFError:
            raise BrokenPipeError from None  # `said` says so, too, after what it said before

    def said(self, seconds: float) -> list[Said]:
        """Wait a moment for what it says. Raises `EOFError` if it has ended."""
        found, self._heard = self._heard, []
        ready = select.poll()
        ready.register(self.descriptor, select.POLLIN)
        if not found and ready.poll(1000 * seconds):
            found = list(self._inbox.read())
        # It was idle before it had read all of what it got last: that is no end.
        return [said._replace(idle=said.idle and said.works == self._begun) for said in found]

    def close(self) -> None:
        """End it, and all that it started."""
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()  # its guard ends the rest
            self._process.wait()


def main() -> None:
    """The life of a host."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    tasks, results = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)  # what libraries print is no message
    with suppress(EOFError, BrokenPipeError):
        _serve(tasks, results)


def _serve(tasks: int, results: int) -> None:
    kind, jobs = receive(tasks)
    loaded: Kind[Any, Any] = pickle.loads(kind)
    loaded.warm_up()
    workers = Workers(loaded, jobs, (tasks, results))
    try:
        _Serving(workers, tasks, results).run()
    finally:
        workers.close()


class _Serving:
    """A host at work. Reports are sent a few at a time: who waits for them should not wake up for each."""

    def __init__(self, workers: Workers[Any, Any], tasks: int, results: int) -> None:
        self._workers = workers
        self._tasks, self._results = tasks, results
        self._inbox = Inbox(tasks)
        self._waiting: deque[Group[Any]] = deque()
        self._until = float("inf")
        self._works = 0
        self._reports: list[tuple[int, bytes]] = []
        self._progress: dict[int, Progress] = {}
        self._sent = time.monotonic()

    def run(self) -> None:
        """Work until nobody is there to work for."""
        while True:
            idle = not self._waiting and not self._workers.busy()
            if idle or time.monotonic() - self._sent > _SECONDS_BETWEEN_WORDS:
                self._send(idle)
            if _is_readable(self._tasks, None if idle else 0):
                for work in self._inbox.read():
                    self._take(work)
            while self._waiting and self._workers.has_room():
                self._workers.begin(self._waiting.popleft())
            if self._workers.busy():
                for happened in self._workers.wait((self._tasks,)):
                    self._heard(happened)
            if time.monotonic() > self._until:
                self._waiting.clear()

    def _heard(self, happened: Happened[Any]) -> None:
        if happened.report is not None:
            self._reports.append((happened.number, pickled(happened.report)))
            self._progress.pop(happened.number, None)
        elif happened.progress is not None:
            self._progress[happened.number] = happened.progress

    def _take(self, work: Work) -> None:
        self._works += 1
        for group in work.groups:
            questions = [each for each in pickle.loads(group) if each[0] not in work.answered]
            if questions:
                self._waiting.append(Group(deque(questions)))
        self._until = time.monotonic() + (float("inf") if work.seconds is None else work.seconds)

    def _send(self, idle: bool) -> None:
        if self._reports or self._progress or idle:
            send(self._results, Said(self._reports, list(self._progress.items()), idle, self._works))
        self._reports = []
        self._progress = {}
        self._sent = time.monotonic()


def _is_readable(descriptor: int, seconds: float | None) -> bool:
    ready = select.poll()
    ready.register(descriptor, select.POLLIN)
    return bool(ready.poll(None if seconds is None else 1000 * seconds))
