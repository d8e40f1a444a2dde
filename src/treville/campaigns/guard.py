"""What answering raises becomes part of the report: out of budget is `unknown`, the rest is `error`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Generic, TypeVar

from treville.records import replace
from treville.results import BudgetExceeded, InputError, TrevilleError
from treville.results.errors import Limit
from treville.results.reports.report import Cause, Fault, Place, Report, Status
from treville.results.verdict import Verdict

R = TypeVar("R", bound=Report)
OUT_OF_MEMORY = "out of memory (raise --memory)"


class Draft(Generic[R]):
    """A report in the making; what was found before an error stays in it."""

    def __init__(self, report: R) -> None:
        self.report = report


def guarded(draft: Draft[R], fill: Callable[[], None]) -> None:
    """Run `fill`; what it raises becomes part of the report."""
    try:
        fill()
    except BudgetExceeded as error:
        if _stands(draft, error.reason):
            return
        advice = f" ({error.advice})" if error.advice else ""
        _unknown(draft, f"{error.reason}{advice}", error.limit)
    except MemoryError:
        if _stands(draft, "out of memory"):
            return
        _unknown(draft, OUT_OF_MEMORY, Limit.MEMORY)
    except RecursionError:
        place = Place(file=draft.report.file, line=1, column=1)
        draft.report = refused(draft.report, InputError("the input is nested too deeply"), place)
    except InputError as error:
        draft.report = refused(draft.report, error)
    except TrevilleError as error:
        draft.report = refused(draft.report, InputError(str(error)))
    except Exception as error:
        if os.environ.get("TREVILLE_TRACEBACK"):
            raise
        draft.report = broken(draft.report, f"{type(error).__name__}: {error}")


def _stands(draft: Draft[R], what: str) -> bool:
    """An answer that was already there stands: it is the explanation or the picture that failed."""
    report = draft.report
    known = report.status is Status.DONE and report.verdict is not Verdict.UNKNOWN
    if known:
        draft.report = replace(report, warnings=(*report.warnings, f"the answer is not explained: {what}"))
    return known


def _unknown(draft: Draft[R], reason: str, limit: Limit | None) -> None:
    draft.report = replace(draft.report, status=Status.UNKNOWN, reason=reason, limit=limit)


def refused(report: R, error: InputError, place: Place | None = None) -> R:
    """The report of an input that is wrong, or that is not supported. It names the file in any case."""
    if place is None and error.span is not None:
        place = Place(file=error.span.file, line=error.span.line, column=error.span.column)
    named = place is not None or report.file in error.complaint
    where = f"{place.file}:{place.line}:{place.column}: " if place else "" if named else f"{report.file}: "
    detail = str(error) if named and error.span else f"{where}{error}"
    fault = Fault(cause=Cause.INPUT, message=error.complaint, place=place, hint=error.hint or None)
    return replace(
        report,
        verdict=Verdict.UNKNOWN,
        status=Status.ERROR,
        reason=f"{where}{error.complaint}",
        error=fault,
        detail=detail,
        place=place,
    )


def broken(report: R, what: str) -> R:
    """The report of a question that met a bug of Treville."""
    reason = f"internal error: {what}"
    fault = Fault(cause=Cause.INTERNAL, message=reason)
    return replace(report, verdict=Verdict.UNKNOWN, status=Status.ERROR, reason=reason, error=fault)
