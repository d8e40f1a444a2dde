"""What a task raises becomes part of its report: out of budget is `unknown`, the rest is `error`."""

from __future__ import annotations

import os
from collections.abc import Callable

from treville.campaigns.results import Report
from treville.results import BudgetExceeded, InputError, TrevilleError


def guarded(report: Report, fill: Callable[[], None]) -> None:
    """Run `fill`; what it raises becomes part of the report."""
    try:
        fill()
    except BudgetExceeded as error:
        advice = f" ({error.advice})" if error.advice else ""
        report.update(status="unknown", reason=f"{error.reason}{advice}")
    except MemoryError:
        report.update(status="unknown", reason="out of memory (raise --memory)")
    except RecursionError:
        report.update(status="error", reason=f"{report['file']}:1:1: the input is nested too deeply")
    except InputError as error:
        place = f"{error.span}: " if error.span else ""
        report.update(status="error", reason=f"{place}{error.complaint}", detail=str(error))
    except TrevilleError as error:
        report.update(status="error", reason=str(error), detail=str(error))
    except Exception as error:
        if os.environ.get("TREVILLE_TRACEBACK"):
            raise
        reason = f"internal error: {type(error).__name__}: {error}"
        report.update(status="error", reason=reason, internal=True)
