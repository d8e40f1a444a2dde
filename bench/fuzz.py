"""Mutated litmus and cat files: every run must end in a result or a located error, in time.

    python bench/fuzz.py [--count N] [--seed S] [--seconds T] [--keep DIR]

Seeds are the shipped examples and models, and the corpora beside the repository where they exist. A failure
is a traceback ("internal error"), an error without a place, or a process that had to be killed.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from treville.campaigns.kind import Limits
from treville.campaigns.litmus import KIND
from treville.campaigns.litmus_task import Options, Question
from treville.campaigns.run import Settings
from treville.campaigns.run import run as answered
from treville.results.reports.litmus import LitmusReport
from treville.results.reports.report import Cause, Status

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples" / "litmus"
LIBRARY = ROOT / "src" / "treville" / "models" / "library"
CORPORA = ROOT.parent / "shared" / "corpora" / "litmus"

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_LOCATED = re.compile(r"^.*:\d+:\d+: ", re.DOTALL)
_ODD = (
    "0", "-1", "99999999999999999999", "0x7fffffffffffffff", "(", ")", "{", "}", "[", "]", ";", "|", "/\\",
    "~", "exists", "forall", "let rec", "acyclic", "include \"stdlib.cat\"", "(*", "\"", "\\", "P9", "x",
    "0:EAX", ":", ",", "=", "+", "*", "^-1", "\0", "é", "\t", "\r\n", "_", "x[999999999]", "#", "//", "'",
    "$",
)  # fmt: skip

Mutation = Callable[[random.Random, list[str]], list[str]]


# -- mutations of token lists ----------------------------------------------------------------------


def _delete(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    return tokens[:at] + tokens[at + pick.randint(1, 6) :]


def _replace(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    return [*tokens[:at], pick.choice(_ODD), *tokens[at + 1 :]]


def _insert(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    return [*tokens[:at], pick.choice(_ODD), *tokens[at:]]


def _swap(pick: random.Random, tokens: list[str]) -> list[str]:
    a, b = pick.randrange(len(tokens)), pick.randrange(len(tokens))
    out = list(tokens)
    out[a], out[b] = out[b], out[a]
    return out


def _duplicate(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    piece = tokens[at : at + pick.randint(1, 12)]
    return tokens[:at] + piece * pick.randint(1, 4) + tokens[at:]


def _truncate(pick: random.Random, tokens: list[str]) -> list[str]:
    return tokens[: pick.randrange(len(tokens))]


def _nest(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    depth = pick.choice((5, 100, 3000, 20000))
    opening, closing = pick.choice(
        (("(", ")"), ("{", "}"), ("[", "]"), ("~", ""), ("if (1) ", ""), ("(* ", " *)"))
    )
    return [*tokens[:at], opening * depth, tokens[at], closing * depth, *tokens[at + 1 :]]


def _lengthen(pick: random.Random, tokens: list[str]) -> list[str]:
    at = pick.randrange(len(tokens))
    return [*tokens[:at], tokens[at] * pick.choice((50, 5000)), *tokens[at + 1 :]]


def _copy_line(pick: random.Random, tokens: list[str]) -> list[str]:
    lines = "".join(tokens).split("\n")
    at = pick.randrange(len(lines))
    lines[at:at] = [pick.choice(lines)] * pick.choice((1, 2, 30))
    return ["\n".join(lines)]


MUTATIONS: tuple[Mutation, ...] = (
    _delete, _replace, _insert, _swap, _duplicate, _truncate, _nest, _lengthen, _copy_line,
)  # fmt: skip


def mutate(pick: random.Random, text: str) -> str:
    """One to four mutations."""
    for _ in range(pick.choice((1, 1, 2, 4))):
        tokens = _TOKEN.findall(text)
        if not tokens:
            return text
        text = "".join(pick.choice(MUTATIONS)(pick, tokens))
    return text[:200_000]


# -- running ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seeds:
    """The texts that are mutated."""

    tests: list[Path]
    models: list[Path]


def find_seeds(corpora: bool = True) -> Seeds:
    """Shipped examples and models, and a sample of every family of the corpora."""
    tests = sorted(EXAMPLES.glob("*.litmus"))
    models = sorted(LIBRARY.glob("*.cat"))
    if corpora and CORPORA.is_dir():
        for family in sorted(path for path in CORPORA.iterdir() if path.is_dir()):
            found = sorted(family.rglob("*.litmus"))
            tests += found[:: max(1, len(found) // 40)]
    return Seeds(tests, models)


def questions(seeds: Seeds, folder: Path, count: int, seed: int, seconds: float) -> Iterator[Question]:
    """Mutated inputs, written to the folder as they are needed; every third is a model."""
    pick = random.Random(seed)
    options = Options(limits=Limits(seconds, 1_000_000_000))
    for number in range(count):
        if number % 3 == 2:
            source = pick.choice(seeds.models)
            path = folder / f"{number:06}-{source.stem}.cat"
            path.write_text(mutate(pick, source.read_text()), encoding="utf-8")
            yield Question(str(pick.choice(sorted(EXAMPLES.glob("*.litmus")))), str(path), options)
        else:
            source = pick.choice(seeds.tests)
            path = folder / f"{number:06}.litmus"
            path.write_text(mutate(pick, source.read_text(errors="replace")), encoding="utf-8")
            yield Question(str(path), "", options)


def judge(report: LitmusReport) -> str:
    """What is wrong with a report; nothing when all is well."""
    if report.error is not None and report.error.cause is Cause.INTERNAL:
        return report.reason
    if report.status is Status.ERROR and not _LOCATED.match(report.reason):
        return f"error without a place: {report.reason}"
    if report.reason.startswith("stopped after"):
        return f"had to be killed: {report.reason}"
    if "ends the process" in report.reason:
        return f"crashed: {report.reason}"
    return ""


def run(
    count: int, seed: int, seconds: float, folder: Path, corpora: bool = True, jobs: int = 1
) -> tuple[Counter[str], list[tuple[str, str]]]:
    """How often each status occurred, and the reports that must not be."""
    statuses: Counter[str] = Counter()
    failures = []
    work = list(questions(find_seeds(corpora), folder, count, seed, seconds))
    for asked, report in zip(work, answered(KIND, work, Settings(jobs)), strict=True):
        statuses[report.status.value] += 1
        problem = judge(report)
        if problem:
            failures.append((f"{asked.file} {asked.model}", problem))
    return statuses, failures


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", metavar="DIR", help="keep the mutated files there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        statuses, failures = run(options.count, options.seed, options.seconds, folder, jobs=options.jobs)
    for what, problem in failures:
        print(f"{what}: {problem}")
    print(", ".join(f"{count} {status}" for status, count in sorted(statuses.items())), end="; ")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
