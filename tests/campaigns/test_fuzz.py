"""Mutated inputs end in a result or a located error, in time (a short, seeded run of bench/fuzz.py)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from treville.campaigns.pool import can_fork

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
    assert fuzz.judge({"status": "error", "reason": "internal error: KeyError: 1", "internal": True})
    assert fuzz.judge({"status": "error", "reason": "something is wrong somewhere"})
    assert fuzz.judge({"status": "unknown", "reason": "stopped after 5.0 s (raise --timeout)"})
    assert not fuzz.judge({"status": "error", "reason": "a.litmus:1:2: no such instruction"})
    assert not fuzz.judge({"status": "unknown", "reason": "no answer within 5 s (raise --timeout)"})
    assert not fuzz.judge({"status": "done", "reason": ""})
