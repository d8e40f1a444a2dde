"""Questions -> reports, by workers of another process: for callers that have threads, and cannot be forked.

A front end that serves several people at a time, or a notebook, has threads; what they hold when a process is
forked is held for ever in the worker. The process between (`campaigns/host.py`) has none.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import suppress
from typing import Generic

from treville.campaigns.host import Host, Work
from treville.campaigns.kind import Kind, Q, R
from treville.campaigns.workers import WINDOW, Group, Happened
from treville.results import TrevilleError

_TICK = 0.05
_QUESTIONS_FOR_EACH_JOB = 4  # under way, so that nobody waits for the next one
_MOST_DEATHS = 3


class Apart(Generic[Q, R]):
    """Worker processes that are none of this process's own; `close` ends them. Not for use by several
    threads."""

    def __init__(self, kind: Kind[Q, R], jobs: int) -> None:
        self._kind, self._jobs = pickle.dumps(kind, pickle.HIGHEST_PROTOCOL), jobs
        self._asked: dict[int, Q] = {}
        self._deaths = 0
        self._host = Host(self._kind, jobs)

    @property
    def window(self) -> int:
        """How many questions may be under way."""
        return WINDOW

    def has_room(self) -> bool:
        """Whether a group could be worked on soon."""
        return len(self._asked) < _QUESTIONS_FOR_EACH_JOB * self._jobs

    def busy(self) -> bool:
        """Whether there is anything that has no answer yet."""
        return bool(self._asked)

    def begin(self, group: Group[Q]) -> None:
        """Hand a group on."""
        self._asked.update(group.questions)
        self._hand_on([list(group.questions)])

    def _hand_on(self, groups: list[list[tuple[int, Q]]]) -> None:
        with suppress(BrokenPipeError):  # that it ended shows when nothing is said
            self._host.begin(Work([pickle.dumps(group, pickle.HIGHEST_PROTOCOL) for group in groups]))

    def wait(self) -> Iterator[Happened[R]]:
        """Wait a moment; what has happened by then."""
        try:
            found = self._host.said(_TICK)
        except EOFError:
            self._begin_again()
            return
        for said in found:
            for number, progress in said.progress:
                yield Happened(number, progress=progress)
            for number, report in said.reports:
                if self._asked.pop(number, None) is not None:
                    yield Happened(number, report=pickle.loads(report))

    def _begin_again(self) -> None:
        """Somebody killed the process: another one gets what has no answer."""
        self._host.close()
        self._deaths += 1
        if self._deaths > _MOST_DEATHS:
            raise TrevilleError("the process that answers ends again and again")
        self._host = Host(self._kind, self._jobs)
        self._hand_on([[asked] for asked in self._asked.items()])

    def known(self) -> Iterator[Happened[R]]:
        """Nothing: what a host knows of a question that it has not answered stays there."""
        return iter(())

    def close(self) -> None:
        """End all that is under way."""
        self._host.close()
