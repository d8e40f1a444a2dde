"""Sketches: cat files with free names, the holes (paper 004, section 6.7; MemSynth's frameworks).

A hole is a relation that the file uses and nobody defines. Holes occur positively, so that putting more into
them forbids more. `built_in` are the sketches that are used where no one gives any."""

from __future__ import annotations

import difflib
from pathlib import Path

from treville.models.base import base_names
from treville.models.cat.evaluation import NotDefined
from treville.models.cat.resolve import resolve_text
from treville.models.model import Model, NodeId, Operator, negative
from treville.records import dataclass
from treville.results import InputError, Source, Span, Unsupported

_MOST_HOLES = 12
_ALIKE = 0.85  # rfee and rfe, but not ppo and po

ATOMICITY = "empty rmw & (fre; coe) as atomic\n"
COHERENCE = "acyclic po-loc | rmw | rf | co | fr as coherence\n"
WEAK_COHERENCE = "acyclic (po-loc \\ (R * R)) | rmw | rf | co | fr as coherence\n"
# What is assumed of a machine, the strongest first: no allowed test may contradict it.
ASSUMED = (COHERENCE + ATOMICITY, WEAK_COHERENCE + ATOMICITY, "")


@dataclass(frozen=True, slots=True)
class Sketch:
    """A model with holes: `model` has a base relation for each, `least` is the model with empty holes. `body`
    is the text behind the definitions of the holes; `acyclic` says that each hole stands alone below an
    `acyclic`, so that only pairs on cycles count."""

    body: str
    holes: tuple[str, ...]
    model: Model
    least: Model
    folder: Path | None = None
    acyclic: bool = False

    def filled(self, definitions: str) -> str:
        """The text with definitions of the holes."""
        return definitions + self.body


def built_in(prelude: str, assumed: str, unions: int, folder: Path | None = None) -> Sketch:
    """An assumption, and so many acyclic unions. The prelude has its includes from the folder."""
    holes = ("order", "causes", "also")[:unions] if unions <= 3 else tuple(f"order{i}" for i in range(unions))
    lines = "".join(f"acyclic {hole} as {hole}-acyclic\n" for hole in holes)
    return _sketch(prelude, f"{assumed}\n{lines}", holes, folder, "sketch", acyclic=True)


def read_sketch(prelude: str, text: str, name: str, folder: Path | None) -> Sketch:
    """The sketch in a text: its free names are found one by one. Raises `InputError` where there is none,
    where one looks like a known name, or where it is used negatively."""
    body, source = without_title(text), Source(name, text)
    holes: list[str] = []
    while True:
        try:
            sketch = _sketch(prelude, body, tuple(holes), folder, name)
            break
        except NotDefined as error:
            hole = _named(error)
            span = _place(source, hole)
            _check_hole(hole, holes, prelude, span)
            holes.append(hole)
    if not holes:
        raise InputError(
            "this sketch has no holes: every name in it is defined",
            source.span(0),
            "use a name that is not defined where a relation is to be found",
        )
    for hole in holes:
        if not _is_positive(sketch.model, hole):
            raise Unsupported(
                f"the hole {hole} below a complement, or on the right of a difference", _place(source, hole)
            )
    return sketch


def _sketch(
    prelude: str, body: str, holes: tuple[str, ...], folder: Path | None, name: str, acyclic: bool = False
) -> Sketch:
    model = resolve_text(prelude + body, name, folder, holes=holes)
    nothing = "".join(f"let {hole} = 0\n" for hole in holes)
    return Sketch(body, holes, model, resolve_text(prelude + nothing + body, name, folder), folder, acyclic)


def _named(error: NotDefined) -> str:
    return error.message.removesuffix(" is not defined")


def _check_hole(hole: str, holes: list[str], prelude: str, span: Span) -> None:
    known = [*resolve_text(prelude).definitions, *base_names()]
    begun_alike = [name for name in known if name.startswith(hole[0])]
    close = difflib.get_close_matches(hole, begun_alike, 1, _ALIKE)
    if close or len(holes) == _MOST_HOLES:
        hint = f"did you mean {close[0]}? a hole needs a name of its own" if close else "too many holes"
        raise InputError(f"the sketch uses the unknown name {hole}", span, hint)


def _place(source: Source, name: str) -> Span:
    return source.span(max(0, source.text.find(name)), len(name))


def without_title(text: str) -> str:
    """A second title in one file would be an error."""
    stripped = text.lstrip()
    while stripped.startswith("(*"):
        end = stripped.find("*)")
        stripped = stripped[end + 2 :].lstrip() if end >= 0 else ""
    end = stripped.find('"', 1) if stripped.startswith('"') else -1
    return stripped[end + 1 :].lstrip("\n") if end > 0 else text


def envelopes(model: Model, holes: tuple[str, ...]) -> dict[str, list[NodeId]]:
    """For a hole that only occurs as `hole & r`: the relations r, outside of which its content does not
    matter."""
    mentions = {number for hole in holes for number in _mentioning(model, hole)}
    out: dict[str, list[NodeId]] = {}
    for hole in holes:
        places = [n for n, node in model.numbered() if node.op is Operator.BASE and node.name == hole]
        if not places or any(axiom.node == places[0] for axiom in model.axioms):
            continue
        place = places[0]
        users = [node for node in model.nodes if place in node.args]
        others = [arg for node in users for arg in node.args if arg != place]
        bodies = {body for group in model.groups for body in group.bodies}
        meets = all(node.op is Operator.INTERSECTION for node in users) and place not in bodies
        if users and meets and mentions.isdisjoint(others):
            out[hole] = others
    return out


def _is_positive(model: Model, hole: str) -> bool:
    """Does more in the hole never make a constrained relation smaller?"""
    mentions = _mentioning(model, hole)
    for number in mentions:
        node = model.nodes[number]
        if not mentions.isdisjoint(negative(node.op, node.args)):
            return False
    return not any(axiom.negated and axiom.node in mentions for axiom in model.axioms)


def _mentioning(model: Model, hole: str) -> set[NodeId]:
    """The nodes whose value depends on a hole."""
    mentions: set[NodeId] = set()
    variables = {
        v: body for group in model.groups for v, body in zip(group.variables, group.bodies, strict=True)
    }
    grew = True
    while grew:
        grew = False
        for number, node in model.numbered():
            below = not mentions.isdisjoint(node.args) or variables.get(number) in mentions
            if number not in mentions and (below or (node.op is Operator.BASE and node.name == hole)):
                mentions.add(number)
                grew = True
    return mentions
