"""Deadlocks of random programs with condition variables are those that sets of sleeping threads have."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.c.random_conditions import has_deadlock, random_threads, source
from tests.reporting import Options, answers

from treville.results.properties import Property

pytest.importorskip("llvmlite")


def test_deadlocks_with_condition_variables_are_those_of_sleeping_threads(tmp_path: Path) -> None:
    path = tmp_path / "conditions.c"
    seen = set()
    for seed in range(8, 20):
        threads = random_threads(seed)
        path.write_text(source(threads))
        expected = "FAIL" if has_deadlock(threads) else "PASS"
        for engine, model in (("states", "sc"), ("lazy", "sc"), ("lazy", "rc11")):
            options = Options(seconds=60, properties=(Property.DEADLOCK,), engine=engine)
            (report,) = answers(str(path), [model], options)
            assert report["verdict"] == expected, (seed, engine, model)
        seen.add(expected)
    assert seen == {"PASS", "FAIL"}
