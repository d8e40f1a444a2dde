"""Times of `treville check` on C programs beside those of Nidhugg, GenMC, CBMC and Deagle.

    python bench/check.py                     every table but the slow ones
    python bench/check.py mutexes fibonacci   some tables
    python bench/check.py safestack           the slow one
    python bench/check.py growth              time and size against the bound (paper 004, Figure 4.13)

Times are CPU seconds of a whole process. `fixed` is what the front end and imports cost: the time for a
program with one assertion and no threads; `beyond` is the rest. The other tools' times were measured on a
machine of the same kind (CPU seconds, one core); `-` where nobody measured one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[1] / "tests" / "c"
MUTEXES = ("dekker", "peterson", "lamport", "szymanski", "burns", "bakery", "parker")
MODELS = ("sc", "tso", "pso")
TRIVIAL = "#include <assert.h>\nint x;\nint main(void) { x = 1; assert(x == 1); return 0; }\n"


@dataclass(slots=True)
class Run:
    """One run of `treville check`."""

    verdict: str
    seconds: float
    megabytes: float
    stats: dict[str, int]


def run(file: Path, defines: str, model: str, bound: str, timeout: float) -> Run:
    """Check a program in a process of its own."""
    command = [sys.executable, "-m", "treville", "check", str(file), "--json", "--model", model]
    command += ["--bound", bound, "--timeout", str(timeout)]
    command += [part for define in defines.split() for part in ("-D", define)]
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    spent = usage.ru_utime + usage.ru_stime
    if not text.strip():
        return Run("error", spent, 0, {})
    report = json.loads(text.splitlines()[-1])
    verdict = report["verdict"] if process.returncode in (0, 1, 3) else f"error: {report['reason'][:60]}"
    return Run(verdict, spent, usage.ru_maxrss / 1024, report["stats"])


def fixed_cost() -> float:
    """The CPU seconds of the front end and of imports."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trivial.c"
        path.write_text(TRIVIAL)
        run(path, "", "sc", "1", 60)
        return min(run(path, "", "sc", "1", 60).seconds for _ in range(3))


@dataclass(slots=True)
class Row:
    """A line of a table: what to run, what is right, and what the others need."""

    name: str
    file: str
    defines: str
    model: str
    verdict: str
    bound: str = "auto"
    others: str = "-"
    timeout: float = 120


def table(title: str, rows: Iterable[Row], fixed: float) -> int:
    """Run and print; how many verdicts are wrong."""
    print(
        f"\n{title}\n{'program':<34} {'model':<8} {'verdict':<8} {'all':>7} {'beyond':>7} {'MB':>6}  others"
    )
    wrong = 0
    for row in rows:
        found = run(PROGRAMS / row.file, row.defines, row.model, row.bound, row.timeout)
        mark = "" if found.verdict == row.verdict else f"  WRONG, expected {row.verdict}"
        wrong += bool(mark)
        beyond = max(0.0, found.seconds - fixed)
        print(
            f"{row.name:<34} {row.model:<8} {found.verdict:<8} {found.seconds:>7.2f} {beyond:>7.2f}"
            f" {found.megabytes:>6.0f}  {row.others}{mark}",
            flush=True,
        )
    return wrong


def mutexes() -> list[Row]:
    """The seven mutual exclusion algorithms, two threads, one round, spin loops bounded by 4."""
    others = "GenMC .08 (max .93), Nidhugg .26 (max .53), Deagle .52, CBMC .82 (medians)"
    rows = []
    for name in MUTEXES:
        for fences in range(3):
            for model in MODELS:
                safe = model == "sc" or fences == 2 or (fences == 1 and (model == "tso" or name == "parker"))
                verdict = "PASS" if safe else "FAIL"
                defines = f"F={fences}" + ("" if name == "parker" else " SPINS=4")
                rows.append(Row(f"{name} F{fences}", f"safe/{name}.c", defines, model, verdict, "5", others))
                others = ""
    return rows


def larger() -> list[Row]:
    """Two rounds and three threads, where the algorithm is for so many."""
    rows = []
    for name in ("lamport", "burns", "bakery"):
        rows.append(Row(f"{name} 3 threads", f"safe/{name}.c", "F=2 THREADS=3 RETRIES=1", "tso", "PASS", "2"))
    for name in MUTEXES[:6]:
        rows.append(Row(f"{name} 2 rounds", f"safe/{name}.c", "F=2 ROUNDS=2 RETRIES=1", "tso", "PASS", "2"))
    return rows


