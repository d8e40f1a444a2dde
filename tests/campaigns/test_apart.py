"""A front end with threads: workers of another process, progress, and cancelling from anywhere."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from tests.cli.options_table import asking

from treville.campaigns.kind import Limits
from treville.campaigns.kinds import NAMES, kind_named
from treville.campaigns.litmus import KIND
from treville.campaigns.litmus_task import Options, Question
from treville.campaigns.processes import can_fork
from treville.campaigns.run import Nobody, Settings, run
from treville.results.progress import Progress
from treville.results.reports.litmus import LitmusReport
from treville.results.reports.report import Report
from treville.results.verdict import Verdict

pytestmark = pytest.mark.skipif(not can_fork(), reason="needs processes that can be forked")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "litmus"
REGISTERS = ("EAX", "EBX", "ECX", "EDX", "ESI", "EDI")
# Four threads read six writes: nobody lists all final states.
WIDE = "X86 wide\n{ x=0; }\n P0 | P1 | P2 | P3 | P4 ;\n" + "".join(
    f" MOV [x],${number} | " + " | ".join([f"MOV {name},[x]"] * 4) + " ;\n"
    for number, name in enumerate(REGISTERS, 1)
)
ALL_ZERO = " /\\ ".join(f"{thread}:{name}=0" for thread in range(1, 5) for name in REGISTERS)


class Seeing(Nobody):
    """Knows what was told."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.answers = 0

    def working(self, file: str, progress: Progress) -> None:
        self.stages.append(progress.stage)

    def answered(self, report: Report) -> None:
        self.answers += 1


def test_a_thread_gets_reports_in_order_and_cancels_what_takes_for_ever() -> None:
    asked = [Question(str(EXAMPLES / name), "tso") for name in ("SB.litmus", "MP.litmus", "nothing.litmus")]
    asked.append(Question("wide", "tso", Options(limits=Limits(600)), text=f"{WIDE}exists ({ALL_ZERO})\n"))
    seeing, enough, reports = Seeing(), threading.Event(), list[LitmusReport]()

    def serve() -> None:
        reports.extend(run(KIND, asked, Settings(2, threads=True), watcher=seeing, cancelled=enough.is_set))

    thread = threading.Thread(target=serve)
    thread.start()
    while len(reports) < 3 or len(seeing.stages) < 2:
        assert thread.is_alive()
        time.sleep(0.02)
    enough.set()
    thread.join(20)
    assert not thread.is_alive()
    assert [report.file for report in reports] == [question.file for question in asked[:3]]
    assert [report.error is not None for report in reports] == [False, False, True]
    assert seeing.answers == 3


def test_another_process_takes_the_place_of_one_that_was_killed() -> None:
    question = Question(str(EXAMPLES / "SB.litmus"), "tso")

    class Killing(Nobody):
        killed = False

        def waiting(self) -> None:
            if not self.killed:
                children = Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()
                for child in children:
                    if b"campaigns.host" in Path(f"/proc/{child}/cmdline").read_bytes():
                        os.kill(int(child), signal.SIGKILL)
                        self.killed = True

    killing = Killing()
    found = list(run(KIND, [question] * 3, Settings(threads=True), watcher=killing))
    assert [report.verdict for report in found] == [Verdict.PASS] * 3
    assert killing.killed or not Path("/proc/self/task").exists()


def test_every_command_that_asks_has_a_kind() -> None:
    assert set(NAMES) == set(asking())
    assert {kind_named(name).name for name in NAMES} == set(NAMES)
