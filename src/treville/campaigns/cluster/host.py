"""A process of its own that runs workers for another process: groups of questions in, reports out.

Clients of Dask and its workers have threads, and a process with threads should not be forked. So they start
this one, which has none, and which forks, watches and kills workers as the command does by itself
(`campaigns/workers.py`). It ends when its standard input does, with all that it started.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from treville.campaigns.kind import Kind
from treville.campaigns.wire import Inbox, receive, send
from treville.campaigns.workers import Group, Workers
from treville.results.progress import Progress

_SECONDS_TO_END = 5.0


class Said(NamedTuple):
    """What a host says of the question with that number: its report, pickled, or what is being done."""

    number: int
    report: bytes | None = None
    progress: Progress | None = None


_AWAKE = Said(-1)


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
        with suppress(BrokenPipeError):  # that it ended shows when nothing is said
            send(self._tasks, (kind, jobs))

    @property
    def descriptor(self) -> int:
        """What can be read when the host has said something."""
        return self._inbox.descriptor

    def wait_until_awake(self) -> None:
        """Wait until it has imported what it needs. Raises `EOFError` if it cannot."""
        while _AWAKE not in self.said(1):
            pass

    def begin(self, group: bytes, answered: frozenset[int] = frozenset()) -> None:
        """Work on numbered questions about one file, pickled, but for those that are answered already, when a
        worker is idle."""
        send(self._tasks, (group, answered))

    def said(self, seconds: float) -> list[Said]:
        """Wait a moment for what it says. Raises `EOFError` if it has ended."""
        ready = select.poll()
        ready.register(self.descriptor, select.POLLIN)
        return list(self._inbox.read()) if ready.poll(1000 * seconds) else []

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
    send(results, _AWAKE)
    workers = Workers(loaded, jobs, (tasks, results))
    waiting: deque[Group[Any]] = deque()
    inbox = Inbox(tasks)
    try:
        while True:
            while waiting and workers.has_room():
                workers.begin(waiting.popleft())
            for number, report, progress in _happened(workers, tasks):
                send(results, Said(number, report, progress))
            if _is_readable(tasks, 0 if workers.busy() or waiting else None):
                for group, answered in inbox.read():
                    questions = [each for each in pickle.loads(group) if each[0] not in answered]
                    waiting.append(Group(deque(questions)))
    finally:
        workers.close()


def _happened(workers: Workers[Any, Any], tasks: int) -> Iterator[Said]:
    if not workers.busy():
        return
    for happened in workers.wait((tasks,)):
        report = happened.report
        data = None if report is None else pickle.dumps(report, pickle.HIGHEST_PROTOCOL)
        yield Said(happened.number, data, happened.progress)


def _is_readable(descriptor: int, seconds: float | None) -> bool:
    ready = select.poll()
    ready.register(descriptor, select.POLLIN)
    return bool(ready.poll(None if seconds is None else 1000 * seconds))
