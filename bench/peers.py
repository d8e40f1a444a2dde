"""Treville and other checkers of C programs on the same files in the same run, with ratios.

    python bench/peers.py                              the programs of bench/locks under RC11
    python bench/peers.py DIR FILE.c --timeout 60      others
    python bench/peers.py --suite genmc/tests          GenMC's own tests, with all their arguments
    python bench/peers.py --genmc /path/to/genmc       a peer that is not on the PATH
    python bench/peers.py --only treiber --rows rows.csv

Every checker is a process of its own; seconds are CPU seconds, with the compiler's. A ratio above 1 says that
Treville took longer. Where a peer is not installed its columns are empty. At the end: what the peer answered
within ten seconds and Treville did not, what took longer than five times as long and a second, the median.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

PROGRAMS = Path(__file__).parent / "locks"
_VERDICTS = {0: "PASS", 1: "FAIL", 2: "error"}
_GENMC_VERDICTS = {0: "PASS", 42: "FAIL"}
_QUICK = 10.0
_PATIENCE = 10  # seconds for each CPU second, on a busy machine
_NO_RACES = "assertion"  # what uses memory before it is handed over races
_GONE = ("-lapor",)  # options that GenMC's tests still have


class Case(NamedTuple):
    """A program with its definitions; `theirs` are options for the peer alone."""

    name: str
    file: Path
    defines: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Where its own headers are."""
        parent = self.file.parent
        return parent.parent if parent.name == "variants" else parent

    def asked(self, default: str) -> str:
        """What the peer looks for with its options."""
        if "-check-liveness" in self.theirs:
            return "liveness"
        return _NO_RACES if "-disable-race-detection" in self.theirs else default

    def bound(self) -> list[str]:
        """How often the peer unrolls loops."""
        bounds = [each.split("=")[1] for each in self.theirs if each.startswith("-unroll=")]
        return ["--bound", bounds[0]] if bounds else []


class Outcome(NamedTuple):
    """What a checker said, and how long it took."""

    verdict: str
    seconds: float

    @property
    def answered(self) -> bool:
        """Is it a verdict?"""
        return self.verdict in ("PASS", "FAIL")


class Row(NamedTuple):
    """Both answers for a program."""

    case: Case
    ours: Outcome
    theirs: Outcome | None

    @property
    def ratio(self) -> float | None:
        """How many times as long Treville took, where both have an answer."""
        if self.theirs is None or not self.theirs.answered or not self.ours.answered:
            return None
        return self.ours.seconds / max(self.theirs.seconds, 0.001)


# -- programs --------------------------------------------------------------------------------------------


def cases_of(options: argparse.Namespace) -> Iterator[Case]:
    """The programs that were asked for."""
    for path in options.paths or ([] if options.suite else [PROGRAMS]):
        for file in sorted(path.glob("**/*.c")) if path.is_dir() else [path]:
            yield Case(file.stem, file)
    if options.suite:
        for folder in sorted(options.suite.glob("**/variants")):
            if not any(part in options.leave_out for part in folder.parts):
                yield from _variants(folder, options)


def _variants(folder: Path, options: argparse.Namespace) -> Iterator[Case]:
    """One test of GenMC's suite: each file with each line of arguments; in front of the bar they are the
    checker's."""
    test, more = folder.parent, []
    found = [f for f in (test / f"args.{options.model}.{order}.in" for order in ("mo", "wb")) if f.exists()]
    lines = [line for line in found[0].read_text().splitlines() if line.strip()] if found else ["|"]
    unroll = test / "unroll.in"
    if unroll.exists():
        more = [f"-unroll={unroll.read_text().split()[0]}"]
    extra = test / f"genmc.{options.model}.mo.in"
    if extra.exists():
        more += extra.read_text().split()
    name = "/".join(test.parts[-2:])
    for line in lines:
        checker, _, compiler = line.partition("|") if "|" in line else ("", "", line)
        defines = tuple(each for each in shlex.split(compiler) if each.startswith("-D"))
        for file in sorted(folder.glob("*.c")):
            shown = " ".join((name, file.stem, *(each[2:] for each in defines)))
            theirs = (each for each in (*shlex.split(checker), *more) if each not in _GONE)
            yield Case(shown, file, defines, tuple(theirs))


# -- checkers --------------------------------------------------------------------------------------------


