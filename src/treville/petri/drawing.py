"""A net as an SVG picture: places with tokens, transitions, arcs; a counterexample plays step by step.

The picture is one file without scripts. Steps are SMIL animations with discrete values, so a viewer that
does not animate shows the initial marking.
"""

from __future__ import annotations

from math import hypot

from treville.drawing.geometry import Point, Rectangle, number
from treville.drawing.style import SANS, shortened, stylesheet
from treville.drawing.svg import (
    arrow_head,
    card,
    circle,
    document,
    element,
    group,
    head,
    path,
    rectangle,
    text,
)
from treville.petri.answers import Evidence, FiringSequence, Invariant
from treville.petri.checking import replay
from treville.petri.layout import layers
from treville.petri.net import UNBOUNDED, Problem, Transition, describe_box
from treville.petri.report import inequality

_COLUMN, _ROW, _RADIUS, _MARGIN = 118, 74, 17, 56
_SECONDS_PER_STEP = 1.4
_MAX_STEPS = 150
_CAPTION_LINES = 8

_STYLE = stylesheet(
    f"text{{font-family:{SANS};font-size:11px;fill:$ink}}"
    ".card{fill:$card;stroke:$line}.place{fill:$box;stroke:$blue;stroke-width:1.6}"
    ".bar{fill:$slate}.fired{fill:$red}.arc{fill:none;stroke:$grey;stroke-width:1.1}"
    ".bulk{stroke-dasharray:6 3;stroke-width:1.8}.head{fill:$grey}.ring{fill:$card;stroke:$grey}"
    ".token,.count{fill:$ink}.count{font-weight:600;font-size:12px}.small{fill:$faint}"
    ".title{font-size:14px;font-weight:600}.weight{font-size:10px;fill:$violet}"
)


def draw(problem: Problem, evidence: Evidence | None = None) -> str:
    """The SVG text of the net, with the invariant below it or the counterexample playing in it."""
    return _Picture(problem, evidence).svg()


