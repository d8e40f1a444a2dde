"""Pieces of a picture -> SVG text: elements with escaped content, arrow heads, the document around them.

`kind` is the class of an element, which its style sheet (`drawing.style`) speaks of. Attributes are given
with underscores for hyphens.
"""

from __future__ import annotations

from treville.drawing.geometry import Point, Rectangle, number
from treville.drawing.markup import escape, quoteattr

Attribute = str | float


def element(name: str, *content: str, kind: str = "", **attributes: Attribute) -> str:
    """One element with its content, which is SVG text itself.

    >>> element("circle", kind="place", cx=2.0, cy=1.55, r=3, marker_end="a<b")
    '<circle class="place" cx="2" cy="1.6" r="3" marker-end="a&lt;b"/>'
    """
    named: dict[str, Attribute] = {"class": kind, **attributes} if kind else attributes
    start = "".join(f" {key.replace('_', '-')}={_quoted(value)}" for key, value in named.items())
    return f"<{name}{start}>{''.join(content)}</{name}>" if content else f"<{name}{start}/>"


def _quoted(value: Attribute) -> str:
    return quoteattr(value) if isinstance(value, str) else f'"{number(value)}"'


def text(at: Point, words: str, *more: str, kind: str = "", anchor: str = "", **attributes: Attribute) -> str:
    """A line of text that starts at a point, or has its middle or end there; `more` are elements inside."""
    if anchor:
        attributes["text_anchor"] = anchor
    return element("text", escape(words), *more, kind=kind, x=at.x, y=at.y, **attributes)


def rectangle(place: Rectangle, *content: str, kind: str = "", **attributes: Attribute) -> str:
    """A box."""
    sides = {"x": place.x, "y": place.y, "width": place.width, "height": place.height}
    return element("rect", *content, kind=kind, **sides, **attributes)


def circle(centre: Point, radius: float, kind: str) -> str:
    """A circle."""
    return element("circle", kind=kind, cx=centre.x, cy=centre.y, r=radius)


def line(start: Point, end: Point, kind: str, **attributes: Attribute) -> str:
    """A straight line."""
    return element("line", kind=kind, x1=start.x, y1=start.y, x2=end.x, y2=end.y, **attributes)


def path(shape: str, kind: str = "", **attributes: Attribute) -> str:
    """Any line, its shape in SVG's words."""
    return element("path", kind=kind, d=shape, **attributes)


def group(*content: str, title: str = "", kind: str = "", **attributes: Attribute) -> str:
    """Elements that belong together; the title shows where the mouse is."""
    named = [element("title", escape(title))] if title else []
    return element("g", *named, *content, kind=kind, **attributes)


def arrow_head(name: str, kind: str, size: float = 9, orient: str = "auto") -> str:
    """The head of arrows, for `marker_end=head(name)`; the style sheet colours the path inside."""
    shape = path("M0,1 L10,5 L0,9 L2.4,5 z", kind)
    return element(
        "marker", shape, id=name, viewBox="0 0 10 10", refX=9, refY=5, markerWidth=size, markerHeight=size,
        markerUnits="userSpaceOnUse", orient=orient,
    )  # fmt: skip


def head(name: str) -> str:
    """What an arrow says about the head that it has."""
    return f"url(#{name})"


def card(frame: Rectangle, kind: str = "card") -> str:
    """The background, with a thin border."""
    return rectangle(
        Rectangle(frame.x + 0.5, frame.y + 0.5, frame.width - 1, frame.height - 1), kind=kind, rx=8
    )


def document(title: str, frame: Rectangle, style: str, heads: list[str], parts: list[str]) -> str:
    """The whole file; its title is what screen readers say."""
    frame = Rectangle(*(round(value) for value in (frame.x, frame.y, frame.width, frame.height)))
    shown = " ".join(number(value) for value in (frame.x, frame.y, frame.width, frame.height))
    top = [
        element("title", escape(title)),
        element("style", style),
        element("defs", *heads),
    ]
    lines = "\n".join(["", *top, *parts, ""])
    return (
        element(
            "svg",
            lines,
            xmlns="http://www.w3.org/2000/svg",
            width=frame.width,
            height=frame.height,
            viewBox=shown,
            role="img",
        )
        + "\n"
    )
