"""Random comparisons with fresh seeds: every answer against one that was found in another way.

    python bench/comparisons/compare_random.py                        each kind, 25,000 answers of it
    python bench/comparisons/compare_random.py --kind native --answers 1000
    python bench/comparisons/compare_random.py --log FILE             go on where the last run was
    python bench/comparisons/compare_random.py --kind engines --repeat 4711/12    a piece of work again
    python bench/comparisons/compare_random.py --engine rounds --engine buffers   only some of the engines

Kinds: `native` (C programs against a native run), `litmus` (C against litmus tests under ten models), `ports`
(`port` against the difference of outcomes, by states and by executions), `engines` (every engine against all
others that suit). Work is done in pieces, each a file of programs that is compiled once; a piece has a name
(the seed and a number) that makes it again. Exit code 1: some answers were wrong.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # for what tests share

from counting import ONLY, Tally

# kind -> (module, programs of a piece)
KINDS = {
    "native": ("against_native", 24),
    "litmus": ("against_litmus", 25),
    "ports": ("of_ports", 50),
    "engines": ("of_engines", 40),
}
PIECES_OF_A_WORKER = 20  # then it is replaced, so that nothing piles up


def piece(work: tuple[str, str]) -> tuple[str, str, Tally, float]:
    """Compare a piece of a kind by its name."""
    kind, name = work
    module, size = KINDS[kind]
    started = time.process_time()
    found: Tally = import_module(module).compare(name, size)
    return kind, name, found, time.process_time() - started


def main() -> int:
    options = parse_options()
    os.environ["TREVILLE_SEED"] = str(options.seed)
    os.environ[ONLY] = " ".join(options.engine)
    if options.repeat:
        found = piece((options.kind[0], options.repeat))[2]
        print(found.answers, found.none, *found.wrong, sep="\n")
        return 1 if found.wrong else 0
    print(f"seed {options.seed}", flush=True)
    totals = {kind: Tally() for kind in options.kind}
    seconds: dict[str, float] = dict.fromkeys(options.kind, 0.0)
    for kind, name, found, spent in pieces(options, totals):
        totals[kind].merge(found)
        seconds[kind] += spent
        for wrong in found.wrong:
            print(f"wrong: {kind} {name}: {wrong}", flush=True)
    print(table(totals, seconds))
    return 1 if any(total.wrong for total in totals.values()) else 0


def pieces(options: argparse.Namespace, totals: dict[str, Tally]) -> Iterator[tuple[str, str, Tally, float]]:
    """Pieces that the log has, then new ones, of each kind in turn, until there are enough answers."""
    yield from _logged(options)
    numbers = {kind: count(len([n for k, n in _names(options.log) if k == kind])) for kind in options.kind}
    with multiprocessing.Pool(options.jobs, maxtasksperchild=PIECES_OF_A_WORKER) as pool:
        while missing := [k for k in options.kind if totals[k].answers.total() < options.answers]:
            works = [(k, f"{options.seed}/{n}") for k in missing for n in islice(numbers[k], options.jobs)]
            for done in pool.imap_unordered(piece, works):
                _log(options.log, done)
                yield done


def _names(log: Path | None) -> list[tuple[str, str]]:
    return [(entry["kind"], entry["name"]) for entry in _entries(log)]


def _entries(log: Path | None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log and log.exists() else []


def _logged(options: argparse.Namespace) -> Iterator[tuple[str, str, Tally, float]]:
    for entry in _entries(options.log):
        tally = entry["tally"]
        found = Tally(tally["programs"], Counter(tally["answers"]), Counter(tally["none"]), tally["wrong"])
        if entry["kind"] in options.kind:
            yield entry["kind"], entry["name"], found, entry["seconds"]


def _log(log: Path | None, done: tuple[str, str, Tally, float]) -> None:
    if log:
        kind, name, tally, seconds = done
        with log.open("a") as file:
            entry = {"kind": kind, "name": name, "tally": vars(tally), "seconds": round(seconds, 2)}
            file.write(json.dumps(entry) + "\n")


def table(totals: dict[str, Tally], seconds: dict[str, float]) -> str:
    """Programs, answers that were compared, questions without one, and wrong answers of each kind."""
    lines = [f"{'kind':10}{'programs':>10}{'answers':>10}{'none':>8}{'wrong':>7}{'CPU s':>9}"]
    for kind, total in totals.items():
        row = (total.programs, total.answers.total(), total.none.total(), len(total.wrong))
        lines.append("{:10}{:10}{:10}{:8}{:7}{:9.0f}".format(kind, *row, seconds[kind]))
    everything = sum(total.answers.total() for total in totals.values())
    lines.append(f"{everything} answers compared")
    for kind, total in totals.items():
        who = ", ".join(f"{name} {number}" for name, number in total.answers.most_common())
        lines.append(f"{kind}: {who}")
    return "\n".join(lines)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--answers", type=int, default=25_000, help="of each kind")
    parser.add_argument("--engine", action="append", default=[], help="ask these only, where they can answer")
    parser.add_argument("--seed", type=int, help="drawn if it is not given")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--log", type=Path, help="a file of JSON lines")
    parser.add_argument("--repeat", metavar="SEED/NUMBER", help="one piece of work again")
    options = parser.parse_args()
    options.kind = options.kind or list(KINDS)
    known = _names(options.log)
    if options.repeat or known:
        options.seed = int((options.repeat or known[0][1]).partition("/")[0])
    options.seed = options.seed or random.SystemRandom().randrange(1, 1 << 31)
    return options


if __name__ == "__main__":
    sys.exit(main())
