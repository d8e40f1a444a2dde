"""Times of `treville param` beside those of Cubicle-W and Cubicle (paper 002, Table 1).

    python bench/param.py                   the nine systems of Table 1
    python bench/param.py --corpus          every system of ../shared/corpora/parameterised and its verdict
    python bench/param.py --check           the systems with 2 and 3 processes on the store-buffer machine,
                                            under every memory model: no contradiction with the verdict here
    python bench/param.py --random 1000     so many random systems in the same way

Times are CPU seconds (user and system) of a whole process, start-up included; memory is its peak. The machine
has buffers of 2 entries and numbers from -2 to 4 (random programs: 6 entries), and at most --states states.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
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
MODELS = ("sc", "tso", "pso")
VERDICTS = {"PASS": "SAFE", "FAIL": "UNSAFE", "UNKNOWN": "UNKNOWN"}


def measure(path: Path, timeout: float) -> tuple[float, float, dict[str, object]]:
    """CPU seconds and megabytes of `treville param` on one file, and its report."""
    command = [sys.executable, "-m", "treville", "param", "--json", "--timeout", str(timeout), str(path)]
    with tempfile.TemporaryFile("w+") as output:
        started = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        report = json.loads(output.read().splitlines()[-1])
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, report


def table() -> None:
    """The systems of Table 1 with both times and both efforts."""
    total, reference, most = 0.0, 0.0, 0.0
    print(f"{'system':<26}{'verdict':<9}{'CPU s':>7}{'Cubicle-W':>11}{'MB':>6}  effort (Cubicle-W's)")
    for name, (file, seconds, effort) in TABLE_1.items():
        spent, memory, report = measure(CORPUS / file, 120)
        numbers = report["statistics"]
        assert isinstance(numbers, dict)
        mine = (
            f"{numbers['nodes']} nodes, {numbers['theory_calls']} theory calls, {numbers['guesses']} guesses"
        )
        shown = f"{mine} ({effort})" if effort else mine
        start = f"{name:<26}{report['verdict']!s:<9}"
        print(f"{start}{spent:>7.2f}{seconds:>11.2f}{memory:>6.0f}  {shown}", flush=True)
        total, reference, most = total + spent, reference + seconds, max(most, memory)
    print(f"{'total':<35}{total:>7.2f}{reference:>11.2f}{most:>6.0f}")


def corpus(timeout: float) -> int:
    """Every system against its expected verdict; the number of wrong ones."""
    wrong = decided = extra = 0
    for folder in ("weak", "sc"):
        for row in csv.reader((CORPUS / folder / "expected.csv").open()):
            if row[0] == "file":
                continue
            spent, _, report = measure(CORPUS / folder / row[0], timeout)
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


def check(most: int, timeout: float) -> int:
    """Explore every system with 2 and 3 processes under its models; the contradictions with the verdicts."""
    wrong = 0
    for folder in ("weak", "sc"):
        for row in csv.reader((CORPUS / folder / "expected.csv").open()):
            if row[0] != "file":
                text = (CORPUS / folder / row[0]).read_text()
                for model in MODELS if folder == "weak" else ("sc",):
                    wrong += compare(f"{folder}/{row[0]}", text, model, most, timeout)
    print(f"{wrong} contradictions")
    return wrong


def compare(name: str, text: str, model: str, most: int, timeout: float, buffer: int = 2) -> int:
    """One system: its verdict beside what small instances show. 1 for a contradiction."""
    from treville.parameterised.decide import decide, is_rigid
    from treville.parameterised.language.resolve import read_system
    from treville.parameterised.states.forward import explore
    from treville.parameterised.states.machine import Bounds
    from treville.results import Budget, InputError

    try:
        system = read_system(text, name, model)
    except InputError as error:
        print(f"{name}: {error.message}")
        return 0
    verdict = decide(system, Budget(timeout, 1_000_000_000)).verdict.name
    assumptions = tuple(p for p in system.invariants if is_rigid(system, p))
    notes, unsafe = [], False
    for size in (system.processes,) if system.processes else (2, 3):
        found = explore(system, size, assumptions=assumptions, most=most, bounds=Bounds(buffer=buffer))
        unsafe |= found.unsafe is not None
        safe = "safe" if found.complete else f"safe in {len(found.states)} states"
        notes.append(f"{size}: {safe if found.unsafe is None else 'unsafe'}")
    wrong = unsafe and verdict == "PASS"
    mark = " CONTRADICTION" if wrong else " not found" if unsafe and verdict != "FAIL" else ""
    print(f"{name:<42}{model:<5}{verdict:<9}{', '.join(notes)}{mark}", flush=True)
    return int(wrong)


def random_systems(count: int, start: int, most: int, timeout: float) -> int:
    """Random straight-line programs and protocols under every model; the contradictions."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from tests.parameterised.random_systems import random_litmus, random_system

    wrong = 0
    for seed in range(start, start + count):
        for model in MODELS:
            wrong += compare(f"program {seed}", random_litmus(seed), model, 20 * most, timeout, buffer=6)
            wrong += compare(f"protocol {seed}", random_system(seed), model, most, timeout)
    print(f"{wrong} contradictions")
    return wrong


def main() -> int:
    """Parse the options and run what they ask for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--random", type=int, default=0, metavar="COUNT")
    parser.add_argument("--start", type=int, default=0, metavar="SEED")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--states", type=int, default=5000)
    options = parser.parse_args()
    if options.random:
        return min(1, random_systems(options.random, options.start, options.states, options.timeout))
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 2
    if options.check:
        return min(1, check(options.states, options.timeout))
    if options.corpus:
        return min(1, corpus(options.timeout))
    table()
    return 0


if __name__ == "__main__":
    sys.exit(main())
