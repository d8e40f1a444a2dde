"""A history as a picture: one lane for each process, an arrow from every write to the reads of its value.

Operations stand where their times put them, or, without times, as far right as the operations before
them and the source of their value require. The steps of a failing part's contradiction are drawn in red.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from treville.drawing.geometry import Curve, Point, Rectangle
from treville.drawing.style import SANS, stylesheet, width_of
from treville.drawing.svg import arrow_head, card, document, head, line, path, rectangle, text
from treville.histories.history import Events, show_value
from treville.results import InputError

_MOST_OPERATIONS = 400
_LANE, _TOP, _BOX_HEIGHT, _GAP = 74, 44, 30, 34
_STYLE = stylesheet(
    f"text{{font:13px {SANS};fill:$ink}}"
    ".name{font-weight:600}.title{font-size:15px;font-weight:600}.note{fill:$faint;font-size:12px}"
    ".card{fill:$card;stroke:$line}.lane{stroke:$line}"
    ".write{fill:$sky;stroke:$blue}.read{fill:$mint;stroke:$green}"
    ".start{fill:$box;stroke:$grey}.maybe{stroke-dasharray:4 3}"
    ".rf{fill:none;stroke:$green;stroke-width:1.4}.head-rf{fill:$green}"
    ".bad{fill:none;stroke:$red;stroke-width:1.8;stroke-dasharray:6 3}.head-bad{fill:$red}"
)


def draw(
    events: Events,
    sources: dict[int, int],
    title: str,
    notes: Iterable[str] = (),
    contradiction: Iterable[tuple[int, int, str]] = (),
) -> str:
    """The SVG of the events with their reads-from arrows."""
    if events.count > _MOST_OPERATIONS:
        raise InputError(
            f"{events.count} operations are too many for a picture",
            hint=f"at most {_MOST_OPERATIONS}; the failing part of a FAIL is always small enough",
        )
    return _Picture(events, sources, title, list(notes), list(contradiction)).svg()


class _Picture:
    def __init__(
        self,
        events: Events,
        sources: dict[int, int],
        title: str,
        notes: list[str],
        contradiction: list[tuple[int, int, str]],
    ) -> None:
        self.events, self.sources = events, sources
        self.title, self.notes, self.contradiction = title, notes, contradiction
        self.initial = sorted({w for w in sources.values() if events.is_initial(w)})
        names = [*events.process_names, *(["initially"] if self.initial else [])]
        self.names_width = 28 + 8 * max(map(len, names), default=4)
        self.boxes = self._timed() if events.history.has_times else self._layered()
        self._place_initial()
        words = max([width_of(title, 15), *(width_of(note, 12) for note in notes)])
        self.width = max([30 + words, *(box.right + 40 for box in self.boxes.values())])

    # -- where things stand ----------------------------------------------------------------------

    def _label(self, event: int) -> str:
        operation = self.events.operation(event)
        value = operation.value if self.events.is_initial(event) else self.events.values[event]
        text = f"{operation.key}={show_value(value)}"
        if self.events.is_initial(event):
            return text
        return f"{'write' if operation.is_write else 'read'} {text}"

    def _box_width(self, event: int) -> float:
        return 18 + width_of(self._label(event), 13)

    def _lane(self, event: int) -> float:
        return _TOP + (self.events.thread_of[event] + (1 if self.initial else 0)) * _LANE + _LANE / 2

    def _layered(self) -> dict[int, Rectangle]:
        """Columns by the longest chain of program order and reads-from; by position where they are cyclic."""
        column = self._columns()
        widths: dict[int, float] = {}
        for event, at in column.items():
            widths[at] = max(widths.get(at, 0.0), self._box_width(event))
        lefts, left = {}, self.names_width + (10.0 if not self.initial else 40.0)
        for at in sorted(widths):
            lefts[at] = left
            left += widths[at] + _GAP
        return {
            e: _box(lefts[at] + (widths[at] - self._box_width(e)) / 2, self._box_width(e), self._lane(e))
            for e, at in column.items()
        }

    def _columns(self) -> dict[int, int]:
        events = self.events
        before: dict[int, list[int]] = {e: [] for e in range(events.count)}
        for thread in events.threads:
            for first, second in itertools.pairwise(thread):
                before[second].append(first)
        for read, write in self.sources.items():
            if not events.is_initial(write):
                before[read].append(write)
        column: dict[int, int] = {}
        left = set(before)
        while left:
            ready = [e for e in sorted(left) if all(b in column for b in before[e])]
            if not ready:
                return {e: events.index_in_thread[e] for e in range(events.count)}
            for event in ready:
                column[event] = max((column[b] + 1 for b in before[event]), default=0)
                left.discard(event)
        return column

    def _timed(self) -> dict[int, Rectangle]:
        """Boxes from start to end; times are stretched so that every label fits its box."""
        operations = [self.events.operation(e) for e in range(self.events.count)]
        spans = [(o.start or 0.0, o.end if o.end is not None else float("inf")) for o in operations]
        moments = sorted({moment for span in spans for moment in span})
        # Each moment stands right of the one before and leaves room for the boxes that end there.
        place: dict[float, float] = {}
        for i, moment in enumerate(moments):
            room = [place[moments[i - 1]] + 14.0] if i else [self.names_width + 40.0]
            room += [place[s] + self._box_width(e) for e, (s, t) in enumerate(spans) if t == moment and s < t]
            place[moment] = max(room)
        return {
            e: _box(place[s], max(place[t] - place[s], self._box_width(e)), self._lane(e))
            for e, (s, t) in enumerate(spans)
        }

    def _place_initial(self) -> None:
        left = float(self.names_width)
        for write in self.initial:
            width = self._box_width(write)
            self.boxes[write] = _box(left, width, _TOP + _LANE / 2)
            left += width + 12

    # -- drawing ---------------------------------------------------------------------------------

    def svg(self) -> str:
        lanes = len(self.events.threads) + (1 if self.initial else 0)
        bottom = _TOP + lanes * _LANE
        height = bottom + 22 * len(self.notes) + 16
        frame = Rectangle(0, 0, self.width, height)
        parts = [card(frame), text(Point(16, 28), self.title, kind="title"), *self._lanes(lanes)]
        parts += [self._arrow(w, r, "rf") for r, w in sorted(self.sources.items())]
        parts += [self._arrow(a, b, "bad") for a, b, _ in self.contradiction if a != b]
        parts += [self._draw_box(event, box) for event, box in sorted(self.boxes.items())]
        for i, note in enumerate(self.notes):
            indent = 16 + 8 * (len(note) - len(note.lstrip()))
            parts.append(text(Point(indent, bottom + 18 + 22 * i), note.lstrip(), kind="note"))
        heads = [arrow_head(kind, f"head-{kind}") for kind in ("rf", "bad")]
        return document(self.title, frame, _STYLE, heads, parts)

    def _lanes(self, lanes: int) -> list[str]:
        names = [*(["initially"] if self.initial else []), *self.events.process_names]
        parts = []
        for i, name in zip(range(lanes), names, strict=True):
            y = _TOP + i * _LANE + _LANE / 2
            parts.append(text(Point(16, y + 4), name, kind="name"))
            if not (self.initial and i == 0):
                parts.append(line(Point(self.names_width, y), Point(self.width - 20, y), "lane"))
        return parts

    def _draw_box(self, event: int, box: Rectangle) -> str:
        if self.events.is_initial(event):
            kind = "start"
        else:
            kind = "write" if self.events.is_write[event] else "read"
            if self.events.operation(event).status.value == "info":
                kind += " maybe"
        label = text(Point(box.centre.x, box.centre.y + 4.5), self._label(event), anchor="middle")
        return rectangle(box, kind=kind, rx=6) + label

    def _arrow(self, first: int, second: int, kind: str) -> str:
        one, two = self.boxes[first], self.boxes[second]
        curve = _arc(one, two, kind) if one.y == two.y else _across(one, two, kind)
        return path(curve.path(), kind, marker_end=head(kind))


def _box(left: float, width: float, middle: float) -> Rectangle:
    return Rectangle(left, middle - _BOX_HEIGHT / 2, width, _BOX_HEIGHT)


def _across(one: Rectangle, two: Rectangle, kind: str) -> Curve:
    """From lane to lane; sources a little left of the middle, contradictions right of it."""
    aside = 7 if kind == "bad" else -7
    down = two.y > one.y
    start = Point(one.centre.x + aside, one.bottom if down else one.y)
    end = Point(two.centre.x + aside, two.y - 2 if down else two.bottom + 2)
    bend = (end.y - start.y) * 0.45
    return Curve(start, Point(start.x, start.y + bend), Point(end.x, end.y - bend), end)


def _arc(one: Rectangle, two: Rectangle, kind: str) -> Curve:
    """Within a lane: above for sources, below for contradictions."""
    side, y = (1, one.bottom) if kind == "bad" else (-1, one.y)
    start, end = Point(one.centre.x, y), Point(two.centre.x, y + side * 2)
    lift = y + side * 20
    return Curve(start, Point(start.x, lift), Point(end.x, lift), end)
