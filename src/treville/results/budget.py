"""Budgets: how long and how large an analysis may grow before it answers UNKNOWN."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from treville.results.errors import BudgetExceeded

_CHECKS_BETWEEN_MEMORY_READS = 64


def resident_bytes() -> int:
    """Resident memory of this process, 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    except (OSError, ValueError, IndexError):
        return 0


@dataclass(slots=True)
class Budget:
    """Seconds and bytes that may be used; `check()` is cheap enough for inner loops. `stages` says which
    part of the work took how many seconds."""

    seconds: float | None = None
    memory: int | None = None
    started: float = field(default_factory=time.monotonic)
    stages: dict[str, float] = field(default_factory=dict)
    _checks: int = 0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of a `with` block to a stage."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.stages[name] = self.stages.get(name, 0.0) + time.monotonic() - began

    def check(self) -> None:
        """Raise `BudgetExceeded` when the time or the memory is used up."""
        if self.seconds is not None and time.monotonic() - self.started > self.seconds:
            raise BudgetExceeded(f"no answer within {self.seconds:g} s", "raise --timeout")
        if self.memory is not None:
            self._checks += 1
            if self._checks % _CHECKS_BETWEEN_MEMORY_READS == 1 and resident_bytes() > self.memory:
                raise BudgetExceeded(
                    f"more than {self.memory // 1_000_000} MB of memory needed", "raise --memory"
                )

    def remaining(self) -> float | None:
        """Seconds left (never negative), or None when time is not limited."""
        if self.seconds is None:
            return None
        return max(0.0, self.seconds - (time.monotonic() - self.started))

    def elapsed(self) -> float:
        """Seconds since the budget was opened."""
        return time.monotonic() - self.started
