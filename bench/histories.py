"""Size against time for every level and algorithm of `treville history`.

    python bench/histories.py goals      10,000 operations, 8 processes, 100 keys, unique values
    python bench/histories.py sizes      growing histories with unique values, every level
    python bench/histories.py values     few values for each key: what saturation leaves to search
    python bench/histories.py encodings  clasp's acyclicity against transitivity clauses
    python bench/histories.py threads    the polynomial algorithms against SAT
    python bench/histories.py million    the whole command on 1,000,000 operations: linearizability
    python bench/histories.py large      the whole command on 100,000 operations, every level

Every history is made by a machine of the level it is checked against, with a fixed seed. Seconds are CPU
time of one process, so that a busy machine does not matter; the evidence is checked within them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from treville.histories import LEVELS, History, Level, check, find_level
from treville.histories.generate import generate, mutate
from treville.histories.polynomial import configurations
from treville.results import Budget

GOALS = {"LOCAL": 5.0, "SLOW": 5.0, "PRAM": 30.0, "causal": 30.0, "SC": 60.0, "TSO": 60.0}


def made(
    level: Level, operations: int, processes: int, keys: int, seed: int, values: int | None = None
) -> History:
    """A generated history, logged process by process, so that the order of the log gives nothing away."""
    history = generate(level, operations, processes, keys, seed, values, level.needs_times)
    return History(history.name, tuple(sorted(history.operations, key=lambda o: o.process)))


def seconds(history: History, level: str, algorithm: str, limit: float) -> str:
    started = time.process_time()
    answer = check(history, find_level(level), Budget(limit, 4_000_000_000), algorithm)
    used = time.process_time() - started
    if answer.verdict.value == "UNKNOWN":
        return f"> {used:.0f}" if "within" in answer.reason else "-"
    return f"{used:.2f}" + (" FAIL" if answer.verdict.value == "FAIL" else "")


def row(*cells: object) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def header(*cells: str) -> None:
    row(*cells)
    row(*("---" for _ in cells))


def goals(limit: float) -> bool:
    """Every goal on the level's own machine; True when all are met."""
    header("level", "goal (s)", "CPU seconds", "wall seconds", "answer")
    met = True
    for name, goal in GOALS.items():
        history = made(find_level(name), 10_000, 8, 100, 1)
        started = time.process_time()
        answer = check(history, find_level(name), Budget(max(limit, 10 * goal), 4_000_000_000))
        used = time.process_time() - started
        met &= answer.verdict.value == "PASS" and used <= goal
        row(
            name, goal, f"{used:.2f}", f"{answer.seconds:.2f}", f"{answer.verdict.value} ({answer.algorithm})"
        )
    return met


def sizes(limit: float) -> bool:
    counts = (100, 1000, 5000, 10_000, 20_000)
    header("level", *(f"{count} operations" for count in counts))
    for name, level in LEVELS.items():
        cells = []
        for count in counts:
            history = made(level, count, 8, max(2, count // 100), 1)
            cells.append(seconds(history, name, "auto", limit))
        row(name, *cells)
    return True


def values(limit: float) -> bool:
    counts = (20, 50, 100, 200, 400)
    header("level", *(f"{count} operations" for count in counts))
    for name, level in LEVELS.items():
        cells = []
        for count in counts:
            history = made(level, count, 4, 4, 2, values=3)
            cells.append(seconds(history, name, "auto", limit))
        row(name, *cells)
    return True


def encodings(limit: float) -> bool:
    header("level", "operations", "acyclicity (s)", "transitivity (s)")
    for name in ("SC", "TSO", "causal", "PRAM", "CC"):
        for count in (12, 24, 48, 96):
            history = made(find_level(name), count, 4, 3, 3, values=2)
            row(name, count, *(seconds(history, name, a, limit) for a in ("sat", "sat-transitive")))
    return True


def threads(limit: float) -> bool:
    header("level", "processes", "operations", "configurations", "polynomial (s)", "sat (s)")
    for name, processes, count, keys in (
        ("LOCAL", 4, 2000, 10),
        ("CC", 2, 200, 2),
        ("CC", 3, 100, 2),
        ("CC", 4, 100, 4),
        ("SLOW", 2, 200, 2),
        ("SLOW", 4, 100, 4),
        ("PRAM", 12, 36, 3),
        ("PRAM", 20, 60, 3),
    ):
        history = made(find_level(name), count, processes, keys, 4, values=3)
        level = find_level(name)
        known = configurations(level, history.events) if name in ("CC", "SLOW") else "-"
        row(name, processes, count, known, *(seconds(history, name, a, limit) for a in ("polynomial", "sat")))
    return True


def whole_command(level: str, history: History, limit: float) -> tuple[str, float, int]:
    """The answer, CPU seconds and peak megabytes of `treville history`, reading and judging included."""
    with tempfile.TemporaryDirectory() as folder:
        log, output = Path(folder) / "log.jsonl", Path(folder) / "answer"
        with log.open("w") as lines:
            for o in history.operations:
                kind = "write" if o.is_write else "read"
                fields = {"process": o.process, "type": kind, "key": o.key, "value": o.value}
                if o.start is not None:
                    fields |= {"invoke": o.start, "complete": o.end}
                lines.write(json.dumps(fields) + "\n")
        command = [sys.executable, "-m", "treville", "history", str(log), "--level", level]
        with output.open("w") as answer:
            process = subprocess.Popen([*command, "--timeout", str(limit)], stdout=answer)
            _, _, usage = os.wait4(process.pid, 0)
        first = output.read_text().split("\n")
    said = first[0].partition(": ")[2].partition(" (")[0] + (f":{first[1]}" if "UNKNOWN" in first[0] else "")
    return said, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


def million(limit: float) -> bool:
    """Linearizability of a million operations that pass, and with one stale read: 60 s and 2 GB each."""
    header("history", "answer", "CPU seconds", "peak MB")
    met = True
    history = made(find_level("linearizability"), 1_000_000, 8, 10_000, 1)
    for name, changed in (("passing", history), ("one read changed", mutate(history, 1, 1))):
        answer, used, megabytes = whole_command("linearizability", changed, max(limit, 600))
        met &= used <= 60 and megabytes <= 2000 and not answer.startswith("UNKNOWN")
        row(name, answer, f"{used:.1f}", megabytes)
    return met


def large(limit: float) -> bool:
    """Every level on 100,000 operations of its own machine."""
    header("level", "answer", "CPU seconds", "peak MB")
    for name, level in LEVELS.items():
        answer, used, megabytes = whole_command(name, made(level, 100_000, 8, 1000, 1), max(limit, 300))
        row(name, answer, f"{used:.1f}", megabytes)
    return True


def main() -> int:
    tables = {
        "goals": goals,
        "sizes": sizes,
        "values": values,
        "encodings": encodings,
        "threads": threads,
        "million": million,
        "large": large,
    }
    parser = argparse.ArgumentParser(description=__doc__, prog=Path(__file__).name)
    parser.add_argument("table", nargs="?", choices=tables, default="goals")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for each cell")
    options = parser.parse_args()
    return 0 if tables[options.table](options.limit) else 1


if __name__ == "__main__":
    sys.exit(main())
