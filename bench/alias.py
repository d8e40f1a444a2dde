"""What an alias analysis is worth: kernel litmus tests, pointers passed along threads, C programs.

    python bench/alias.py                      the three tables (paper 004, Figures 4.14 and 4.15)
    python bench/alias.py --svg docs/pictures  and draw them: alias-kernel.svg, alias-pointers.svg
    python bench/alias.py --sample 25          every 25th kernel test

Kernel tests are those in the folder `LKMM` of the corpora beside the repository, if it is there. Times are
CPU seconds of the analyses, the eager encoding and solving; 20 s count as no answer. All three analyses must
give the same answers, otherwise the exit code is 1.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from compare_encodings import scatter
from treville.analysis.alias_names import ALIASES, ANDERSEN, FLOW, NONE, Alias
from treville.campaigns.check import read
from treville.campaigns.check_task import Options
from treville.campaigns.loading import load_model
from treville.engines.contract import GaveUp, Refuted
from treville.engines.registry import DECIDE
from treville.engines.task import program_task
from treville.models.model import Model
from treville.passes.program import Context
from treville.programs.c import Unit
from treville.programs.litmus import parse
from treville.programs.litmus.test import LitmusTest
from treville.questions.outcomes import outcomes
from treville.results import Budget, BudgetExceeded, TrevilleError
from treville.results.properties import Property

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpora" / "litmus" / "LKMM"
LIMIT = 20.0
COLOURS = {NONE: "#b3261e", ANDERSEN: "#1f4e9c", FLOW: "#2e7d32"}
POINTER_PROGRAMS = (
    ("list", ""), ("list", "WRONG"), ("rcu_publish", ""), ("mcs_lock", ""), ("clh_lock", ""),
    ("treiber_stack", ""), ("treiber_stack", "RELAXED"), ("michael_scott_queue", "TRIES=2"),
)  # fmt: skip


@dataclass
class Case:
    """One question: CPU seconds with each analysis, and the answers."""

    name: str
    seconds: dict[str, float] = field(default_factory=dict)
    answers: dict[str, object] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Did all analyses that ended lead to the same answer?"""
        return len({repr(answer) for answer in self.answers.values()}) <= 1


def measure(name: str, ask: Callable[[Alias, Budget], object]) -> Case:
    """Ask with every analysis."""
    case = Case(name)
    for alias in ALIASES:
        began = time.process_time()
        try:
            case.answers[alias] = ask(alias, Budget(4 * LIMIT))
        except BudgetExceeded:
            case.seconds[alias] = LIMIT
            continue
        case.seconds[alias] = min(LIMIT, time.process_time() - began)
    return case


def kernel_tests(step: int) -> Iterator[Case]:
    """Every so many'th kernel test that is read, under the kernel's model."""
    model = load_model("lkmm", (), "")
    for file in sorted(CORPUS.rglob("*.litmus"))[::step]:
        try:
            test = parse(file.read_text(encoding="utf-8", errors="replace"), file.name)
            yield measure(file.stem, partial(states, test, model))
        except TrevilleError:
            continue


def states(test: LitmusTest, model: Model, alias: Alias, budget: Budget) -> list[str]:
    """What is observed, and the final states of a test if they can all be listed."""
    found = outcomes(test, model, 2, budget, "eager", alias)
    return [found.observation, *(sorted(map(repr, found.states)) if found.complete else [])]


def fails(unit: Unit, model: Model, alias: Alias, budget: Budget) -> bool:
    """Can an assertion fail?"""
    task = program_task(unit, Context(model, Property.SAFETY), 2, budget, alias)
    found = DECIDE["eager"]().run(task)
    if isinstance(found, GaveUp) and found.error is not None:
        raise found.error
    return isinstance(found, Refuted)


def passing_pointers(counts: list[int]) -> Iterator[Case]:
    """A pointer is passed from thread to thread, and the last one writes through it."""
    model = load_model("lkmm", (), "")
    for count in counts:
        lines = ["C passing", "{ p0=x; }"]
        for number in range(count):
            lines.append(f"P{number}(intptr_t *p{number}, intptr_t *p{number + 1}) {{")
            lines.append(f"  intptr_t r0 = READ_ONCE(*p{number}); WRITE_ONCE(*p{number + 1}, r0); }}")
        lines.append(f"P{count}(intptr_t *p{count}) {{")
        lines.append(f"  intptr_t r0 = READ_ONCE(*p{count}); if (r0) WRITE_ONCE(*r0, 1); }}")
        test = parse("\n".join([*lines, "exists (x=1)"]), f"passing-{count}")
        yield measure(str(count), partial(states, test, model))


