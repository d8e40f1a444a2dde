"""Journals survive kill -9 and full disks, name what is damaged, and refuse what is not theirs."""

from __future__ import annotations

import builtins
import errno
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from treville.campaigns.journal import Journal
from treville.campaigns.kind import Limits
from treville.results import InputError
from treville.results.errors import Limit
from treville.results.reports.check import CheckReport, Step, Witness, WitnessEvent
from treville.results.reports.report import Artifact, Cause, Fault, Place, Status
from treville.results.verdict import Verdict

SHORT, LONG = Limits(seconds=5), Limits(seconds=50)
EVENT = WitnessEvent(label="a", thread="main", number=0, does="W x=1", line=3, file="a.c", source="x = 1;")
REPORT = CheckReport(
    file="b\udce9.c",
    model="tso",
    property="safety",
    verdict=Verdict.FAIL,
    status=Status.DONE,
    reason="\x1b]0;title\x9b and more",
    warnings=("one", "two"),
    place=Place(file="a.c", line=3),
    witness=Witness(
        failure="fails",
        events=(EVENT,),
        rf=(("a", "b"),),
        cycle=(Step({"from": "a", "to": "b", "relation": "po"}),),
    ),
    stats={"states": 3, "seconds": {"reading": 0.1}},
    artifacts=(Artifact("pictures/a.svg", "<svg/>"),),
    detail="with a caret",
)
UNKNOWN = CheckReport(file="c.c", model="sc", property="safety", reason="stopped", limit=Limit.TIME)


def _journal(path: Path, told: list[str] | None = None) -> Journal:
    return Journal(str(path), "check", ([] if told is None else told).append)


def test_what_was_stored_is_found_again_whole(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with _journal(path) as journal:
        journal.add("one", SHORT, REPORT)
    with _journal(path) as journal:
        assert len(journal) == 1
        assert journal.find("one", SHORT, CheckReport) == REPORT
        assert journal.find("other", SHORT, CheckReport) is None


AGAIN = "its question is asked again unless another line has its answer"


def test_no_signal_interrupts_what_decodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """msgspec does not notice that what it imports at its start was not imported."""
    make, held = builtins.__import__, []

    def noticed(name: str, *others: Any) -> Any:
        if name == "msgspec":
            held.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        return make(name, *others)

    path = tmp_path / "journal"
    with _journal(path) as journal:
        journal.add("one", SHORT, REPORT)
    monkeypatch.setattr(builtins, "__import__", noticed)
    with _journal(path) as journal:
        assert journal.find("one", SHORT, CheckReport) == REPORT
    assert held
    assert held[0] >= {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM}
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_a_line_that_was_cut_off_is_named_and_the_next_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with _journal(path) as journal:
        journal.add("one", SHORT, REPORT)
        journal.add("two", SHORT, UNKNOWN)
    path.write_bytes(path.read_bytes()[:-20])
    told: list[str] = []
    with _journal(path, told) as journal:
        assert len(journal) == 1
        journal.add("three", SHORT, UNKNOWN)
    assert told == [f"{path}:3:1: this line was cut off; {AGAIN}"]
    with _journal(path) as journal:
        assert journal.find("three", SHORT, CheckReport) == UNKNOWN
        assert journal.find("one", SHORT, CheckReport) == REPORT


@pytest.mark.parametrize("change", ["tso", "FAIL", '"question"'])
def test_a_damaged_line_is_named_and_what_follows_is_kept(tmp_path: Path, change: str) -> None:
    path = tmp_path / "journal"
    with _journal(path) as journal:
        journal.add("one", SHORT, REPORT)
        journal.add("two", SHORT, UNKNOWN)
    path.write_text(path.read_text().replace(change, change[::-1], 1))
    told: list[str] = []
    with _journal(path, told) as journal:
        assert journal.find("one", SHORT, CheckReport) is None
        assert journal.find("two", SHORT, CheckReport) == UNKNOWN
    assert told == [f"{path}:2:1: this line is damaged; {AGAIN}"]


@pytest.mark.parametrize(
    "content", ["my notes\n", '{"file": "a.c"}\n', "{}\n", "\0\n", '{"journal": "litmus", "schema": 2}\n']
)
def test_a_file_that_is_something_else_is_refused_and_not_touched(tmp_path: Path, content: str) -> None:
    path = tmp_path / "precious"
    path.write_text(content)
    with pytest.raises(InputError, match="journal"):
        _journal(path)
    assert path.read_text() == content


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_pipe_is_no_journal(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="it is no file"):
        Journal(str(tmp_path / "pipe"), "check", print)


def test_an_answer_that_a_limit_ended_is_asked_for_again_when_the_limit_is_raised(tmp_path: Path) -> None:
    with _journal(tmp_path / "journal") as journal:
        journal.add("time", SHORT, UNKNOWN)
        journal.add("memory", Limits(5, 100), replace(UNKNOWN, limit=Limit.MEMORY))
        journal.add("bound", SHORT, replace(UNKNOWN, limit=None))
        journal.add("wrong", SHORT, replace(UNKNOWN, limit=None, error=Fault(cause=Cause.INPUT, message="?")))
        journal.add(
            "bug", SHORT, replace(UNKNOWN, limit=None, error=Fault(cause=Cause.INTERNAL, message="?"))
        )

        def found(key: str, limits: Limits) -> bool:
            return journal.find(key, limits, CheckReport) is not None

        assert found("time", SHORT)
        assert found("time", Limits(1))
        assert not found("time", LONG)
        assert not found("time", Limits())
        assert found("memory", Limits(50, 100))
        assert not found("memory", Limits(5, 200))
        assert found("bound", LONG)
        assert not found("wrong", SHORT)
        assert not found("bug", SHORT)
        journal.add("machine", SHORT, replace(UNKNOWN, limit=Limit.MEMORY))
        assert not found("machine", SHORT)
        assert len(journal) == 3, "what is asked again in any case is not kept"


def test_a_full_disk_leaves_what_was_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal"
    journal = _journal(path)
    journal.add("one", SHORT, REPORT)
    whole = path.read_bytes()
    write = os.pwrite

    def half(file: int, data: bytes, place: int) -> int:
        if len(data) > 100:
            return write(file, data[:50], place)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", half)
    with pytest.raises(InputError, match="No space left") as caught:
        journal.add("two", SHORT, replace(UNKNOWN, reason="x" * 60))
    assert "goes on where this one stopped" in caught.value.hint
    journal.close()
    assert path.read_bytes() == whole


def test_two_runs_do_not_share_a_journal(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with _journal(tmp_path / "journal"), pytest.raises(InputError, match="another run"):
        _journal(tmp_path / "journal")
