"""A scene -> SVG: threads as columns, stable places, curved labelled arrows."""

from __future__ import annotations

from treville.drawing.geometry import Curve, Point, Rectangle
from treville.drawing.style import shortened, width_of
from treville.drawing.svg import arrow_head, card, document, group, head, path, rectangle, text
from treville.witness.curves import route_across, route_beside, route_down, route_stub
from treville.witness.scene import Box, Edge, Scene
from treville.witness.style import FAMILIES, KINDS, STYLESHEET, family

_ROW = 86.0
_BOX_HEIGHT = 44.0
_FENCE_HEIGHT = 26.0
_GAP = 132.0
_MARGIN = 34.0
_LABEL_POSITIONS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8)


def draw(scene: Scene) -> str:
    """The SVG document."""
    places, width, bottom = _layout(scene)
    routed = _routed(scene, places)
    arrows = []
    labels = []
    taken = [rectangle.grown(3) for rectangle in places.values()]
    for edge, curve in routed:
        name = family(edge.label)
        strong = " trv-strong" if edge.evidence else ""
        arrows.append(path(curve.path(), f"trv-edge trv-{name}{strong}", marker_end=head(f"trv-{name}")))
        if edge.label != "po" or edge.evidence:
            others = [other for _, other in routed if other is not curve]
            labels.append(_label(edge.label, f"trv-text-{name}{strong}", edge, curve, others, taken))
    boxes = [_box(box, places[box.event]) for box in scene.boxes()]
    sides = [curve.at(k / 8).x for _, curve in routed for k in range(9)] + [r.x for r in taken]
    sides += [rectangle.right for rectangle in taken]
    left, right = min([0.0, *(x - 16 for x in sides)]), max([width, *(x + 16 for x in sides)])
    heads = _headings(scene, places, left + 20)
    bottom = max([bottom, *(curve.at(k / 8).y + 12 for _, curve in routed for k in range(9))])
    height = bottom + (34.0 if scene.footer else 12.0)
    if scene.footer:
        heads.append(_text((left + right) / 2, height - 16, scene.footer, "trv-small trv-mono"))
    frame = Rectangle(left, 0, right - left, height)
    markers = [arrow_head(f"trv-{name}", f"trv-head-{name}") for name in FAMILIES]
    parts = [card(frame, "trv-card"), *heads, *arrows, *boxes, *labels]
    return document(_title(scene), frame, STYLESHEET, markers, parts)


def _title(scene: Scene) -> str:
    return ", ".join(part for part in (scene.title, scene.subtitle) if part) or "an execution"


# -- layout ----------------------------------------------------------------------------------------


def _layout(scene: Scene) -> tuple[dict[int, Rectangle], float, float]:
    """Where every box is, the width of the picture, and where its lowest box ends."""
    top = 22.0 + (26.0 if scene.title else 0) + (20.0 if scene.subtitle else 0)
    places: dict[int, Rectangle] = {}
    first_row = top + 34.0
    if scene.initial:
        first_row += _ROW
    left = _MARGIN + 26.0
    bottom = first_row
    for boxes in scene.columns.values():
        column_width = max([_box_width(box) for box in boxes] + [64.0])
        for row, box in enumerate(boxes):
            width, height = _box_width(box), _box_height(box)
            middle = first_row + row * _ROW + _BOX_HEIGHT / 2
            places[box.event] = Rectangle(
                left + (column_width - width) / 2, middle - height / 2, width, height
            )
            bottom = max(bottom, middle + _BOX_HEIGHT / 2)
        left += column_width + _GAP
    width = left - _GAP + _MARGIN + 26.0
    small = max(width_of(scene.subtitle, 11), width_of(scene.footer, 11, monospaced=True))
    needed = max(width_of(scene.title, 15), small) + 48.0
    if needed > width:
        shift = (needed - width) / 2
        places = {event: place.moved(shift, 0) for event, place in places.items()}
        width = needed
    for position, box in enumerate(scene.initial):
        centre = width * (position + 1) / (len(scene.initial) + 1)
        places[box.event] = Rectangle(centre - _box_width(box) / 2, top + 14, _box_width(box), 26.0)
    return places, width, bottom + 18


def _box_width(box: Box) -> float:
    first = width_of(_brief(box), 13, monospaced=True)
    return max(first, width_of(_source(box), 11, monospaced=True)) + 26.0


def _brief(box: Box) -> str:
    return f"{box.label}: {box.brief}" if box.label else box.brief


def _box_height(box: Box) -> float:
    return _BOX_HEIGHT if _source(box) else _FENCE_HEIGHT


def _source(box: Box) -> str:
    """The instruction's text, where it tells more than the event."""
    return "" if box.kind == "F" else shortened(" ".join(box.source.split()), 40)


