"""How much longer the schedule takes than the best engine alone: ratios, and the worst ten.

    python bench/schedule.py                              bench/locks and examples/c under rc11 and sc
    python bench/schedule.py DIR FILE.c --models aarch64 power --property race
    python bench/schedule.py tests/c/safe/treiber_stack.c -D THREADS=3 --limit 30

Each question is answered by the schedule, then by each engine alone, which is stopped when it takes as long
as the schedule did: it is not better then. All in processes of their own, made of one that has compiled the
program; seconds are CPU seconds. The goal: at most twice the best engine and 0.2 s, at the median 1.2 times.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from treville.engines.registry import AUTO, DECIDE
from treville.engines.task import program_task
from treville.models.library import load_model
from treville.passes.program import Context
from treville.programs.c import Unit, read_unit
from treville.questions.reachability import reachability
from treville.results import Budget, TrevilleError
from treville.results.properties import Property
from treville.results.verdict import Verdict

HERE = Path(__file__).parent
PROGRAMS = (HERE / "locks", HERE.parent / "examples" / "c")
_AT_MOST, _MORE = 2.0, 0.2
_FORMULAS = ("eager", "lazy", "clocks", "conflicts")  # other ways of `formulas`
_ANSWERED = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.UNKNOWN: 3}


class Row(NamedTuple):
    """The seconds of the schedule, and those of the best engine."""

    name: str
    scheduled: float
    best: float
    engine: str

    @property
    def ratio(self) -> float:
        """How much longer the schedule takes."""
        return self.scheduled / max(self.best, 0.001)

    @property
    def is_kept(self) -> bool:
        """Is it within the guarantee?"""
        return self.scheduled <= _AT_MOST * self.best + _MORE


def apart(work: Callable[[], int], limit: float) -> tuple[int, float]:
    """What a child process ends with, and its CPU seconds."""
    child = os.fork()
    if child == 0:
        seconds = int(limit) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        code = 4
        try:
            code = work()
        except TrevilleError:
            code = 5
        finally:
            os._exit(code)
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def answered(unit: Unit, context: Context, engine: str, seconds: float) -> int:
    """The verdict of an engine as a number."""
    return _ANSWERED[reachability(unit, context, None, Budget(seconds), engine).verdict]


def engines_for(unit: Unit, context: Context) -> list[str]:
    """The engines that suit."""
    task = program_task(unit, context)
    return [name for name, make in DECIDE.items() if name not in _FORMULAS and make().suits(task)]


def compare(unit: Unit, name: str, context: Context, limit: float) -> Row | None:
    """One question; None if the schedule has no answer in time."""
    code, scheduled = apart(partial(answered, unit, context, AUTO, 10 * limit), limit)
    if code not in (0, 1):
        print(f"{name:<44}{'-':>8}{scheduled:>8.2f}", flush=True)
        return None
    best, engine = scheduled, AUTO
    for each in engines_for(unit, context):
        other, seconds = apart(partial(answered, unit, context, each, 10 * best), best)
        if other in (0, 1):
            assert other == code, f"{each} contradicts the schedule on {name}"
            if seconds < best:
                best, engine = seconds, each
    row = Row(name, scheduled, best, engine)
    print(f"{name:<44}{scheduled:>8.2f}{best:>8.2f} {engine:<14}{row.ratio:>6.2f}", flush=True)
    return row


def rows_of(options: argparse.Namespace) -> Iterator[Row]:
    """All questions."""
    files = [f for p in options.paths for f in (sorted(p.glob("*.c")) if p.is_dir() else [p])]
    for file in files:
        unit = read_unit(file, tuple(options.define))
        for model in options.models:
            context = Context(load_model(model), options.property)
            row = compare(unit, f"{file.stem} {model}", context, options.limit)
            if row is not None:
                yield row


def summarise(rows: Sequence[Row]) -> None:
    """The guarantee, the median, and the worst ten."""
    broken = sum(not row.is_kept for row in rows)
    print(
        f"\n{len(rows)} questions, median ratio {statistics.median(row.ratio for row in rows):.2f}", end=", "
    )
    print(f"{broken} beyond {_AT_MOST:g} times the best engine and {_MORE:g} s; the worst:")
    for row in sorted(rows, key=lambda row: row.scheduled - _AT_MOST * row.best, reverse=True)[:10]:
        print(f"  {row.name:<42}{row.scheduled:>8.2f}{row.best:>8.2f} {row.engine}")


def main() -> None:
    """Compare what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, default=PROGRAMS)
    parser.add_argument("--models", nargs="*", default=["rc11", "sc"])
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]")
    parser.add_argument("--property", type=Property, default=Property.SAFETY)
    parser.add_argument("--limit", type=float, default=20)
    options = parser.parse_args()
    for make in DECIDE.values():
        make()  # what they import is no part of the comparison
    started = time.process_time()
    rows = list(rows_of(options))
    if rows:
        summarise(rows)
    print(f"{time.process_time() - started:.1f} CPU s in all, without the answers")


if __name__ == "__main__":
    main()
