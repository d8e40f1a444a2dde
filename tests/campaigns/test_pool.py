"""The pool keeps the order, kills what overruns, survives workers that die, and stays small."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from treville.campaigns.pool import Limits, Pool, can_fork

pytestmark = [
    pytest.mark.skipif(not can_fork(), reason="needs processes that can be forked"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def _lost(task: int, reason: str) -> str:
    return f"lost {task}: {reason}"


def _slow_when_even(task: int) -> str:
    time.sleep(0.05 if task % 2 == 0 else 0)
    return f"done {task}"


def test_results_come_in_the_order_of_the_tasks() -> None:
    pool = Pool(_slow_when_even, _lost, 3, Limits())
    assert list(pool.map(range(12))) == [f"done {task}" for task in range(12)]


def _hang_on_two(task: int) -> str:
    while task == 2:
        pass
    return f"done {task}"


def test_a_worker_that_hangs_is_killed_and_the_rest_goes_on() -> None:
    started = time.monotonic()
    results = list(Pool(_hang_on_two, _lost, 2, Limits(seconds=0.4)).map(range(5)))
    assert results[2].startswith("lost 2: stopped after 0.4 s")
    assert [r for i, r in enumerate(results) if i != 2] == ["done 0", "done 1", "done 3", "done 4"]
    assert time.monotonic() - started < 5


def _die_on_one(task: int) -> str:
    if task == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return f"done {task}"


def test_a_worker_that_dies_loses_only_its_task() -> None:
    results = list(Pool(_die_on_one, _lost, 1, Limits()).map(range(3)))
    assert results[0] == "done 0"
    assert results[1].startswith("lost 1: the worker process ended unexpectedly (signal")
    assert results[2] == "done 2"


def _eat(task: int) -> str:
    hoard = []
    while task == 1:
        hoard.append(bytearray(b"x" * 10_000_000))
        time.sleep(0.005)
    return f"done {task}"


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is watched through /proc")  # noqa: PTH110
def test_a_worker_that_eats_memory_is_killed() -> None:
    results = list(Pool(_eat, _lost, 1, Limits(seconds=20, memory=400_000_000)).map(range(3)))
    assert results[1].startswith("lost 1: stopped at 400 MB")
    assert results[2] == "done 2"


def _large(task: int) -> str:
    return "x" * 3_000_000


def test_a_large_result_passes_the_pipe() -> None:
    assert [len(r) for r in Pool(_large, _lost, 2, Limits()).map(range(3))] == [3_000_000] * 3


def test_tasks_are_taken_as_they_are_needed() -> None:
    taken = []

    def tasks() -> Iterator[int]:
        for number in range(10_000):
            taken.append(number)
            yield number

    results = Pool(_slow_when_even, _lost, 2, Limits()).map(tasks())
    assert next(results) == "done 0"
    results.close()
    assert len(taken) < 1000


def test_closing_early_leaves_no_process_behind() -> None:
    results = Pool(_hang_on_two, _lost, 2, Limits()).map([0, 2, 2])
    assert next(results) == "done 0"
    results.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
