"""The picture of a hierarchy: nothing covers anything else."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

from treville.drawing.geometry import Rectangle
from treville.rendering.hierarchy import Hierarchy, Pair

ROOT = Path(__file__).resolve().parents[2]
_RECTANGLE = re.compile(
    r'<rect class="(model|plate)" x="([-\d.]+)" y="([-\d.]+)" width="([\d.]+)" height="([\d.]+)"'
)


def _boxes(svg: str) -> list[Rectangle]:
    """Models and the plates of tests."""
    return [Rectangle(*map(float, found[1:])) for found in _RECTANGLE.findall(svg)]


def _covers(one: Rectangle, other: Rectangle) -> bool:
    return one.x < other.right and other.x < one.right and one.y < other.bottom and other.y < one.bottom


def _one_above_many(test: str, below: int) -> str:
    """A model, others that are weaker and differ from each other, and one below all of them."""
    middle = [f"m{number}" for number in range(below)]
    weaker = {("top", model) for model in [*middle, "last"]} | {(model, "last") for model in middle}
    models = ["top", *middle, "last"]
    pairs = [
        Pair(allowing, forbidding, "" if (allowing, forbidding) in weaker else test)
        for allowing in models
        for forbidding in models
        if allowing != forbidding
    ]
    return Hierarchy(models, pairs).svg("Many names")


@pytest.mark.parametrize("test", ["SB", "RxWxWy+RyWx+xchg"])
@pytest.mark.parametrize("below", [2, 3, 4])
def test_no_name_covers_another(test: str, below: int) -> None:
    boxes = _boxes(_one_above_many(test, below))
    assert len(boxes) == 2 + below + 2 * below
    for one, other in combinations(boxes, 2):
        assert not _covers(one, other), (one, other)


def test_nothing_covers_anything_in_the_picture_of_the_page() -> None:
    boxes = _boxes((ROOT / "docs/compare/hierarchy.svg").read_text(encoding="utf-8"))
    assert len(boxes) > 15
    for one, other in combinations(boxes, 2):
        assert not _covers(one, other), (one, other)
