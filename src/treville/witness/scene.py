"""An execution (and perhaps an explanation) -> what a picture shows: columns of events, labelled edges.

SVG and DOT draw the same scene, so that a relation chosen with `--show` looks alike in both.
"""

from __future__ import annotations

import itertools

from treville.events.execution import INIT_THREAD, Execution
from treville.models.evaluate import Value
from treville.models.model import RELATION, Model
from treville.programs.ir import Program
from treville.records import dataclass, field
from treville.relations import Relation
from treville.witness.explanation import Explanation, Hop
from treville.witness.naming import name_events
from treville.witness.style import family

DEFAULT_RELATIONS = ("po", "rf", "co", "fr", "addr", "data", "ctrl", "rmw")

# Relations of which only the steps that do not follow from others are drawn.
_REDUCED = frozenset({"po", "co", "fr", "po-loc", "ctrl"})


@dataclass(frozen=True, slots=True)
class Box:
    """One event: its letter, what it does, the instruction it comes from, and whether it is evidence."""

    event: int
    label: str
    brief: str
    source: str
    kind: str
    evidence: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow. `source` is None for a read from the initial state, which has no box of its own."""

    source: int | None
    target: int
    label: str
    evidence: bool = False


@dataclass(slots=True)
class Scene:
    """What to draw. `columns` holds for each thread its boxes from top to bottom."""

    title: str = ""
    subtitle: str = ""
    footer: str = ""
    columns: dict[int, list[Box]] = field(default_factory=dict)
    initial: list[Box] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def boxes(self) -> list[Box]:
        """All boxes, initial writes first."""
        return [*self.initial, *(box for column in self.columns.values() for box in column)]


def make_scene(
    execution: Execution,
    program: Program,
    explanation: Explanation | None = None,
    *,
    model: Model | None = None,
    values: list[Value] | None = None,
    show: tuple[str, ...] = (),
) -> Scene:
    """The scene of an execution: the relations `show` (by default the usual ones) and the evidence."""
    names = name_events(execution, program)
    hops = explanation.hops() if explanation is not None else []
    guilty = {event for hop in hops for event in (hop.source, hop.target, *hop.through)}
    if explanation is not None:
        guilty |= set(explanation.events)

    def box(number: int) -> Box:
        event = execution.events[number]
        return Box(number, names.label[number], names.brief[number], event.text, event.kind, number in guilty)

    scene = Scene(columns={t: [box(e) for e in events] for t, events in names.column.items()})
    pairs = _labelled_pairs(execution, model, values, show)
    _add_evidence(pairs, hops)
    evidence = {pair: hop.label for hop in hops for pair in _through(hop) or [(hop.source, hop.target)]}
    needed = {e for pair in evidence for e in pair if execution.events[e].thread == INIT_THREAD}
    scene.initial = [box(number) for number in sorted(needed)]
    for (source, target), labels in pairs.items():
        for label in labels:
            strong = evidence.get((source, target)) == label
            edge = _edge(execution, source, target, label, strong, needed)
            if edge is not None:
                scene.edges.append(edge)
    return scene


def _edge(
    execution: Execution, source: int, target: int, label: str, evidence: bool, initial: set[int]
) -> Edge | None:
    if execution.events[source].thread != INIT_THREAD or source in initial:
        visible = execution.events[target].thread != INIT_THREAD or target in initial
        return Edge(source, target, label, evidence) if visible else None
    return Edge(None, target, label, evidence) if family(label) == "rf" else None


def _through(hop: Hop) -> list[tuple[int, int]]:
    stops = (hop.source, *hop.through, hop.target)
    return list(itertools.pairwise(stops)) if hop.through else []


def _add_evidence(pairs: dict[tuple[int, int], list[str]], hops: list[Hop]) -> None:
    """Edges of the explanation are always drawn; through a fence, they follow program order."""
    for hop in hops:
        for pair in _through(hop) or [(hop.source, hop.target)]:
            labels = pairs.setdefault(pair, [])
            if hop.label not in labels and not any(_says_more(label, hop.label) for label in labels):
                labels[:] = [label for label in labels if not _says_more(hop.label, label)]
                labels.append(hop.label)


def _says_more(label: str, other: str) -> bool:
    """`rfe` says all that `rf` says, `po-loc` all that `po` says."""
    return label in (f"{other}e", f"{other}i", f"{other}-loc")


def _labelled_pairs(
    execution: Execution, model: Model | None, values: list[Value] | None, show: tuple[str, ...]
) -> dict[tuple[int, int], list[str]]:
    pairs: dict[tuple[int, int], list[str]] = {}
    for name in show or DEFAULT_RELATIONS:
        relation = find_relation(execution, name, model, values)
        if relation is None:
            continue
        if name in _REDUCED:
            relation = relation - (relation @ _followers(execution, name, relation))
        if name == "fr" and not show:
            relation = relation - _same_thread(execution)
        for pair in relation.pairs():
            pairs.setdefault(pair, []).append(name)
    return pairs


def _followers(execution: Execution, name: str, relation: Relation) -> Relation:
    """What a reduced relation composes with: `fr` is continued by `co`, `ctrl` by `po`, others by
    themselves."""
    continued_by = {"fr": "co", "ctrl": "po"}.get(name)
    if continued_by is None:
        return relation
    return execution.relations.get(continued_by, Relation.empty(relation.n))


def _same_thread(execution: Execution) -> Relation:
    threads = [event.thread for event in execution.events]
    n = len(threads)
    return Relation.of(n, [(a, b) for a in range(n) for b in range(n) if threads[a] == threads[b]])


def find_relation(
    execution: Execution, name: str, model: Model | None, values: list[Value] | None
) -> Relation | None:
    """A relation by its cat name: a base relation, `fr`, or a definition of the model."""
    if name in execution.relations:
        return execution.relations[name]
    if name == "fr" and "rf" in execution.relations and "co" in execution.relations:
        identity = Relation.identity(len(execution.events))
        return (execution.relations["rf"].inverse() @ execution.relations["co"]) - identity
    if model is not None and values is not None and name in model.definitions:
        number = model.definitions[name]
        value = values[number]
        if model.nodes[number].kind is RELATION and isinstance(value, Relation):
            return value
    return None
