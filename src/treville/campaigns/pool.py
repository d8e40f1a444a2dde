"""A pool of worker processes that can be killed: tasks in, results out in the order of the tasks.

A task that overruns its time or memory inside native code cannot be stopped by an exception, so each
task runs in a forked worker; the parent kills a worker that overran its limits, reports the task as
lost, and forks another. Workers are renewed after a number of tasks, and only a window of tasks is
under way at once, so memory does not grow with the number of tasks.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_TICK = 0.05
_WINDOW = 512
_TASKS_PER_WORKER = 400
_HEADER = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class Limits:
    """When the parent kills a worker: wall seconds for a task, resident bytes of the process."""

    seconds: float | None = None
    memory: int | None = None


def can_fork() -> bool:
    """Whether this system has processes that can be forked and killed."""
    return hasattr(os, "fork")


@dataclass(slots=True)
class _Worker:
    process: int
    tasks: int
    results: int
    index: int = -1
    started: float = 0.0
    done: int = 0
    buffer: bytearray = field(default_factory=bytearray)


class Pool(Generic[T, R]):
    """Applies `function` to tasks in worker processes; `lost(task, reason)` makes the result of a task whose
    worker was killed or died."""

    def __init__(
        self, function: Callable[[T], R], lost: Callable[[T, str], R], jobs: int, limits: Limits
    ) -> None:
        self._function = function
        self._lost = lost
        self._jobs = max(1, jobs)
        self._limits = limits
        self._workers: list[_Worker] = []
        self._waiting: dict[int, T] = {}
        self._ready: dict[int, R] = {}

    def map(self, tasks: Iterable[T]) -> Generator[R, None, None]:
        """The results in the order of the tasks; closing the generator ends all workers."""
        source = enumerate(tasks)
        emitted = 0
        exhausted = False
        try:
            while True:
                while not exhausted and len(self._waiting) + len(self._ready) < _WINDOW and self._has_room():
                    following = next(source, None)
                    if following is None:
                        exhausted = True
                    else:
                        self._dispatch(*following)
                while emitted in self._ready:
                    yield self._ready.pop(emitted)
                    emitted += 1
                if exhausted and not self._waiting and not self._ready:
                    return
                if self._waiting:
                    self._collect()
        finally:
            for worker in self._workers:
                self._end(worker)
            self._workers = []

    def _has_room(self) -> bool:
        return len(self._workers) < self._jobs or any(worker.index < 0 for worker in self._workers)

    def _dispatch(self, index: int, task: T) -> None:
        worker = next((worker for worker in self._workers if worker.index < 0), None)
        if worker is not None and worker.done >= _TASKS_PER_WORKER:
            self._remove(worker)
            worker = None
        if worker is None:
            worker = self._fork()
            self._workers.append(worker)
        worker.index = index
        worker.started = time.monotonic()
        self._waiting[index] = task
        # A worker that died while idle shows when its result does not come.
        with suppress(BrokenPipeError):
            _write(worker.tasks, pickle.dumps(task))

    def _collect(self) -> None:
        """Wait a moment for results, then look for workers that overran."""
        busy = {worker.results: worker for worker in self._workers if worker.index >= 0}
        for descriptor in select.select(list(busy), [], [], _TICK)[0]:
            self._receive(busy[descriptor])
        now = time.monotonic()
        for worker in [worker for worker in self._workers if worker.index >= 0]:
            reason = self._overrun(worker, now)
            if reason:
                self._give_up(worker, reason)

    def _receive(self, worker: _Worker) -> None:
        data = os.read(worker.results, 1 << 20)
        if not data:
            self._give_up(worker, f"the worker process ended unexpectedly ({_cause(worker.process)})", False)
            return
        worker.buffer += data
        if len(worker.buffer) < _HEADER.size:
            return
        (length,) = _HEADER.unpack_from(worker.buffer)
        if len(worker.buffer) >= _HEADER.size + length:
            result = pickle.loads(bytes(worker.buffer[_HEADER.size :]))
            worker.buffer.clear()
            self._waiting.pop(worker.index)
            self._ready[worker.index] = result
            worker.index = -1
            worker.done += 1

    def _overrun(self, worker: _Worker, now: float) -> str:
        limits = self._limits
        if limits.seconds is not None and now - worker.started > limits.seconds:
            return f"stopped after {limits.seconds:.1f} s (raise --timeout)"
        if limits.memory is not None and _resident(worker.process) > limits.memory:
            return f"stopped at {limits.memory // 1_000_000} MB of memory (raise --memory)"
        return ""

    def _give_up(self, worker: _Worker, reason: str, alive: bool = True) -> None:
        task = self._waiting.pop(worker.index)
        self._ready[worker.index] = self._lost(task, reason)
        self._remove(worker, alive)

    def _remove(self, worker: _Worker, alive: bool = True) -> None:
        self._workers.remove(worker)
        self._end(worker, alive)

    def _end(self, worker: _Worker, alive: bool = True) -> None:
        os.close(worker.tasks)
        os.close(worker.results)
        if alive:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(worker.process, signal.SIGKILL)
                os.waitpid(worker.process, 0)

    def _fork(self) -> _Worker:
        task_reader, task_writer = os.pipe()
        result_reader, result_writer = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process:
            os.close(task_reader)
            os.close(result_writer)
            return _Worker(process, task_writer, result_reader)
        # In the child: an open end of a sibling's pipe would keep that sibling alive for ever.
        try:
            for sibling in self._workers:
                os.close(sibling.tasks)
                os.close(sibling.results)
            os.close(task_writer)
            os.close(result_reader)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            _serve(self._function, task_reader, result_writer)
        finally:
            os._exit(0)


def _serve(function: Callable[[Any], Any], tasks: int, results: int) -> None:
    """The worker's loop: until the parent closes its end."""
    while True:
        header = _read(tasks, _HEADER.size)
        if header is None:
            return
        body = _read(tasks, _HEADER.unpack(header)[0])
        if body is None:
            return
        _write(results, pickle.dumps(function(pickle.loads(body))))


def _read(descriptor: int, length: int) -> bytes | None:
    data = b""
    while len(data) < length:
        piece = os.read(descriptor, length - len(data))
        if not piece:
            return None
        data += piece
    return data


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(_HEADER.pack(len(data)) + data)
    while view:
        view = view[os.write(descriptor, view) :]


def _resident(process: int) -> int:
    """Resident bytes of another process, 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _cause(process: int) -> str:
    try:
        _, status = os.waitpid(process, 0)
    except ChildProcessError:
        return "unknown cause"
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return f"exit code {os.WEXITSTATUS(status)}"
