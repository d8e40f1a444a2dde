"""Times of `treville check` on C programs beside those of Nidhugg, GenMC, CBMC and Deagle.

    python bench/check.py                     every table but the slow ones
    python bench/check.py mutexes fibonacci   some tables
    python bench/check.py safestack           the slow one

Times are CPU seconds of a whole process. `fixed` is what the front end and imports cost: the time for a
program with one assertion and no threads; `beyond` is the rest. The other tools' times were measured on a
machine of the same kind (CPU seconds, one core); `best` is the best of them, `ratio` ours to it, `-` where
nobody measured one. How time grows with the bound is measured by `bench/growth.py`.
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
    """A line of a table: what to run, what is right, and what the others need. `best` is the best of their
    times (CPU seconds), where somebody measured one on this very question."""

    name: str
    file: str
    defines: str
    model: str
    verdict: str
    bound: str = "auto"
    others: str = "-"
    timeout: float = 120
    best: float | None = None


def table(title: str, rows: Iterable[Row], fixed: float) -> int:
    """Run and print; how many verdicts are wrong."""
    print(
        f"\n{title}\n{'program':<34} {'model':<8} {'verdict':<8} {'all':>7} {'beyond':>7} {'MB':>6}"
        f" {'best':>6} {'ratio':>6}  others"
    )
    wrong = 0
    for row in rows:
        found = run(PROGRAMS / row.file, row.defines, row.model, row.bound, row.timeout)
        mark = "" if found.verdict == row.verdict else f"  WRONG, expected {row.verdict}"
        wrong += bool(mark)
        beyond = max(0.0, found.seconds - fixed)
        best = "-" if row.best is None else f"{row.best:.2f}"
        ratio = "-" if row.best is None else f"{found.seconds / row.best:.1f}"
        print(
            f"{row.name:<34} {row.model:<8} {found.verdict:<8} {found.seconds:>7.2f} {beyond:>7.2f}"
            f" {found.megabytes:>6.0f} {best:>6} {ratio:>6}  {row.others}{mark}",
            flush=True,
        )
    return wrong


def mutexes() -> list[Row]:
    """The seven mutual exclusion algorithms, two threads, one round, spin loops bounded by 4."""
    best = {"sc": 0.08, "tso": 0.08, "pso": 0.26}
    others = "GenMC .08 (max .93; not PSO), Nidhugg .26 (max .53), Deagle .52, CBMC .82 (medians)"
    rows = []
    for name in MUTEXES:
        for fences in range(3):
            for model in MODELS:
                defines = f"F={fences}" + ("" if name == "parker" else " SPINS=4")
                rows.append(
                    Row(
                        f"{name} F{fences}",
                        f"safe/{name}.c",
                        defines,
                        model,
                        _mutex_verdict(name, fences, model),
                        "5",
                        others,
                        best=best[model],
                    )
                )
                others = ""
    return rows


def _mutex_verdict(name: str, fences: int, model: str) -> str:
    safe = model == "sc" or fences == 2 or (fences == 1 and (model == "tso" or name == "parker"))
    return "PASS" if safe else "FAIL"


def larger() -> list[Row]:
    """Two rounds of all, and three threads where the algorithm is for so many."""
    sizes = [("2 rounds", "ROUNDS=2", name) for name in MUTEXES[:6]]
    sizes += [("4 rounds", "ROUNDS=4", "parker")]
    sizes += [("3 threads", "THREADS=3", name) for name in ("lamport", "burns", "bakery")]
    return [
        Row(
            f"{name} F{fences} {what}",
            f"safe/{name}.c",
            f"F={fences} {defines}",
            model,
            _mutex_verdict(name, fences, model),
        )
        for what, defines, name in sizes
        for fences in range(3)
        for model in MODELS
    ]


def fibonacci() -> list[Row]:
    """The Fibonacci race; Deagle's largest N in 60 s is 10 (safe) and 11 (unsafe)."""
    deagle = {("sc", 10, ""): 35.0, ("tso", 10, ""): 49.0, ("sc", 11, " UNSAFE"): 56.0}
    deagle["tso", 11, " UNSAFE"] = 55.0
    rows = []
    for model, largest in (("sc", 13), ("tso", 12), ("pso", 12)):
        for unsafe in ("", " UNSAFE"):
            for number in (5, 8, 11 if unsafe else 10, largest):
                rows.append(
                    Row(
                        f"fibonacci N={number}{unsafe.lower()}",
                        "safe/fibonacci.c",
                        f"N={number}{unsafe}",
                        model,
                        "FAIL" if unsafe else "PASS",
                        str(number),
                        "-" if model == "pso" else "Deagle up to N=10, unsafe 11",
                        best=deagle.get((model, number, unsafe)),
                    )
                )
    return rows


