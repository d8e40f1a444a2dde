"""How the formula of runs in rounds grows: lists of writes against plain store buffers (paper 001, III).

    python bench/sequential_growth.py [PICTURE.svg]

Two threads, each with the same number of stores and loads, spread over a number of locations, under TSO. One
of rounds, timestamps, nodes (for buffers: entries), locations, and locations behind one pointer grows, the
others stay. Printed and drawn are clauses for each operation (a step in a round).
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from treville.models.library import load_model
from treville.passes.program import Context, lower
from treville.programs import ir
from treville.results import Budget
from treville.results.properties import Property
from treville.sequential.abstraction import BUFFERS, LISTS, SORTED
from treville.sequential.plan import Plan, plan_of
from treville.sequential.rounds import Bounds, Rounds

OPERATIONS = 12
NAMES = {
    BUFFERS: "store buffers (TSO-SMA)",
    LISTS: "lists, as in Figure 3 (eTSO-SMA)",
    SORTED: "lists in order, the own back end's",
}
COLOURS = {LISTS: "#1b6ca8", SORTED: "#2a9d4a", BUFFERS: "#c0392b"}
PANELS: dict[str, tuple[int, ...]] = {
    "rounds": (1, 2, 4, 8, 16),
    "timestamps": (2, 4, 8, 16, 32),
    "nodes": (2, 3, 4, 6, 8, 12),
    "locations": (1, 2, 3, 4, 6, 12),
    "locations behind a pointer": (1, 2, 4, 8, 12),
}
WIDTH, HEIGHT, LEFT, TOP = 250, 190, 46, 28


def program(locations: int, pointers: bool) -> ir.Program:
    """Two threads that store to and load from so many locations, by their names or through a pointer."""
    cells = [ir.LOCATION_BASE + place * ir.LOCATION_STRIDE for place in range(locations)]
    named = {f"x{place}": ir.Location(f"x{place}", cell) for place, cell in enumerate(cells)}
    functions: dict[str, ir.Thread] = {}
    for number in range(2):
        code: list[ir.Instruction] = []
        for place in range(OPERATIONS):
            address: ir.Expr = ir.Const(cells[(place + number) % locations])
            if pointers:
                code.append(ir.Havoc(f"p{place}", tuple(cells)))
                address = ir.Reg(f"p{place}")
            code.append(
                ir.Load(f"r{place}", address)
                if place % 2
                else ir.Store(address, ir.Const(place % 3 + 1))
            )
        functions[f"thread{number}"] = ir.Thread(f"thread{number}", tuple(code))
    main = [ir.Spawn(name, name, ir.Const(0)) for name in functions]
    return ir.Program((ir.Thread("main", tuple(main)),), named, functions=functions)


def plan(locations: int, pointers: bool = False) -> Plan:
    """Its steps."""
    context = Context(load_model("tso"), Property.ASSERTION)
    return plan_of(lower(program(locations, pointers), context), "tso", 1, Budget())


def size(panel: str, number: int, kind: str) -> float:
    """Clauses for each operation."""
    bounds = {"rounds": 2, "timestamps": 4, "nodes": 3} | {panel: number}
    behind = panel == "locations behind a pointer"
    made = plan(number if behind or panel == "locations" else 3, behind)
    rounds = Rounds(made, Bounds(bounds["rounds"], bounds["timestamps"], bounds["nodes"]), kind)
    return len(rounds.formula.clauses()) / len(rounds.turns)


def measured() -> dict[str, dict[str, list[tuple[int, float]]]]:
    """For each panel and abstraction what was counted."""
    return {
        panel: {kind: [(number, size(panel, number, kind)) for number in numbers] for kind in NAMES}
        for panel, numbers in PANELS.items()
    }


def picture(found: dict[str, dict[str, list[tuple[int, float]]]]) -> str:
    """All panels, logarithmic both ways."""
    values = [value for kinds in found.values() for points in kinds.values() for _, value in points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    parts = []
    for place, (panel, kinds) in enumerate(found.items()):
        x, y = place % 3 * (WIDTH + LEFT) + LEFT, place // 3 * (HEIGHT + 60) + TOP
        parts += _panel(panel, kinds, x, y, (low, high))
    x, y = 2 * (WIDTH + LEFT) + LEFT, HEIGHT + 60 + TOP
    for line, (kind, name) in enumerate(NAMES.items()):
        parts.append(f"<path d='M{x},{y + 40 + 24 * line} h24' stroke='{COLOURS[kind]}' stroke-width='2'/>")
        parts.append(f"<text x='{x + 32}' y='{y + 44 + 24 * line}'>{name}</text>")
    parts.append(f"<text x='{x}' y='{y + 20}'>clauses for each operation</text>")
    width, height = 3 * (WIDTH + LEFT) + 20, 2 * (HEIGHT + 60) + TOP
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'"
    return "\n".join(
        [
            f"{head} font-family='sans-serif' font-size='12' fill='#222'>",
            f"<rect width='{width}' height='{height}' fill='white'/>",
            *parts,
            "</svg>\n",
        ]
    )


def _panel(
    title: str, kinds: dict[str, list[tuple[int, float]]], x: int, y: int, decades: tuple[int, int]
) -> list[str]:
    low, high = decades
    numbers = [number for number, _ in next(iter(kinds.values()))]
    span = math.log2(numbers[-1] / numbers[0])

    def across(number: int) -> float:
        return x + WIDTH * math.log2(number / numbers[0]) / span

    def down(value: float) -> float:
        return y + HEIGHT * (high - math.log10(value)) / (high - low)

    parts = [f"<rect x='{x}' y='{y}' width='{WIDTH}' height='{HEIGHT}' fill='none' stroke='#999'/>"]
    parts.append(f"<text x='{x + WIDTH / 2}' y='{y - 8}' text-anchor='middle'>{title}</text>")
    for decade in range(low, high + 1):
        at = down(10**decade)
        parts.append(f"<path d='M{x},{at:.1f} h{WIDTH}' stroke='#ddd'/>")
        parts.append(f"<text x='{x - 4}' y='{at + 4:.1f}' text-anchor='end'>{10**decade}</text>")
    for number in numbers:
        where = across(number)
        parts.append(f"<text x='{where:.1f}' y='{y + HEIGHT + 15}' text-anchor='middle'>{number}</text>")
    for kind, points in kinds.items():
        path = " ".join(f"{across(number):.1f},{down(value):.1f}" for number, value in points)
        parts.append(f"<polyline points='{path}' fill='none' stroke='{COLOURS[kind]}' stroke-width='2'/>")
    return parts


def main() -> None:
    """Print, and draw where a file is given."""
    found = measured()
    for panel, kinds in found.items():
        for kind, points in kinds.items():
            sizes = "  ".join(f"{number}: {value:.0f}" for number, value in points)
            print(f"{panel:27} {kind:8} {sizes}")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(picture(found), encoding="utf-8")


if __name__ == "__main__":
    main()
