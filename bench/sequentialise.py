"""Paper 001 again: its tables, its litmus tests, the programs of tests/c, and CBMC behind what is written.

    python bench/sequentialise.py table1
    python bench/sequentialise.py fibonacci [--most N]
    python bench/sequentialise.py table2 [--models tso,pso]
    python bench/sequentialise.py litmus FOLDER EXPECTED.csv [--count N] [--seed S]
    python bench/sequentialise.py programs [NAME...] [--work N] [--tell]
    python bench/sequentialise.py programs mutexes
    python bench/sequentialise.py written COMPILER
    python bench/sequentialise.py cbmc PROGRAM [--count N] [--random]

*table1*: mutual exclusion without fences, Fibonacci, parker and a stack with the paper's parameters.
*fibonacci*: up to so many rounds, safe and unsafe, each in one round of turns more, with bits for its sums.
*table2*: safestack (`examples/c/safestack.c`). *litmus*: tests with an `exists` clause under tso and pso with
2 rounds, 20 timestamps, 2 nodes and 10 bits; those that need more are listed with what they need. *programs*:
all of `tests/c` with their expected verdicts, or some by name; `mutexes` are the seven algorithms of mutual
exclusion with and without fences. *written*: what is written of them goes through a compiler,
with all its warnings. *cbmc*: programs of tests/c, or small random ones, checked by an external CBMC and by
the own back end.

Seconds are CPU seconds of one process. Ends with 1 if a verdict is wrong.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random

from treville.campaigns.loading import load_model, load_test
from treville.engines.contract import Decision, GaveUp, Refuted
from treville.engines.decide.rounds import InRounds
from treville.engines.features import Feature
from treville.engines.task import ProgramTask, RoundBounds, program_task, ready_task
from treville.passes.program import Context, lower
from treville.programs.c import read_unit
from treville.programs.litmus.test import LitmusTest
from treville.programs.litmus.whole import asserting
from treville.questions.sequentialisation import SMAS, Wanted, sequentialised
from treville.results import Budget, TrevilleError
from treville.results.properties import Property
from treville.sequential.dialects import Dialect
from treville.sequential.emit import Emission, emitted
from treville.sequential.plan import plan_of
from treville.sequential.rounds import Bounds

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # for tests.sequential
SAFE = ROOT / "tests" / "c" / "safe"
MUTEXES = ("dekker", "peterson", "lamport", "szymanski", "burns", "bakery", "parker")

# Program, macros, unwinding, nodes, bits, rounds, timestamps, unsafe?, the paper's seconds under TSO and PSO.
TABLE_1 = (
    ("dekker.c", ("F=0",), 1, 2, 4, 2, 2, True, 0.77, 0.75),
    ("lamport.c", ("F=0",), 1, 2, 4, 2, 2, True, 0.88, 0.88),
    ("peterson.c", ("F=0",), 1, 3, 4, 2, 2, True, 0.66, 0.65),
    ("szymanski.c", ("F=0",), 1, 3, 4, 2, 3, True, 0.81, 0.80),
    ("fibonacci.c", ("N=5", "UNSAFE"), 6, 2, 10, 6, 2, True, 6.47, 6.51),
    ("fibonacci.c", ("N=5",), 6, 2, 10, 6, 2, False, 9.78, 8.82),
    # Treville's parker has two pending writes of one location, and error numbers that 4 bits do not hold.
    ("parker.c", (), 2, 3, 6, 2, 3, True, 1.68, 2.19),
    ("stack.c", ("N=2", "WRONG"), 2, 2, 5, 2, 2, True, 1.50, 1.49),
)
# Timestamps, nodes, rounds, found?, the paper's seconds under TSO and PSO.
TABLE_2 = (
    (1, 2, 4, True, 618, 702), (1, 2, 3, False, 722, 676), (1, 3, 4, True, 825, 1266),
    (1, 3, 3, False, 770, 740), (3, 2, 4, True, 1615, 1247), (3, 2, 3, False, 1474, 1635),
    (3, 3, 4, True, 4462, 1876), (3, 3, 3, True, 3742, 1207), (3, 3, 2, False, 734, 674),
    (7, 2, 4, True, 2837, 6275), (7, 2, 3, False, 2107, 2174),
)  # fmt: skip


def decided(task: ProgramTask, work: int | None = None) -> tuple[Decision, float]:
    """The answer and what it cost."""
    started = time.process_time()
    return InRounds().run(task, work), time.process_time() - started


def program(path: Path, defines: tuple[str, ...], model: str, bound: int, rounds: RoundBounds) -> ProgramTask:
    """The task of a C program."""
    context = Context(load_model(model), Property.SAFETY)
    return program_task(read_unit(path, defines), context, bound, Budget(600), rounds=rounds)


def table1() -> int:
    """The rows of Table I."""
    wrong = 0
    for name, defines, bound, nodes, bits, rounds, stamps, unsafe, *paper in TABLE_1:
        for model, limit in zip(("tso", "pso"), paper, strict=True):
            bounds = RoundBounds(rounds, stamps, nodes, bits)
            found, seconds = decided(program(SAFE / name, defines, model, bound, bounds))
            right = isinstance(found, Refuted) == unsafe
            wrong += not right
            said = type(found).__name__
            print(f"{name:14} {' '.join(defines):10} {model} {said:8} {seconds:6.2f} s, paper {limit:5.2f}"
                  f"{'' if right else '  WRONG'}")  # fmt: skip
    return wrong


def fibonacci(most: int) -> int:
    """The largest sum of N rounds each, which shows in N + 1 rounds of turns."""
    wrong = 0
    for count in range(1, most + 1):
        for model in ("sc", "tso", "pso"):
            for unsafe in (True, False):
                defines = (f"N={count}", *(("UNSAFE",) if unsafe else ()))
                bounds = RoundBounds(count + 1, 1 if model == "sc" else 2, 2, _bits_of_sums(count))
                found, seconds = decided(program(SAFE / "fibonacci.c", defines, model, count, bounds))
                right = isinstance(found, Refuted) == unsafe
                wrong += not right
                said = type(found).__name__
                print(f"{' '.join(defines):10} {model} {said:8} {seconds:6.2f} s{'' if right else '  WRONG'}",
                      flush=True)  # fmt: skip
    return wrong


def _bits_of_sums(count: int) -> int:
    """How many bits the largest sum of so many rounds has, with its sign and one more for the comparison."""
    smaller, larger = 0, 1
    for _ in range(2 * count + 1):
        smaller, larger = larger, smaller + larger
    return larger.bit_length() + 2


def table2(models: list[str]) -> int:
    """The rows of Table II, found again at 32 bits by the machine."""
    wrong = 0
    for stamps, nodes, rounds, reached, *paper in TABLE_2:
        for model, limit in zip(("tso", "pso"), paper, strict=True):
            if model in models:
                bounds = RoundBounds(rounds, stamps, nodes, 3)
                found, seconds = decided(program(ROOT / "examples/c/safestack.c", (), model, 3, bounds))
                right = isinstance(found, Refuted) == reached
                wrong += not right
                said = f"{type(found).__name__:8} {seconds:7.1f} s, paper {limit}"
                told = f"({limit / seconds:.0f} times){'' if right else '  WRONG'}"
                print(f"K={stamps} N={nodes} R={rounds} {model} {said} {told}", flush=True)
    return wrong


def litmus(folder: Path, expected: Path, count: int, seed: int) -> int:
    """Litmus tests with the parameters of Table I."""
    with expected.open() as lines:
        rows = list(csv.DictReader(lines))
    Random(seed).shuffle(rows)
    wrong, times, more, reached = 0, [], [], 0
    for row in rows[:count]:
        test = load_test((folder / row["file"]).read_text(), row["file"])
        for model in ("tso", "pso"):
            reachable = row[model] == "reachable"
            found, seconds = in_rounds(test, model, RoundBounds(2, 20, 2, 10))
            times.append((seconds, f"{row['file']} under {model}"))
            reached += reachable
            if isinstance(found, Refuted) == reachable:
                continue
            if not reachable:
                wrong += 1
                print(f"{row['file']} under {model}: WRONG, it is unreachable", flush=True)
                continue
            found, _ = in_rounds(test, model, RoundBounds())
            if isinstance(found, Refuted):
                more.append(f"{row['file']} under {model} needs {found.stats['smallest']}")
                print(more[-1], flush=True)
            else:
                wrong += 1
                print(f"{row['file']} under {model}: WRONG, it is reachable", flush=True)
    times.sort()
    print(f"{len(times)} questions, {reached} reachable, {wrong} wrong, {len(more)} need more;"
          f" {sum(time > 0.5 for time, _ in times)} took more than 0.5 s, the longest {times[-1][0]:.2f} s"
          f" ({times[-1][1]}), all {sum(time for time, _ in times):.1f} s")  # fmt: skip
    return wrong


def in_rounds(test: LitmusTest, model: str, bounds: RoundBounds) -> tuple[Decision, float]:
    """The answer for a litmus test, from the test as it was read on, and what it cost."""
    started = time.process_time()
    known = load_model(model)
    whole = lower(asserting(test), Context(known, Property.ASSERTION, test.dialect))
    asked = ready_task(whole, known, Property.ASSERTION, 5, Budget(60), rounds=bounds)
    return InRounds().run(asked), time.process_time() - started


def programs(names: list[str], work: int, told: bool) -> int:
    """The programs of tests/c, or those of these names."""
    wanted = {name for each in names for name in (MUTEXES if each == "mutexes" else (each,))}
    wrong = answered = asked = 0
    with (ROOT / "tests/c/expected.csv").open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["model"] in ("sc", "tso", "pso")]
    for row in [row for row in rows if not wanted or Path(row["file"]).stem in wanted]:
        context = Context(load_model(row["model"]), Property.SAFETY)
        unit = read_unit(ROOT / "tests/c" / row["file"], tuple(row["defines"].split()))
        bound = int(row["bound"]) if row["bound"].isdigit() else None
        found, took = decided(program_task(unit, context, bound, Budget(600)), work)
        asked += 1
        about = f"{row['file']} {row['defines']} under {row['model']}"
        if isinstance(found, GaveUp):
            if told:
                print(f"{about}: {found.reason} ({took:.1f} s, {row['verdict']})", flush=True)
            continue
        answered += 1
        if ("FAIL" if isinstance(found, Refuted) else "PASS") != row["verdict"]:
            print(f"{about}: WRONG, it is {row['verdict']}", flush=True)
            wrong += 1
    print(f"{asked} questions, {answered} answered, {wrong} wrong")
    return wrong


def written(compiler: str) -> int:
    """A compiler on what is written of the programs of tests/c, in every dialect with both abstractions."""
    wrong = texts = refused = 0
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.c"
        for name, defines, model, bound in sources():
            unit = read_unit(ROOT / "tests/c" / name, defines)
            for dialect, sma in product(Dialect, SMAS):
                wanted = Wanted(Bounds(2, 3, 2), min(bound, 2), 32, dialect, sma)
                try:
                    made = sequentialised(unit, Context(load_model(model), Property.SAFETY), wanted, name)
                except TrevilleError as error:
                    refused += 1
                    if (name, str(error)) not in seen:
                        print(f"{name} {' '.join(defines)} {model}: {error}")
                    seen.add((name, str(error)))
                    break
                path.write_text(made.text)
                texts += 1
                command = [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(path)]
                run = subprocess.run(command, capture_output=True, text=True, check=False)
                if run.returncode:
                    wrong += 1
                    about = f"{name} {' '.join(defines)} {model} {dialect} {sma}"
                    print(f"{about}:\n{run.stderr[:500]}", flush=True)
    print(f"{texts} texts, {wrong} with complaints; {refused} programs refused")
    return wrong


def sources() -> Iterator[tuple[str, tuple[str, ...], str, int]]:
    """The programs of tests/c: file, macros, model and bound."""
    with (ROOT / "tests/c/expected.csv").open() as lines:
        for row in csv.DictReader(lines):
            if row["model"] in ("sc", "tso", "pso"):
                bound = int(row["bound"]) if row["bound"].isdigit() else 2
                yield row["file"], tuple(row["defines"].split()), row["model"], bound


def random_tasks(count: int) -> Iterator[tuple[str, str, ProgramTask]]:
    """Small random programs, each under one model."""
    from tests.sequential.test_rounds import random_program, task_of

    for seed in range(count):
        model = ("sc", "tso", "pso")[seed % 3]
        yield f"seed {seed}", model, task_of(random_program(Random(seed)), model, RoundBounds(3, 3, 3))


def program_tasks(count: int) -> Iterator[tuple[str, str, ProgramTask]]:
    """Programs of tests/c, in which nothing is freed, with loops that go round once."""
    found = 0
    for name, defines, model, _ in sources():
        asked = program(ROOT / "tests/c" / name, defines, model, 1, RoundBounds(2, 3, 3))
        if found == count:
            return
        if not {Feature.FREES, Feature.FRESH_MEMORY} & set(asked.features.places) and InRounds().suits(asked):
            found += 1
            yield f"{name} {' '.join(defines)}", model, asked


def cbmc(command: str, asked: Iterator[tuple[str, str, ProgramTask]]) -> int:
    """An external CBMC on what is written, against the own back end within the same bounds."""
    count = wrong = unsafe = unknown = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.c"
        for name, model, task in asked:
            bounds = Bounds(task.rounds.rounds, task.rounds.timestamps, task.rounds.nodes)
            try:
                plan = plan_of(task.program, model, 1, Budget())
                path.write_text(emitted(plan, Emission(bounds, 1, 32, Dialect.CBMC)))
                unwind = str(2 + max(4, len(plan.cells)))
                line = [command, "--unwind", unwind, str(path)]
                run = subprocess.run(line, capture_output=True, check=False, timeout=60)
            except (TrevilleError, subprocess.TimeoutExpired) as error:
                print(f"{name} under {model}: {type(error).__name__}", flush=True)
                unknown += 1
                continue
            found, _ = decided(task)
            count, own = count + 1, isinstance(found, Refuted)
            unsafe += own
            if run.returncode not in (0, 10) or (run.returncode == 10) != own:
                print(f"{name} under {model}: CBMC ends with {run.returncode}, own says {own}", flush=True)
                wrong += 1
    print(f"{count} programs, {unsafe} unsafe, {wrong} different; {unknown} without an answer")
    return wrong


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="what", required=True)
    commands.add_parser("table1")
    commands.add_parser("fibonacci").add_argument("--most", type=int, default=8)
    commands.add_parser("table2").add_argument("--models", default="tso,pso")
    tests = commands.add_parser("litmus")
    tests.add_argument("folder", type=Path)
    tests.add_argument("expected", type=Path)
    tests.add_argument("--count", type=int, default=10**6)
    tests.add_argument("--seed", type=int, default=1)
    of_programs = commands.add_parser("programs")
    of_programs.add_argument("names", nargs="*", metavar="NAME")
    of_programs.add_argument("--work", type=int, default=20_000, help="units for each question")
    of_programs.add_argument("--tell", action="store_true", help="say why others got no answer")
    other = commands.add_parser("cbmc")
    other.add_argument("program")
    other.add_argument("--count", type=int, default=60)
    other.add_argument("--random", action="store_true", help="small random programs, not those of tests/c")
    commands.add_parser("written").add_argument("compiler")
    options = parser.parse_args()
    match options.what:
        case "table1":
            wrong = table1()
        case "fibonacci":
            wrong = fibonacci(options.most)
        case "table2":
            wrong = table2(options.models.split(","))
        case "litmus":
            wrong = litmus(options.folder, options.expected, options.count, options.seed)
        case "programs":
            wrong = programs(options.names, options.work, options.tell)
        case "written":
            wrong = written(options.compiler)
        case _:
            made = random_tasks(options.count) if options.random else program_tasks(options.count)
            wrong = cbmc(options.program, made)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
