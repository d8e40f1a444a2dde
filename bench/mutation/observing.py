"""A plugin of pytest that notes what each test runs, or runs some tests in a given order."""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
import zlib
from base64 import b64encode
from collections import defaultdict
from collections.abc import Generator
from functools import _lru_cache_wrapper
from pathlib import Path

import pytest
from marking import MODULE

MEMORY = 6 << 30  # bytes: a mutant that takes more is noticed, and the machine does not suffer
SLACK, FACTOR = 10.0, 10.0  # a test may take so many seconds more, and so many times as long


def pytest_configure(config: pytest.Config) -> None:
    """Choose what to do."""
    if "MUTATION_RECORDS" in os.environ:
        records = json.loads(Path(os.environ.pop("MUTATION_RECORDS")).read_text())
        config.pluginmanager.register(Recorder(records))
    if "MUTATION_TESTS" in os.environ:
        chosen = json.loads(Path(os.environ.pop("MUTATION_TESTS")).read_text())
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        config.pluginmanager.register(Chosen(chosen))


class Recorder:
    """Writes for each file of tests what its tests ran."""

    def __init__(self, records: dict[str, str]) -> None:
        self.records, self.marks = records, importlib.import_module(MODULE).marks
        self.found: dict[str, list[tuple[str, float, str]]] = defaultdict(list)
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """What was computed for other tests and kept is computed again."""
        _forget()
        self.marks[:] = bytes(len(self.marks))
        begun = _seconds()
        result = yield
        if item.nodeid not in self.failed:
            ran = b64encode(zlib.compress(self.marks[:], 1)).decode()
            self.found[item.nodeid.split("::")[0]].append((item.nodeid, round(_seconds() - begun, 4), ran))
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tests that fail already notice no mutants; those that are skipped pass in no time."""
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        for name, record in self.records.items():
            Path(record).write_text(json.dumps(self.found[name]))


class Chosen:
    """Runs the chosen tests (names and their seconds) in that order, and none much longer than it takes."""

    def __init__(self, chosen: list[tuple[str, float]]) -> None:
        self.seconds = dict(chosen)
        self.places = {name: number for number, (name, _) in enumerate(chosen)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.places]
        items.sort(key=lambda item: self.places[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """CPU time, so that other work on the machine kills no mutants; the signal ends the process."""
        signal.setitimer(signal.ITIMER_PROF, SLACK + FACTOR * self.seconds[item.nodeid])
        result = yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        return result


def _seconds() -> float:
    return sum(os.times()[:4])


def _forget() -> None:
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in ("treville", "tests"):
            for value in list(vars(module).values()):
                if isinstance(value, _lru_cache_wrapper):
                    value.cache_clear()
