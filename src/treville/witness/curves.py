"""Arrows between boxes as cubic Bézier curves: down a column, around boxes of a column, across columns."""

from __future__ import annotations

from treville.drawing.geometry import Curve, Point, Rectangle


def route_stub(target: Rectangle) -> Curve:
    """A short arrow from above into a read of the initial state."""
    x = target.x + 16
    start, end = Point(x, target.y - 24), Point(x, target.y - 1)
    return Curve(start, Point(x, start.y + 8), Point(x, end.y - 8), end)


def route_down(source: Rectangle, target: Rectangle) -> Curve:
    """Straight between neighbours of a column."""
    start = Point(source.centre.x, source.bottom)
    end = Point(target.centre.x, target.y - 1)
    if end.y < start.y:
        start, end = Point(source.centre.x, source.y), Point(target.centre.x, target.bottom + 1)
    third = (end.y - start.y) / 3
    return Curve(start, Point(start.x, start.y + third), Point(end.x, end.y - third), end)


def route_beside(source: Rectangle, target: Rectangle, lane: int, apart: int, outwards_left: bool) -> Curve:
    """Out on one side, along the column, and in again; further out the more rows are passed. Lanes
    between the same two boxes change sides."""
    left = outwards_left == (lane % 2 == 0)
    reach = 26.0 + 16.0 * (apart - 1) + 12.0 * (lane // 2)
    down = 1 if target.centre.y > source.centre.y else -1
    lift = 8.0 * down
    if left:
        edge = min(source.x, target.x) - reach
        start, end = Point(source.x, source.centre.y + lift), Point(target.x - 1, target.centre.y - lift)
    else:
        edge = max(source.right, target.right) + reach
        start = Point(source.right, source.centre.y + lift)
        end = Point(target.right + 1, target.centre.y - lift)
    return Curve(start, Point(edge, start.y + lift), Point(edge, end.y - lift), end)


def route_across(
    source: Rectangle, target: Rectangle, ports: tuple[float, float], obstacles: list[Rectangle]
) -> Curve:
    """From the facing side of one box to that of the other; bent where it would run through a box."""
    rightwards = target.centre.x >= source.centre.x
    start = Point(source.right if rightwards else source.x, source.centre.y + ports[0])
    end = Point(target.x - 1 if rightwards else target.right + 1, target.centre.y + ports[1])
    reach = (end.x - start.x) * 0.42
    candidates = [
        Curve(start, Point(start.x + reach, start.y + out), Point(end.x - reach, end.y + into), end)
        for out, into in _BENDS
    ]
    return min(candidates, key=lambda curve: _hits(curve, source, target, obstacles))


# Vertical shifts of the two control points, the plainest first.
_BENDS = ((0, 0), (-46, 0), (0, -46), (46, 0), (0, 46), (-70, -70), (70, 70), (-120, -120), (120, 120))


def _hits(curve: Curve, source: Rectangle, target: Rectangle, obstacles: list[Rectangle]) -> int:
    points = [curve.at(k / 24) for k in range(1, 24)]
    others = [o for o in obstacles if o not in (source, target)]
    return sum(other.grown(4).contains(point) for other in others for point in points)
