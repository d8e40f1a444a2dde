"""All encodings and solvers on the same questions: time, variables, constraints, conflicts.

    python bench/compare_encodings.py                      print the tables
    python bench/compare_encodings.py --svg docs/pictures  and draw scatter plots (paper 003, Figure 5)
    python bench/compare_encodings.py --solvers clasp,sat --only fibonacci,peterson

Programs are the Fibonacci race (paper 000), mutual exclusion algorithms and lock-free structures in C, and
litmus tests: the examples, and a sample of the X86 corpus where it is there. Seconds are CPU time of encoding
and solving, without the front end. A run that ends at the limit counts as the limit. `ratio` is propagations
per conflict (paper 003, section 6), for solvers that count both.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from treville.engines.contract import GaveUp, Proved, Refuted, Stats
from treville.engines.registry import DECIDE, OUTCOMES, engine_name
from treville.engines.task import outcome_task, ready_task
from treville.models.library import load_model
from treville.programs.c import load_program
from treville.programs.compile_to import compile_program, target_of
from treville.programs.ir import Program
from treville.programs.litmus import parse
from treville.results import Budget

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "tests" / "c" / "safe"
CORPUS = ROOT.parent / "shared" / "corpora" / "litmus" / "X86"
ENCODINGS = ("acyclicity", "clocks", "conflicts")
MODELS = ("sc", "tso", "pso")
C_CASES = (
    ("fibonacci", "N=3", 3), ("fibonacci", "N=3 UNSAFE", 3), ("fibonacci", "N=4", 4),
    ("fibonacci", "N=5", 5), ("fibonacci", "N=5 UNSAFE", 5), ("dekker", "F=0", 2), ("dekker", "F=2", 2),
    ("dekker", "F=2 SPINS=4", 5), ("peterson", "F=0", 2), ("peterson", "F=2", 2), ("szymanski", "F=0", 2),
    ("szymanski", "F=2 SPINS=4", 5), ("parker", "F=0", 2), ("bakery", "F=0", 2), ("burns", "F=2", 2),
    ("burns", "F=2 SPINS=4", 5), ("ticket_lock", "", 3), ("ttas_lock", "", 3), ("treiber_stack", "", 3),
    ("michael_scott_queue", "", 3), ("rcu_publish", "", 3), ("chase_lev_deque", "", 2),
)  # fmt: skip


@dataclass(slots=True)
class Case:
    """A question: a C program with macros and a bound, or a litmus test."""

    name: str
    file: Path
    defines: str = ""
    bound: int = 2

    @property
    def is_litmus(self) -> bool:
        return self.file.suffix == ".litmus"


@dataclass(slots=True)
class Counted:
    """What was built and how the search went, where the solver tells."""

    variables: int = 0
    constraints: int = 0
    search: dict[str, int] = field(default_factory=dict)

    @property
    def efficacy(self) -> float | None:
        """Propagations per conflict (paper 003, section 6), where both are known."""
        conflicts, propagations = self.search.get("conflicts"), self.search.get("propagations")
        return propagations / conflicts if conflicts and propagations is not None else None


@dataclass(slots=True)
class Run:
    """What one encoding and solver did with one case under one model."""

    case: Case
    model: str
    encoding: str
    solver: str
    verdict: str
    seconds: float
    counted: Counted


def cases(sample: int) -> Iterator[Case]:
    """All cases; `sample` says how many litmus tests of the corpus are taken."""
    for name, defines, bound in C_CASES:
        yield Case(f"{name} {defines}".strip(), PROGRAMS / f"{name}.c", defines, bound)
    tests = sorted((ROOT / "examples" / "litmus").glob("*.litmus"))
    found = sorted(CORPUS.rglob("*.litmus"))
    tests += found[:: max(1, len(found) // sample)] if found and sample else []
    for file in tests:
        yield Case(file.stem, file)


@cache
def program_of(file: Path, defines: str) -> Program:
    return load_program(file, defines=tuple(defines.split()))


def run(case: Case, model_name: str, encoding: str, solver: str, limit: float) -> Run:
    model = load_model(model_name)
    if case.is_litmus:
        test = parse(case.file.read_text(), str(case.file))
    else:
        program = compile_program(
            program_of(case.file, case.defines), target_of(model.shipped, model.base_names())
        )
    started, name = time.process_time(), engine_name(encoding, solver)
    if case.is_litmus:
        listed = OUTCOMES[name]().run(outcome_task(test, model, case.bound, Budget(limit)))
        seconds, found = time.process_time() - started, listed.stats
        failed = isinstance(listed, GaveUp)
        verdict = "timeout" if isinstance(listed, GaveUp) else f"{len(listed.counts)} states"
    else:
        task = ready_task(program, model, bound=case.bound, budget=Budget(limit))
        answer = DECIDE[name]().run(task)
        seconds, found = time.process_time() - started, answer.stats
        failed = isinstance(answer, GaveUp) and answer.error is not None
        verdict = (
            "FAIL" if isinstance(answer, Refuted) else "PASS" if isinstance(answer, Proved) else "UNKNOWN"
        )
    if failed:
        verdict, seconds = "timeout", limit
    return Run(case, model_name, encoding, solver, verdict, seconds, counted_of(found))


def counted_of(stats: Stats) -> Counted:
    """What the tables show of an engine's numbers."""
    search = {key: stats[key] for key in ("conflicts", "propagations", "decisions") if key in stats}
    constraints = stats.get("constraints", 0) + stats.get("rules", 0) + stats.get("edges", 0)
    return Counted(stats.get("variables", stats.get("atoms", 0)), constraints, search)


