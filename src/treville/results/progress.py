"""What is being done about a question: told by those who do it, shown by those who wait."""

from __future__ import annotations

from collections.abc import Callable

from treville.records import dataclass

READING = "front end"


@dataclass(frozen=True, slots=True)
class Progress:
    """A stage of the work, the engine at work, its bound, and units of work (states, conflicts) that it
    spent."""

    stage: str = ""
    engine: str = ""
    bound: int | None = None
    spent: int = 0

    def __str__(self) -> str:
        bound = f"bound {self.bound}" if self.bound is not None else ""
        spent = f"{self.spent:,} unit{'s' * (self.spent > 1)} of work" if self.spent else ""
        stage = "reading" if self.stage == READING else self.stage
        return ", ".join(part for part in (self.engine, stage, bound, spent) if part)


Listener = Callable[[Progress], None]
