"""Mutated inputs for every reader: each ends in a result or an error, in time, and ends no process.

    python bench/fuzz.py [--count N] [--seed S] [--seconds T] [--jobs N] [--only READER]
    python bench/fuzz.py --show READER:NUMBER [--seed S]

Seeds are the shipped examples and models, inputs of the tests, and the corpora beside the repository where
they exist. Inputs are made and read inside of workers (`campaigns/workers.py`), so that nothing a reader does
ends the run. A failure is a traceback ("internal error"), a reader that ends its process, an input that takes
longer than the limit, and an error in a litmus test or a model without a place. `--show` prints an input.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mutations import mutate_bytes, mutate_words
from treville.campaigns import litmus
from treville.campaigns.comparison import read_results
from treville.campaigns.expectations import expected_tests
from treville.campaigns.guard import Draft, guarded
from treville.campaigns.inputs import expand, read_text
from treville.campaigns.journal import Journal
from treville.campaigns.kind import Kind, Limits, Telling
from treville.campaigns.litmus_task import Options
from treville.campaigns.litmus_task import Question as LitmusQuestion
from treville.campaigns.loading import load_test
from treville.campaigns.run import Settings
from treville.campaigns.run import run as answered
from treville.cli.main import COMMANDS, main
from treville.histories import read_history
from treville.histories.hardness import read_dimacs
from treville.models.cat.resolve import resolve_file
from treville.parameterised.language.resolve import read_system
from treville.petri import pnml
from treville.petri.reading import read_file, read_problem
from treville.petri.report import evidence_from_json
from treville.programs.c import read_unit
from treville.programs.c.commands import read_commands
from treville.programs.c.compile import SOURCES, llvm_text
from treville.questions.repair.costs import read_costs
from treville.questions.synthesis.sketches import read_sketch
from treville.questions.synthesis.vocabulary import Vocabulary
from treville.results import InputError, TrevilleError, Verdict
from treville.results.progress import READING, Progress
from treville.results.reports.report import Cause, Report, Status

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
INPUTS = ROOT / "tests" / "snapshots" / "inputs"
LIBRARY = ROOT / "src" / "treville" / "models" / "library"
CORPORA = ROOT.parent / "shared" / "corpora"
GROUP = 100  # inputs that a worker gets at a time
Seed = tuple[str, bytes]  # the ending of a file, and its content
_LOCATED = re.compile(r"^.*:\d+:\d+: ", re.DOTALL)


# -- readers ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a file, what is mutated for it, and how often it has its turn. `located`: errors have a
    place. `native`: a library that is not Treville's reads it, and may end its process, which is answered as
    an error of the input."""

    read: Callable[[Path], object]
    seeds: Callable[[], list[Seed]]
    turns: int
    located: bool = False
    native: bool = False


