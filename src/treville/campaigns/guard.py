"""What a task raises becomes part of its report: out of budget is `unknown`, the rest is `error`."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
        named = error.span is not None or report["file"] in error.complaint
        place = f"{error.span}: " if error.span else "" if named else f"{report['file']}: "
        detail = str(error) if named else f"{report['file']}: {error}"
        report.update(status="error", reason=f"{place}{error.complaint}", detail=detail)
    except TrevilleError as error:
        report.update(status="error", reason=str(error), detail=str(error))
    except Exception as error:
        if os.environ.get("TREVILLE_TRACEBACK"):
            raise
        reason = f"internal error: {type(error).__name__}: {error}"
        report.update(status="error", reason=reason, internal=True)


@contextmanager
def interrupted_after(seconds: float | None) -> Iterator[None]:
    """Interrupt what does not look at its budget itself, soon after the budget is used up. It needs alarms,
    which not every system has, and the main thread; solvers in other languages finish their call first."""
    if (
        seconds is None
        or not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def ring(_number: int, _frame: object) -> None:
        raise BudgetExceeded(f"no answer within {seconds:g} s", "raise --timeout")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds + min(1, seconds / 10) + 0.1, 2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
