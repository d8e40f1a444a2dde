"""Workers keep the order, are killed with all that they started when they overrun, and are asked again when
somebody else killed them."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from treville.campaigns.journal import Journal
from treville.campaigns.kind import Kind, Limits, Telling
from treville.campaigns.processes import can_fork, remove
from treville.campaigns.run import Nobody, Settings, run
from treville.results.errors import Limit
from treville.results.progress import READING, Progress
from treville.results.reports.report import Cause, Report, Status
from treville.results.verdict import Verdict

pytestmark = [
    pytest.mark.skipif(not can_fork(), reason="needs processes that can be forked"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
LIMITED = Limits(seconds=0.4)


@dataclass(frozen=True)
class Asked:
    """A question about nothing: what to do, and when to give up."""

    file: str
    does: str = ""
    limits: Limits = field(default_factory=Limits)
    place: str = ""


class Doing(Kind[Asked, Report]):
    """Does what a question says."""

    name = "doing"
    report = Report

    def blank(self, question: Asked) -> Report:
        return Report(file=question.file)

    def answers(self, questions: Sequence[Asked], telling: Telling[Report]) -> Iterator[Report]:
        for question in questions:
            DEEDS[question.does](question, telling)
            yield Report(
                file=question.file, verdict=Verdict.PASS, status=Status.DONE, reason=str(os.getpid())
            )

    def key(self, question: Asked) -> str:
        return f"{question.file} {question.does}"


def _hang(*_: object) -> None:
    while True:
        pass


def _eat(*_: object) -> None:
    hoard = []
    while True:
        hoard.append(bytearray(b"x" * 5_000_000))
        time.sleep(0.005)


def _die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _die_once(question: Asked, _: object) -> None:
    died = Path(question.place)
    if not died.exists():
        died.touch()
        os.kill(os.getpid(), signal.SIGKILL)


def _abort() -> None:
    faulthandler.disable()
    os.abort()


def _abort_reading(_: Asked, telling: Telling[Report]) -> None:
    telling.progress(Progress(READING))
    os.write(2, b"bad module")
    _abort()


def _abort_solving(_: Asked, telling: Telling[Report]) -> None:
    telling.progress(Progress("solving"))
    _abort()


def _explain_for_ever(question: Asked, telling: Telling[Report]) -> None:
    telling.provisional(Report(file=question.file, verdict=Verdict.FAIL, status=Status.DONE, reason="known"))
    if question.place:
        Path(question.place).touch()
    _hang()


def _prove_and_die(question: Asked, telling: Telling[Report]) -> None:
    telling.progress(Progress("certificate"))
    telling.provisional(Report(file=question.file, verdict=Verdict.PASS, status=Status.DONE))
    _abort()


def _start_another(question: Asked, _: object) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    with tempfile.NamedTemporaryFile(delete=False) as made:
        Path(question.place).write_text(f"{other.pid} {made.name}")
    _hang()


DEEDS: dict[str, Callable[[Asked, Telling[Report]], None]] = {
    "hang": _hang,
    "eat": _eat,
    "die": _die,
    "die once": _die_once,
    "abort reading": _abort_reading,
    "abort solving": _abort_solving,
    "explain": _explain_for_ever,
    "start": _start_another,
    "prove": _prove_and_die,
    "nap": lambda *_: time.sleep(0.02),
    "": lambda *_: None,
}


def _asked(*deeds: str, limits: Limits = LIMITED) -> list[Asked]:
    return [Asked(f"{number}", does, limits) for number, does in enumerate(deeds)]


def _alive(process: int) -> bool:
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def _children() -> set[str]:
    return {
        child
        for task in Path("/proc/self/task").iterdir()
        for child in (task / "children").read_text().split()
    }


def _gone(process: int) -> bool:
    for _ in range(100):
        if not _alive(process):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("jobs", [1, 3])
def test_reports_come_in_the_order_of_the_questions(jobs: int) -> None:
    asked = _asked(*("nap" if number % 3 == 0 else "" for number in range(12)), limits=Limits())
    reports = list(run(Doing(), asked, Settings(jobs)))
    assert [report.file for report in reports] == [str(number) for number in range(12)]
    assert all(report.verdict is Verdict.PASS for report in reports)


def test_what_hangs_is_killed_in_time_and_the_rest_goes_on() -> None:
    started = time.monotonic()
    reports = list(run(Doing(), _asked("", "hang", "")))
    assert [report.verdict for report in reports] == [Verdict.PASS, Verdict.UNKNOWN, Verdict.PASS]
    assert (reports[1].limit, reports[1].reason) == (Limit.TIME, "stopped after 0.4 s (raise --timeout)")
    assert time.monotonic() - started < 5


def test_questions_about_one_file_go_on_after_one_of_them_was_killed() -> None:
    asked = [replace(each, file="one") for each in _asked("", "hang", "", "hang", "")]
    verdicts = [report.verdict for report in run(Doing(), asked)]
    unknown, passed = Verdict.UNKNOWN, Verdict.PASS
    assert verdicts == [passed, unknown, passed, unknown, passed]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is watched through /proc")
def test_what_eats_memory_is_killed() -> None:
    limits = Limits(memory=300_000_000)
    reports = list(run(Doing(), _asked("eat", "", limits=limits)))
    assert (reports[0].limit, reports[0].verdict) == (Limit.MEMORY, Verdict.UNKNOWN)
    assert reports[1].verdict is Verdict.PASS


def test_a_reader_that_dies_is_the_inputs_fault_and_an_engine_ours() -> None:
    reading, solving, well = run(Doing(), _asked("abort reading", "abort solving", ""))
    assert reading.error is not None
    assert solving.error is not None
    assert (reading.error.cause, solving.error.cause) == (Cause.INPUT, Cause.INTERNAL)
    assert "SIGABRT: bad module" in reading.reason
    assert (reading.exit_code, solving.exit_code, well.exit_code) == (2, 4, 0)


def test_a_worker_that_somebody_killed_is_replaced_and_the_question_asked_again(tmp_path: Path) -> None:
    once = Asked("once", "die once", place=str(tmp_path / "died"))
    again, always, well = run(Doing(), [once, *_asked("die", "")])
    assert again.verdict is well.verdict is Verdict.PASS
    assert (always.verdict, always.status) == (Verdict.UNKNOWN, Status.UNKNOWN)
    assert "killed" in always.reason or "SIGKILL" in always.reason


def test_a_failure_stands_though_its_explanation_takes_too_long() -> None:
    [report] = run(Doing(), _asked("explain"))
    assert (report.verdict, report.reason) == (Verdict.FAIL, "known")


def test_a_proof_does_not_stand_where_its_check_died() -> None:
    [report] = run(Doing(), _asked("prove"))
    assert (report.verdict, report.exit_code) == (Verdict.UNKNOWN, 4)


def test_answers_that_wait_to_be_read_are_in_time() -> None:
    asked = [replace(each, file="one") for each in _asked(*[""] * 4)]
    reports = run(Doing(), asked)
    found = [next(reports)]
    time.sleep(1.2)  # whoever reads what is printed takes longer than the limit
    assert [report.verdict for report in [*found, *reports]] == [Verdict.PASS] * 4


def test_what_a_worker_started_ends_with_it_and_its_files_are_removed(tmp_path: Path) -> None:
    told = tmp_path / "told"
    [report] = run(Doing(), [Asked("one", "start", LIMITED, str(told))])
    assert report.limit is Limit.TIME
    process, made = told.read_text().split()
    assert _gone(int(process))
    assert not Path(made).exists()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are found in /proc")
def test_closing_early_leaves_no_process_behind() -> None:
    before = _children()
    reports = run(Doing(), _asked("", "hang", "hang", limits=Limits()), Settings(2))
    first = next(reports)
    assert len(_children() - before) == 3  # two workers and their guard
    reports.close()
    assert _gone(int(first.reason))
    assert _children() <= before


def test_the_death_of_the_parent_reaches_workers_and_what_they_started(tmp_path: Path) -> None:
    told = tmp_path / "told"
    parent = os.fork()
    if not parent:
        try:
            list(run(Doing(), [Asked("one", "start", Limits(), str(told))]))
        finally:
            os._exit(0)
    for _ in range(200):
        if told.exists() and len(told.read_text().split()) == 2:
            break
        time.sleep(0.05)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    process, made = told.read_text().split()
    assert _gone(int(process))
    for _ in range(100):
        if not Path(made).parent.parent.exists():
            break
        time.sleep(0.05)
    assert not Path(made).parent.parent.exists()


def test_questions_are_taken_as_they_are_needed_and_progress_is_told() -> None:
    taken = []

    class Listening(Nobody):
        told = 0

        def answered(self, report: Report) -> None:
            self.told += 1

    def questions() -> Iterator[Asked]:
        for number in range(10_000):
            taken.append(number)
            yield Asked(str(number))

    listening = Listening()
    reports = run(Doing(), questions(), watcher=listening)
    assert [next(reports).file for _ in range(3)] == ["0", "1", "2"]
    reports.close()
    assert len(taken) < 1000
    assert listening.told >= 3


def test_what_is_known_when_a_batch_is_interrupted_is_told_but_asked_again(tmp_path: Path) -> None:
    told = tmp_path / "told"

    class Impatient(Nobody):
        looks = 0

        def waiting(self) -> None:
            self.looks += told.exists()
            if self.looks == 2:  # what was said before the first look has been read by now
                raise KeyboardInterrupt

    known: list[Report] = []
    asked = [Asked("0"), Asked("1", "explain", place=str(told))]
    with Journal(str(tmp_path / "journal"), "doing", print) as journal:
        reports = run(Doing(), asked, journal=journal, watcher=Impatient())
        with pytest.raises(KeyboardInterrupt):
            known.extend(reports)
    assert [(report.file, report.verdict) for report in known] == [("0", Verdict.PASS), ("1", Verdict.FAIL)]
    _, *lines = (tmp_path / "journal").read_text().splitlines()
    assert [json.loads(line)["question"] for line in lines] == ["0 "]


def test_a_folder_is_removed_also_while_somebody_is_still_making_files(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()

    def make_files() -> None:
        with suppress(FileNotFoundError):
            for number in range(10_000):
                (folder / str(number)).touch()

    making = threading.Thread(target=make_files)
    making.start()
    remove(str(folder))
    assert not folder.exists()
    making.join()
