"""Fixes what is random for the run, and says of failures how to repeat them."""

from __future__ import annotations

import os
from collections.abc import Generator

import hypothesis
import pytest
from tests import seeds


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    run = seeds.settle()
    os.environ["TREVILLE_CACHE"] = ""  # programs are compiled, and nothing is written into the home folder
    # A busy machine is slow without anything being wrong.
    hypothesis.settings.register_profile("patient", deadline=None, derandomize=run == 0)
    hypothesis.settings.load_profile("patient")
    if run != 0 and config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = str(run)


def pytest_report_header() -> str:
    return f"random cases: {seeds.VARIABLE}={seeds.settle()}"


def pytest_runtest_setup() -> None:
    seeds.drawn.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and (seeds.drawn or not seeds.fixed()):
        report.sections.append(("random cases", seeds.how_to_repeat(item.nodeid)))
    return report
