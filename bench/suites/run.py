"""Treville on other people's test suites, compared with what they expect.

    python bench/suites/run.py ../suites                          all suites below a folder
    python bench/suites/run.py ../suites --suite genmc --sample 50 --seed 3
    python bench/suites/run.py ../suites --log suites.jsonl --write docs/suites.md

The folder holds checkouts of GenMC (`genmc`), Nidhugg (`nidhugg`), Dat3M (`Dat3M`) and paper 003's programs
(`walcyrie`); what is missing is left out. `--log` keeps answers, and a second run goes on where the first one
stopped. Exit code 1: something is wrong that `reasons.json` has no argument for.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import dat3m
import genmc
import nidhugg
import walcyrie
from cases import Case, Outcome
from tables import arguments_for, page, table

from asking import Answer, answers, stored

SUITES: dict[str, Callable[[Path], Iterator[Case]]] = {
    "genmc": genmc.cases,
    "nidhugg": nidhugg.cases,
    "Dat3M": dat3m.cases,
    "walcyrie": walcyrie.cases,
}


def main() -> int:
    options = parse_options()
    chosen = list(select(options))
    print(f"{len(chosen)} questions", flush=True)
    found: list[Answer] = []
    limits = (options.jobs, options.limit)
    if options.stored:
        told = stored(chosen, options.folder, options.log)
    else:
        told = answers(chosen, options.folder, *limits, options.log, options.again)
    for answer in told:
        found.append(answer)
        if answer.outcome in (Outcome.WRONG, Outcome.BROKEN) or options.verbose:
            print(f"{answer.outcome}: treville {answer.name}: {answer.reason}", flush=True)
    print(table(found, chosen))
    if options.write:
        options.write.write_text(page(found, chosen))
    argued = arguments_for(found)
    bad = [a for a in found if a.outcome in (Outcome.WRONG, Outcome.BROKEN) and a.name not in argued]
    return 1 if bad else 0


def select(options: argparse.Namespace) -> Iterator[Case]:
    """The questions asked for: of each suite all, or a sample."""
    for name, cases in SUITES.items():
        root = options.folder / name
        if root.is_dir() and (not options.suite or name.lower() in options.suite):
            every = [case for case in cases(root) if options.match in case.command]
            if options.sample and len(every) > options.sample:
                every = random.Random(options.seed).sample(every, options.sample)
            yield from every


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Treville on other people's test suites.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--suite", action="append", choices=[name.lower() for name in SUITES])
    parser.add_argument("--match", default="", help="only questions whose command line contains this")
    parser.add_argument("--sample", type=int, help="so many questions of each suite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of the processor for a question")
    parser.add_argument("--log", type=Path, help="answers as JSON lines; those in it are not asked again")
    parser.add_argument("--stored", action="store_true", help="ask nothing: tables of what is in the log")
    parser.add_argument("--again", action="append", default=[], choices=list(Outcome), help="but ask these")
    parser.add_argument("--write", type=Path, help="a page with tables")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
