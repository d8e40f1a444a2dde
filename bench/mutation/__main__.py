"""How many small mistakes do the tests notice? A sample of mutants, and the score.

    python bench/mutation --count 40 --seed 1 --budget 1800
    python bench/mutation --paths src/treville/analysis --report survivors.jsonl

Each mutant is applied to a copy of the sources, and the tests that should notice it are run, those that
mirror its module first (see `selection.py`). Survivors are listed with file, line, and what became what. One
that changes nothing that matters belongs into `equivalent.json`, with the reason; it is then left out.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from itertools import zip_longest
from pathlib import Path

from mutants import Mutant, mutants_of
from running import SURVIVED, TIMEOUT, Runner

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EQUIVALENT = HERE / "equivalent.json"
FOLDERS = (
    "relations", "models", "analysis", "encoding", "solving", "histories/validate.py", "histories/orders.py",
    "histories/evidence.py", "histories/polynomial.py", "histories/saturation.py", "petri/checking.py",
    "petri/net.py", "petri/backward.py", "petri/forward.py",
)  # fmt: skip


def main() -> int:
    options = parse_options()
    chosen = sample(options.paths, options.seed, options.count, options.match)
    print(f"{len(chosen)} mutants, seed {options.seed}")
    with tempfile.TemporaryDirectory(prefix="mutation-") as scratch:
        runner = Runner(ROOT, Path(scratch), options.limit)
        if options.baseline:
            for file in sorted({mutant.file for mutant in chosen}):
                if wrong := runner.complaints(file):
                    print(f"without any mutant the tests of {file} fail: {wrong}")
                    return 2
        results = run(runner, chosen, options.budget, options.report)
    summarise(results, len(chosen))
    return 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="mutation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = [f"src/treville/{folder}" for folder in FOLDERS]
    parser.add_argument("--paths", nargs="+", default=default, help="files and folders to mutate")
    parser.add_argument("--match", default="", help="only mutants whose description contains this")
    parser.add_argument("--seed", type=int, default=1, help="which sample")
    parser.add_argument("--count", type=int, default=40, help="how many mutants")
    parser.add_argument("--budget", type=float, default=3600, help="seconds after which no mutant is begun")
    parser.add_argument(
        "--limit", type=float, default=300, help="seconds for the near tests of a mutant, and for the others"
    )
    parser.add_argument("--report", type=Path, help="write one JSON object per mutant to this file")
    parser.add_argument(
        "--baseline", action="store_true", help="first see that the tests pass without mutants"
    )
    return parser.parse_args()


def sample(paths: list[str], seed: int, count: int, match: str) -> list[Mutant]:
    """Mutants of all paths in turn, so that large files do not hide small ones."""
    known = {(entry["file"], entry["where"], entry["before"], entry["after"]) for entry in equivalent()}
    choose, groups = random.Random(seed), []
    for path in paths:
        found = [m for m in mutants_under(path) if m.key not in known and match in str(m)]
        groups.append(choose.sample(found, len(found)))
    in_turn = [mutant for turn in zip_longest(*groups) for mutant in turn if mutant is not None]
    return in_turn[:count]


def mutants_under(path: str) -> list[Mutant]:
    """All mutants of a file, or of the Python and cat files in a folder."""
    place = (ROOT / path).resolve()
    files = [place] if place.is_file() else sorted(place.rglob("*"))
    wanted = [file for file in files if file.suffix in (".py", ".cat")]
    if not wanted:
        sys.exit(f"no Python or cat files in {path}")
    return [mutant for file in wanted for mutant in mutants_of(ROOT, file)]


def equivalent() -> list[dict[str, str]]:
    """The mutants that are known to change nothing that matters, each with a reason."""
    entries: list[dict[str, str]] = json.loads(EQUIVALENT.read_text())
    assert all(entry["reason"] for entry in entries)
    return entries


def run(
    runner: Runner, chosen: list[Mutant], budget: float, report: Path | None
) -> list[tuple[Mutant, str, str]]:
    """Judge the mutants until the budget ends."""
    started, results = time.monotonic(), []
    for number, mutant in enumerate(chosen, 1):
        if time.monotonic() - started > budget:
            print(f"the budget of {budget:g} s is used up")
            break
        begun = time.monotonic()
        status, killer = runner.judge(mutant)
        seconds = time.monotonic() - begun
        print(
            f"{number:3} {seconds:5.0f} s {status:17} {mutant}" + (f" [{killer}]" if killer else ""),
            flush=True,
        )
        results.append((mutant, status, killer))
        if report is not None:
            with report.open("a") as lines:
                lines.write(json.dumps(described(mutant, status, killer, seconds)) + "\n")
    return results


def described(mutant: Mutant, status: str, killer: str, seconds: float) -> dict[str, object]:
    """A line of the report; the first four fields and a reason are an entry of `equivalent.json`."""
    return {
        "file": mutant.file, "where": mutant.where, "before": mutant.before, "after": mutant.after,
        "line": mutant.line, "status": status, "killer": killer, "seconds": round(seconds, 1),
    }  # fmt: skip


def summarise(results: list[tuple[Mutant, str, str]], wanted: int) -> None:
    """The survivors and the score."""
    survivors = [mutant for mutant, status, _ in results if status == SURVIVED]
    if survivors:
        print("\nsurvivors:")
    for mutant in survivors:
        print(f"  {mutant}")
    counts = Counter(status for _, status, _ in results)
    print("\n" + ", ".join(f"{count} {status}" for status, count in counts.most_common()))
    killed, late = len(results) - len(survivors), counts[TIMEOUT]
    share = f" ({100 * killed / len(results):.0f} %)" if results else ""
    print(f"score: {killed} of {len(results)} mutants noticed{share}, {late} of them only by a timeout")
    if wanted > len(results):
        print(f"{wanted - len(results)} mutants were not tried")


if __name__ == "__main__":
    sys.exit(main())