class _Picture:
    def __init__(self, problem: Problem, evidence: Evidence | None) -> None:
        self.problem, self.net, self.evidence = problem, problem.net, evidence
        self.points: dict[int, Point] = {}
        rows = layers(problem)
        tallest = max((len(row) for row in rows), default=1)
        for column, row in enumerate(rows):
            top = (tallest - len(row)) * _ROW / 2
            for index, node in enumerate(row):
                self.points[node] = Point(_MARGIN + column * _COLUMN, 78 + top + index * _ROW)
        self.width = max(2 * _MARGIN + (len(rows) - 1) * _COLUMN, 460)
        self.bottom = 78 + tallest * _ROW
        self.frames: list[tuple[int, ...]] = []
        self.steps: tuple[int, ...] = ()
        if isinstance(evidence, FiringSequence):
            self.steps = evidence.steps[:_MAX_STEPS]
            self.frames = replay(problem, FiringSequence(evidence.initial, self.steps))

    def svg(self) -> str:
        captions = self._captions()
        height = self.bottom + 18 * len(captions) + 24
        frame = Rectangle(0, 0, self.width, height)
        parts = [card(frame), text(Point(16, 26), self._title(), kind="title"), *self._status()]
        for index, transition in enumerate(self.net.transitions):
            parts += self._arcs(index, transition)
        parts += [self._place(place) for place in range(len(self.net.places))]
        parts += [self._bar(index) for index in range(len(self.net.transitions))]
        for place, line in enumerate(captions):
            parts.append(text(Point(16, self.bottom + 14 + 18 * place), line, kind="small"))
        heads = [arrow_head("head", "head", orient="auto-start-reverse")]
        return document(self._title(), frame, _STYLE, heads, parts)

    # --- words

    def _title(self) -> str:
        name = self.problem.name.replace("\\", "/").rpartition("/")[2]
        if isinstance(self.evidence, FiringSequence):
            return f"{name}: a target is reached"
        return f"{name}: no target is reachable" if self.evidence is not None else name

    def _captions(self) -> list[str]:
        lines = [f"target: {shortened(describe_box(self.net, box), 100)}" for box in self.problem.targets]
        if isinstance(self.evidence, Invariant):
            lines += [f"always {shortened(inequality(self.net, h), 100)}" for h in self.evidence.half_spaces]
            lines += [f"never {shortened(describe_box(self.net, box), 100)}" for box in self.evidence.boxes]
        if len(lines) > _CAPTION_LINES:
            rest = len(lines) - _CAPTION_LINES + 1
            lines = [*lines[: _CAPTION_LINES - 1], f"... and {rest} more"]
        return lines

    def _status(self) -> list[str]:
        if not self.frames:
            return []
        total = len(self.steps)
        words = ["start"]
        words += [
            f"step {i + 1} of {total}: {self.net.transitions[t].name}" for i, t in enumerate(self.steps)
        ]
        return [
            text(
                Point(16, 46),
                line,
                self._visible(_only(frame, len(words))),
                kind="small",
                **_shown(frame == 0),
            )
            for frame, line in enumerate(words)
        ]

    # --- animation

    def _animate(self, attribute: str, values: list[str]) -> str:
        """A discrete animation over all frames; only the frames where the value changes are listed."""
        if len(values) < 2 or len(set(values)) == 1:
            return ""
        changes = [i for i, value in enumerate(values) if i == 0 or value != values[i - 1]]
        times = ";".join(f"{i / len(values):.5g}" for i in changes)
        shown = ";".join(values[i] for i in changes)
        seconds = f"{number(len(values) * _SECONDS_PER_STEP)}s"
        return element(
            "animate", attributeName=attribute, calcMode="discrete", dur=seconds,
            repeatCount="indefinite", keyTimes=times, values=shown,
        )  # fmt: skip

    def _visible(self, frames: list[bool]) -> str:
        return self._animate("visibility", ["visible" if shown else "hidden" for shown in frames])

    # --- nodes

    def _place(self, place: int) -> str:
        point, name = self.points[place], self.net.places[place]
        parts = [circle(point, _RADIUS, "place")]
        if self.frames:
            counts = [marking[place] for marking in self.frames]
            for count in sorted({*counts} - {0}):
                visible = self._visible([count == c for c in counts])
                parts.append(group(_tokens(point, count), visible, **_shown(counts[0] == count)))
        else:
            low, high = self.problem.initial.low[place], self.problem.initial.high[place]
            if low == high:
                parts.append(_tokens(point, low))
            else:
                some = f"≥{low}" if high == UNBOUNDED else f"{low}..{high}"
                parts.append(_centred("count", point.x, point.y + 4, some))
        parts.append(_centred("", point.x, point.y + _RADIUS + 13, shortened(name, 16)))
        return group(*parts, title=name)

    def _bar(self, index: int) -> str:
        point = self.points[len(self.net.places) + index]
        name = self.net.transitions[index].name
        box = Rectangle(point.x - 5, point.y - 16, 10, 32)
        parts = [rectangle(box, kind="bar", rx=2)]
        fired = [False, *(step == index for step in self.steps)]
        if any(fired):
            parts.append(rectangle(box, self._visible(fired), kind="fired", rx=2, visibility="hidden"))
        parts.append(_centred("small", point.x, point.y + 29, shortened(name, 16)))
        return group(*parts, title=name)

    # --- arcs

    def _arcs(self, index: int, transition: Transition) -> list[str]:
        node = len(self.net.places) + index
        parts = []
        moved = {s for p, u in transition.updates.items() for s in u.sources if s != p}
        for place in sorted({*transition.guard, *transition.updates}):
            parts += self._arcs_of(place, node, transition)
        for place, update in sorted(transition.updates.items()):
            if update.sources == (place,):
                continue
            for source in sorted(set(update.sources) - {place}):
                parts.append(self._arc(source, node, "bulk", ("", "head"), "all"))
            if update.sources or update.constant:
                weight = "all" if update.sources else ""
                weight += f"+{update.constant}" if update.constant > 0 else ""
                parts.append(self._arc(node, place, "bulk", ("", "head"), weight))
            if place not in update.sources and place not in moved:
                parts.append(self._arc(place, node, "bulk", ("", "head"), "empties"))
        return parts

    def _arcs_of(self, place: int, node: int, transition: Transition) -> list[str]:
        """The token arcs between a place and a transition, and the mark of an upper guard."""
        parts = []
        low, high = transition.low(place), transition.high(place)
        if high != UNBOUNDED:
            most = f"={low}" if low == high else f"≤{high}"
            parts.append(self._arc(place, node, "", ("", "ring"), most))
        shift = transition.updates.get(place)
        change = shift.constant if shift is not None and shift.sources == (place,) else 0
        after = low + change if shift is None or shift.sources == (place,) else 0
        if low and after:
            both = "" if low == after == 1 else str(low) if low == after else f"{low}/{after}"
            parts.append(self._arc(place, node, "", ("head", "head"), both))
        elif low and (shift is None or shift.sources == (place,)):
            parts.append(self._arc(place, node, "", ("", "head"), "" if low == 1 else str(low)))
        elif after:
            parts.append(self._arc(node, place, "", ("", "head"), "" if after == 1 else str(after)))
        elif low:
            parts.append(self._arc(place, node, "", ("", "head"), f"≥{low}"))
        return parts

    def _arc(self, start: int, end: int, extra: str, ends: tuple[str, str], weight: str) -> str:
        a, b = self.points[start], self.points[end]
        length = hypot(b.x - a.x, b.y - a.y) or 1.0
        ux, uy = (b.x - a.x) / length, (b.y - a.y) / length
        # Forward arcs between neighbouring columns are nearly straight; others bow out of the way.
        bow = 10.0 if 0 < b.x - a.x <= _COLUMN else min(70.0, 0.16 * length + 14)
        mid = Point((a.x + b.x) / 2 + uy * bow, (a.y + b.y) / 2 - ux * bow)
        first, last = self._edge(start, mid), self._edge(end, mid)
        sides = zip(("marker_start", "marker_end"), ends, strict=True)
        marks = {side: head("head") for side, mark in sides if mark == "head"}
        start_at, by, end_at = (f"{number(x)},{number(y)}" for x, y in (first, mid, last))
        parts = [path(f"M{start_at} Q{by} {end_at}", f"arc {extra}".strip(), **marks)]
        if ends[1] == "ring":
            parts.append(circle(last, 4, "ring"))
        if weight:
            x, y = (first.x + 2 * mid.x + last.x) / 4, (first.y + 2 * mid.y + last.y) / 4
            parts.append(_centred("weight", x, y - 3, weight))
        return "".join(parts)

    def _edge(self, node: int, towards: Point) -> Point:
        """Where an arc meets the outline of a node."""
        point = self.points[node]
        dx, dy = towards.x - point.x, towards.y - point.y
        length = hypot(dx, dy) or 1.0
        if node < len(self.net.places):
            reach = _RADIUS + 1.5
        else:
            reach = min(6.5 / abs(dx / length) if dx else 99.0, 17.5 / abs(dy / length) if dy else 99.0)
        return Point(point.x + dx / length * reach, point.y + dy / length * reach)


def _shown(visible: bool) -> dict[str, str]:
    """Only the first frame is visible where nothing animates."""
    return {} if visible else {"visibility": "hidden"}


def _only(frame: int, count: int) -> list[bool]:
    return [number == frame for number in range(count)]


def _centred(kind: str, x: float, y: float, words: str) -> str:
    return text(Point(x, y), words, kind=kind, anchor="middle")


def _tokens(point: Point, count: int) -> str:
    """Dots for up to four tokens, a number beyond."""
    offsets = {
        1: ((0, 0),),
        2: ((-5, 0), (5, 0)),
        3: ((-5, 4), (5, 4), (0, -5)),
        4: ((-5, -5), (5, -5), (-5, 5), (5, 5)),
    }
    if count == 0:
        return ""
    if count not in offsets:
        return _centred("count", point.x, point.y + 4, str(count))
    return "".join(circle(Point(point.x + dx, point.y + dy), 3.2, "token") for dx, dy in offsets[count])
