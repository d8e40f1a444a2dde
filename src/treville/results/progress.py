"""What is being done about a question: told by those who do it, shown by those who wait."""

from __future__ import annotations

from collections.abc import Callable

from treville.records import dataclass

READING = "front end"


@dataclass(frozen=True, slots=True)
class Progress:
    """A stage of the work, the engine at work, its bound, and what it has done: what it counts itself
    (states, candidates), or units of work that it spent."""

    stage: str = ""
    engine: str = ""
    bound: int | None = None
    spent: int = 0
    counted: int = 0
    unit: str = ""

    def __str__(self) -> str:
        bound = f"bound {self.bound}" if self.bound is not None else ""
        done = f"{self.spent:,} unit{'s' * (self.spent > 1)} of work" if self.spent else ""
        done = f"{self.counted:,} {self.unit}" if self.counted else done
        stage = "reading" if self.stage == READING else self.stage
        parts = (self.engine, stage if stage != self.engine else "", bound, done)
        return ", ".join(part for part in parts if part)


Listener = Callable[[Progress], None]
