"""The tables of paper 004 on portability (5.1, 5.2, B.1, B.2) asked again.

    python bench/portability_thesis.py mutexes FILE.pts ... [--bound 2] [--notion state] [--pairs sc-tso ...]
    python bench/portability_thesis.py random [--count 1000] [--seed 0]
    python bench/portability_thesis.py exceptions alpha-power FOLDER

The first asks `treville port --leave-loops` about the mutual exclusion algorithms in the input language of
Porthos, whose files are given by their paths: FAIL, PASS or what is missing, and the CPU seconds of all. The
second asks about random tests in x86 assembly (2 to 4 threads, 4 to 20 instructions) for the eleven pairs of
models without Power; the third lists the tests of a folder that are not state portable.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from treville.campaigns.inputs import expand, read_text
from treville.campaigns.kind import Limits
from treville.campaigns.loading import load_model, load_test
from treville.campaigns.port import Options, PortQuestion, answer
from treville.programs.litmus.test import LitmusTest
from treville.questions.portability import Question, portability
from treville.results import Budget, BudgetExceeded, InputError, Verdict
from treville.results.reports.report import Status

# The columns of Table B.1, which are told by the results that the authors kept with their tool.
ALL_PAIRS = (
    "sc-tso", "sc-pso", "sc-power", "tso-pso", "tso-power", "pso-power", "rmo-alpha", "rmo-power",
    "alpha-rmo", "alpha-power",
)  # fmt: skip
TRADITIONAL = (
    "sc-tso", "sc-pso", "sc-rmo", "sc-alpha", "tso-pso", "tso-rmo", "tso-alpha", "pso-rmo", "pso-alpha",
    "rmo-alpha", "alpha-rmo",
)  # fmt: skip


def models_of(pair: str) -> tuple[str, str]:
    """Source and target of a pair."""
    source, _, target = pair.partition("-")
    return source, target


# -- mutual exclusion ------------------------------------------------------------------------------


def run_mutexes(options: argparse.Namespace) -> int:
    """A row for each file, a column for each pair."""
    limits = Limits(options.timeout)
    asked = Options(notion=options.notion, bound=options.bound, leave_loops=True, limits=limits)
    print("| program | " + " | ".join(options.pairs) + " |\n|---|" + "---|" * len(options.pairs))
    started = time.process_time()
    slowest = 0.0
    for file in options.files:
        cells = []
        for pair in options.pairs:
            before = time.process_time()
            report = answer(PortQuestion(file, *models_of(pair), asked))
            slowest = max(slowest, time.process_time() - before)
            cells.append(report.verdict.value if report.status is Status.DONE else report.reason)
        print(f"| {Path(file).stem} | " + " | ".join(cells) + " |", flush=True)
    print(f"\nThe slowest answer took {slowest:.2f} s, all {time.process_time() - started:.1f} s.")
    return 0


# -- random tests ----------------------------------------------------------------------------------


def random_text(seed: int) -> str:
    """A test in x86 assembly: loads, stores and fences over two to four locations."""
    rng = random.Random(seed)
    threads = rng.randint(2, 4)
    total = rng.randint(max(4, threads), 20)
    ends = sorted(rng.sample(range(1, total), threads - 1))
    sizes = [b - a for a, b in zip([0, *ends], [*ends, total], strict=True)]
    names = "xyzw"[: rng.randint(2, 4)]
    columns = [[_instruction(rng, names, place) for place in range(size)] for size in sizes]
    rows = max(sizes)
    lines = [" | ".join(f"{column[row] if row < len(column) else '':<14}" for column in columns) + " ;"
             for row in range(rows)]  # fmt: skip
    head = " | ".join(f"P{number:<13}" for number in range(threads)) + " ;"
    return f"X86 random{seed}\n{{ }}\n{head}\n" + "\n".join(lines) + "\nexists (x=0)\n"


def _instruction(rng: random.Random, names: str, place: int) -> str:
    kind = rng.random()
    if kind < 0.08:
        return "MFENCE"
    if kind < 0.54:
        return f"MOV [{rng.choice(names)}],${rng.randint(1, 2)}"
    return f"MOV {('EAX', 'EBX', 'ECX', 'EDX', 'ESI', 'EDI')[place % 6]},[{rng.choice(names)}]"


@dataclass
class Portable:
    """Whether a test is portable: as traces, as states, and as traces that are syntactically dead."""

    trace: bool
    state: bool
    dead: bool


def ask(test: LitmusTest, pair: str, seconds: float, whole: bool) -> Portable:
    """The three answers, states over all registers and locations.

    Without a new trace there is no new state and no new dead trace. That is not taken for granted but asked
    for every tenth test (`whole`).
    """
    source, target = map(load_model, models_of(pair))

    def passes(notion: str, *, dead: bool = False) -> bool:
        question = Question(source, target, notion, observe="all", dead=dead)
        return portability(test, question, Budget(seconds)).verdict is Verdict.PASS

    trace = passes("trace")
    if trace and not whole:
        return Portable(trace=True, state=True, dead=True)
    return Portable(trace, passes("state"), passes("trace", dead=True))


def run_random(options: argparse.Namespace) -> int:
    """The upper part of Table 5.1: a row for each pair, then the share of all answers."""
    print("| models | not portable | portable | only states | portable (dead) | only states (dead) |")
    print("|---|---|---|---|---|---|")
    whole: Counter[str] = Counter()
    for pair in options.pairs:
        found: Counter[str] = Counter()
        for seed in range(options.seed, options.seed + options.count):
            name = f"random{seed}"
            try:
                answers = ask(load_test(random_text(seed), name), pair, options.timeout, seed % 10 == 0)
            except BudgetExceeded:
                found["none"] += 1
                continue
            if answers.trace and not answers.state:
                raise SystemExit(f"{name} {pair}: traces are portable and states are not")
            found["neither"] += not answers.state
            found["both"] += answers.trace
            found["states"] += answers.state and not answers.trace
            found["both (dead)"] += answers.dead and answers.state
            found["states (dead)"] += answers.state and not answers.dead
        print(f"| {pair} | " + " | ".join(str(found[key]) for key in _KEYS) + _missing(found), flush=True)
        whole += found
    asked = len(options.pairs) * options.count - whole["none"]
    print("| all | " + " | ".join(f"{whole[key] / asked:.2%}" for key in _KEYS) + " |")
    return 0


_KEYS = ("neither", "both", "states", "both (dead)", "states (dead)")


def _missing(found: Counter[str]) -> str:
    return f" | ({found['none']} without an answer)" if found["none"] else " |"


# -- exceptions ------------------------------------------------------------------------------------


def run_exceptions(options: argparse.Namespace) -> int:
    """The tests of a folder that are not state portable."""
    source, target = map(load_model, models_of(options.pair))
    asked = 0
    names = []
    for file in expand([options.folder], (".litmus",)):
        try:
            test = load_test(read_text(file), file)
            found = portability(test, Question(source, target), Budget(options.timeout))
        except (InputError, BudgetExceeded) as error:
            print(f"{file}: {error}", file=sys.stderr)
            continue
        asked += 1
        if found.verdict is Verdict.FAIL:
            names.append(Path(file).stem)
    print(*names, sep="\n")
    print(f"{len(names)} of {asked} tests are not portable from {source.name} to {target.name}.")
    return 0


def main() -> int:
    """Run one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    mutexes = commands.add_parser("mutexes")
    mutexes.add_argument("files", nargs="+", metavar="FILE.pts")
    mutexes.add_argument("--bound", type=int, default=2)
    mutexes.add_argument("--notion", choices=("state", "trace"), default="state")
    mutexes.add_argument("--pairs", nargs="+", default=ALL_PAIRS, metavar="SOURCE-TARGET")
    mutexes.add_argument("--timeout", type=float, default=60.0)
    mutexes.set_defaults(run=run_mutexes)
    rand = commands.add_parser("random")
    rand.add_argument("--count", type=int, default=1000)
    rand.add_argument("--seed", type=int, default=0)
    rand.add_argument("--pairs", nargs="+", default=TRADITIONAL, metavar="SOURCE-TARGET")
    rand.add_argument("--timeout", type=float, default=10.0)
    rand.set_defaults(run=run_random)
    exceptions = commands.add_parser("exceptions")
    exceptions.add_argument("pair", metavar="SOURCE-TARGET")
    exceptions.add_argument("folder")
    exceptions.add_argument("--timeout", type=float, default=10.0)
    exceptions.set_defaults(run=run_exceptions)
    options = parser.parse_args()
    return int(options.run(options))


if __name__ == "__main__":
    sys.exit(main())