def run(command: Sequence[str], verdicts: dict[int, str], timeout: float) -> Outcome:
    """One process, with its CPU seconds; the limit counts these, for each process that it starts."""
    limit = math.ceil(timeout)
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                ["timeout", str(_PATIENCE * limit), "prlimit", f"--cpu={limit}", *command],
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        except FileNotFoundError:
            return Outcome("missing", 0.0)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Outcome(verdicts.get(process.returncode, "-"), usage.ru_utime + usage.ru_stime)


def treville(case: Case, options: argparse.Namespace) -> Outcome:
    """`treville check` as users call it."""
    command = [sys.executable, "-m", "treville", "check", str(case.file), "--model", options.model]
    command += ["--property", case.asked(options.property), "--timeout", str(_PATIENCE * options.timeout)]
    command += ["--no-executions", "--quiet", *case.bound(), *shlex.split(options.options)]
    for each in (*case.defines, f"-I{case.folder}"):
        command += [each[:2], each[2:]]
    return run(command, _VERDICTS, options.timeout)


def genmc(case: Case, options: argparse.Namespace) -> Outcome | None:
    """GenMC with its defaults."""
    if options.genmc is None:
        return None
    command = [options.genmc, f"--{options.model}", "--disable-estimation", "--disable-mm-detector"]
    command += [*case.theirs, "--", f"-I{case.folder}", *case.defines, str(case.file)]
    return run(command, _GENMC_VERDICTS, options.timeout)


def compare(case: Case, options: argparse.Namespace) -> Row:
    """Print a row."""
    theirs = genmc(case, options)
    ours = treville(case, options)
    row = Row(case, ours, theirs)
    text = f"{case.name:<56}{ours.verdict:<8}{ours.seconds:>8.2f}"
    if theirs is not None:
        differs = ours.answered and theirs.answered and ours.verdict != theirs.verdict
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        text += f"   {theirs.verdict:<8}{theirs.seconds:>8.2f}{ratio:>9}{'  differs' if differs else ''}"
    print(text, flush=True)
    return row


# -- what comes of it ------------------------------------------------------------------------------------


def summarise(rows: Sequence[Row]) -> None:
    """Print what was answered, the ratios, and the rows that have to become better."""
    known = [(row, row.theirs) for row in rows if row.theirs is not None and row.theirs.answered]
    print(f"\n{len(rows)} programs, {sum(row.ours.answered for row in rows)} answered", end="")
    if not known:
        print()
        return
    ratios = [row.ratio for row, _ in known if row.ratio is not None]
    print(f"; the peer {len(known)}, both {len(ratios)}")
    if ratios:
        print(f"median ratio {statistics.median(ratios):.2f}, worst {max(ratios):.2f}")
    quick = [row for row, theirs in known if theirs.seconds <= _QUICK and not row.ours.answered]
    slow = [row for row, theirs in known if row.ours.answered and row.ours.seconds > 5 * theirs.seconds + 1]
    differs = [row for row, theirs in known if row.ours.answered and row.ours.verdict != theirs.verdict]
    told = (("not answered", quick), ("slower than five times and a second", slow), ("differ", differs))
    for what, which in told:
        print(f"{what}: {len(which)}")
        for row in which:
            assert row.theirs is not None
            print(f"  {row.case.name:<56}{row.ours.verdict:<6}{row.ours.seconds:>7.2f}", end="")
            print(f"{row.theirs.verdict:>6}{row.theirs.seconds:>7.2f}")


def write_rows(rows: Sequence[Row], file: Path) -> None:
    """The rows as a table for other programs."""
    with file.open("w", newline="") as output:
        writer = csv.writer(output)
        for row in rows:
            theirs = row.theirs or Outcome("", 0)
            writer.writerow((row.case.name, row.case.file, *row.ours, *theirs))


def main() -> None:
    """Compare what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--model", default="rc11", choices=("sc", "tso", "rc11", "imm"))
    parser.add_argument("--property", default="safety")
    parser.add_argument("--options", default="", help="further options for Treville, as one word")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--genmc", default=shutil.which("genmc"))
    parser.add_argument("--suite", type=Path, help="GenMC's folder of tests")
    parser.add_argument("--leave-out", nargs="*", default=["cooking", "fs", "lkmm", "relinche"])
    parser.add_argument("--only", default="", help="a part of the names")
    parser.add_argument("--rows", type=Path, help="write the rows to a file")
    options = parser.parse_args()
    print(f"{'program':<56}{'Treville':<8}{'CPU s':>8}   {'GenMC':<8}{'CPU s':>8}{'ratio':>9}")
    rows = [compare(case, options) for case in cases_of(options) if options.only in case.name]
    summarise(rows)
    if options.rows is not None:
        write_rows(rows, options.rows)


if __name__ == "__main__":
    main()