def _routed(scene: Scene, places: dict[int, Rectangle]) -> list[tuple[Edge, Curve]]:
    """A curve for each edge, evidence last so that it lies on top."""
    column = {box.event: place for place, boxes in enumerate(scene.columns.values()) for box in boxes}
    row = {box.event: place for boxes in scene.columns.values() for place, box in enumerate(boxes)}
    obstacles = list(places.values())
    ports = _ports(scene.edges, column, places)
    lanes: dict[tuple[int, int], int] = {}
    routed = []
    for number, edge in enumerate(scene.edges):
        if edge.source is None:
            curve = route_stub(places[edge.target])
        elif edge.source not in column or column[edge.source] != column.get(edge.target):
            curve = route_across(places[edge.source], places[edge.target], ports[number], obstacles)
        else:
            apart = abs(row[edge.source] - row[edge.target])
            if apart == 1 and family(edge.label) == "po":
                curve = route_down(places[edge.source], places[edge.target])
            else:
                ends = (min(edge.source, edge.target), max(edge.source, edge.target))
                lane = lanes[ends] = lanes.get(ends, -1) + 1
                left = column[edge.source] < len(scene.columns) / 2
                curve = route_beside(places[edge.source], places[edge.target], lane, apart, left)
        routed.append((edge, curve))
    return sorted(routed, key=lambda item: item[0].evidence)


def _ports(
    edges: list[Edge], column: dict[int, int], places: dict[int, Rectangle]
) -> list[tuple[float, float]]:
    """How far from the middle of its side each end of an edge across columns touches its box: ends on one
    side are spread in the order of where the other ends are, so that arrows do not cover each other."""
    sides: dict[tuple[int, bool], list[tuple[float, int, int]]] = {}
    for number, edge in enumerate(edges):
        if edge.source is None or column.get(edge.source, -1) == column.get(edge.target, -2):
            continue
        rightwards = places[edge.target].centre.x >= places[edge.source].centre.x
        here, there = places[edge.source].centre.y, places[edge.target].centre.y
        sides.setdefault((edge.source, rightwards), []).append((there, number, 0))
        sides.setdefault((edge.target, not rightwards), []).append((here, number, 1))
    shifts = [[0.0, 0.0] for _ in edges]
    for (event, _), ends in sides.items():
        step = min(12.0, (places[event].height - 14) / max(1, len(ends) - 1))
        for position, (_, number, end) in enumerate(sorted(ends)):
            shifts[number][end] = (position - (len(ends) - 1) / 2) * step
    return [(start, end) for start, end in shifts]


# -- pieces ----------------------------------------------------------------------------------------


def _box(box: Box, place: Rectangle) -> str:
    kind = box.kind if box.kind in KINDS else "F"
    guilty = " trv-guilty" if box.evidence else ""
    source = _source(box)
    middle = place.y + place.height / 2
    stripe = Rectangle(place.x + 5, place.y + 6, 3.5, place.height - 12)
    pieces = [
        rectangle(place, kind=f"trv-box{guilty}", rx=7),
        rectangle(stripe, kind=f"trv-kind-{kind}", rx=1.7),
        _text(place.centre.x + 3, middle + (-3 if source else 4.5), _brief(box), "trv-event trv-mono"),
    ]
    if source:
        pieces.append(_text(place.centre.x + 3, middle + 13.5, source, "trv-small trv-mono"))
    return group(*pieces)


def _label(
    words: str, kind: str, edge: Edge, curve: Curve, others: list[Curve], taken: list[Rectangle]
) -> str:
    """The label on its curve, at the place that covers least of boxes, other labels and other curves."""
    width, height = width_of(words, 13, monospaced=True) + 8, 17.0
    if edge.source is None:
        best = Rectangle(curve.start.x - width / 2, curve.start.y - height, width, height)
    else:
        crossing = [other.at(k / 24) for other in others for k in range(25)]
        candidates = []
        for position in _LABEL_POSITIONS:
            point = curve.at(position)
            candidates.append(Rectangle(point.x - width / 2, point.y - height / 2, width, height))
        best = min(candidates, key=lambda place: _covered(place, taken, crossing))
    taken.append(best)
    halo = rectangle(best, kind="trv-halo", rx=4)
    return halo + _text(best.centre.x, best.centre.y + 4.3, words, f"trv-label trv-mono {kind}")


def _covered(place: Rectangle, taken: list[Rectangle], crossing: list[Point]) -> float:
    near = place.grown(4)
    return sum(place.overlap(other) for other in taken) + 40.0 * sum(near.contains(p) for p in crossing)


def _headings(scene: Scene, places: dict[int, Rectangle], left: float) -> list[str]:
    out = []
    y = 30.0
    if scene.title:
        out.append(_text(left, y, scene.title, "trv-title", anchor="start"))
        y += 20
    if scene.subtitle:
        out.append(_text(left, y, scene.subtitle, "trv-small", anchor="start"))
    for thread, boxes in scene.columns.items():
        if boxes:
            first = places[boxes[0].event]
            row_top = first.y + first.height / 2 - _BOX_HEIGHT / 2
            out.append(_text(first.centre.x, row_top - 14, f"P{thread}", "trv-thread"))
    return out


def _text(x: float, y: float, words: str, kind: str, anchor: str = "middle") -> str:
    return text(Point(x, y), words, kind=kind, anchor=anchor)
