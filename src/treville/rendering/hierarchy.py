"""What pairs of models allow -> who is weaker than whom, as lines and as a picture.

A model is at least as strong as another if it allows no test that the other forbids. Stronger models stand
above weaker ones; a line between neighbours carries the smallest test that only the weaker one allows. Models
that no test tells apart share a box.
"""

from __future__ import annotations

from collections.abc import Sequence

from treville.drawing.geometry import Point, Rectangle
from treville.drawing.style import SANS, stylesheet, width_of
from treville.drawing.svg import card, document, line, rectangle, text
from treville.records import dataclass, field

_BOX, _GAP, _ROW, _MARGIN = 30, 46, 104, 28
_SHARES = (0.58, 0.32, 0.84, 0.45, 0.71)  # of a line: where its test may stand
_RULES = (
    f"text{{font-family:{SANS};font-size:13px;fill:$ink}}"
    ".card{fill:$card;stroke:$line}.model{fill:$box;stroke:$slate}.edge{stroke:$grey;stroke-width:1.4}"
    ".plate{fill:$card}.test{fill:$blue;font-size:12px}.title{font-size:15px}"
)


@dataclass(frozen=True, slots=True)
class Pair:
    """The smallest `test` that one model allows and another forbids; empty if there is none, or if that is
    `unknown`."""

    allowing: str
    forbidding: str
    test: str
    unknown: bool = False


@dataclass(slots=True)
class Hierarchy:
    """Models and what is known of each ordered pair of them."""

    models: Sequence[str]
    pairs: Sequence[Pair]
    _tests: dict[tuple[str, str], Pair] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tests = {(pair.allowing, pair.forbidding): pair for pair in self.pairs}

    def _within(self, one: str, other: str) -> bool:
        """Does a model allow nothing that another forbids?"""
        if one == other:
            return True
        pair = self._tests[one, other]
        return not pair.test and not pair.unknown

    def classes(self) -> list[list[str]]:
        """Models that no test tells apart, together."""
        found: list[list[str]] = []
        for model in self.models:
            for members in found:
                if self._within(model, members[0]) and self._within(members[0], model):
                    members.append(model)
                    break
            else:
                found.append([model])
        return found

    def edges(self) -> list[tuple[str, str, str]]:
        """(stronger, weaker, test) for neighbours, each class by its first model. Being as strong is not
        transitive where some pairs are unknown, or tests of two dialects were compared; then lines are
        drawn for what is known."""
        tops = [members[0] for members in self.classes()]
        stronger = {
            (one, other)
            for one in tops
            for other in tops
            if one != other and self._within(one, other) and not self._within(other, one)
        }
        return [
            (one, other, self._tests[other, one].test)
            for one in tops
            for other in tops
            if (one, other) in stronger
            and not any((one, middle) in stronger and (middle, other) in stronger for middle in tops)
        ]

    def lines(self) -> list[str]:
        """For people: one line for each pair of neighbours and for each class."""
        same = [" = ".join(members) for members in self.classes() if len(members) > 1]
        weaker = [f"{one} < {other}  {test}" for one, other, test in self.edges()]
        return [*same, *weaker]

    # -- the picture -------------------------------------------------------------------------------------

    def _rows(self) -> list[list[str]]:
        """Classes by the longest way down to them."""
        tops, depth = [members[0] for members in self.classes()], {}
        above = {other: [one for one, below, _ in self.edges() if below == other] for other in tops}

        def level(model: str) -> int:
            if model not in depth:
                depth[model] = 0
                depth[model] = 1 + max((level(one) for one in above[model]), default=-1)
            return depth[model]

        rows: list[list[str]] = [[] for _ in range(1 + max(map(level, tops), default=0))]
        for model in tops:
            rows[level(model)].append(model)
        return _arranged(rows, above)

    def svg(self, title: str) -> str:
        """The picture."""
        label = {members[0]: " = ".join(members) for members in self.classes()}
        rows = self._rows()
        widths = {model: width_of(words, 13) + 24 for model, words in label.items()}
        gap = max([_GAP, *(width_of(test, 12) / 2 for _, _, test in self.edges())])
        across = [sum(widths[m] for m in row) + gap * (len(row) - 1) for row in rows]
        whole = max([*across, width_of(title, 15)])
        places: dict[str, Rectangle] = {}
        for depth, row in enumerate(rows):
            x = _MARGIN + (whole - across[depth]) / 2
            for model in row:
                places[model] = Rectangle(x, _MARGIN + 34 + depth * _ROW, widths[model], _BOX)
                x += widths[model] + gap
        frame = Rectangle(0, 0, whole + 2 * _MARGIN, 2 * _MARGIN + 34 + (len(rows) - 1) * _ROW + _BOX)
        parts = [card(frame), text(Point(_MARGIN, _MARGIN + 8), title, kind="title")]
        lines, plates, taken = [], [], list(places.values())
        for one, other, test in self.edges():
            start, end = _bottom(places[one]), _top(places[other])
            lines.append(line(start, end, "edge"))
            plate = _free(start, end, test, taken)
            taken.append(plate)
            below = Point(plate.centre.x, plate.centre.y + 4)
            plates += [rectangle(plate, kind="plate"), text(below, test, kind="test", anchor="middle")]
        boxes = []
        for model, place in places.items():
            middle = Point(place.x + place.width / 2, place.y + 20)
            boxes += [
                rectangle(place, kind="model", rx=6),
                text(middle, label[model], anchor="middle"),
            ]
        return document(title, frame, stylesheet(_RULES), [], [*parts, *lines, *plates, *boxes])


def _arranged(rows: list[list[str]], above: dict[str, list[str]]) -> list[list[str]]:
    """Each model near those that it hangs from."""
    place: dict[str, float] = {}
    for row in rows:
        if any(above[model] for model in row):
            row.sort(key=lambda model: _mean([place[one] for one in above[model]]))
        for number, model in enumerate(row):
            place[model] = (number + 1) / (len(row) + 1)
    return rows


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.5


def _bottom(place: Rectangle) -> Point:
    return Point(place.x + place.width / 2, place.y + place.height)


def _top(place: Rectangle) -> Point:
    return Point(place.x + place.width / 2, place.y)


def _free(start: Point, end: Point, words: str, taken: Sequence[Rectangle]) -> Rectangle:
    """Where the test of a line stands: nearer to its lower end, so that lines from one model stay apart,
    and elsewhere on the line if something is there already."""
    found = [_plate(start, end, words, share) for share in _SHARES]
    return next((plate for plate in found if not any(_overlap(plate, each) for each in taken)), found[0])


def _plate(start: Point, end: Point, words: str, share: float) -> Rectangle:
    width = width_of(words, 12)
    x, y = start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share
    return Rectangle(x - width / 2 - 3, y - 9, width + 6, 18)


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    apart = one.right <= other.x or other.right <= one.x or one.bottom <= other.y or other.bottom <= one.y
    return not apart