def fibonacci() -> list[Row]:
    """The Fibonacci race."""
    best = {"sc": "Deagle N=10 35 s, N=11 unsafe 56 s", "tso": "Deagle N=10 49 s, N=11 unsafe 55 s"}
    rows = []
    for model, largest in (("sc", 13), ("tso", 12), ("pso", 12)):
        for number in (5, 8, 10, largest):
            for unsafe in ("", " UNSAFE"):
                rows.append(
                    Row(
                        f"fibonacci N={number}{unsafe.lower()}",
                        "safe/fibonacci.c",
                        f"N={number}{unsafe}",
                        model,
                        "FAIL" if unsafe else "PASS",
                        str(number),
                        best.get(model, "-"),
                    )
                )
    for number, others in ((50, "paper 000: under 20 s"), (300, "paper 000: 30 minutes")):
        name = f"fibonacci N={number} < 144"
        rows.append(
            Row(name, "safe/fibonacci.c", f"N={number} MAX=144", "sc", "FAIL", str(number), others, 300)
        )
    return rows


def structures() -> list[Row]:
    """Stack, locks, lock-free structures."""
    rows = []
    known = {
        "stack": ("N=5", "Nidhugg .27/.27, GenMC .19/.15, Deagle 10.9/15.6"),
        "ttas_lock": ("THREADS=3", "Nidhugg .26/.31, GenMC .20/.18"),
        "ticket_lock": ("THREADS=3", "Nidhugg .30/.31, GenMC .09/.11, CBMC -/7.6"),
        "clh_lock": ("THREADS=3", "Nidhugg .38/.42, GenMC .12/.11"),
        "mcs_lock": ("THREADS=3", "-"),
        "treiber_stack": ("THREADS=3", "Nidhugg 47/51, GenMC .10/.11"),
        "michael_scott_queue": ("THREADS=2", "Nidhugg .40, GenMC .16"),
        "chase_lev_deque": ("THIEVES=4 STEALS=1", "Nidhugg 2.4/2.5, GenMC .49/.49"),
    }
    for name, (defines, others) in known.items():
        for model in ("sc", "tso", "rc11"):
            rows.append(Row(f"{name} {defines}", f"safe/{name}.c", defines, model, "PASS", "auto", others))
    others = "Nidhugg over 300 (sc), GenMC .94 (sc), 1.2 (rc11)"
    for model in ("sc", "tso", "rc11"):
        name = "michael_scott_queue THREADS=3"
        rows.append(Row(name, "safe/michael_scott_queue.c", "THREADS=3", model, "PASS", "auto", others))
    return rows


def safestack() -> list[Row]:
    """The bug that needs many context switches."""
    others = "no answer by Nidhugg, GenMC; paper 001: TSO 10-74 minutes, PSO 11-105"
    return [Row("safestack", "unsafe/safestack.c", "", model, "FAIL", "3", others, 600) for model in MODELS]


def growth() -> int:
    """CPU seconds, events and clauses against the bound."""
    print(f"\ngrowth with the bound\n{'program':<12} {'model':<8} bound  seconds  events  clauses")
    for name in MUTEXES:
        for model in ("tso", "armv7", "power"):
            for bound in (2, 4, 8, 16):
                defines = f"F=2 RETRIES={bound} SPINS={bound}"
                found = run(PROGRAMS / f"safe/{name}.c", defines, model, str(bound), 60)
                clauses = sum(found.stats.get(key, 0) for key in ("rules", "constraints"))
                events = found.stats.get("events", 0)
                print(
                    f"{name:<12} {model:<8} {bound:>5}  {found.seconds:>7.2f}  {events:>6}  {clauses:>7}",
                    flush=True,
                )
    return 0


TABLES = {
    "mutexes": mutexes,
    "larger": larger,
    "fibonacci": fibonacci,
    "structures": structures,
    "safestack": safestack,
}


def main() -> int:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join([*TABLES, "growth"]))
    parser.add_argument("--model", action="append", default=[], help="only these models")
    options = parser.parse_args()
    unknown = set(options.tables) - {*TABLES, "growth"}
    if unknown:
        parser.error(f"unknown table {', '.join(sorted(unknown))}")
    fixed = fixed_cost()
    print(f"fixed cost (front end and imports): {fixed:.2f} CPU s; load {os.getloadavg()[0]:.1f}")
    wrong = 0
    for name in options.tables or [name for name in TABLES if name != "safestack"]:
        if name == "growth":
            wrong += growth()
            continue
        rows = [row for row in TABLES[name]() if not options.model or row.model in options.model]
        wrong += table(name, rows, fixed)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
