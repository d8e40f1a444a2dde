"""What a worker of Dask does: it hands questions to a host of its own, and returns the reports.

A worker runs in threads and may be the daemon of another process, so that it may not fork: the host may, and
can be killed with all that it started when the campaign is cancelled. Hosts are kept for the next
questions, and end with the worker, or when they have been idle for a while.
"""

from __future__ import annotations

import atexit
import threading
import time

from distributed import get_worker

from treville.campaigns.cluster.versions import difference
from treville.campaigns.host import Host, Work
from treville.records import dataclass

_TICK = 0.25
_ATTEMPTS = 3
_SECONDS_IDLE = 60.0


class OtherVersion(Exception):
    """This machine would answer something else."""


class Cancelled(Exception):
    """Nobody waits for the answers any more."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Questions for one task of Dask: groups of numbered parcels, each group pickled. After so many `seconds`
    no further group is begun: another worker may have the rest."""

    versions: dict[str, str]
    kind: bytes
    groups: tuple[bytes, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Answered:
    """Pickled reports with the numbers of their questions, and how long they took."""

    reports: tuple[tuple[int, bytes], ...]
    seconds: float


class _Hosts:
    """The hosts of this worker that are idle, and since when."""

    def __init__(self) -> None:
        self._idle: list[tuple[float, bytes, Host]] = []
        self._lock = threading.Lock()
        self._watched = False

    def take(self, kind: bytes) -> Host:
        """One for this kind of question."""
        with self._lock:
            for place, (_, known, host) in enumerate(self._idle):
                if known == kind:
                    del self._idle[place]
                    return host
        return _started(kind)

    def give_back(self, kind: bytes, host: Host) -> None:
        """It is idle."""
        with self._lock:
            self._idle.append((time.monotonic(), kind, host))
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, daemon=True).start()

    def close(self) -> None:
        """End them all."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, _, host in idle:
            host.close()

    def _watch(self) -> None:
        """End those that nobody needs, until there are none."""
        while self._watched:
            time.sleep(_SECONDS_IDLE / 4)
            since = time.monotonic() - _SECONDS_IDLE
            with self._lock:
                old = [host for began, _, host in self._idle if began < since]
                self._idle = [each for each in self._idle if each[0] >= since]
                self._watched = bool(self._idle)
            for host in old:
                host.close()


def _started(kind: bytes) -> Host:
    host = Host(kind, 1)
    try:
        host.wait_until_awake()
    except BaseException:
        host.close()
        raise
    return host


_hosts = _Hosts()
atexit.register(_hosts.close)


def answer(bundle: Bundle) -> Answered:
    """The reports of the questions, or of those that there was time for. Runs in a thread of a worker."""
    if other := difference(bundle.versions):
        raise OtherVersion(other)
    reports: dict[int, bytes] = {}
    for _ in range(_ATTEMPTS):
        host = _hosts.take(bundle.kind)
        started = time.monotonic()
        try:
            _ask(host, Work(bundle.groups, frozenset(reports), bundle.seconds), reports)
        except (EOFError, BrokenPipeError):  # somebody killed it: the rest is asked again
            host.close()
        except BaseException:
            host.close()
            raise
        else:
            _hosts.give_back(bundle.kind, host)
            return Answered(tuple(reports.items()), time.monotonic() - started)
    raise ChildProcessError("the process that answers was killed again and again")


def _ask(host: Host, work: Work, reports: dict[int, bytes]) -> None:
    """Add the reports, until the host is idle again."""
    host.begin(work)
    idle = False
    while not idle:
        for said in host.said(_TICK):
            reports.update(said.reports)
            idle = said.idle
        if _is_cancelled():
            raise Cancelled


def _is_cancelled() -> bool:
    """Whether the scheduler has told this worker to forget the task at hand: its client cancelled it, or is
    gone."""
    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is None or task.state == "cancelled"
