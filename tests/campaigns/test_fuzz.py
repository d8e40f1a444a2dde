"""Mutated inputs end in a result or a located error, in time (a short, seeded run of bench/fuzz.py)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from treville.campaigns.processes import can_fork
from treville.results.reports.litmus import LitmusReport
from treville.results.reports.report import Cause, Fault, Status

pytestmark = [
    pytest.mark.skipif(not can_fork(), reason="needs processes that can be forked"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "bench" / "fuzz.py"
    specification = importlib.util.spec_from_file_location("treville_fuzz", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["treville_fuzz"] = module
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_mutated_tests_and_models_never_crash_or_hang(fuzz: ModuleType, seed: int, tmp_path: Path) -> None:
    statuses, failures = fuzz.run(60, seed, 5.0, tmp_path, corpora=False)
    assert [problem for _, problem in failures] == []
    assert statuses["error"] > 0
    assert statuses["done"] > 0


def test_the_judge_sees_tracebacks_missing_places_and_hangs(fuzz: ModuleType) -> None:
    def wrong(status: Status, reason: str, cause: Cause | None = None) -> bool:
        error = None if cause is None else Fault(cause=cause, message=reason)
        return bool(fuzz.judge(LitmusReport(file="a", model="", status=status, reason=reason, error=error)))

    assert wrong(Status.ERROR, "internal error: KeyError: 1", Cause.INTERNAL)
    assert wrong(Status.ERROR, "something is wrong somewhere", Cause.INPUT)
    assert wrong(Status.ERROR, "a: reading it ends the process (ended by SIGABRT)", Cause.INPUT)
    assert wrong(Status.UNKNOWN, "stopped after 5 s (raise --timeout)")
    assert not wrong(Status.ERROR, "a.litmus:1:2: no such instruction", Cause.INPUT)
    assert not wrong(Status.UNKNOWN, "no answer within 5 s (raise --timeout)")
    assert not wrong(Status.DONE, "")