def tables(runs: list[Run], solvers: list[str]) -> None:
    """One table for each solver: programs by name, litmus tests summed up."""
    for solver in solvers:
        print(f"\n### {solver}\n")
        head = [
            f"{encoding} {what}" for encoding in ENCODINGS for what in ("s", "size", "conflicts", "ratio")
        ]
        print("| program | model | verdict | " + " | ".join(head) + " |")
        print("|---|---|---|" + "---:|" * len(head))
        mine = [r for r in runs if r.solver == solver]
        for name, model, group in grouped(mine):
            verdicts = {r.verdict for r in group if r.verdict != "timeout"}
            verdict = " / ".join(sorted(verdicts)) or "timeout"
            cells = [cell for encoding in ENCODINGS for cell in columns(group, encoding)]
            print(f"| {name} | {model} | {verdict} | " + " | ".join(cells) + " |")


def grouped(runs: list[Run]) -> Iterator[tuple[str, str, list[Run]]]:
    programs = dict.fromkeys((r.case.name, r.model) for r in runs if not r.case.is_litmus)
    for name, model in programs:
        yield name, model, [r for r in runs if (r.case.name, r.model) == (name, model)]
    for model in MODELS:
        litmus = [r for r in runs if r.case.is_litmus and r.model == model]
        if litmus:
            yield (
                f"{len({r.case.name for r in litmus})} litmus tests",
                model,
                [total(litmus, e) for e in ENCODINGS],
            )


def total(runs: list[Run], encoding: str) -> Run:
    """The sum over litmus tests."""
    mine = [r for r in runs if r.encoding == encoding]
    counted = Counted(sum(r.counted.variables for r in mine), sum(r.counted.constraints for r in mine))
    for r in mine:
        for name, number in r.counted.search.items():
            counted.search[name] = counted.search.get(name, 0) + number
    verdict = "states agree" if agreeing(runs) else "states differ"
    return Run(
        mine[0].case, mine[0].model, encoding, mine[0].solver, verdict, sum(r.seconds for r in mine), counted
    )


def agreeing(runs: list[Run]) -> bool:
    verdicts: dict[tuple[str, str], set[str]] = {}
    for r in runs:
        if r.verdict != "timeout":
            verdicts.setdefault((r.case.name, r.model), set()).add(r.verdict)
    return all(len(found) == 1 for found in verdicts.values())


def columns(group: list[Run], encoding: str) -> list[str]:
    found = next((r for r in group if r.encoding == encoding), None)
    if found is None:
        return ["", "", "", ""]
    counted = found.counted
    seconds = f"{found.seconds:.2f}" if found.verdict != "timeout" else f"> {found.seconds:.0f}"
    size = f"{counted.variables} / {counted.constraints}"
    ratio = "" if counted.efficacy is None else f"{counted.efficacy:.0f}"
    return [seconds, size, str(counted.search.get("conflicts", "")), ratio]


# -- scatter plots -----------------------------------------------------------------------------------------

WIDTH, MARGIN = 320, 46


