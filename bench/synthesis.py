"""`treville synth` beside the figures of the papers, in CPU seconds of one core.

    python bench/synthesis.py [--corpora DIR] [--only WORD] [--halves SEEDS] [--equal EVENTS]

Columns: seconds to list the executions once, seconds of the whole synthesis (reading, listing, searching,
writing and judging the file), the goal, what the paper has, and what was found. `--halves` learns from random
halves and counts the errors on the other half. `--equal` compares what was learnt with the model that is
meant, on all tests up to so many accesses (over a base without rmw, those without exchanges); the first
test that tells them apart is named. Drops (`normal`, `none`) compare what the thesis's normal forms save
with observational equivalence."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from treville.campaigns.expectations import expected_tests, given_tests
from treville.campaigns.inputs import expand
from treville.campaigns.kind import nobody
from treville.campaigns.synth import KIND, Options, Question
from treville.models.cat.resolve import resolve_text
from treville.models.library import load_model
from treville.programs.litmus.writing import WRITERS
from treville.programs.litmus.writing.program import Role
from treville.questions.comparison import Difference, Scope, smallest_difference
from treville.questions.synthesis.by_terms import enumerate_terms
from treville.questions.synthesis.listing import list_executions
from treville.questions.synthesis.problem import Dropping, Problem, Requirement, Space
from treville.questions.synthesis.sketches import ASSUMED
from treville.questions.synthesis.vocabulary import Vocabulary
from treville.results import Budget
from treville.results.reports.synth import SynthReport

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Row:
    """A synthesis, its goal in seconds, and the paper's figure."""

    name: str
    options: Options
    goal: float
    paper: str
    model: str = ""  # the shipped model that is meant


def rows(corpora: Path) -> Iterator[Row]:
    """All rows."""
    for folder, plain, minus in (("sc-21-30", "44 s", "2:17"), ("sc-21-50", "46 s", "2:40")):
        at = corpora / "synthesis" / folder
        options = Options(
            allowed=tuple(expand([str(at / "allowed")], (".litmus",))),
            forbidden=tuple(expand([str(at / "forbidden")], (".litmus",))),
            base=("po", "rf", "co", "fr"),
        )
        six = (*options.base, "loc", "ext")
        yield Row(f"{folder} 4", options, 5, plain, "sc")
        yield Row(f"{folder} 4+1", replace(options, minus=("po",)), 10, minus, "sc")
        yield Row(f"{folder} 6", replace(options, base=six), 5, "none in 115 min", "sc")
        yield Row(f"{folder} 8", replace(options, base=(*six, "int", "addr")), 60, "-", "sc")
    litmus = corpora / "litmus"
    x86 = Options(expect=(str(litmus / "expected/X86-x86tso.jsonl"),), root=str(litmus))
    yield Row("TSO from X86", x86, 10, "under 2 s (MemSynth, sketch)", "tso")
    table = Options(expect=(str(litmus / "expected/CAV13.csv"),), root=str(litmus), method="parts")
    for model in ("pso", "rmo", "alpha"):
        yield Row(f"{model.upper()} from CAV13", replace(table, column=model), 60, "-", model)
    framework = str(ROOT / "examples/models/framework.cat")
    power = replace(table, column="power", sketch=framework, method="auto")
    yield Row("Power from CAV13", power, 60, "12 s of 768 tests (MemSynth)", "power2012")
    for model, dialect in (("sc", "PPC"), ("tso", "X86"), ("pso", "PPC"), ("rmo", "PPC"), ("alpha", "PPC")):
        asked = Options(oracle=model, unique=True, events=6, dialect=dialect)
        yield Row(f"{model} from an oracle, 6 events", asked, 30, "-", model)
    asked = Options(oracle="power2012", unique=True, events=4, dialect="PPC", sketch=framework)
    yield Row("power2012 from an oracle, 4 events", asked, 600, "hours (MemSynth's ambiguity)", "power2012")


