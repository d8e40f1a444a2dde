"""Questions -> answers: many at a time, and what has no answer then once more by itself.

Questions with the same options are files of one command line, which saves a start each; the limit there is
of wall time. Alone a question has that many seconds of the processor: on a busy machine a limit of wall time
would tell how busy it was.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

from cases import Case, Outcome, judge

Report: TypeAlias = dict[str, Any]

# Alone Treville's own limit, which is of wall time, is so many times the processor's; how often a process is
# looked at; litmus tests and programs for each process.
_PATIENCE = 8.0
_LOOK = 0.5
_TESTS, _PROGRAMS = 100, 20
_OPEN = (Outcome.UNKNOWN, Outcome.BROKEN)


@dataclass(frozen=True)
class Answer:
    """What Treville said; `name` is the command line with the file's path below the suites' folder.

    `seconds` and `limit` are those of the processor.
    """

    name: str
    suite: str
    family: str
    expected: str
    verdict: str
    outcome: str
    reason: str
    seconds: float
    limit: float
    commit: str


def answers(
    cases: Sequence[Case],
    folder: Path,
    jobs: int,
    limit: float,
    log: Path | None,
    again: Collection[str] = (),
) -> Iterator[Answer]:
    """The answers; those that the log has come first and are taken from there, but for outcomes `again`."""
    known = [answer for answer in stored(cases, folder, log) if answer.outcome not in again]
    yield from known
    names = {answer.name for answer in known}
    asked = [case for case in cases if _name(case, folder) not in names]
    ask = partial(_ask, folder=folder, limit=limit)
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(ask, _groups(asked)):
            if log:
                with log.open("a") as file:
                    file.writelines(json.dumps(asdict(answer)) + "\n" for answer in found)
            yield from found


def stored(cases: Iterable[Case], folder: Path, log: Path | None) -> Iterator[Answer]:
    """What the log has of these questions; of several answers the last one."""
    known = _read(log)
    yield from (known[name] for case in cases if (name := _name(case, folder)) in known)


def _groups(cases: Iterable[Case]) -> Iterator[list[Case]]:
    """Questions of one family with the same options, some at a time."""
    groups: dict[tuple[str, ...], dict[Path, Case]] = defaultdict(dict)
    for case in cases:
        groups[case.family, *case.arguments][case.file] = case
    for group in groups.values():
        some = list(group.values())
        size = _TESTS if some[0].file.suffix == ".litmus" else _PROGRAMS
        yield from (some[start : start + size] for start in range(0, len(some), size))


def _name(case: Case, folder: Path) -> str:
    return _below(case.command, folder)


def _below(text: str, folder: Path) -> str:
    """The text with paths below the suites' folder."""
    return text.replace(f"{folder.as_posix()}/", "")


def _read(log: Path | None) -> dict[str, Answer]:
    if log is None or not log.exists():
        return {}
    stored = [Answer(**json.loads(line)) for line in log.read_text().splitlines()]
    return {answer.name: answer for answer in stored}


def _ask(cases: Sequence[Case], folder: Path, limit: float) -> list[Answer]:
    found = _asked(cases, folder, limit)
    if len(cases) == 1:
        return found
    pairs = zip(cases, found, strict=True)
    return [_asked([case], folder, limit)[0] if answer.outcome in _OPEN else answer for case, answer in pairs]


def _asked(cases: Sequence[Case], folder: Path, limit: float) -> list[Answer]:
    before = _children()
    reports, missing = _run(cases, limit)
    spent = (_children() - before) / len(cases)
    if missing.get("verdict"):  # it was ended, and who ends so does not wait for its own processes
        spent = max(spent, limit)
    return [
        Answer(
            _name(case, folder), case.suite, case.family, case.expected, str(report.get("verdict", "")),
            judge(case.expected, report), _below(str(report.get("reason", "")).partition("\n")[0], folder),
            round(spent, 2), limit, _commit(),
        )
        for case in cases
        for report in [_worst(reports.get(str(case.file), [missing]))]
    ]  # fmt: skip


def _children() -> float:
    """Seconds that the processor spent on processes that this one has waited for, with theirs."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


@cache
def _commit() -> str:
    """The commit of the code that answers, with a plus where it was changed since."""
    return _git("rev-parse", "--short", "HEAD") + (
        "+" if _git("status", "--porcelain", "--", ":/src") else ""
    )


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _worst(reports: Sequence[Report]) -> Report:
    """Of the answers for all properties the one that decides: a failure, or else one that is no proof."""
    rank = {"FAIL": 0, "UNKNOWN": 1, "PASS": 2}
    return min(reports, key=lambda report: rank.get(str(report.get("verdict")), 0))


def _run(cases: Sequence[Case], limit: float) -> tuple[dict[str, list[Report]], Report]:
    """The reports of each file, and what is to be said of files without one."""
    command = [sys.executable, "-m", "treville", *cases[0].arguments, "--json", "--no-executions"]
    patience = limit if len(cases) > 1 else limit * _PATIENCE
    process = subprocess.Popen(
        [*command, "--timeout", f"{patience:g}", *(str(case.file) for case in cases)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    output, complaint, ended = _wait(process, limit * len(cases))
    reports: dict[str, list[Report]] = defaultdict(list)
    for line in output.splitlines():
        if line.startswith("{"):
            report: Report = json.loads(line)
            reports[report["file"]].append(report)
    late = {"verdict": "UNKNOWN", "reason": f"no answer within {limit:g} s of the processor"}
    return reports, late if ended else {"reason": complaint[-300:]}


def _wait(process: subprocess.Popen[str], limit: float) -> tuple[str, str, bool]:
    """Standard output and error, and whether the process had to be ended."""
    ended = False
    while True:
        try:
            output, complaint = process.communicate(timeout=_LOOK)
        except subprocess.TimeoutExpired:
            if _spent(process.pid) > limit:
                os.killpg(process.pid, signal.SIGKILL if ended else signal.SIGTERM)
                ended = True
        else:
            return output, complaint, ended


def _spent(session: int) -> float:
    """Seconds of the processor for all processes of a session, with those that they have waited for."""
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")
