"""What a piece of work compared: how many answers of each sort, and those that were wrong."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from treville.engines.contract import GaveUp, Proved, Refuted
from treville.engines.registry import AUTO, DECIDE
from treville.engines.schedule import run, slices_for
from treville.engines.task import ProgramTask
from treville.questions.reachability import judge_again
from treville.results import BudgetExceeded, Unsupported

# Units of work for an engine; one that has not answered by then counts as without an answer.
WORK = 6_000
_VERDICTS = ("PASS", "FAIL")
ONLY = "TREVILLE_ENGINES"  # the environment variable that names the engines to ask, if not all


def asked(engines: Iterable[str]) -> list[str]:
    """Those of the engines that are to be asked; all where nobody named any, or none of these."""
    only = os.environ.get(ONLY, "").split()
    everybody = list(engines)
    return [engine for engine in everybody if engine in only] or everybody


@dataclass
class Tally:
    """`programs` were made; `answers` counts verdicts that were compared, by who gave them; `none` those who
    gave up."""

    programs: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    none: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, who: str, what: str, expected: str, found: str) -> None:
        """Count a verdict (PASS, FAIL, or a reason why there is none)."""
        if found in _VERDICTS:
            self.answers[who] += 1
        else:
            self.none[who] += 1
        if found != expected and (found in _VERDICTS or found.startswith("internal error")):
            self.wrong.append(f"{what}, {who}: {found} instead of {expected}")

    def merge(self, other: Tally) -> None:
        """Add what another piece of work compared."""
        self.programs += other.programs
        self.answers += other.answers
        self.none += other.none
        self.wrong += other.wrong


def verdict(task: ProgramTask, engine: str, work: int = WORK) -> str:
    """What an engine answers with so much work; what it shows is judged again."""
    try:
        if engine == AUTO:
            answer = run(task, slices_for(task), DECIDE).answer
        else:
            answer = DECIDE[engine]().run(task, work)
        if isinstance(answer, Refuted):
            judge_again(answer, task.model)
    except (BudgetExceeded, Unsupported) as error:
        return f"none: {error}"
    except Exception as error:  # what breaks is to be told, and the rest to be compared
        return f"internal error: {type(error).__name__}: {error}"
    if isinstance(answer, GaveUp):
        return f"none: {answer.reason}"
    return "PASS" if isinstance(answer, Proved) else "FAIL"