def scatter(title: str, x: str, y: str, points: list[tuple[float, float, bool]]) -> str:
    """An SVG with logarithmic axes: triangles where an assertion fails, crosses where none does."""
    values = [value for one, other, _ in points for value in (one, other)]
    low = math.floor(math.log10(min(values)))
    high = max(low + 1, math.ceil(math.log10(max(values))))
    size = WIDTH + 2 * MARGIN

    def place(value: float) -> float:
        return (math.log10(value) - low) / (high - low) * WIDTH

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" font-size="11"',
        '  font-family="sans-serif">',
        f'<rect width="{size}" height="{size}" fill="white"/>',
        f'<text x="{size / 2}" y="20" text-anchor="middle" font-size="13">{title}</text>',
        f'<g transform="translate({MARGIN},{MARGIN})" fill="none" stroke="#888">',
        f'<rect width="{WIDTH}" height="{WIDTH}"/>',
        f'<path d="M0 {WIDTH} L{WIDTH} 0" stroke-dasharray="4 3"/></g>',
        f'<g transform="translate({MARGIN},{MARGIN})">',
    ]
    for power in range(low, high + 1):
        at = place(10.0**power)
        shown = f"{10.0**power:g}"
        parts.append(f'<text x="{at:.1f}" y="{WIDTH + 15}" text-anchor="middle" fill="#333">{shown}</text>')
        parts.append(f'<text x="-6" y="{WIDTH - at + 4:.1f}" text-anchor="end" fill="#333">{shown}</text>')
    parts += [mark(place(one), WIDTH - place(other), fails) for one, other, fails in points]
    middle = WIDTH / 2
    parts += [
        f'<text x="{middle}" y="{WIDTH + 34}" text-anchor="middle">{x}</text>',
        f'<text transform="translate(-34,{middle}) rotate(-90)" text-anchor="middle">{y}</text></g></svg>',
    ]
    return "\n".join(parts) + "\n"


def mark(x: float, y: float, fails: bool) -> str:
    if fails:
        corners = f"{x:.1f},{y - 5:.1f} {x - 4.5:.1f},{y + 3.5:.1f} {x + 4.5:.1f},{y + 3.5:.1f}"
        return f'<polygon points="{corners}" fill="none" stroke="#b3261e" stroke-width="1.3"/>'
    path = f"M{x - 4:.1f} {y - 4:.1f} l8 8 m0 -8 l-8 8"
    return f'<path d="{path}" stroke="#1f4e9c" stroke-width="1.3"/>'


def plots(runs: list[Run], folder: Path, solver: str) -> None:
    """Conflicts against clocks by time and by ratio, for each model; programs only."""
    index = {
        (r.case.name, r.model, r.encoding): r for r in runs if r.solver == solver and not r.case.is_litmus
    }
    names = dict.fromkeys(name for name, _, _ in index)
    for model in MODELS:
        pairs = [(index.get((n, model, "conflicts")), index.get((n, model, "clocks"))) for n in names]
        both = [(one, other) for one, other in pairs if one is not None and other is not None]
        times = [(max(a.seconds, 1e-3), max(b.seconds, 1e-3), a.verdict == "FAIL") for a, b in both]
        ratios = [
            (a.counted.efficacy, b.counted.efficacy, a.verdict == "FAIL")
            for a, b in both
            if a.counted.efficacy and b.counted.efficacy
        ]
        drawn = (("time", "CPU seconds", times), ("ratio", "propagations per conflict", ratios))
        for what, unit, points in drawn:
            if points:
                text = scatter(f"{model}: {unit} ({solver})", "conflicts", "clocks", points)
                (folder / f"encodings-{what}-{model}.svg").write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--solvers", default="clasp,sat,z3")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--only", default="", help="names of programs, comma-separated")
    parser.add_argument("--litmus", type=int, default=60, help="how many litmus tests of the corpus")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for each run")
    parser.add_argument(
        "--svg", metavar="DIR", default="", help="draw scatter plots of the SAT solver's runs"
    )
    options = parser.parse_args()
    solvers = options.solvers.split(",")
    wanted = tuple(name for name in options.only.split(",") if name)
    runs = []
    for case in cases(options.litmus):
        if wanted and not case.name.startswith(wanted):
            continue
        for model in options.models.split(","):
            for solver in solvers:
                for encoding in ENCODINGS:
                    runs.append(run(case, model, encoding, solver, options.limit))
    tables(runs, solvers)
    if options.svg:
        folder = Path(options.svg)
        folder.mkdir(parents=True, exist_ok=True)
        plots(runs, folder, "sat" if "sat" in solvers else solvers[0])


if __name__ == "__main__":
    main()
