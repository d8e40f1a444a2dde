"""What goes on for too long is interrupted, and nothing else is."""

import signal
import time

import pytest

from treville.campaigns.guard import interrupted_after
from treville.results import BudgetExceeded

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no alarms")


def wait(seconds: float) -> None:
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        pass


def test_work_that_never_looks_at_its_budget_is_interrupted() -> None:
    started = time.monotonic()
    with pytest.raises(BudgetExceeded, match=r"within 0\.1 s"), interrupted_after(0.1):
        wait(20)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("seconds", [None, 0.05])
def test_no_alarm_is_left_behind(seconds: float | None) -> None:
    before = signal.getsignal(signal.SIGALRM)
    with interrupted_after(seconds):
        pass
    time.sleep(0.2)
    assert signal.getsignal(signal.SIGALRM) == before
