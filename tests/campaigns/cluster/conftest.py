"""One cluster of this machine for all tests that need one."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers, which run where none of the inputs are."""
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    away = tmp_path_factory.mktemp("away")
    here = Path.cwd()
    os.chdir(away)
    try:
        made = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, memory_limit=0,
            local_directory=str(away), silence_logs=logging.CRITICAL,
        )  # fmt: skip
    finally:
        os.chdir(here)
    with made:
        yield made.scheduler_address
