"""Batches survive what happens to them: 300 questions of `bench/faults.py`, which asks ten thousand."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are found in /proc")


@pytest.fixture(scope="module")
def faults() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "bench" / "faults.py"
    specification = importlib.util.spec_from_file_location("treville_faults", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["treville_faults"] = module
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("kind", "count", "seed"), [(0, 160, 9), (3, 60, 12), (5, 80, 17)])
def test_disturbed_batches_give_each_answer_once_and_leave_nothing(
    faults: ModuleType, kind: int, count: int, seed: int
) -> None:
    problems, events = faults.batch(faults.kinds()[kind], count, seed, 3, False)
    assert problems == []
    assert events


def test_what_is_recorded_twice_or_not_at_all_is_counted(faults: ModuleType, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    lines = [{"journal": "litmus"}, {"question": "a"}, {"question": "b"}, {"question": "a"}]
    journal.write_text("\n".join([*map(json.dumps, lines), '{"question": "c', ""]))
    assert faults.recorded(journal) == {"a": 2, "b": 1}
    assert faults.without_times({"a": [{"seconds": 1, "b": 2}]}) == {"a": [{"b": 2}]}


def test_processes_are_found_by_their_mark(
    faults: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(faults.MARK, str(tmp_path))
    left = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert faults.marked(str(tmp_path)) == [left.pid]
    finally:
        left.kill()
        left.wait()
        assert left.stdin is not None
        left.stdin.close()
