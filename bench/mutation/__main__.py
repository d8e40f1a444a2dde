"""How many small mistakes do the tests notice? A sample of mutants, and the score.

    python bench/mutation --count 40 --seed 1 --budget 1800
    python bench/mutation --paths src/treville/analysis --report survivors.jsonl

Each mutant is applied to a copy of the sources, and the tests that run the mutated statement are run, the
quickest first, until one fails (see `recording.py`). Survivors are listed with file, line, and what became
what. One that changes nothing that matters belongs into `equivalent.json`, with the reason; it is then left
out. With the same report a run goes on where the last one stopped.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from queue import SimpleQueue

from mutants import Mutant, mutants_of
from recording import Recording
from running import SURVIVED, TIMEOUT, UNREACHED, Runner

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EQUIVALENT = HERE / "equivalent.json"
KEPT = ROOT / "build" / "mutation"  # what the tests run, as it was last recorded
KEY = ("file", "where", "text", "before", "after")
Result = tuple[Mutant, str, str]
FOLDERS = (
    "relations", "models", "analysis", "encoding", "solving", "enumeration", "machines",
    "histories/validate.py", "histories/orders.py", "histories/evidence.py", "histories/polynomial.py",
    "histories/saturation.py", "petri/checking.py", "petri/net.py", "petri/backward.py", "petri/forward.py",
)  # fmt: skip


def main() -> int:
    options = parse_options()
    chosen = sample(options.paths, options.seed, options.count, options.match)
    print(f"{len(chosen)} mutants, seed {options.seed}")
    with tempfile.TemporaryDirectory(prefix="mutation-") as scratch:
        results = run(options, chosen, Path(scratch))
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
    parser.add_argument("--jobs", type=int, default=1, help="how many at the same time")
    parser.add_argument("--budget", type=float, default=3600, help="seconds after which no mutant is begun")
    parser.add_argument(
        "--limit", type=float, default=300, help="seconds of tests, as they take without mutants, for each"
    )
    parser.add_argument(
        "--report", type=Path, help="write one JSON object per mutant to this file, and leave out those in it"
    )
    return parser.parse_args()


def sample(paths: list[str], seed: int, count: int, match: str) -> list[Mutant]:
    """Mutants of all paths in turn, so that large files do not hide small ones."""
    known = {tuple(entry[name] for name in KEY) for entry in equivalent()}
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


def run(options: argparse.Namespace, chosen: list[Mutant], scratch: Path) -> list[Result]:
    """Judge the mutants until the budget ends, some at the same time in copies of their own."""
    started, known, recording = time.monotonic(), reported(options.report), Recording(ROOT, KEPT)
    runners: SimpleQueue[Runner] = SimpleQueue()
    for number in range(options.jobs):
        runners.put(Runner(ROOT, scratch / str(number), recording, options.limit))

    def judge(mutant: Mutant) -> Result | None:
        if (*mutant.key, mutant.start) in known:
            return mutant, *known[*mutant.key, mutant.start]
        begun = time.monotonic()
        if begun - started > options.budget:
            return None
        runner = runners.get()
        status, killer = runner.judge(mutant)
        runners.put(runner)
        seconds = time.monotonic() - begun
        told = f" [{killer}]" if killer else ""
        print(f"{seconds:5.0f} s {status:17} {mutant}{told}", flush=True)
        if options.report is not None:
            with options.report.open("a") as lines:
                lines.write(json.dumps(described(mutant, status, killer, seconds)) + "\n")
        return mutant, status, killer

    with ThreadPoolExecutor(options.jobs) as pool:
        return [result for result in pool.map(judge, chosen) if result is not None]


def reported(report: Path | None) -> dict[tuple[object, ...], tuple[str, str]]:
    """What became of mutants in an earlier run."""
    if report is None or not report.is_file():
        return {}
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    return {tuple(line[name] for name in (*KEY, "start")): (line["status"], line["killer"]) for line in lines}


def described(mutant: Mutant, status: str, killer: str, seconds: float) -> dict[str, object]:
    """A line of the report; the fields of the key and a reason are an entry of `equivalent.json`."""
    told = dict(zip(KEY, mutant.key, strict=True))
    more = {"status": status, "killer": killer, "seconds": round(seconds, 1)}
    return {**told, "line": mutant.line, "start": mutant.start, **more}


def summarise(results: list[Result], wanted: int) -> None:
    """The survivors and the score."""
    survivors = [mutant for mutant, status, _ in results if status in (SURVIVED, UNREACHED)]
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
