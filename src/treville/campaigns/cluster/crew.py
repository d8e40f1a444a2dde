"""Questions -> reports, by workers of Dask: what `campaigns/workers.py` does on one machine.

A group of questions is packed by processes of this machine with all that it reads, put into a bundle with
others, and submitted. How many questions make a bundle follows from how long they take: about half a second
of work, since a task of Dask costs a millisecond or two. What a lost worker had is asked again by Dask; what
a lost scheduler had, which keeps nothing, is submitted again to the one that takes its place. An answer
counts once, whoever gives it how often.
"""

from __future__ import annotations

import os
import pickle
import queue
import select
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Generic

from treville.campaigns.cluster.connection import connect
from treville.campaigns.cluster.versions import versions
from treville.campaigns.host import Host, Work
from treville.campaigns.kind import Kind, Q, R
from treville.campaigns.parcels import Packed, Packing, Unpacked, Unpacking
from treville.campaigns.workers import Group, Happened
from treville.records import dataclass, replace
from treville.results import InputError, TrevilleError
from treville.results.errors import Limit, SchedulerLost
from treville.results.reports.report import Status

_TICK = 0.1
_SECONDS_BETWEEN_LOOKS = 2.0
_SECONDS_TO_ANSWER = 10.0
_SECONDS_TO_GATHER = 60.0
_SECONDS_OF_WORK = 0.5  # in a bundle; bench/campaign.py measures what that costs
_MOST_QUESTIONS = 256
_MOST_BYTES = 16_000_000  # in a bundle
_MOST_BYTES_WAITING = 256_000_000
_PACKED_TOGETHER = 16
_BUNDLES_FOR_EACH_THREAD = 2
_WINDOW_FOR_EACH_THREAD = 1_024
_MOST_DEATHS = 10  # of the process that packs, in one campaign
_SAME = "install the same Treville on all machines, the scheduler's too"


@dataclass(frozen=True, slots=True)
class _Load:
    """A packed group. `alone`: it shares no bundle, since one of its bundle's groups ended workers."""

    parcels: bytes
    numbers: tuple[int, ...]
    alone: bool = False


@dataclass(frozen=True, slots=True)
class _Task:
    future: Any
    loads: tuple[_Load, ...]


