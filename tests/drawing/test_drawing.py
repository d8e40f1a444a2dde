"""The kit of all pictures: escaped text, one style sheet for light and dark, well-formed documents."""

import doctest
import re
import xml.etree.ElementTree as ElementTree

import treville.drawing.geometry
import treville.drawing.style
import treville.drawing.svg
from treville.drawing.geometry import Curve, Point, Rectangle
from treville.drawing.style import COLOURS, stylesheet, width_of
from treville.drawing.svg import (
    arrow_head,
    card,
    circle,
    document,
    element,
    group,
    head,
    line,
    path,
    rectangle,
    text,
)

SVG = "{http://www.w3.org/2000/svg}"
ODD = "a<b> & \"c\" 'd'"


def test_the_examples_in_the_docstrings_hold() -> None:
    for module in (treville.drawing.geometry, treville.drawing.style, treville.drawing.svg):
        assert doctest.testmod(module).failed == 0


def test_words_come_out_as_they_went_in() -> None:
    frame = Rectangle(-2.4, 0, 30.2, 20)
    parts = [
        card(frame),
        text(Point(1, 2), ODD, element("animate", values=ODD), kind="small", anchor="end"),
        group(circle(Point(3, 4), 5, "dot"), title=ODD),
        rectangle(Rectangle(1, 2, 3, 4), kind="box", rx=2),
        line(Point(0, 0), Point(1, 1.25), "axis", marker_end=head("tip")),
        path(Curve(Point(0, 0), Point(1, 1), Point(2, 2), Point(3.04, 3)).path(), "edge"),
    ]
    drawn = document(ODD, frame, stylesheet(".box{fill:$box}"), [arrow_head("tip", "head")], parts)
    root = ElementTree.fromstring(drawn)
    assert [title.text for title in root.iter(f"{SVG}title")] == [ODD, ODD]
    assert [found.text for found in root.iter(f"{SVG}text")] == [ODD]
    assert [found.get("values") for found in root.iter(f"{SVG}animate")] == [ODD]
    assert (root.get("viewBox"), root.get("width"), root.get("role")) == ("-2 0 30 20", "30", "img")
    (edge,) = (found for found in root.iter(f"{SVG}path") if found.get("class") == "edge")
    assert edge.get("d") == "M0,0 C1,1 2,2 3,3"


def test_every_colour_of_a_rule_is_given_for_dark_cards_too() -> None:
    rules = "".join(f".{name}{{fill:${name};stroke-width:2}}" for name in COLOURS)
    light, dark = stylesheet(rules).split("@media (prefers-color-scheme:dark)")
    for shade, part in enumerate((light, dark)):
        found = dict(re.findall(r"\.(\w+)\{fill:(#\w+)", part))
        assert found == {name: shades[shade] for name, shades in COLOURS.items()}
    assert "stroke-width" not in dark


def test_longer_words_are_wider() -> None:
    assert 0 < width_of("ab", 13) < width_of("abc", 13) < width_of("abc", 13, monospaced=True)


def test_boxes_overlap_where_they_share_an_area() -> None:
    assert Rectangle(0, 0, 2, 2).overlap(Rectangle(1, 1, 2, 2)) == 1
    assert Rectangle(0, 0, 2, 2).overlap(Rectangle(2, 0, 2, 2)) == 0


def test_a_curve_runs_from_its_start_to_its_end() -> None:
    curve = Curve(Point(0, 0), Point(10, 0), Point(10, 20), Point(0, 20))
    assert curve.at(0) == Point(0, 0)
    assert curve.at(1) == Point(0, 20)