def counterexamples() -> list[Row]:
    """The Fibonacci race with i, j < 144 asserted: long programs with a mistake early on (paper 000)."""
    known = {(50, "sc"): 20.0, (300, "sc"): 1800.0, (300, "tso"): 13200.0, (300, "power"): 14400.0}
    return [
        Row(
            f"fibonacci N={number} < 144",
            "safe/fibonacci.c",
            f"N={number} MAX=144",
            model,
            "FAIL",
            str(number),
            "paper 000",
            900,
            known.get((number, model)),
        )
        for number in (50, 100, 300)
        for model in ("sc", "tso", "pso", "power", "armv7", "aarch64", "rmo", "alpha")
    ]


def structures() -> list[Row]:
    """Stack, locks, lock-free structures."""
    rows = []
    known: dict[str, tuple[str, str, dict[str, float]]] = {
        "stack": (
            "N=5",
            "Nidhugg .27/.27, GenMC .19/.15/.17, Deagle 10.9/15.6",
            {"sc": 0.19, "tso": 0.15, "rc11": 0.17},
        ),
        "ttas_lock": (
            "THREADS=3",
            "Nidhugg .26/.31, GenMC .20/.18/.18",
            {"sc": 0.20, "tso": 0.18, "rc11": 0.18},
        ),
        "ticket_lock": (
            "THREADS=3",
            "Nidhugg .30/.31, GenMC .09/.11/.10, CBMC -/7.6",
            {"sc": 0.09, "tso": 0.11, "rc11": 0.10},
        ),
        "clh_lock": (
            "THREADS=3",
            "Nidhugg .38/.42, GenMC .12/.11/.12",
            {"sc": 0.12, "tso": 0.11, "rc11": 0.12},
        ),
        "mcs_lock": ("THREADS=3", "-", {}),
        "treiber_stack": (
            "THREADS=3",
            "Nidhugg 47/51, GenMC .10/.11/.11",
            {"sc": 0.10, "tso": 0.11, "rc11": 0.11},
        ),
        "michael_scott_queue": ("THREADS=2", "Nidhugg .40, GenMC .16", {"sc": 0.16}),
        "chase_lev_deque": (
            "THIEVES=4 STEALS=1",
            "Nidhugg 2.4/2.5, GenMC .49/.49/.34",
            {"sc": 0.49, "tso": 0.49, "rc11": 0.34},
        ),
    }
    for name, (defines, others, best) in known.items():
        for model in ("sc", "tso", "rc11"):
            row = Row(f"{name} {defines}", f"safe/{name}.c", defines, model, "PASS", "auto", others)
            row.best = best.get(model)
            rows.append(row)
    others = "Nidhugg over 300 (sc), GenMC .94 (sc), 1.2 (rc11)"
    for model in ("sc", "tso", "rc11"):
        name = "michael_scott_queue THREADS=3"
        row = Row(name, "safe/michael_scott_queue.c", "THREADS=3", model, "PASS", "auto", others)
        row.best = {"sc": 0.94, "rc11": 1.2}.get(model)
        rows.append(row)
    return rows


def safestack() -> list[Row]:
    """The bug that needs many context switches."""
    others = "no answer by Nidhugg, GenMC; paper 001: TSO 10-74 minutes, PSO 11-105"
    return [Row("safestack", "unsafe/safestack.c", "", model, "FAIL", "3", others, 600) for model in MODELS]


TABLES = {
    "mutexes": mutexes,
    "larger": larger,
    "fibonacci": fibonacci,
    "counterexamples": counterexamples,
    "structures": structures,
    "safestack": safestack,
}


def main() -> int:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--model", action="append", default=[], help="only these models")
    options = parser.parse_args()
    unknown = set(options.tables) - set(TABLES)
    if unknown:
        parser.error(f"unknown table {', '.join(sorted(unknown))}")
    fixed = fixed_cost()
    print(f"fixed cost (front end and imports): {fixed:.2f} CPU s; load {os.getloadavg()[0]:.1f}")
    wrong = 0
    for name in options.tables or [name for name in TABLES if name != "safestack"]:
        rows = [row for row in TABLES[name]() if not options.model or row.model in options.model]
        wrong += table(name, rows, fixed)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
