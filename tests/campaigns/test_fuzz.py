"""Mutated inputs of every reader end in a result or an error, in time: a short run of bench/fuzz.py."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from treville.campaigns.processes import can_fork
from treville.results.errors import Limit
from treville.results.reports.report import Cause, Fault, Report, Status

pytestmark = [
    pytest.mark.skipif(not can_fork(), reason="needs processes that can be forked"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
OF_C = ("C", "LLVM IR")


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "bench" / "fuzz.py"
    specification = importlib.util.spec_from_file_location("treville_fuzz", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["treville_fuzz"] = module
    specification.loader.exec_module(module)
    module.CORPORA = Path("/nowhere")  # type: ignore[attr-defined]
    return module


@pytest.mark.parametrize(
    ("reader", "count"),
    [("litmus", 150), ("cat", 100), ("answers", 20), ("C", 2), ("LLVM IR", 30), ("histories", 120),
     (".cub", 100), (".spec", 80), ("PNML", 80), ("lists", 60), ("journals", 60), ("results", 40),
     ("certificates", 40), ("DIMACS", 40), ("databases", 40), ("options", 60), ("pts", 40),
     ("costs", 40), ("expectations", 40), ("sketches", 40)],
)  # fmt: skip
def test_mutated_inputs_never_crash_or_hang(fuzz: ModuleType, reader: str, count: int) -> None:
    if reader in OF_C:
        pytest.importorskip("llvmlite")
        pytest.importorskip("ziglang")
    statuses, failures = fuzz.run(count, 11, 10.0, only=reader, tell=lambda _: None)
    assert failures == []
    assert statuses.total() == count


def test_every_reader_is_mutated_here(fuzz: ModuleType) -> None:
    mark = next(m for m in test_mutated_inputs_never_crash_or_hang.pytestmark if m.name == "parametrize")  # type: ignore[attr-defined]
    assert {reader for reader, _ in mark.args[1]} == set(fuzz.READERS)


def test_an_input_follows_from_its_numbers(fuzz: ModuleType) -> None:
    assert fuzz.made("litmus", 1, 2) == fuzz.made("litmus", 1, 2) != fuzz.made("litmus", 1, 3)
    assert sum(fuzz.shares(100_000).values()) >= 100_000


def test_the_judge_sees_tracebacks_missing_places_and_hangs(fuzz: ModuleType) -> None:
    def wrong(status: Status, reason: str, cause: Cause | None = None, limit: Limit | None = None) -> bool:
        error = None if cause is None else Fault(cause=cause, message=reason)
        report = replace(Report(file="a"), status=status, reason=reason, error=error, limit=limit)
        return bool(fuzz.judge("litmus", report))

    assert wrong(Status.ERROR, "internal error: KeyError: 1", Cause.INTERNAL)
    assert wrong(Status.ERROR, "something is wrong somewhere", Cause.INPUT)
    assert wrong(Status.ERROR, "a: reading it ends the process (ended by SIGABRT)", Cause.INPUT)
    assert wrong(Status.UNKNOWN, "stopped after 5 s (raise --timeout)", limit=Limit.TIME)
    assert not wrong(Status.ERROR, "a.litmus:1:2: no such instruction", Cause.INPUT)
    assert not wrong(Status.DONE, "")
