"""A history as a picture: one lane for each process, an arrow from every write to the reads of its value.

Operations stand where their times put them, or, without times, as far right as the operations before
them and the source of their value require. The steps of a failing part's contradiction are drawn in red.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape

from treville.histories.history import Events, show_value
from treville.results import InputError

_MOST_OPERATIONS = 400
_LANE, _TOP, _BOX_HEIGHT, _GAP = 74, 44, 30, 34
_STYLE = """
text{font:13px system-ui,sans-serif;fill:#1c2733}
.name{font-weight:600}.title{font-size:15px;font-weight:600}.note{fill:#5a6875;font-size:12px}
.lane{stroke:#d5dce3}.write{fill:#dbe9fb;stroke:#3a6fb0}.read{fill:#e2f3e4;stroke:#3d8a4a}
.start{fill:#f1f1f1;stroke:#8a949e}.maybe{stroke-dasharray:4 3}
.rf{fill:none;stroke:#3d8a4a;stroke-width:1.4;marker-end:url(#green)}
.bad{fill:none;stroke:#c23030;stroke-width:1.8;stroke-dasharray:6 3;marker-end:url(#red)}
"""


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    width: float
    centre_y: float

    @property
    def centre_x(self) -> float:
        return self.left + self.width / 2


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
        self.width = max(box.left + box.width for box in self.boxes.values()) + 40
        self.width = max(self.width, 30 + 7.4 * max(map(len, [title, *notes])))

    # -- where things stand ----------------------------------------------------------------------

    def _label(self, event: int) -> str:
        operation = self.events.operation(event)
        value = operation.value if self.events.is_initial(event) else self.events.values[event]
        text = f"{operation.key}={show_value(value)}"
        if self.events.is_initial(event):
            return text
        return f"{'write' if operation.is_write else 'read'} {text}"

    def _box_width(self, event: int) -> float:
        return 18 + 7.6 * len(self._label(event))

    def _lane(self, event: int) -> float:
        return _TOP + (self.events.thread_of[event] + (1 if self.initial else 0)) * _LANE + _LANE / 2

    def _layered(self) -> dict[int, _Box]:
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
            e: _Box(lefts[at] + (widths[at] - self._box_width(e)) / 2, self._box_width(e), self._lane(e))
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

    def _timed(self) -> dict[int, _Box]:
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
            e: _Box(place[s], max(place[t] - place[s], self._box_width(e)), self._lane(e))
            for e, (s, t) in enumerate(spans)
        }

    def _place_initial(self) -> None:
        left = float(self.names_width)
        for write in self.initial:
            width = self._box_width(write)
            self.boxes[write] = _Box(left, width, _TOP + _LANE / 2)
            left += width + 12

    # -- drawing ---------------------------------------------------------------------------------

    def svg(self) -> str:
        lanes = len(self.events.threads) + (1 if self.initial else 0)
        bottom = _TOP + lanes * _LANE
        height = bottom + 22 * len(self.notes) + 16
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" height="{height}" '
            f'viewBox="0 0 {self.width:.0f} {height}" role="img">',
            f"<title>{escape(self.title)}</title><style>{_STYLE}</style>{_MARKERS}",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            f'<text class="title" x="16" y="28">{escape(self.title)}</text>',
        ]
        parts += self._lanes(lanes)
        parts += [self._arrow(w, r, "rf") for r, w in sorted(self.sources.items())]
        parts += [self._arrow(a, b, "bad") for a, b, _ in self.contradiction if a != b]
        parts += [self._draw_box(event, box) for event, box in sorted(self.boxes.items())]
        for i, note in enumerate(self.notes):
            indent = 16 + 8 * (len(note) - len(note.lstrip()))
            text = f'<text class="note" x="{indent}" y="{bottom + 18 + 22 * i}">'
            parts.append(f"{text}{escape(note.lstrip())}</text>")
        return "\n".join([*parts, "</svg>", ""])

    def _lanes(self, lanes: int) -> list[str]:
        names = [*(["initially"] if self.initial else []), *self.events.process_names]
        parts = []
        for i, name in zip(range(lanes), names, strict=True):
            y = _TOP + i * _LANE + _LANE / 2
            parts.append(f'<text class="name" x="16" y="{y + 4:.0f}">{escape(name)}</text>')
            if not (self.initial and i == 0):
                ends = f'x1="{self.names_width}" x2="{self.width - 20:.0f}"'
                parts.append(f'<line class="lane" {ends} y1="{y:.0f}" y2="{y:.0f}"/>')
        return parts

    def _draw_box(self, event: int, box: _Box) -> str:
        if self.events.is_initial(event):
            kind = "start"
        else:
            kind = "write" if self.events.is_write[event] else "read"
            if self.events.operation(event).status.value == "info":
                kind += " maybe"
        top = box.centre_y - _BOX_HEIGHT / 2
        return (
            f'<rect class="{kind}" x="{box.left:.1f}" y="{top:.1f}" width="{box.width:.1f}" '
            f'height="{_BOX_HEIGHT}" rx="6"/><text x="{box.centre_x:.1f}" y="{box.centre_y + 4.5:.1f}" '
            f'text-anchor="middle">{escape(self._label(event))}</text>'
        )

    def _arrow(self, first: int, second: int, kind: str) -> str:
        one, two = self.boxes[first], self.boxes[second]
        if one.centre_y == two.centre_y:
            return self._arc(one, two, kind)
        down = 1 if two.centre_y > one.centre_y else -1
        aside = 7 if kind == "bad" else -7
        x1, y1 = one.centre_x + aside, one.centre_y + down * _BOX_HEIGHT / 2
        x2, y2 = two.centre_x + aside, two.centre_y - down * (_BOX_HEIGHT / 2 + 2)
        bend = (y2 - y1) * 0.45
        return (
            f'<path class="{kind}" d="M{x1:.1f},{y1:.1f} C{x1:.1f},{y1 + bend:.1f} '
            f'{x2:.1f},{y2 - bend:.1f} {x2:.1f},{y2:.1f}"/>'
        )

    def _arc(self, one: _Box, two: _Box, kind: str) -> str:
        """Within a lane: above for sources, below for contradictions."""
        side = 1 if kind == "bad" else -1
        y = one.centre_y + side * _BOX_HEIGHT / 2
        lift = y + side * 20
        return (
            f'<path class="{kind}" d="M{one.centre_x:.1f},{y:.1f} C{one.centre_x:.1f},{lift:.1f} '
            f'{two.centre_x:.1f},{lift:.1f} {two.centre_x:.1f},{y + side * 2:.1f}"/>'
        )


_MARKERS = (
    "<defs>"
    + "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" '
        f'markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" orient="auto">'
        f'<path d="M0,0 L8,4 L0,8 z" fill="{colour}"/></marker>'
        for name, colour in (("green", "#3d8a4a"), ("red", "#c23030"))
    )
    + "</defs>"
)
