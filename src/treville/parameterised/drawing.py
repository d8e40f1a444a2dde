"""The exploration of an answer as a DOT graph or an SVG picture; for a FAIL also the ghb graph of the run.

Unsafe cubes are at the top; an arrow leads from a cube to a predecessor and carries the transition. Guessed
cubes are dashed.
"""

from __future__ import annotations

from collections import defaultdict

from treville.drawing.geometry import Curve, Point, Rectangle
from treville.drawing.style import SANS, shortened, stylesheet
from treville.drawing.svg import arrow_head, card, document, head, path, rectangle, text
from treville.parameterised.decide import Answer
from treville.parameterised.logic.cube import Node
from treville.parameterised.states.happens_before import graph_of, slot_names
from treville.parameterised.wording import cube_text, process

_MOST_NODES = 400
_WIDTH, _HEIGHT, _GAP, _LINE = 190, 26, 46, 13
_LETTERS = 32
_STYLE = stylesheet(
    f"text{{font:10px {SANS};fill:$ink}}"
    ".title{font-size:14px;font-weight:600}.card{fill:$card;stroke:$line}"
    ".cube{fill:$box;stroke:$slate}.guess{stroke-dasharray:4 3}.edge{fill:none;stroke:$grey}.head{fill:$grey}"
    ".label{fill:$blue}"
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
    places: dict[int, Rectangle] = {}
    top, widest = 50.0, 1
    for depth in sorted(rows):
        tallest = 0.0
        for column, node in enumerate(rows[depth]):
            height = _HEIGHT + _LINE * len(_lines(node))
            places[node.number] = Rectangle(20 + column * (_WIDTH + 20), top, _WIDTH, height)
            tallest = max(tallest, height)
        widest = max(widest, len(rows[depth]))
        top += tallest + _GAP
    width = 40 + widest * (_WIDTH + 20)
    parents = _parents(nodes)
    title = f"{answer.system.name}: {answer.verdict.value} under {answer.system.model.upper()}"
    frame = Rectangle(0, 0, width, top)
    parts = [card(frame), text(Point(20, 26), title, kind="title")]
    for node in nodes:
        if node.number in parents:
            parts.append(_arrow(places[parents[node.number]], places[node.number], _label(answer, node)))
    parts += [_box(node, places[node.number]) for node in nodes]
    return document(title, frame, _STYLE, [arrow_head("head", "head", 7)], parts)


def _lines(node: Node) -> list[str]:
    return [shortened(part, _LETTERS) for part in cube_text(node).split(" && ")]


def _box(node: Node, place: Rectangle) -> str:
    kind = "cube guess" if node.guessed else "cube"
    number = text(Point(place.x + 8, place.y + 14), str(node.number), kind="label")
    lines = [
        text(Point(place.x + 8, place.y + 28 + index * _LINE), line)
        for index, line in enumerate(_lines(node))
    ]
    return "".join([rectangle(place, kind=kind, rx=4), number, *lines])


def _arrow(above: Rectangle, below: Rectangle, label: str) -> str:
    start, end = Point(above.centre.x, above.bottom), Point(below.centre.x, below.y)
    curve = Curve(start, Point(start.x, start.y + 24), Point(end.x, end.y - 24), end)
    words = text(Point(end.x + 4, end.y - 6), label[:_LETTERS], kind="label")
    return path(curve.path(), "edge", marker_end=head("head")) + words
