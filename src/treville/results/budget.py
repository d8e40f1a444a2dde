"""Budgets: how long and how large an analysis may grow before it answers UNKNOWN.

Seconds and bytes end a question. Units of work (states, conflicts, candidates) end an engine's turn: they are
the same on every machine, so which engine answers, and with which execution, does not depend on its speed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from treville.records import dataclass, field, replace
from treville.results.errors import RAISE, BudgetExceeded, Limit, OutOfWork
from treville.results.progress import Listener, Progress

_CHECKS_BETWEEN_MEMORY_READS = 64
_SECONDS_BETWEEN_WORDS = 0.2


def resident_bytes() -> int:
    """Resident memory of this process, 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


@dataclass(slots=True)
class Budget:
    """Seconds and bytes that may be used; `check()` is cheap enough for inner loops. `units` of work may be
    spent, if they are limited at all. `stages` says which part of the work took how many seconds."""

    seconds: float | None = None
    memory: int | None = None
    started: float = field(default_factory=time.monotonic)
    stages: dict[str, float] = field(default_factory=dict)
    units: int | None = None
    spent: int = 0
    listener: Listener | None = None
    engine: str = ""
    bound: int | None = None
    _stage: str = ""
    _counted: int = 0
    _unit: str = ""
    _checks: int = 0
    _told: float = 0.0

    def slice(self, units: int | None, engine: str = "") -> Budget:
        """The same seconds and bytes, and so many units of work for an engine."""
        return replace(self, units=units, spent=0, engine=engine or self.engine, _checks=0)

    def spend(self, units: int) -> None:
        """Count units of work. Raises `OutOfWork` when there were not so many left."""
        self.spent += units
        if self.units is not None and self.spent > self.units:
            raise OutOfWork(f"no answer with {self.units} units of work")

    @property
    def units_left(self) -> int | None:
        """Units of work that may still be spent (never negative), or None when they are not limited."""
        return None if self.units is None else max(0, self.units - self.spent)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of a `with` block to a stage."""
        began = time.monotonic()
        outer, self._stage, self._counted = self._stage, name, 0
        self._tell(began)
        try:
            yield
        finally:
            now = time.monotonic()
            self._stage, self._counted = outer, 0
            self.stages[name] = self.stages.get(name, 0.0) + now - began
        self._tell(now)

    def _tell(self, now: float) -> None:
        """Say what is being done."""
        if self.listener is not None:
            self._told = now
            said = Progress(self._stage, self.engine, self.bound, self.spent, self._counted, self._unit)
            self.listener(said)

    def look(self, done: int, unit: str) -> None:
        """The same as `check`, and what was done until now: so many states, candidates, executions."""
        self._counted, self._unit = done, unit
        self.check()

    def check(self) -> None:
        """Raise `BudgetExceeded` when the time or the memory is used up."""
        now = time.monotonic()
        if self.listener is not None and now - self._told > _SECONDS_BETWEEN_WORDS:
            self._tell(now)
        if self.seconds is not None and now - self.started > self.seconds:
            raise BudgetExceeded(f"no answer within {self.seconds:g} s", RAISE[Limit.TIME])
        if self.memory is not None:
            self._checks += 1
            if self._checks % _CHECKS_BETWEEN_MEMORY_READS == 1 and resident_bytes() > self.memory:
                raise BudgetExceeded(
                    f"more than {self.memory // 1_000_000} MB of memory needed", RAISE[Limit.MEMORY]
                )

    def exhausted(self) -> BudgetExceeded | None:
        """Why the question ends now, if its time or memory is used up."""
        self._checks = 0
        try:
            self.check()
        except BudgetExceeded as error:
            return error
        return None

    def remaining(self) -> float | None:
        """Seconds left (never negative), or None when time is not limited."""
        if self.seconds is None:
            return None
        return max(0.0, self.seconds - (time.monotonic() - self.started))

    def elapsed(self) -> float:
        """Seconds since the budget was opened."""
        return time.monotonic() - self.started
