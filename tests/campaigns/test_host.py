"""A host says that it is idle only when it has done all that it was given, and can be given more than it has
room for."""

from __future__ import annotations

import pickle
import time
from pathlib import Path

import pytest

from treville.campaigns import litmus
from treville.campaigns.host import Host, Work
from treville.campaigns.kind import Limits
from treville.campaigns.litmus_task import Options, Question
from treville.campaigns.processes import can_fork

TEST = Path(__file__).resolve().parents[2] / "examples" / "litmus" / "SB.litmus"


@pytest.mark.skipif(not can_fork(), reason="needs processes that can be forked")
def test_a_host_that_has_read_half_of_its_work_is_not_done() -> None:
    question = Question(str(TEST), "tso", Options(limits=Limits(60)))
    long = pickle.dumps([(7, b"more than a pipe holds" * 50_000)])
    host = Host(pickle.dumps(litmus.KIND), 1)
    try:
        host.wait_until_awake()
        for number in range(3):
            host.begin(Work([long, pickle.dumps([(number, question)])], frozenset({7})))
            reports, idle = [], False
            while not idle:
                for said in host.said(1):
                    reports += [report[0] for report in said.reports]
                    idle = said.idle
            assert reports == [number]
    finally:
        host.close()


@pytest.mark.skipif(not can_fork(), reason="needs processes that can be forked")
def test_a_host_that_waits_for_a_listener_still_gets_work() -> None:
    """Questions and reports that fill the pipes of both directions, and nobody who listens in between."""
    count = 60
    host = Host(pickle.dumps(litmus.KIND), 1)
    try:
        host.wait_until_awake()
        for number in range(count):
            nowhere = Question("x" * 9_000, "tso", Options(limits=Limits(60)))
            host.begin(Work([pickle.dumps([(number, nowhere)])]))
            time.sleep(0.002)
        reports: list[int] = []
        while len(reports) < count:
            reports += [report[0] for said in host.said(1) for report in said.reports]
        assert reports == list(range(count))
    finally:
        host.close()