def _found(*patterns: str, most: int = 60) -> list[Seed]:
    """Files below the repository and the corpora, a sample of those that are many."""
    found: list[Path] = []
    for pattern in patterns:
        here = sorted(path for top in (EXAMPLES, INPUTS, LIBRARY) for path in top.rglob(pattern))
        there = sorted(CORPORA.rglob(pattern)) if CORPORA.is_dir() else []
        small = [path for path in there if path.stat().st_size < 20_000]
        found += [*here, *small[:: max(1, len(small) // most)]]
    return [(path.suffix, path.read_bytes()) for path in found if path.is_file()]


def _answer(path: Path) -> object:
    """Not only read: answered, whatever the mutant asks."""
    question = LitmusQuestion(str(path), "", Options(limits=Limits(1.0, 1_000_000_000), explain=True))
    report = litmus.answer(question)
    if report.error is not None and report.error.cause is Cause.INTERNAL:
        raise AssertionError(report.reason)
    return report


def _read_list(path: Path) -> object:
    with mock.patch("treville.campaigns.inputs._is_folder", return_value=False):  # not the whole disk
        return list(expand([f"@{path}"], (".litmus",)))


def _read_journal(path: Path) -> object:
    with Journal(str(path), "litmus", lambda _: None) as journal:
        return [journal.find(key, Limits(), litmus.KIND.report) for key in list(journal._places)]


def _read_certificates(path: Path) -> object:
    problem = read_problem(str(_NET))
    for line in read_text(str(path)).splitlines():
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError("not JSON") from None
        if isinstance(found, dict) and found.get("certificate"):
            evidence_from_json(problem, found["certificate"])
    return None


def _read_expectations(path: Path) -> object:
    return expected_tests(str(path), "machine" if path.suffix == ".csv" else "", str(EXAMPLES / "litmus"))


def _read_sketch(path: Path) -> object:
    return read_sketch(Vocabulary("PPC").prelude, read_text(str(path)), str(path), path.parent)


def _expectations() -> list[Seed]:
    """A table, and answers of `treville litmus`."""
    return [*_found("machine.csv"), *_outputs("litmus", *_TESTS)]


def _costs() -> list[Seed]:
    default = ROOT / "src" / "treville" / "questions" / "repair" / "costs.toml"
    return [(default.suffix, default.read_bytes())]


def _ir() -> list[Seed]:
    """Examples, compiled."""
    programs = [EXAMPLES / "c" / f"{name}.c" for name in ("mailbox", "letter", "counter", "publish")]
    return [(".ll", llvm_text(program).encode()) for program in programs]


def _outputs(command: str, *inputs: Path, journal: bool = False) -> list[Seed]:
    """Answers as `--json` or `--resume` keep them."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        path = Path(folder) / "journal"
        main([command, "--json", "--quiet", "--resume", str(path), *map(str, inputs)])
        return [("", path.read_bytes() if journal else out.getvalue().encode())]


def _databases() -> list[Seed]:
    entry = {"directory": "/src", "file": "a.c", "command": "cc -DA=1 -I. -std=c11 -c a.c"}
    entries = [entry, {**entry, "arguments": ["cc", "-I", "x", "a.c"]}]
    return [(".json", json.dumps(entries, indent=1).encode())]


def _lists() -> list[Seed]:
    return [("", b"# tests\nexamples\n./a.litmus\n@other\n../b.litmus # one more\n\n")]


_TESTS = sorted((EXAMPLES / "litmus").glob("*.litmus"))[:6]
_NET = EXAMPLES / "petri" / "mutex.spec"


READERS: dict[str, Reader] = {
    "litmus": Reader(lambda p: load_test(read_text(str(p)), str(p)), lambda: _found("*.litmus"), 30, True),
    "pts": Reader(lambda p: load_test(read_text(str(p)), str(p)), lambda: _found("*.pts"), 3),
    "cat": Reader(resolve_file, lambda: _found("*.cat", "*.bell"), 16, True),
    "answers": Reader(_answer, lambda: _found("*.litmus"), 1, True),
    "C": Reader(lambda p: read_unit(p).program(), lambda: _found("*.c", most=10), 0, native=True),
    "LLVM IR": Reader(lambda p: read_unit(p).program(), _ir, 3, native=True),
    "histories": Reader(
        lambda p: read_history(read_text(str(p)), str(p)),
        lambda: _found("*.jsonl", "*.json", "*.edn", "*.csv", "*.tsv", "*.history", "*.log", "*.txt"), 16,
    ),
    ".cub": Reader(lambda p: read_system(read_text(str(p)), str(p), None), lambda: _found("*.cub"), 12),
    ".spec": Reader(lambda p: read_problem(str(p)), lambda: _found("*.spec"), 8),
    "PNML": Reader(lambda p: pnml.parse(read_file(str(p)), str(p)), lambda: _found("*.pnml", "*.xml"), 6),
    "lists": Reader(_read_list, _lists, 4),
    "journals": Reader(_read_journal, lambda: _outputs("litmus", *_TESTS, journal=True), 4),
    "results": Reader(lambda p: read_results(str(p)), lambda: _outputs("litmus", *_TESTS), 3),
    "certificates": Reader(_read_certificates, lambda: _outputs("petri", _NET), 2),
    "DIMACS": Reader(lambda p: read_dimacs(read_text(str(p)), str(p)), lambda: _found("*.cnf"), 2),
    "databases": Reader(lambda p: read_commands(p, SOURCES), _databases, 2),
    "costs": Reader(lambda p: read_costs(str(p)), _costs, 2),
    "expectations": Reader(_read_expectations, _expectations, 2, True),
    "sketches": Reader(_read_sketch, lambda: _found("framework.cat", "tso.cat"), 2, True),
    "options": Reader(lambda p: _parse_options(p.read_text().split("\0")), list, 4),
}  # fmt: skip


@cache
def _parser(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=command)
    import_module(f"treville.cli.{COMMANDS[command][0]}").add_arguments(parser)
    return parser


def _words(command: str) -> list[str]:
    names = [name for action in _parser(command)._actions for name in action.option_strings]
    return [name for name in names if name not in ("-h", "--help")]


def _parse_options(words: list[str]) -> object:
    command = words[0] if words[0] in COMMANDS else "litmus"
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        try:
            return _parser(command).parse_args(words[1:])
        except SystemExit as stop:
            if stop.code not in (0, 2):
                raise AssertionError(f"ended with {stop.code}") from None
            return None


# -- inputs ----------------------------------------------------------------------------------------


@cache
def seeds_of(reader: str) -> list[Seed]:
    """What is mutated for a reader."""
    return READERS[reader].seeds()


def made(reader: str, seed: int, number: int) -> tuple[str, bytes]:
    """The ending and the content of an input, which follow from the numbers."""
    pick = random.Random(f"{reader} {seed} {number}")
    if reader == "options":
        command = pick.choice(sorted(COMMANDS))
        known = _words(command)
        values = ["1", "tso", "x.litmus", "a=b", "p>=1", "sc,tso", "1e9", "nan", "-", "@x", "100"]
        words = [w for _ in range(pick.randrange(5)) for w in (pick.choice(known), pick.choice(values))]
        return "", "\0".join([command, *mutate_words(pick, ["x", *words], known)]).encode(errors="replace")
    ending, text = pick.choice(seeds_of(reader))
    return ending, mutate_bytes(pick, text)


@dataclass(frozen=True, slots=True)
class Mutated:
    """An input, by its reader and its number; `file` is shared by those that go to a worker together."""

    reader: str
    number: int
    seed: int
    limits: Limits = field(default_factory=Limits)

    @property
    def file(self) -> str:
        return f"{self.reader}/{self.number // GROUP}"


class Reading(Kind[Mutated, Report]):
    """Reads inputs, and does nothing else."""

    name = "reading"
    report = Report

    def blank(self, question: Mutated) -> Report:
        return Report(file=f"{question.reader}:{question.number}")

    def answers(self, questions: Sequence[Mutated], telling: Telling[Report]) -> Iterator[Report]:
        for question in questions:
            telling.progress(Progress(READING))
            draft = Draft(self.blank(question))
            guarded(draft, partial(self._read, draft, question))
            yield draft.report

    def _read(self, draft: Draft[Report], question: Mutated) -> None:
        ending, content = made(question.reader, question.seed, question.number)
        name = "compile_commands.json" if question.reader == "databases" else f"mutant{ending}"
        path = Path(tempfile.gettempdir()) / name
        path.write_bytes(content)
        started = time.monotonic()
        READERS[question.reader].read(path)
        spent = time.monotonic() - started
        draft.report = replace(draft.report, status=Status.DONE, verdict=Verdict.PASS, seconds=spent)

    def key(self, question: Mutated) -> str:
        return f"{question.reader} {question.seed} {question.number}"


# -- running ---------------------------------------------------------------------------------------


def shares(count: int, only: str = "") -> dict[str, int]:
    """How many inputs each reader gets; compiling C takes so long that it gets few."""
    if only:
        return {only: count}
    turns = sum(reader.turns for reader in READERS.values())
    found = {name: count * reader.turns // turns for name, reader in READERS.items()}
    found["C"] = max(2, count // 500)
    found["litmus"] += max(0, count - sum(found.values()))
    return found


def questions(count: int, seed: int, seconds: float, only: str = "") -> Iterator[Mutated]:
    limits = Limits(seconds, 2_000_000_000)
    for reader, share in shares(count, only).items():
        for number in range(share):
            yield Mutated(reader, number, seed, limits)


def judge(reader: str, report: Report) -> str:
    """What is wrong with a report; nothing when all is well."""
    if report.error is not None and report.error.cause is Cause.INTERNAL:
        return report.reason
    if report.limit is not None:
        return f"over the limit: {report.reason}"
    if "ends the process" in report.reason and not READERS[reader].native:
        return f"crashed: {report.reason}"
    if report.status is Status.ERROR and READERS[reader].located and not _LOCATED.match(report.reason):
        return f"error without a place: {report.reason}"
    return ""


def run(
    count: int, seed: int, seconds: float, jobs: int = 1, only: str = "", tell: Callable[[str], None] = print
) -> tuple[Counter[str], list[str]]:
    """How often each status occurred, and what must not be."""
    statuses: Counter[str] = Counter()
    failures = []
    for reader in shares(count, only):
        seeds_of(reader)  # here, so that workers need not make them
    asked = partial(questions, count, seed, seconds, only)
    reports = answered(Reading(), asked(), Settings(jobs))
    for question, report in zip(asked(), reports, strict=True):
        statuses[f"{question.reader} {report.status.value}"] += 1
        problem = judge(question.reader, report)
        if problem:
            failures.append(f"{report.file}: {problem}")
            tell(failures[-1])
    return statuses, failures


def fuzz() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=READERS, default="")
    parser.add_argument("--show", metavar="READER:NUMBER", help="print an input, and read it here")
    options = parser.parse_args()
    if options.show:
        reader, _, number = options.show.rpartition(":")
        ending, content = made(reader, options.seed, int(number))
        sys.stdout.buffer.write(content)
        path = Path(tempfile.gettempdir()) / f"mutant{ending}"
        path.write_bytes(content)
        with contextlib.suppress(TrevilleError):
            READERS[reader].read(path)
        return 0
    started = time.monotonic()
    statuses, failures = run(options.count, options.seed, options.seconds, options.jobs, options.only)
    for reader in READERS:
        counts = {s.value: statuses[f"{reader} {s.value}"] for s in Status if statuses[f"{reader} {s.value}"]}
        if counts:
            print(f"{reader:<14}{counts}")
    spent = time.monotonic() - started
    print(f"{statuses.total()} inputs in {spent:.0f} s: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(fuzz())
