"""Both papers' encodings and the default on paper 003's own programs, as in its Figure 5.

    python bench/encodings_svcomp.py ../suites/walcyrie --sample 40 --log runs.jsonl --svg docs/pictures

The folder is a checkout of the paper's lists (see `bench/suites`); each program is asked under the model of
its list, with the paper's bound, once for each encoding. `--sample` takes so many programs of each list. A
run has a process of its own and so many seconds of the processor for encoding and solving, the front end left
out; `--log` keeps runs, and a second start goes on. Exit code 1: an answer is not that of the list.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import geometric_mean

sys.path.append(str(Path(__file__).with_name("suites")))

import walcyrie
from cases import Case, Expected

from compare_encodings import ENCODINGS, scatter
from treville.campaigns.check import read
from treville.campaigns.check_task import Options
from treville.campaigns.loading import load_model
from treville.engines.contract import GaveUp, Proved, Refuted
from treville.engines.registry import DECIDE, engine_name
from treville.engines.task import ProgramTask, program_task
from treville.passes.program import Context
from treville.results import Budget, Verdict
from treville.results.properties import Property

BOUND = 6  # of the paper
NONE = "none"  # at the limit, or because the encoding would be too large


@dataclass(frozen=True)
class Run:
    """What an encoding said of a program under the model of its list."""

    program: str
    model: str
    expected: str
    encoding: str
    solver: str
    verdict: str
    seconds: float

    @property
    def right(self) -> bool:
        """Is this what the list says? Of a safe program that nothing fails up to the bound."""
        safe = (Verdict.PASS.value, Verdict.UNKNOWN.value)
        return self.verdict in safe if self.expected == Expected.SAFE else self.verdict == Verdict.FAIL.value

    @property
    def answered(self) -> bool:
        """Did the search come to its end?"""
        return self.verdict != NONE

    @property
    def wrong(self) -> bool:
        """Is this the contrary of what the list says?"""
        return self.verdict in (Verdict.FAIL.value, Verdict.PASS.value) and not self.right


def chosen(root: Path, lists: Sequence[str], sample: int, seed: int) -> Iterator[tuple[Case, str]]:
    """The programs of the lists, or a sample of each, with the model."""
    for model in lists:
        every = [case for case in walcyrie.cases(root) if case.family.startswith(f"{model}/")]
        few = random.Random(seed).sample(every, sample) if 0 < sample < len(every) else every
        yield from ((case, model) for case in few)


def measure(task: ProgramTask, engine: str, limit: float) -> tuple[str, float]:
    """The verdict and the processor's seconds, in a process that ends at the limit."""
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_decide, args=(task, engine, limit, there))
    child.start()
    there.close()
    try:
        verdict, seconds = here.recv()
    except EOFError:
        verdict, seconds = NONE, limit
    child.join()
    return verdict, seconds


def _decide(task: ProgramTask, engine: str, limit: float, answer: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
    started = time.process_time()
    found = DECIDE[engine]().run(task)
    verdict = Verdict.UNKNOWN.value
    if isinstance(found, Refuted | Proved):
        verdict = (Verdict.FAIL if isinstance(found, Refuted) else Verdict.PASS).value
    elif isinstance(found, GaveUp) and found.error is not None:
        verdict = NONE
    answer.send((verdict, time.process_time() - started))


def runs_of(case: Case, model: str, options: argparse.Namespace) -> Iterator[Run]:
    """A program with each encoding."""
    unit = read(str(case.file), Options())
    context = Context(load_model(model), Property.ASSERTION)
    for encoding in ENCODINGS:
        task = program_task(unit, context, BOUND, Budget(20 * options.limit))
        verdict, seconds = measure(task, engine_name(encoding, options.solver), options.limit)
        about = (case.file.name, model, case.expected.value, encoding, options.solver)
        yield Run(*about, verdict, round(seconds, 3))


def table(runs: list[Run]) -> str:
    """For each list and encoding: answers and seconds; and how two encodings compare where both answer."""
    lines = [
        "| list | programs | "
        + " | ".join(f"{encoding}: right, none, s" for encoding in ENCODINGS)
        + " | clocks / conflicts |",
        "|---|---:|" + "---:|" * (len(ENCODINGS) + 1),
    ]
    for model in walcyrie.LISTS:
        mine = [run for run in runs if run.model == model]
        cells = []
        for encoding in ENCODINGS:
            some = [run for run in mine if run.encoding == encoding]
            late = sum(not run.answered for run in some)
            right = sum(run.right for run in some)
            cells.append(f"{right}, {late}, {sum(run.seconds for run in some):.0f}")
        both = [(a.seconds, b.seconds) for a, b in pairs(mine) if a.answered and b.answered]
        ratio = geometric_mean([b / a for a, b in both]) if both else float("nan")
        lines.append(
            f"| {model} | {len(mine) // len(ENCODINGS)} | " + " | ".join(cells) + f" | {ratio:.2f} |"
        )
    return "\n".join(lines)


def pairs(runs: list[Run]) -> list[tuple[Run, Run]]:
    """The runs of each program with `conflicts` and with `clocks`."""
    index = {(run.program, run.encoding): run for run in runs}
    return [
        (run, index[run.program, "clocks"])
        for run in runs
        if run.encoding == "conflicts" and (run.program, "clocks") in index
    ]


def draw(runs: list[Run], folder: Path) -> None:
    """Figures 5d to 5f: seconds of `conflicts` against those of `clocks`, triangles for failing programs."""
    for model in walcyrie.LISTS:
        both = pairs([run for run in runs if run.model == model])
        points = [
            (a.seconds, b.seconds, a.expected == Expected.UNSAFE) for a, b in both if a.answered or b.answered
        ]
        if points:
            text = scatter(f"{model}: CPU seconds ({runs[0].solver})", "conflicts", "clocks", points)
            (folder / f"encodings-svcomp-{model}.svg").write_text(text, encoding="utf-8")


def main() -> int:
    """Ask, tell, draw."""
    options = parse_options()
    runs = (
        [Run(**json.loads(line)) for line in options.log.read_text().splitlines()]
        if options.log.exists()
        else []
    )
    known = {(run.program, run.model) for run in runs}
    for case, model in chosen(options.folder, options.lists, options.sample, options.seed):
        if (case.file.name, model) in known:
            continue
        new = list(runs_of(case, model, options))
        with options.log.open("a") as log:
            log.writelines(json.dumps(asdict(run)) + "\n" for run in new)
        runs += new
    print(table(runs))
    wrong = [run for run in runs if run.wrong]
    for run in wrong:
        print(f"{run.program} under {run.model}, {run.encoding}: {run.verdict}, expected {run.expected}")
    if options.svg:
        draw(runs, options.svg)
    return 1 if wrong else 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lists", nargs="+", choices=walcyrie.LISTS, default=walcyrie.LISTS)
    parser.add_argument("--sample", type=int, default=0, help="programs of each list; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--solver", default="clasp")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of the processor for a run")
    parser.add_argument("--log", type=Path, default=Path("encodings.jsonl"))
    parser.add_argument("--svg", type=Path, help="a folder for pictures")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