class Crew(Generic[Q, R]):
    """The workers of a cluster; `close` ends what was begun. Not for use by several threads."""

    def __init__(self, kind: Kind[Q, R], address: str, jobs: int) -> None:
        self._kind = kind
        self._sent = pickle.dumps(Unpacking(kind), pickle.HIGHEST_PROTOCOL)
        self._connection = connect(address)
        self._jobs = jobs
        self._packer = self._new_packer()
        self._asked: dict[int, Q] = {}
        self._packing: dict[int, Group[Q]] = {}
        self._packed = self._deaths = 0
        self._to_pack: list[int] = []
        self._ready: deque[_Load] = deque()
        self._waiting = self._bytes = 0  # questions that are ready, and their size
        self._running: dict[str, _Task] = {}
        self._finished: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._bell_reader, self._bell = os.pipe()
        os.set_blocking(self._bell_reader, False)
        self._mean = 0.0  # seconds for a question
        self._looked = self._silent = 0.0  # when the scheduler was asked, and when it first did not answer
        self._threads = 1
        self._look_around()

    # -- what a batch asks for -------------------------------------------------------------------------

    @property
    def window(self) -> int:
        """How many questions may be under way."""
        return max(512, _WINDOW_FOR_EACH_THREAD * self._threads)

    def has_room(self) -> bool:
        """Whether another group could be packed, so that nobody has to wait for one."""
        waiting = len(self._packing) + self._waiting
        return waiting < max(8, 2 * self._size() * self._threads) and self._bytes < _MOST_BYTES_WAITING

    def busy(self) -> bool:
        """Whether there is anything that has no answer yet."""
        return bool(self._asked)

    def begin(self, group: Group[Q]) -> None:
        """Pack a group."""
        self._asked.update(group.questions)
        self._packed += 1
        self._packing[self._packed] = group
        self._to_pack.append(self._packed)
        if len(self._to_pack) >= _PACKED_TOGETHER:
            self._pack(self._to_pack)
            self._to_pack = []

    def wait(self) -> Iterator[Happened[R]]:
        """Wait a moment; what has happened by then."""
        self._look_around()
        self._pack(self._to_pack)
        self._to_pack = []
        self._submit()
        ready = select.poll()
        for descriptor in (self._packer.descriptor, self._bell_reader):
            ready.register(descriptor, select.POLLIN)
        ready.poll(1000 * _TICK)
        yield from self._take_packed()
        yield from self._take_finished()

    def known(self) -> Iterator[Happened[R]]:
        """Nothing: what a host knows of a question that it has not answered stays there."""
        return iter(())

    def close(self) -> None:
        """Cancel what is under way: workers give up what they are doing within a moment."""
        futures = [task.future for task in self._running.values()]
        self._running.clear()
        if futures:
            with suppress(Exception):  # the scheduler may be gone, in any way
                cancel = partial(self._connection.client.cancel, futures, force=True)
                self._connection.ask(cancel, _SECONDS_TO_ANSWER)
        self._packer.close()
        self._connection.close()
        os.close(self._bell_reader)
        bell, self._bell = self._bell, -1
        os.close(bell)

    # -- packing ---------------------------------------------------------------------------------------

    def _new_packer(self) -> Host:
        return Host(pickle.dumps(Packing(self._kind)), self._jobs)

    def _pack(self, numbers: Iterable[int]) -> None:
        """Let groups be packed, by one process one after the other."""
        unpacked = [(number, Unpacked(tuple(self._packing[number].questions))) for number in numbers]
        if unpacked:
            with suppress(BrokenPipeError):  # one that was killed shows when no parcel comes
                self._packer.begin(Work([pickle.dumps(unpacked, pickle.HIGHEST_PROTOCOL)]))

    def _reports_of_packing(self) -> list[tuple[int, bytes]]:
        """What the process that packs says; one that somebody killed is replaced."""
        try:
            return [report for said in self._packer.said(0) for report in said.reports]
        except EOFError:
            self._packer.close()
        self._deaths += 1
        if self._deaths > _MOST_DEATHS:
            raise TrevilleError("the process that prepares inputs ends again and again")
        self._packer = self._new_packer()
        self._pack(self._packing)
        return []

    def _take_packed(self) -> Iterator[Happened[R]]:
        for packing, report in self._reports_of_packing():
            packed: Packed = pickle.loads(report)
            group = self._packing.pop(packing)
            if packed.carried:
                self._add(_Load(packed.parcels, packed.carried))
            for number, known in packed.answered:
                yield from self._answered(number, known)
            if not packed.carried and not packed.answered:
                for number, question in group.questions:
                    yield from self._answered(number, self._unread(question, packed))

    def _unread(self, question: Q, packed: Packed) -> R:
        """The report of a question that could not be packed."""
        return replace(
            self._kind.blank(question),
            status=packed.status,
            reason=packed.reason,
            seconds=packed.seconds,
            error=packed.error,
            limit=packed.limit,
            place=packed.place,
            detail=packed.detail,
        )

    def _answered(self, number: int, report: Any) -> Iterator[Happened[R]]:
        """An answer counts once."""
        if self._asked.pop(number, None) is not None:
            yield Happened(number, report=report)

    # -- submitting ------------------------------------------------------------------------------------

    def _look_around(self) -> None:
        """How many threads the cluster has now, and whether it is there."""
        client, now = self._connection.client, time.monotonic()
        if client.status != "running":
            self._silent = self._silent or now
        elif now - self._looked > _SECONDS_BETWEEN_LOOKS:
            self._looked, self._silent = now, self._silent or now
            with suppress(OSError):
                threads = self._connection.ask(client.nthreads, _SECONDS_TO_ANSWER)
                self._threads, self._silent = max(1, sum(threads.values())), 0.0
        # Dask connects again by itself, and closes the client if that fails, but not always.
        gone = client.status in ("closing", "closed")
        if gone or (self._silent and now - self._silent > self._connection.patience):
            raise SchedulerLost(f"the scheduler at {self._connection.address} is gone")

    def _size(self) -> int:
        """How many questions make a bundle."""
        if not self._mean:
            return 4
        return max(1, min(_MOST_QUESTIONS, round(_SECONDS_OF_WORK / self._mean)))

    def _submit(self) -> None:
        client = self._connection.client
        while self._ready and len(self._running) < _BUNDLES_FOR_EACH_THREAD * self._threads:
            if client.status != "running":
                return  # Dask connects again, or gives up
            from treville.campaigns.cluster.remote import Bundle, answer

            loads = self._bundle()
            groups = tuple(load.parcels for load in loads)
            bundle = Bundle(versions(), self._sent, groups, 2 * _SECONDS_OF_WORK)
            future = client.submit(answer, bundle, pure=False)
            self._running[future.key] = _Task(future, loads)
            future.add_done_callback(self._ring)

    def _bundle(self) -> tuple[_Load, ...]:
        """Groups for the next task; at the end of a batch they are shared out."""
        size = min(self._size(), -(-self._waiting // self._threads))
        loads = [self._taken()]
        questions, held = len(loads[0].numbers), len(loads[0].parcels)
        while self._ready and not loads[0].alone and not self._ready[0].alone:
            questions += len(self._ready[0].numbers)
            held += len(self._ready[0].parcels)
            if questions > size or held > _MOST_BYTES:
                break
            loads.append(self._taken())
        return tuple(loads)

    def _add(self, load: _Load, *, first: bool = False) -> None:
        (self._ready.appendleft if first else self._ready.append)(load)
        self._waiting += len(load.numbers)
        self._bytes += len(load.parcels)

    def _taken(self) -> _Load:
        load = self._ready.popleft()
        self._waiting -= len(load.numbers)
        self._bytes -= len(load.parcels)
        return load

    def _ring(self, future: Any) -> None:
        """In a thread of Dask's client: something has ended."""
        self._finished.put(future.key)
        with suppress(OSError):
            os.write(self._bell, b".")

    # -- answers ---------------------------------------------------------------------------------------

    def _take_finished(self) -> Iterator[Happened[R]]:
        with suppress(BlockingIOError):
            os.read(self._bell_reader, 1 << 16)
        ended: list[_Task] = []
        while not self._finished.empty():
            task = self._running.pop(self._finished.get(), None)
            if task is not None:
                ended.append(task)
        for task, found in zip(ended, self._results(ended), strict=True):
            if isinstance(found, BaseException):
                yield from self._failed(task, found)
            else:
                yield from self._succeeded(task, found)

    def _results(self, tasks: list[_Task]) -> list[Any]:
        """What tasks returned or raised."""
        futures = [task.future for task in tasks]
        with suppress(Exception):
            gather = partial(self._connection.client.gather, futures)
            return list(self._connection.ask(gather, _SECONDS_TO_GATHER)) if futures else []
        return [self._result(future) for future in futures]

    def _result(self, future: Any) -> Any:
        try:
            return future.result(_SECONDS_TO_GATHER)
        except Exception as error:
            return error

    def _succeeded(self, task: _Task, found: Any) -> Iterator[Happened[R]]:
        mean = found.seconds / max(1, len(found.reports))
        self._mean = mean if not self._mean else 0.7 * self._mean + 0.3 * mean
        for number, report in found.reports:
            yield from self._answered(number, pickle.loads(report))
        self._again(task)

    def _again(self, task: _Task, *, alone: bool = False) -> None:
        """Submit once more what has no answer, before what is new."""
        left = [load for load in task.loads if any(number in self._asked for number in load.numbers)]
        for load in reversed(left):
            self._add(replace(load, alone=alone or load.alone), first=True)

    def _failed(self, task: _Task, error: BaseException) -> Iterator[Happened[R]]:
        """A task that was lost is submitted again, one that ends workers group by group; a group that does so
        alone has no answer."""
        name = type(error).__name__
        if name == "OtherVersion" or isinstance(error, ImportError | AttributeError):
            raise InputError(f"a machine of the cluster has another Treville: {error}", hint=_SAME)
        if name not in ("KilledWorker", "ChildProcessError"):
            self._again(task, alone=name not in ("CancelledError", "FutureCancelledError"))
        elif not task.loads[0].alone:
            self._again(task, alone=True)
        else:
            yield from self._lost(task)

    def _lost(self, task: _Task) -> Iterator[Happened[R]]:
        reason = "the process was killed again and again, perhaps for lack of memory (set --memory)"
        for number in task.loads[0].numbers:
            if number in self._asked:
                blank = self._kind.blank(self._asked[number])
                lost = replace(blank, status=Status.UNKNOWN, reason=reason, limit=Limit.MEMORY)
                yield from self._answered(number, lost)
