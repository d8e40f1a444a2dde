"""Treville and other checkers of C programs on the same files in the same run, with ratios.

    python bench/peers.py                              the programs of bench/locks under RC11
    python bench/peers.py DIR FILE.c --timeout 60      others
    python bench/peers.py --genmc /path/to/genmc       a peer that is not on the PATH

Every checker is a process of its own; seconds are CPU seconds, with the compiler's. A ratio above 1 says that
Treville took longer. Where a peer is not installed its columns are empty.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

PROGRAMS = Path(__file__).parent / "locks"
_VERDICTS = {0: "PASS", 1: "FAIL", 3: "-"}
_GENMC_VERDICTS = {0: "PASS", 42: "FAIL"}


class Outcome(NamedTuple):
    """What a checker said, and how long it took."""

    verdict: str
    seconds: float


def run(command: Sequence[str], verdicts: dict[int, str], timeout: float) -> Outcome:
    """One process, with its CPU seconds."""
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                ["timeout", str(timeout), *command], stdout=output, stderr=subprocess.STDOUT
            )
        except FileNotFoundError:
            return Outcome("missing", 0.0)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Outcome(verdicts.get(process.returncode, "-"), usage.ru_utime + usage.ru_stime)


def treville(file: Path, options: argparse.Namespace) -> Outcome:
    """`treville check` as users call it."""
    command = [sys.executable, "-m", "treville", "check", str(file), "--model", options.model]
    command += ["--property", options.property, "--timeout", str(options.timeout), "--no-executions"]
    return run(command, _VERDICTS, options.timeout + 5)


def genmc(file: Path, options: argparse.Namespace) -> Outcome | None:
    """GenMC with its defaults."""
    if options.genmc is None:
        return None
    command = [options.genmc, f"--{options.model}", "--", f"-I{file.parent}", str(file)]
    return run(command, _GENMC_VERDICTS, options.timeout)


def compare(file: Path, options: argparse.Namespace) -> float | None:
    """Print a row; the ratio, if there is one."""
    ours, theirs = treville(file, options), genmc(file, options)
    row = f"{file.stem:<24}{ours.verdict:<8}{ours.seconds:>8.2f}"
    if theirs is None:
        print(row, flush=True)
        return None
    ratio = ours.seconds / max(theirs.seconds, 0.001)
    differs = (
        "  differs" if "-" not in (ours.verdict, theirs.verdict) and ours.verdict != theirs.verdict else ""
    )
    print(f"{row}   {theirs.verdict:<8}{theirs.seconds:>8.2f}{ratio:>9.2f}{differs}", flush=True)
    return ratio if theirs.verdict != "-" else None


def main() -> None:
    """Compare what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[PROGRAMS])
    parser.add_argument("--model", default="rc11", choices=("sc", "tso", "rc11", "imm"))
    parser.add_argument("--property", default="assertion")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--genmc", default=shutil.which("genmc"))
    options = parser.parse_args()
    files = [f for p in options.paths for f in (sorted(p.glob("**/*.c")) if p.is_dir() else [p])]
    print(f"{'program':<24}{'Treville':<8}{'CPU s':>8}   {'GenMC':<8}{'CPU s':>8}{'ratio':>9}")
    ratios = [ratio for file in files if (ratio := compare(file, options)) is not None]
    if ratios:
        print(
            f"median ratio {statistics.median(ratios):.2f}, worst {max(ratios):.2f}, {len(ratios)} programs"
        )


if __name__ == "__main__":
    main()
