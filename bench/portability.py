"""Portability measured: litmus tests as in Table 5.1 of paper 004, mutexes as in its Tables 5.2 and B.2.

    python bench/portability.py litmus X86=sc-tso,sc-pso,tso-pso PPC=sc-power,tso-power
    python bench/portability.py mutexes
    python bench/portability.py random --count 1000
    python bench/portability.py dialects --count 1000

The first looks for folders of litmus tests with these names below `--corpus`. With `--check` each state
answer is compared with the two sets of final states and both engines with each other, and trace portability
must imply state portability: a disagreement ends with exit code 1. The second runs the algorithms in
`tests/c`. The third asks random questions about random tests and compares all engines with brute force. The
fourth asks them of tests in C11, the kernel's C and assembly, and compares with the states and executions
that are listed under each of the two models.
Seconds are CPU seconds of one process.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from treville.campaigns.inputs import expand, read_text
from treville.campaigns.loading import load_test
from treville.models.library import load_model
from treville.models.model import Model
from treville.passes.program import Context
from treville.programs.c import load_program
from treville.programs.ir import Program
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.questions.portability import (
    Portability,
    Question,
    portability,
    program_portability,
    program_subject,
)
from treville.questions.portability.question import SOLVERS
from treville.questions.portability.suggesting import PortedSubject
from treville.questions.repair.c_program import Asking, Compiling, CSubject
from treville.questions.repair.costs import read_costs
from treville.questions.repair.decide import Wanted, repaired
from treville.results import Budget, BudgetExceeded, InputError, TooLarge
from treville.results.defaults import BOUND
from treville.results.properties import Property

ROOT = Path(__file__).resolve().parents[1]
MUTEXES = ("parker", "dekker", "peterson", "burns", "bakery", "lamport", "szymanski")
VERSIONS = {
    "plain": "F=0", "x86 fences": "F=1", "Power fences": "F=1", "fence after each store": "F=2",
    "seq_cst atomics": "ATOMIC",
}  # fmt: skip
BRUTE_SECONDS = 3.0
MUTEX_PAIRS = (("sc", "tso"), ("tso", "power"), ("tso", "armv7"))


# -- litmus tests ----------------------------------------------------------------------------------


@dataclass
class Row:
    """One pair of models over a family of tests."""

    pair: str
    neither: int = 0
    both: int = 0
    only_state: int = 0
    dead_both: int = 0
    dead_only_state: int = 0
    dead_missed: int = 0
    brute: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    wrong: list[str] = field(default_factory=list)

    @property
    def tests(self) -> int:
        """How many tests have an answer."""
        return self.neither + self.both + self.only_state

    def add(
        self, test: LitmusTest, source: Model, target: Model, seconds: float, *, check: bool, brute: bool
    ) -> None:
        """Ask about a test and count the answer."""
        try:
            asked = _Asked(test, source, target, seconds)
            trace, state, dead = (
                asked.passes("trace"),
                asked.passes("state"),
                asked.passes("trace", dead=True),
            )
            for notion, spent in asked.seconds.items():
                self.seconds[notion] += spent
            if asked.cut:
                self.skipped["with loops"] += 1
                return
            if check and not asked.agrees(trace, state, dead):
                self.wrong.append(f"{test.file} {self.pair}")
            if brute:
                self._compare(asked, (trace, state, dead))
        except InputError:
            self.skipped["fences of another architecture"] += 1
        except BudgetExceeded:
            self.skipped["out of time"] += 1
        else:
            self._count(trace, state, dead)

    def _compare(self, asked: _Asked, answers: tuple[bool, bool, bool]) -> None:
        """Compare answers with brute force, where that comes to an end."""
        from tests.questions.brute_portability import expected

        try:
            found = expected(asked.test, asked.source, asked.target, Budget(BRUTE_SECONDS))
        except BudgetExceeded:
            return
        self.brute += 1
        if answers != (found.trace, found.state, found.dead):
            self.wrong.append(f"{asked.test.file} {self.pair} (brute force)")

    def _count(self, trace: bool, state: bool, dead: bool) -> None:
        self.neither += not state
        self.both += trace and state
        self.only_state += state and not trace
        self.dead_both += dead and state
        self.dead_only_state += state and not dead
        self.dead_missed += dead and not state

    def line(self) -> str:
        """A line of the table."""
        skipped = ", ".join(f"{count} {why}" for why, count in self.skipped.items()) or "-"
        cells = [
            self.pair, self.tests, self.neither, self.both, self.only_state, self.dead_both,
            self.dead_only_state, self.dead_missed, f"{self.seconds['trace']:.1f}",
            f"{self.seconds['state']:.1f}", skipped,
        ]  # fmt: skip
        return "| " + " | ".join(map(str, cells)) + " |"


class _Asked:
    """The questions about one test and pair."""

    def __init__(self, test: LitmusTest, source: Model, target: Model, seconds: float) -> None:
        self.test, self.source, self.target = test, source, target
        self.limit = seconds
        self.seconds: dict[str, float] = defaultdict(float)
        self.cut = False

    def passes(self, notion: str, *, dead: bool = False, engine: str = "auto") -> bool:
        question = Question(self.source, self.target, notion, dead=dead, engine=engine)
        started = time.process_time()
        found = portability(self.test, question, Budget(self.limit))
        if engine == "auto" and not dead:
            self.seconds[notion] += time.process_time() - started
        self.cut |= not found.complete
        return found.verdict.value == "PASS"

    def agrees(self, trace: bool, state: bool, dead: bool) -> bool:
        """Do the engines agree with each other, and with the sets of final states?"""
        states = [set(outcomes(self.test, model).states) for model in (self.source, self.target)]
        if state != (states[1] <= states[0]) or (trace and not state):
            return False
        for engine in ("eager", "lazy", "enumerate"):
            try:
                found = [
                    self.passes("trace", engine=engine),
                    self.passes("state", engine=engine),
                    self.passes("trace", dead=True, engine=engine),
                ]
            except TooLarge:
                continue
            if found != [trace, state, dead]:
                return False
        return True


HEAD = (
    "| models | tests | not portable | portable | only states | portable (dead) | only states (dead) "
    "| missed (dead) | trace s | state s | skipped |\n|---|---|---|---|---|---|---|---|---|---|---|"
)


def run_litmus(options: argparse.Namespace) -> int:
    """The table of litmus tests."""
    _see_oracles()
    print(HEAD)
    wrong: list[str] = []
    for family, pair, source, target in _pairs(options.families):
        row = Row(pair)
        files = list(expand([str(Path(options.corpus) / family)], (".litmus",)))[:: options.every]
        for file in files:
            try:
                test = load_test(read_text(file), file)
            except InputError:
                row.skipped["not read"] += 1
                continue
            row.add(test, source, target, options.timeout, check=options.check, brute=options.brute)
        print(row.line(), flush=True)
        if options.brute:
            print(f"{row.brute} of them compared with brute force", file=sys.stderr, flush=True)
        wrong += row.wrong
    for name in wrong:
        print(f"disagreement: {name}", file=sys.stderr)
    return 1 if wrong else 0


def _pairs(families: list[str]) -> Iterator[tuple[str, str, Model, Model]]:
    for entry in families:
        family, _, pairs = entry.partition("=")
        for pair in pairs.split(","):
            source, _, target = pair.partition("-")
            yield family, pair, load_model(source), load_model(target)


# -- mutexes ---------------------------------------------------------------------------------------


def run_mutexes(options: argparse.Namespace) -> int:
    """The table of mutual exclusion algorithms, bound 2: state answer / trace answer (states that were looked
    at; CPU seconds for states)."""
    print(f"| program | version | {' | '.join('-'.join(pair) for pair in options.pairs)} |")
    print("|---|---|" + "---|" * len(options.pairs))
    slowest = total = 0.0
    for name in options.programs or MUTEXES:
        for version, define in VERSIONS.items():
            file = ROOT / "tests" / "c" / "safe" / f"{name}.c"
            program = load_program(file, 2, (define,))
            if version == "Power fences":
                program = _with_power_fences(file, define, options.timeout)
            cells = []
            for models in options.pairs:
                source, target = map(load_model, models)
                asked = Question(source, target, engine=options.engine, solver=options.solver)
                state, spent = _measured(program, asked, options.timeout)
                trace, also = _measured(program, replace(asked, notion="trace"), options.timeout)
                looked = "-" if state is None else state.differences
                cells.append(f"{_word(state)} / {_word(trace)} ({looked}; {spent:.2f} s)")
                slowest, total = max(slowest, spent, also), total + spent + also
            print(f"| {name} | {version} | {' | '.join(cells)} |", flush=True)
    print(f"\nThe slowest answer took {slowest:.2f} s, all of them {total:.1f} s.")
    return 0


def _with_power_fences(file: Path, define: str, seconds: float) -> Program:
    """The program with the changes that are suggested for porting it from TSO to Power."""
    question = Question(load_model("tso"), load_model("power"))

    def ask(program: Program, budget: Budget) -> Portability:
        return program_portability(program_subject(program), question, budget)

    source = CSubject(str(file), Compiling((define,)), Asking(bound=BOUND))
    subject = PortedSubject(source, ask, "")
    context = Context(question.target, Property.SAFETY)
    found = repaired(subject, [context], Wanted(), read_costs(), Budget(seconds))
    if found.assignment is None:
        raise SystemExit("nothing makes the program portable to Power")
    return subject.again(subject.patched(found.assignment))


def _pair(text: str) -> tuple[str, str]:
    source, _, target = text.partition("-")
    return source, target


def _measured(program: Program, question: Question, seconds: float) -> tuple[Portability | None, float]:
    started = time.process_time()
    try:
        answer = program_portability(program_subject(program), question, Budget(seconds))
    except BudgetExceeded:
        return None, time.process_time() - started
    return answer, time.process_time() - started


def _word(answer: Portability | None) -> str:
    if answer is None:
        return "out of time"
    return answer.verdict.value


# -- random tests and models -----------------------------------------------------------------------


def _see_oracles() -> None:
    """Brute force lies beside the tests that use it."""
    sys.path.insert(0, str(ROOT))


def run_random(options: argparse.Namespace) -> int:
    """Every engine and solver against brute force."""
    _see_oracles()
    from tests.questions.brute_portability import random_case

    answers: Counter[str] = Counter()
    wrong = 0
    for seed in range(options.seed, options.seed + options.count):
        try:
            case = random_case(seed, options.size)
        except BudgetExceeded:
            answers["skipped, too large for brute force"] += 1
            continue
        for disagreement in case.disagreements():
            wrong += 1
            print(f"disagreement: seed {seed}, {disagreement}", file=sys.stderr, flush=True)
        trace, state = case.expected.trace, case.expected.state
        answers["portable" if trace else "only states" if state else "not portable"] += 1
    print(", ".join(f"{count} {answer}" for answer, count in answers.items()), end="; ")
    print(f"{wrong} disagreements")
    return 1 if wrong else 0


def run_dialects(options: argparse.Namespace) -> int:
    """`port` against the difference of what is listed under each model."""
    _see_oracles()
    from tests.questions.port_by_litmus import random_asked

    answers: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.count):
        case = random_asked(seed, options.size)
        try:
            engine = ("auto", "eager", "lazy")[seed % 3]
            wrong = case.disagreement(trace=seed % 4 == 0, engine=engine)
        except BudgetExceeded:
            answers["too large"] += 1
            continue
        answers[f"{'wrong' if wrong else 'right'} ({case.test.dialect})"] += 1
        if wrong:
            print(f"seed {seed}: {wrong}{case.text}", file=sys.stderr, flush=True)
    print(", ".join(f"{count} {answer}" for answer, count in sorted(answers.items())))
    return 1 if any(answer.startswith("wrong") for answer in answers) else 0


def main() -> int:
    """Run one of the four."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    litmus = commands.add_parser("litmus")
    litmus.add_argument("families", nargs="+", metavar="FAMILY=SOURCE-TARGET,...")
    litmus.add_argument("--corpus", default=str(ROOT.parent / "shared" / "corpora" / "litmus"))
    litmus.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth test")
    litmus.add_argument("--timeout", type=float, default=30.0)
    litmus.add_argument("--check", action="store_true", help="compare engines and sets of final states")
    litmus.add_argument("--brute", action="store_true", help="compare with brute force on small tests")
    litmus.set_defaults(run=run_litmus)
    mutexes = commands.add_parser("mutexes")
    mutexes.add_argument("programs", nargs="*", metavar="NAME", help=f"some of {', '.join(MUTEXES)}")
    mutexes.add_argument("--timeout", type=float, default=300.0)
    mutexes.add_argument("--pairs", type=_pair, nargs="+", default=MUTEX_PAIRS, metavar="SOURCE-TARGET")
    mutexes.add_argument("--engine", choices=("auto", "eager", "lazy"), default="auto")
    mutexes.add_argument("--solver", choices=SOLVERS, default="clasp")
    mutexes.set_defaults(run=run_mutexes)
    rand = commands.add_parser("random")
    rand.add_argument("--count", type=int, default=200)
    rand.add_argument("--seed", type=int, default=0)
    rand.add_argument("--size", type=int, default=4, help="accesses of a test")
    rand.set_defaults(run=run_random)
    dialects = commands.add_parser("dialects")
    dialects.add_argument("--count", type=int, default=200)
    dialects.add_argument("--seed", type=int, default=0)
    dialects.add_argument("--size", type=int, default=4, help="accesses of a test")
    dialects.set_defaults(run=run_dialects)
    options = parser.parse_args()
    return int(options.run(options))


if __name__ == "__main__":
    sys.exit(main())
