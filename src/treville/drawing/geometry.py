"""Where things lie: points, boxes and curves between them; y grows downwards."""

from __future__ import annotations

from treville.records import NamedTuple, dataclass


def number(value: float) -> str:
    """A length or coordinate as pictures write it: tenths are enough.

    >>> number(2.0), number(2.04), number(-0.26)
    ('2', '2', '-0.3')
    """
    return f"{value:.1f}".removesuffix(".0")


class Point(NamedTuple):
    """A place in the picture."""

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
        start, *others = (f"{number(x)},{number(y)}" for x, y in self)
        return f"M{start} C{' '.join(others)}"

    def at(self, t: float) -> Point:
        """The point at parameter `t` between 0 and 1."""
        weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
        return Point(
            sum(w * p.x for w, p in zip(weights, self, strict=True)),
            sum(w * p.y for w, p in zip(weights, self, strict=True)),
        )
