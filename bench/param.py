"""Times of `treville param` beside those of Cubicle-W and Cubicle (paper 002, Table 1).

    python bench/param.py              the nine systems of Table 1
    python bench/param.py --corpus     every system of ../shared/corpora/parameterised, against the verdicts
    python bench/param.py --check      the same systems explored with 2 and 3 processes: no contradiction

Times are CPU seconds (user and system) of a whole process, start-up included.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpora" / "parameterised"

# system -> (file, Cubicle-W CPU seconds, nodes and solver calls of Cubicle-W where known)
TABLE_1: dict[str, tuple[str, float, str]] = {
    "naive mutex (unsafe)": ("weak/cubtso/mutex_N_us.cub", 0.02, ""),
    "naive mutex": ("weak/cubtso/mutex_N.cub", 0.16, ""),
    "lamport (unsafe)": ("weak/cubtso/lamport_N_us.cub", 0.08, ""),
    "lamport": ("weak/cubtso/lamport_N.cub", 1.19, "97 nodes, 369 calls"),
    "spinlock": ("weak/cubtso/spinlock_N.cub", 0.05, ""),
    "sense reversing barrier": ("weak/cubtso/sense_rev_N.cub", 0.04, ""),
    "arbiter v1": ("weak/cubtso/arbiter_v1_N.cub", 0.17, ""),
    "arbiter v2": ("weak/cubtso/arbiter_v2_N.cub", 12.95, "619 nodes, 3021 calls"),
    "two phase commit": ("weak/cubtso/two_phase_N.cub", 55.9, "449 nodes, 4739 calls"),
}
VERDICTS = {"PASS": "SAFE", "FAIL": "UNSAFE", "UNKNOWN": "UNKNOWN"}


def measure(path: Path, timeout: float) -> tuple[float, dict[str, object]]:
    """CPU seconds of `treville param` on one file, and its report."""
    before = os.times()
    command = [sys.executable, "-m", "treville", "param", "--json", "--timeout", str(timeout), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent, json.loads(done.stdout.splitlines()[-1])


def table() -> None:
    """The systems of Table 1 with both times and both efforts."""
    total, reference = 0.0, 0.0
    print(f"{'system':<26}{'verdict':<9}{'CPU s':>7}{'Cubicle-W':>11}  effort (Cubicle-W's)")
    for name, (file, seconds, effort) in TABLE_1.items():
        spent, report = measure(CORPUS / file, 120)
        numbers = report["statistics"]
        assert isinstance(numbers, dict)
        mine = (
            f"{numbers['nodes']} nodes, {numbers['theory_calls']} theory calls, {numbers['guesses']} guesses"
        )
        shown = f"{mine} ({effort})" if effort else mine
        print(f"{name:<26}{report['verdict']!s:<9}{spent:>7.2f}{seconds:>11.2f}  {shown}", flush=True)
        total, reference = total + spent, reference + seconds
    print(f"{'total':<35}{total:>7.2f}{reference:>11.2f}")


def corpus(timeout: float) -> int:
    """Every system against its expected verdict; the number of wrong ones."""
    wrong = decided = extra = 0
    for folder in ("weak", "sc"):
        for row in csv.reader((CORPUS / folder / "expected.csv").open()):
            if row[0] == "file":
                continue
            spent, report = measure(CORPUS / folder / row[0], timeout)
            verdict = VERDICTS[str(report["verdict"])]
            note = ""
            if verdict != "UNKNOWN":
                decided += 1
                extra += row[1] == "undecided"
                if row[1] not in (verdict, "undecided"):
                    wrong, note = wrong + 1, "WRONG"
            name = f"{folder}/{row[0]}"
            print(f"{name:<42}{row[1]:<11}{verdict:<9}{spent:>7.2f}{row[2]:>9} {note}", flush=True)
    print(f"{decided} decided, {extra} of them undecided by the reference, {wrong} wrong")
    return wrong


def check(most: int) -> int:
    """Explore every system with 2 and 3 processes; the contradictions with the verdicts."""
    from treville.parameterised.decide import is_rigid
    from treville.parameterised.forward import explore
    from treville.parameterised.resolve import read_system
    from treville.results import InputError

    wrong = 0
    for folder in ("weak", "sc"):
        for row in csv.reader((CORPUS / folder / "expected.csv").open()):
            if row[0] == "file":
                continue
            try:
                system = read_system((CORPUS / folder / row[0]).read_text(), row[0])
            except InputError as error:
                print(f"{folder}/{row[0]}: {error.message}")
                continue
            assumptions = tuple(p for p in system.invariants if is_rigid(system, p))
            for size in (system.processes,) if system.processes else (2, 3):
                found = explore(system, size, assumptions=assumptions, most=most)
                note = "unsafe" if found.unsafe is not None else "safe"
                note += "" if found.complete else " so far"
                if found.unsafe is not None and row[1] == "SAFE":
                    wrong, note = wrong + 1, note + " CONTRADICTION"
                name = f"{folder}/{row[0]}"
                print(f"{name:<42}{row[1]:<11}{size} processes, {len(found.states):>6} states: {note}")
    print(f"{wrong} contradictions")
    return wrong


def main() -> int:
    """Parse the options and run what they ask for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--states", type=int, default=5000)
    options = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 2
    if options.check:
        return min(1, check(options.states))
    if options.corpus:
        return min(1, corpus(options.timeout))
    table()
    return 0


if __name__ == "__main__":
    sys.exit(main())
