"""Arrows between boxes as cubic Bézier curves: down a column, around boxes of a column, across columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Point(NamedTuple):
    """A place in the picture; y grows downwards."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A box: its top left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> Point:
        """The middle of the box."""
        return Point(self.x + self.width / 2, self.y + self.height / 2)

    @property
    def right(self) -> float:
        """The x of the right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of the bottom edge."""
        return self.y + self.height

    def grown(self, by: float) -> Rectangle:
        """The box with a margin."""
        return Rectangle(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)

    def moved(self, x: float, y: float) -> Rectangle:
        """The box elsewhere."""
        return Rectangle(self.x + x, self.y + y, self.width, self.height)

    def overlap(self, other: Rectangle) -> float:
        """The area that two boxes share."""
        wide = min(self.right, other.right) - max(self.x, other.x)
        high = min(self.bottom, other.bottom) - max(self.y, other.y)
        return max(0.0, wide) * max(0.0, high)

    def contains(self, point: Point) -> bool:
        """Whether the point lies inside."""
        return self.x < point.x < self.right and self.y < point.y < self.bottom


class Curve(NamedTuple):
    """A cubic curve from `start` to `end` with its two control points."""

    start: Point
    first: Point
    second: Point
    end: Point

    def path(self) -> str:
        """The `d` attribute of an SVG path."""
        a, b, c, d = self
        return f"M{a.x:.1f},{a.y:.1f} C{b.x:.1f},{b.y:.1f} {c.x:.1f},{c.y:.1f} {d.x:.1f},{d.y:.1f}"

    def at(self, t: float) -> Point:
        """The point at parameter `t` between 0 and 1."""
        weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
        return Point(
            sum(w * p.x for w, p in zip(weights, self, strict=True)),
            sum(w * p.y for w, p in zip(weights, self, strict=True)),
        )


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
