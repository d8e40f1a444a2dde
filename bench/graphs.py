"""How fast execution graphs are explored: graphs, units of work and CPU seconds for locks and queues.

    python bench/graphs.py                    every program of bench/locks under rc11, imm, aarch64 and power
    python bench/graphs.py mcs cna --models rc11
    python bench/graphs.py --threads 4 mcs    as many threads

Each program is compiled once; seconds are those of the exploration alone, best of `--runs`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from treville.engines.contract import GaveUp, Proved
from treville.engines.registry import DECIDE
from treville.engines.task import ProgramTask, program_task
from treville.models.library import load_model
from treville.passes.program import Context
from treville.programs.c import read_unit
from treville.results import Budget
from treville.results.properties import Property

PROGRAMS = Path(__file__).parent / "locks"
MODELS = ("rc11", "imm", "aarch64", "power")


def task_of(file: Path, model: str, threads: int, seconds: float) -> ProgramTask:
    """The question whether an assertion can fail."""
    unit = read_unit(file, (f"THREADS={threads}",))
    return program_task(unit, Context(load_model(model), Property.ASSERTION), None, Budget(seconds))


def measure(file: Path, model: str, options: argparse.Namespace) -> None:
    """Print one row."""
    best, answer = float("inf"), None
    for _ in range(options.runs):
        task = task_of(file, model, options.threads, options.timeout)
        started = time.process_time()
        answer = DECIDE["graphs"]().run(task)
        best = min(best, time.process_time() - started)
    assert answer is not None
    verdict = "PASS" if isinstance(answer, Proved) else "-" if isinstance(answer, GaveUp) else "FAIL"
    counts = [answer.stats.get(name, 0) for name in ("executions", "blocked", "work")]
    rate = sum(counts[:2]) / max(best, 1e-6)
    why = answer.reason if isinstance(answer, GaveUp) else ""
    row = "".join(f"{count:>10,}" for count in counts)
    print(f"{file.stem:<14}{model:<9}{verdict:<6}{row}{best:>9.2f}{rate:>10,.0f}  {why}", flush=True)


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs of bench/locks")
    parser.add_argument("--models", nargs="*", default=MODELS)
    parser.add_argument("--threads", type=int, default=3)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=60)
    options = parser.parse_args()
    print(f"{'program':<14}{'model':<15}{'complete':>10}{'blocked':>10}{'work':>10}{'CPU s':>9}{'per s':>10}")
    for file in sorted(PROGRAMS.glob("*.c")):
        if not options.names or file.stem in options.names:
            for model in options.models:
                measure(file, model, options)


if __name__ == "__main__":
    main()
