"""How time and formulas of `treville check` grow with the loop bound (paper 004, Figure 4.13).

    python bench/growth.py                        the table
    python bench/growth.py --svg docs/pictures    and draw it: growth-time.svg, growth-clauses.svg
    python bench/growth.py dekker parker --bounds 2 4 8

The seven mutual exclusion algorithms with a fence after every store, two threads, every waiting loop and
every retry bounded by the bound, as many rounds of the waiter for Parker, which is there twice: ours locks a
mutex in every round, `parker_loop` has the paper's shape. Times are CPU seconds of unrolling, analysis,
encoding and solving together (no front end, no machine with store buffers, whose answers need no bound). TSO
is encoded eagerly, ARM and Power lazily: what `--engine auto` ends up with at these sizes. The exponents are
those of the bound and of the number of events since the last point; 1 is linear. (Loops in loops have more
than twice as many events at twice the bound.)
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from treville.campaigns.check import read
from treville.campaigns.check_task import Options
from treville.campaigns.loading import load_model
from treville.engines.contract import GaveUp, Proved, Refuted
from treville.engines.registry import DECIDE
from treville.engines.task import program_task
from treville.passes.program import Context
from treville.results import Budget
from treville.results.properties import Property

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "tests" / "c" / "safe"
MUTEXES = ("parker_loop", "parker", "peterson", "szymanski", "bakery", "dekker", "burns", "lamport")
MODELS = {"tso": "#0072b2", "armv7": "#009e73", "power": "#d55e00"}
SECONDS = 120.0
WIDTH, HEIGHT, GAP, LEFT, TOP = 190, 150, 52, 46, 44


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement."""

    bound: int
    verdict: str
    seconds: float
    events: int
    clauses: int


def measure(name: str, model: str, bound: int) -> Point | None:
    """Check one program at one bound; None if that takes too long."""
    defines = [
        "F=2",
        f"RETRIES={bound}",
        f"SPINS={bound}",
        *([f"ROUNDS={bound}"] if name.startswith("parker") else []),
    ]
    used = load_model(model)
    folder = PROGRAMS if (PROGRAMS / f"{name}.c").exists() else HERE
    unit = read(str(folder / f"{name}.c"), Options(defines=tuple(defines)))
    task = program_task(unit, Context(used, Property.SAFETY), bound, Budget(SECONDS))
    started = time.process_time()
    found = DECIDE["eager" if model == "tso" else "lazy"]().run(task)
    if isinstance(found, GaveUp) and found.error is not None:
        return None
    verdict = "FAIL" if isinstance(found, Refuted) else "PASS" if isinstance(found, Proved) else "UNKNOWN"
    clauses = sum(found.stats[key] for key in ("rules", "constraints", "edges"))
    return Point(bound, verdict, time.process_time() - started, found.stats["events"], clauses)


def series(name: str, model: str, bounds: list[int]) -> list[Point]:
    """The measurements of one program under one model, printed as they come."""
    found: list[Point] = []
    for bound in bounds:
        point = measure(name, model, bound)
        if point is None:
            print(f"{name:<11} {model:<6} {bound:>5}  over {SECONDS:.0f} s", flush=True)
            break
        slopes = ["", ""]
        if found:
            slopes = [f"{exponent(found[-1], point, of):.1f}" for of in ("bound", "events")]
        found.append(point)
        print(
            f"{name:<11} {model:<6} {bound:>5}  {point.verdict:<7} {point.seconds:>7.2f} {slopes[0]:>8}"
            f" {slopes[1]:>9} {point.events:>7} {point.clauses:>8}",
            flush=True,
        )
    return found


def exponent(one: Point, other: Point, of: str) -> float:
    """The power of the bound, or of the number of events, with which time grows between two points."""
    grown = math.log(getattr(other, of) / getattr(one, of))
    return math.log(other.seconds / one.seconds) / grown if grown else 0.0


Points = dict[tuple[str, str], list[tuple[float, float]]]  # of each program and model


def picture(title: str, points: Points) -> str:
    """An SVG with one small plot for each program, both axes logarithmic and the same everywhere."""
    names = list(dict.fromkeys(name for name, _ in points))
    everything = [pair for line in points.values() for pair in line]
    x_range = _decades([x for x, _ in everything], 2)
    y_range = _decades([y for _, y in everything], 10)
    columns = 4
    width = LEFT + columns * (WIDTH + GAP)
    height = TOP + math.ceil(len(names) / columns) * (HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="11"',
        '  font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-size="13">{title}</text>',
    ]
    for number, (model, colour) in enumerate(MODELS.items()):
        parts.append(f'<text x="{width - 220 + 70 * number}" y="18" fill="{colour}">{model}</text>')
    for number, name in enumerate(names):
        row, column = divmod(number, columns)
        parts.append(
            f'<g transform="translate({LEFT + column * (WIDTH + GAP)},{TOP + row * (HEIGHT + GAP)})">'
        )
        parts += _plot(name, {m: points[name, m] for m in MODELS if (name, m) in points}, x_range, y_range)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _decades(values: list[float], base: int) -> tuple[float, float, int]:
    low, high = (math.log(bound(values), base) for bound in (min, max))
    return math.floor(low), max(math.floor(low) + 1, math.ceil(high)), base


def _plot(
    name: str,
    lines: dict[str, list[tuple[float, float]]],
    x_range: tuple[float, float, int],
    y_range: tuple[float, float, int],
) -> list[str]:
    def at(value: float, span: tuple[float, float, int], size: int) -> float:
        low, high, base = span
        return (math.log(value, base) - low) / (high - low) * size

    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>',
        f'<text x="6" y="15" font-weight="bold">{name}</text>',
    ]
    for span, horizontal in ((x_range, True), (y_range, False)):
        for power in range(int(span[0]), int(span[1]) + 1):
            value = float(span[2]) ** power
            place = at(value, span, WIDTH if horizontal else HEIGHT)
            x, y, anchor = (place, HEIGHT + 14, "middle") if horizontal else (-5, HEIGHT - place + 4, "end")
            parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#333">{value:g}</text>')
    for model, line in lines.items():
        places = [f"{at(x, x_range, WIDTH):.1f},{HEIGHT - at(y, y_range, HEIGHT):.1f}" for x, y in line]
        path = " ".join(places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{MODELS[model]}" stroke-width="1.6"/>')
        parts += [
            f'<circle cx="{p.split(",")[0]}" cy="{p.split(",")[1]}" r="2.4" fill="{MODELS[model]}"/>'
            for p in places
        ]
    return parts


def main() -> int:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(MUTEXES))
    parser.add_argument("--bounds", nargs="+", type=int, default=[2, 4, 8, 16, 32], metavar="K")
    parser.add_argument("--svg", metavar="DIR", default="", help="draw the growth of times and of formulas")
    options = parser.parse_args()
    print("program     model  bound  verdict seconds of bound of events  events  clauses")
    found = {
        (name, model): series(name, model, options.bounds)
        for name in options.programs or MUTEXES
        for model in MODELS
    }
    if options.svg:
        times: Points = {key: [(p.bound, p.seconds) for p in line] for key, line in found.items()}
        sizes: Points = {key: [(p.bound, p.clauses) for p in line] for key, line in found.items()}
        folder = Path(options.svg)
        folder.mkdir(parents=True, exist_ok=True)
        for file, title, points in (
            ("growth-time.svg", "CPU seconds against the bound", times),
            ("growth-clauses.svg", "rules, constraints and edges against the bound", sizes),
        ):
            (folder / file).write_text(picture(title, points), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