def programs() -> Iterator[Case]:
    """C programs with pointers under two models, loops unrolled twice."""
    for name, defines in POINTER_PROGRAMS:
        for model_name in ("tso", "aarch64"):
            model = load_model(model_name, (), "")
            options = Options(defines=tuple(defines.split()), bound=2)
            unit = read(str(ROOT / "tests" / "c" / "safe" / f"{name}.c"), options)
            title = " ".join(part for part in (name, defines, model_name) if part)
            yield measure(title, partial(fails, unit, model))


def table(title: str, cases: list[Case], every: bool) -> int:
    """Print times; how many cases have different answers."""
    print(f"\n{title}: {len(cases)} questions, CPU seconds")
    if every:
        print(f"{'':<40}" + "".join(f"{alias:>10}" for alias in ALIASES))
        for case in cases:
            print(f"{case.name:<40}" + "".join(f"{case.seconds[alias]:>10.2f}" for alias in ALIASES))
    for alias in ALIASES:
        seconds = [case.seconds[alias] for case in cases]
        late = sum(second >= LIMIT for second in seconds)
        print(
            f"  {alias:<10} total {sum(seconds):>8.1f}  median {statistics.median(seconds):.3f}  "
            f"max {max(seconds):.2f}  no answer {late}"
        )
    wrong = [case.name for case in cases if not case.agrees]
    for name in wrong:
        print(f"  DIFFERENT ANSWERS: {name}")
    return len(wrong)


def lines(title: str, cases: list[Case]) -> str:
    """An SVG of times against the number of threads, the times logarithmic."""
    width, height, left, top = 420, 280, 60, 40
    most = max(int(case.name) for case in cases)
    low = math.floor(math.log10(min(min(case.seconds.values()) for case in cases)))
    high = math.ceil(math.log10(max(max(case.seconds.values()) for case in cases)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 100} {height + 90}" font-size="11"',
        '  font-family="sans-serif">',
        f'<rect width="{width + 100}" height="{height + 90}" fill="white"/>',
        f'<text x="{left}" y="22" font-size="13">{title}</text>',
        f'<g transform="translate({left},{top})"><rect width="{width}" height="{height}" fill="none" '
        'stroke="#888"/>',
        f'<text x="{width / 2}" y="{height + 34}" text-anchor="middle">threads and pointers</text>',
    ]

    def place(case: Case, alias: str) -> tuple[float, float]:
        share = (math.log10(case.seconds[alias]) - low) / (high - low)
        return int(case.name) / most * width, height - share * height

    for power in range(low, high + 1):
        y = height - (power - low) / (high - low) * height
        parts.append(f'<text x="-6" y="{y + 4:.1f}" text-anchor="end" fill="#333">{10.0**power:g} s</text>')
    for case in cases:
        x, _ = place(case, FLOW)
        parts.append(f'<text x="{x:.1f}" y="{height + 15}" text-anchor="middle">{case.name}</text>')
    for number, alias in enumerate(ALIASES):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(case, alias) for case in cases))
        colour = COLOURS[alias]
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        parts.append(f'<text x="10" y="{18 + 14 * number}" fill="{colour}">{alias}</text>')
    return "\n".join([*parts, "</g></svg>"]) + "\n"


def main() -> int:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, default=40, help="take every so many'th kernel test")
    parser.add_argument("--svg", metavar="DIR", default="", help="draw the times")
    options = parser.parse_args()
    wrong = 0
    folder = Path(options.svg)
    kernel = list(kernel_tests(options.sample)) if CORPUS.is_dir() else []
    if kernel:
        wrong += table("kernel litmus tests", kernel, every=False)
    passed = list(passing_pointers([1, 2, 4, 8, 12, 16, 24, 32, 40, 50]))
    wrong += table("a pointer passed along threads", passed, every=True)
    wrong += table("C programs", list(programs()), every=True)
    if options.svg and kernel:
        points = [(case.seconds[NONE], case.seconds[FLOW], False) for case in kernel]
        text = scatter("kernel litmus tests, CPU seconds", "no alias analysis", "alias analysis", points)
        (folder / "alias-kernel.svg").write_text(text, encoding="utf-8")
    if options.svg:
        text = lines("a pointer passed along threads, CPU seconds", passed)
        (folder / "alias-pointers.svg").write_text(text, encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
