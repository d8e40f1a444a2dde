"""A half space over two places as a picture of the plane of markings (like Figure 7.3 of paper 004).

Every marking is a dot. The line is the border k . m = c; the shaded corner holds the markings that enable
the transition for which the half space is not trivial, those inside the half space are filled: firing
moves each of them along the arrow, and none of them across the line.
"""

from __future__ import annotations

from treville.drawing.geometry import Point, Rectangle
from treville.drawing.style import SANS, stylesheet
from treville.drawing.svg import arrow_head, card, circle, document, head, line, path, rectangle, text
from treville.petri.halfspace import HalfSpace, triviality
from treville.petri.net import UNBOUNDED, Problem, Transition
from treville.petri.report import inequality

_STEP, _LEFT, _TOP, _EXTRA = 48, 56, 64, 3

_STYLE = stylesheet(
    f"text{{font-family:{SANS};font-size:12px;fill:$ink}}"
    ".card{fill:$card;stroke:$line}.axis{stroke:$slate;stroke-width:1.2}.dot{fill:$pale}"
    ".active{fill:$yellow;fill-opacity:.28}.inside{fill:$blue}.border{stroke:$red;stroke-width:2}"
    ".start{fill:$green}.bad{stroke:$red;stroke-width:2.4}.move{stroke:$blue;stroke-width:1.6}"
    ".head{fill:$blue}.title{font-size:14px;font-weight:600}.small{fill:$faint;font-size:11px}"
)


class _Plane:
    """Coordinates: markings up to `size` on both axes."""

    def __init__(self, problem: Problem, half_space: HalfSpace) -> None:
        self.problem, self.half_space = problem, half_space
        finite = [int(n) for n in problem.initial.high if n != UNBOUNDED]
        finite += [n for box in problem.targets for n in box.low]
        finite += [i.low for t in problem.net.transitions for i in t.guard.values()]
        self.size = min(24, max(finite, default=1) + _EXTRA)
        self.width = _LEFT + self.size * _STEP + 40
        self.height = _TOP + self.size * _STEP + 96

    def at(self, first: float, second: float) -> Point:
        """Where a marking lies."""
        return Point(_LEFT + first * _STEP, _TOP + (self.size - second) * _STEP)

    def border(self) -> tuple[Point, Point] | None:
        """The ends of the line k . m = c within the picture."""
        (a, b), c, top = self.half_space.k, self.half_space.c, self.size
        points = []
        if b:
            points += [(x, (c - a * x) / b) for x in (0.0, float(top))]
        if a:
            points += [((c - b * y) / a, y) for y in (0.0, float(top))]
        inside = sorted({(x, y) for x, y in points if -1e-9 <= x <= top + 1e-9 and -1e-9 <= y <= top + 1e-9})
        if len(inside) < 2:
            return None
        return self.at(*inside[0]), self.at(*inside[-1])


def draw_plane(problem: Problem, half_space: HalfSpace) -> str:
    """The SVG text of a half space of a net with two places."""
    plane = _Plane(problem, half_space)
    chosen = next((t for t in problem.net.transitions if triviality(half_space, t) is None), None)
    title = f"always {inequality(problem.net, half_space)}"
    frame = Rectangle(0, 0, plane.width, plane.height)
    parts = [card(frame), text(Point(16, 26), title, kind="title")]
    if chosen is not None:
        parts.append(_active(plane, chosen))
    parts += _axes(plane) + _dots(plane, chosen)
    if border := plane.border():
        parts.append(line(*border, "border"))
    if chosen is not None:
        parts += _moves(plane, chosen)
    parts += _marks(plane) + _legend(plane, chosen)
    return document(title, frame, _STYLE, [arrow_head("tip", "head")], parts)


def _active(plane: _Plane, transition: Transition) -> str:
    left, low = plane.at(transition.low(0) - 0.3, transition.low(1) - 0.3)
    right, high = plane.at(plane.size + 0.3, plane.size + 0.3)
    return rectangle(Rectangle(left, high, right - left, low - high), kind="active")


def _axes(plane: _Plane) -> list[str]:
    names = plane.problem.net.places
    origin, end = plane.at(0, 0), plane.size
    parts = [
        line(origin, plane.at(end + 0.5, 0), "axis"),
        line(origin, plane.at(0, end + 0.4), "axis"),
        text(Point(plane.at(end + 0.2, 0).x, origin.y - 10), names[0]),
        text(Point(origin.x + 10, plane.at(0, end + 0.2).y), names[1]),
    ]
    for value in range(end + 1):
        below, beside = (
            Point(plane.at(value, 0).x, origin.y + 20),
            Point(origin.x - 14, plane.at(0, value).y + 4),
        )
        parts.append(text(below, str(value), kind="small", anchor="middle"))
        parts.append(text(beside, str(value), kind="small", anchor="end"))
    return parts


def _dots(plane: _Plane, transition: Transition | None) -> list[str]:
    parts = []
    for a in range(plane.size + 1):
        for b in range(plane.size + 1):
            inside = plane.half_space.contains((a, b)) and transition is not None
            filled = inside and transition is not None and transition.enabled((a, b))
            kind, radius = ("inside", 4.5) if filled else ("dot", 2.5)
            parts.append(circle(plane.at(a, b), radius, kind))
    return parts


def _moves(plane: _Plane, transition: Transition) -> list[str]:
    """The firing arrows of the markings nearest to the border."""
    parts = []
    k, c = plane.half_space.k, plane.half_space.c
    markings = [(a, b) for a in range(plane.size + 1) for b in range(plane.size + 1)]
    active = [m for m in markings if transition.enabled(m) and plane.half_space.contains(m)]
    for a, b in sorted(active, key=lambda m: k[0] * m[0] + k[1] * m[1] - c)[:4]:
        after = plane.at(*transition.fire((a, b)))
        parts.append(line(plane.at(a, b), after, "move", marker_end=head("tip")))
    return parts


def _marks(plane: _Plane) -> list[str]:
    start = plane.problem.initial.low
    parts = [circle(plane.at(*start), 7, "start")]
    for target in plane.problem.targets:
        x, y = plane.at(*target.low)
        parts.append(path(f"M{x - 6} {y - 6}L{x + 6} {y + 6}M{x - 6} {y + 6}L{x + 6} {y - 6}", "bad"))
    return parts


def _legend(plane: _Plane, transition: Transition | None) -> list[str]:
    lines = ["green: the initial marking; red cross: the target; red line: the border"]
    if transition is not None:
        lines.append(f"yellow: what enables {transition.name}; blue: of these, what the half space contains")
    top = plane.at(0, 0).y + 48
    return [text(Point(16, top + 18 * number), words, kind="small") for number, words in enumerate(lines)]