def requirements(options: Options) -> list[Requirement]:
    """The tests of a row."""
    out = given_tests(options.allowed, True) + given_tests(options.forbidden, False)
    for path in options.expect:
        out += expected_tests(path, options.column, options.root)
    return out


def listing_seconds(options: Options) -> float:
    """CPU seconds to list the executions once, as the method does it."""
    given = requirements(options)
    started = time.process_time()
    if options.base:
        list_executions(given, resolve_text(""), Budget())
    elif given:
        list_executions(given, resolve_text(ASSUMED[0]), Budget(), settled=True)
    return time.process_time() - started


def told_apart(report: SynthReport, row: Row, events: int) -> str:
    """Whether what was learnt is the model that is meant."""
    learnt, meant = resolve_text(report.model or ""), load_model(row.model)
    dialect = "PPC" if "CAV13" in row.name else row.options.dialect or "X86"
    accesses = {each.name for each in WRITERS[dialect].spellings if each.role is not Role.EXCHANGE}
    scope = Scope(dialect, events, instructions=frozenset(accesses) if row.options.base else None)
    for allowing, forbidding in ((learnt, meant), (meant, learnt)):
        found = smallest_difference(allowing, forbidding, scope)
        if isinstance(found, Difference):
            return f", {'allows' if allowing is learnt else 'forbids'} {found.name}"
    return f", equal up to {events}"


def measure(row: Row, equal: int = 0) -> None:
    """Print a row."""
    listing = listing_seconds(row.options)
    started = time.process_time()
    (report,) = KIND.answers([Question(row.name, row.options)], nobody())
    whole = time.process_time() - started
    found = f"{report.verdict.value} size {report.size}" if report.size is not None else report.verdict.value
    if report.missing is not None:
        found += f", {len(report.missing)} tests asked for, unique {report.unique}"
    if report.holdout is not None:
        found += f", {report.holdout.wrong} of {report.holdout.right + report.holdout.wrong} wrong"
    if equal and report.model:
        found += told_apart(report, row, equal)
    print(f"{row.name:<36}{listing:>8.2f}{whole:>8.2f}{row.goal:>7g}  {row.paper:<30}  {found}", flush=True)


def compare_droppings(corpora: Path) -> None:
    """What each way to drop terms saves."""
    at = corpora / "synthesis" / "sc-21-30"
    given = given_tests(expand([str(at / "allowed")], (".litmus",)), True)
    given += given_tests(expand([str(at / "forbidden")], (".litmus",)), False)
    for dropping in (Dropping.OBSERVED, Dropping.NORMAL, Dropping.NONE):
        space = Space(base=("po", "rf", "co", "fr"), size=4, dropping=dropping)
        started = time.process_time()
        answer = enumerate_terms(
            Problem("X86", tuple(given), space), Vocabulary("X86"), Budget(), lambda _: None
        )
        seconds = time.process_time() - started
        print(f"dropping {dropping.value:<10}{answer.candidates:>10,} terms looked at{seconds:>8.2f} s")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, default=ROOT.parent / "shared" / "corpora")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--halves", type=int, default=0, metavar="SEEDS", help="learn from random halves")
    parser.add_argument("--equal", type=int, default=0, metavar="EVENTS", help="compare with the model meant")
    parser.add_argument("--droppings", action="store_true", help="compare ways to drop terms")
    options = parser.parse_args()
    if options.droppings:
        compare_droppings(options.corpora)
        return
    print(f"{'synthesis':<36}{'listing':>8}{'whole':>8}{'goal':>7}  {'paper':<30}  found")
    for row in rows(options.corpora):
        if options.only.lower() not in row.name.lower():
            continue
        if not options.halves:
            measure(row, options.equal)
        elif row.options.expect:
            for seed in range(options.halves):
                half = replace(row.options, holdout=0.5, seed=seed)
                measure(replace(row, name=f"{row.name}, half {seed}", options=half))


if __name__ == "__main__":
    main()
