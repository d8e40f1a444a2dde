"""A cluster loses workers and no answers; its machines are the same, or are refused."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from treville.campaigns import litmus
from treville.campaigns.cluster import versions
from treville.campaigns.cluster.connection import Connection, local_processes
from treville.campaigns.kind import Limits
from treville.campaigns.litmus_task import Options, Question
from treville.campaigns.run import Settings, run
from treville.results import InputError
from treville.results.errors import SchedulerLost

TESTS = sorted((Path(__file__).resolve().parents[3] / "examples" / "litmus").glob("*.litmus"))


def test_what_a_killed_worker_had_is_asked_again(cluster: str) -> None:
    distributed = pytest.importorskip("distributed")
    asked = [Question(str(path), "tso", Options(limits=Limits(60))) for path in TESTS * 2]
    reports = run(litmus.KIND, asked, Settings(cluster=cluster))
    found = [next(reports)]
    with distributed.Client(cluster, set_as_default=False) as client:
        processes = list(client.run(os.getpid).values())
    os.kill(processes[0], signal.SIGKILL)
    found += reports
    assert [report.file for report in found] == [question.file for question in asked]
    assert {report.status.value for report in found} == {"done"}


class _NobodyAnswers:
    """A client whose scheduler is silent: it connects again for ever, or every call waits."""

    def __init__(self, status: str) -> None:
        self.status = status

    def sync(self, _what: Callable[[], object], callback_timeout: float) -> object:
        raise TimeoutError(f"timed out after {callback_timeout} s.")

    def submit(self, *_work: object, pure: bool) -> object:
        """Work that nobody does: the client itself does not wait for the scheduler."""
        return SimpleNamespace(key="work", add_done_callback=lambda _: None)

    def nthreads(self) -> object:
        raise AssertionError("only called by `sync`")

    cancel = nthreads

    def close(self, timeout: float) -> None:
        """Nothing to close."""


@pytest.mark.parametrize("status", ["connecting", "running"])
def test_a_scheduler_that_is_silent_is_lost(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    connection = Connection("tcp://there:8786", _NobodyAnswers(status))
    monkeypatch.setattr("treville.campaigns.cluster.crew.connect", lambda _: connection)
    monkeypatch.setattr(Connection, "patience", 0.2)
    asked = [Question(str(TESTS[0]), "tso", Options())]
    with pytest.raises(SchedulerLost, match="the scheduler at tcp://there:8786 is gone"):
        list(run(litmus.KIND, asked, Settings(cluster="tcp://there:8786")))


def test_nothing_is_awaited_for_ever(cluster: str) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster, set_as_default=False) as client:
        connection = Connection(cluster, client)
        assert connection.ask(client.nthreads, 60) == client.nthreads()
        with pytest.raises(TimeoutError):
            connection.ask(lambda: asyncio.sleep(1000), 0.1)
        assert connection.patience > 0


def test_machines_with_another_treville_are_refused(cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**versions.versions(), "treville": "0.0.1 (another)"}
    monkeypatch.setattr("treville.campaigns.cluster.crew.versions", lambda: other)
    asked = [Question(str(TESTS[0]), "tso", Options())]
    with pytest.raises(InputError, match="has another Treville"):
        list(run(litmus.KIND, asked, Settings(cluster=cluster)))


def test_an_address_is_local_or_elsewhere() -> None:
    assert local_processes("local:3") == 3
    assert local_processes("local") == os.cpu_count()
    assert local_processes("tcp://local:8786") == local_processes("localhost:8786") == 0
    for wrong in ("local:", "local:0", "local:-1", "local:many"):
        with pytest.raises(InputError):
            local_processes(wrong)
