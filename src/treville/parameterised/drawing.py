"""The exploration of an answer as a DOT graph or an SVG picture; for a FAIL also the ghb graph of the run.

Unsafe cubes are at the top; an arrow leads from a cube to a predecessor and carries the transition. Guessed
cubes are dashed; the way to the initial states is red.
"""

from __future__ import annotations

from collections import defaultdict
from xml.sax.saxutils import escape

from treville.parameterised.cube import Node
from treville.parameterised.decide import Answer
from treville.parameterised.happens_before import graph_of, slot_names
from treville.parameterised.wording import cube_text, process

_MOST_NODES = 400
_WIDTH, _HEIGHT, _GAP, _LINE = 190, 26, 46, 13
_LETTERS = 32
_STYLE = (
    "text{font:10px system-ui,'DejaVu Sans',sans-serif;fill:#1f2328}.title{font-size:14px;font-weight:600}"
    "rect{fill:#f6f8fa;stroke:#57606a}.guess{stroke-dasharray:4 3}.bad{stroke:#cf222e;stroke-width:2}"
    "path{fill:none;stroke:#7a828e}.label{fill:#0969da}.back{fill:#fff;stroke:none}"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#161b22;stroke:#9198a1}"
    ".back{fill:#0d1117}.bad{stroke:#ff7b72}.label{fill:#58a6ff}}"
)


def _shown(answer: Answer) -> list[Node]:
    return [] if answer.search is None else answer.search.explored[:_MOST_NODES]


def _label(answer: Answer, node: Node) -> str:
    if node.step is None:
        return "guess" if node.guessed else ""
    number, place = node.step
    return f"{answer.system.transitions[number].name}({', '.join(process(i) for i in place)})"


def _parents(nodes: list[Node]) -> dict[int, int]:
    """Number of a node -> number of the shown cube from which it was made."""
    # A reduced or guessed cube is another object than the one its children name as parent's parent.
    numbers = {id(node): node.number for node in nodes}
    made = {}
    for node in nodes:
        above = node.parent
        while above is not None and id(above) not in numbers:
            above = above.parent
        if above is not None:
            made[node.number] = numbers[id(above)]
    return made


def dot(answer: Answer) -> str:
    """The DOT text."""
    nodes = _shown(answer)
    parents = _parents(nodes)
    lines = ["digraph exploration {", '  node [shape=box, fontname="sans-serif"];']
    for node in nodes:
        style = ", style=dashed" if node.guessed else ""
        text = "\n".join([str(node.number), *cube_text(node).split(" && ")])
        lines.append(f"  n{node.number} [label={_quoted(text)}{style}];")
    for node in nodes:
        if node.number in parents:
            lines.append(
                f"  n{parents[node.number]} -> n{node.number} [label={_quoted(_label(answer, node))}];"
            )
    lines += _ghb_dot(answer)
    return "\n".join([*lines, "}", ""])


def _ghb_dot(answer: Answer) -> list[str]:
    if answer.run is None or answer.machine is None or answer.system.model == "sc":
        return []
    graph = graph_of(answer.machine, answer.run)
    names = slot_names(answer.machine)
    lines = ['  subgraph cluster_ghb { label="global happens-before of the run";']
    for number, event in enumerate(graph.events, 1):
        accesses = [f"R {names[s]}" for s in event.reads] + [f"W {names[s]}" for s in event.writes]
        text = "\n".join([f"e{number} {event.name}", *accesses])
        lines.append(f"    e{number} [label={_quoted(text)}];")
    for (first, second), labels in sorted(graph.edges.items()):
        lines.append(f"    e{first + 1} -> e{second + 1} [label={_quoted('+'.join(sorted(labels)))}];")
    return [*lines, "  }"]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def svg(answer: Answer) -> str:
    """The SVG text: one row for each depth."""
    nodes = _shown(answer)
    rows: dict[int, list[Node]] = defaultdict(list)
    for node in nodes:
        rows[node.depth].append(node)
    places: dict[int, tuple[float, float, float]] = {}
    top, widest = 50.0, 1
    for depth in sorted(rows):
        tallest = 0.0
        for column, node in enumerate(rows[depth]):
            height = _HEIGHT + _LINE * len(_lines(node))
            places[node.number] = (20 + column * (_WIDTH + 20), top, height)
            tallest = max(tallest, height)
        widest = max(widest, len(rows[depth]))
        top += tallest + _GAP
    width = 40 + widest * (_WIDTH + 20)
    parents = _parents(nodes)
    title = f"{answer.system.name}: {answer.verdict.value} under {answer.system.model.upper()}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top:.0f}" '
        f'viewBox="0 0 {width} {top:.0f}">',
        f'<style>{_STYLE}</style><rect class="back" width="100%" height="100%"/>',
        f'<text class="title" x="20" y="26">{escape(title)}</text>',
    ]
    for node in nodes:
        if node.number in parents:
            parts.append(_arrow(places[parents[node.number]], places[node.number], _label(answer, node)))
    parts += [_box(node, places[node.number]) for node in nodes]
    return "".join([*parts, "</svg>\n"])


def _lines(node: Node) -> list[str]:
    return [
        part if len(part) <= _LETTERS else part[: _LETTERS - 1] + "…"
        for part in cube_text(node).split(" && ")
    ]


def _box(node: Node, place: tuple[float, float, float]) -> str:
    x, y, height = place
    kind = ' class="guess"' if node.guessed else ""
    texts = [
        f'<text x="{x + 8:.0f}" y="{y + 28 + index * _LINE:.0f}">{escape(line)}</text>'
        for index, line in enumerate(_lines(node))
    ]
    head = f'<text class="label" x="{x + 8:.0f}" y="{y + 14:.0f}">{node.number}</text>'
    box = f'<rect{kind} x="{x:.0f}" y="{y:.0f}" width="{_WIDTH}" height="{height:.0f}" rx="4"/>'
    return box + head + "".join(texts)


def _arrow(above: tuple[float, float, float], below: tuple[float, float, float], label: str) -> str:
    x1, y1 = above[0] + _WIDTH / 2, above[1] + above[2]
    x2, y2 = below[0] + _WIDTH / 2, below[1]
    path = f'<path d="M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + 24:.0f} {x2:.0f} {y2 - 24:.0f} {x2:.0f} {y2:.0f}"/>'
    return f'{path}<text class="label" x="{x2 + 4:.0f}" y="{y2 - 6:.0f}">{escape(label[:_LETTERS])}</text>'
