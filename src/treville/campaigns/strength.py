"""Is a model as strong as expected? Every state that the stronger of two models allows must be allowed by
the weaker one, on every test of a suite that the order is meant for and whose instructions both understand
(compare 004 chapter 6)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from treville.campaigns.inputs import read_text
from treville.campaigns.loading import load_model, load_test
from treville.models.library import Order
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes_of_all_runs
from treville.records import dataclass, field
from treville.results import Budget, BudgetExceeded, InputError
from treville.results.reports.models import StrengthReport
from treville.results.reports.report import Status
from treville.results.verdict import Verdict

_MARK = len("ok   ")  # what lines for people begin with


@dataclass(slots=True)
class StrengthResult:
    """What a suite says about one expected pair."""

    stronger: str
    weaker: str
    tests: int = 0
    broken: list[str] = field(default_factory=list)
    strict: list[str] = field(default_factory=list)
    refused: int = 0
    outside: int = 0
    unanswered: int = 0
    seconds: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """Whether the order holds."""
        return Verdict.FAIL if self.broken else Verdict.UNKNOWN if self.unanswered else Verdict.PASS

    def as_report(self) -> StrengthReport:
        """For JSON."""
        return StrengthReport(
            file=f"{self.stronger} {self.weaker}",
            verdict=self.verdict,
            status=Status.UNKNOWN if self.verdict is Verdict.UNKNOWN else Status.DONE,
            reason=self.as_text()[_MARK:],
            warnings=() if self.tests else ("no test was compared",),
            seconds=round(self.seconds, 4),
            stronger=self.stronger,
            weaker=self.weaker,
            tests=self.tests,
            broken_by=tuple(self.broken),
            told_apart_by=tuple(self.strict),
            refused=self.refused,
            outside=self.outside,
            unanswered=self.unanswered,
        )

    def as_text(self) -> str:
        """For people."""
        claim = f"{self.stronger} is at least as strong as {self.weaker}"
        rest = "".join(
            f", {count} {what}"
            for count, what in (
                (self.refused, "refused"),
                (self.outside, "of other dialects"),
                (self.unanswered, "unanswered"),
            )
            if count
        )
        if self.broken:
            return f"NO   {claim}: not on {', '.join(self.broken)} ({self.tests} tests{rest})"
        if not self.tests:
            return f"?    {claim}: no test was compared (0 tests{rest})"
        apart = f"told apart by {', '.join(self.strict[:4])}" if self.strict else "same states"
        return f"ok   {claim}: {apart} ({self.tests} tests{rest})"


def check_strength(
    files: Sequence[str], orders: Iterable[Order], seconds: float | None = None
) -> Iterator[StrengthResult]:
    """A result for each order. A test that either model refuses does not count."""
    tests = [_readable(file) for file in files]
    states: dict[tuple[int, str], frozenset[object] | str | None] = {}
    for stronger, weaker, dialects in orders:
        result = StrengthResult(stronger, weaker)
        started = time.monotonic()
        for number, test in enumerate(tests):
            if test is None:
                result.refused += 1
                continue
            if test.dialect not in dialects:
                result.outside += 1
                continue
            answers = []
            for model in (stronger, weaker):
                if (number, model) not in states:
                    states[number, model] = _states(test, model, seconds)
                answers.append(states[number, model])
            _compare(result, test.name or Path(files[number]).stem, answers[0], answers[1])
        result.seconds = time.monotonic() - started
        yield result


def _readable(file: str) -> LitmusTest | None:
    text = read_text(file)  # a file that is not there is the user's mistake
    try:
        return load_test(text, file)
    except InputError:
        return None


def _states(test: LitmusTest, model: str, seconds: float | None) -> frozenset[object] | str | None:
    """The states, None without an answer in time, "refused" where the model does not know the test."""
    try:
        found = outcomes_of_all_runs(test, load_model(model), budget=Budget(seconds))
        return None if found.unfinished else frozenset(found.states)
    except BudgetExceeded:
        return None
    except InputError:
        return "refused"


def _compare(
    result: StrengthResult,
    name: str,
    strong: frozenset[object] | str | None,
    weak: frozenset[object] | str | None,
) -> None:
    if isinstance(strong, str) or isinstance(weak, str):
        result.refused += 1
    elif strong is None or weak is None:
        result.unanswered += 1
    else:
        result.tests += 1
        if not strong <= weak:
            result.broken.append(name)
        elif strong != weak:
            result.strict.append(name)
