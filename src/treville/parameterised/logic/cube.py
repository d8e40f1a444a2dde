"""Cubes: sets of states described by literals over a few distinct processes and the open events.

A cube stands for all states of all instances in which its processes can be chosen such that its literals
hold and its frontier's order can be met.
"""

from __future__ import annotations

from treville.parameterised.backward.frontier import EMPTY, Frontier, Growing, ReadKey
from treville.parameterised.logic.terms import rename_literal
from treville.parameterised.system import Literal, Term, literal_processes, terms_of
from treville.records import dataclass, field


@dataclass(slots=True, eq=False)
class Node:
    """A cube in the search, with how it was reached from the unsafe cube.

    `step` is (transition number, processes of its parameters) in the numbering of the parent's cube with
    fresh processes behind; `origin[i]` is process i in that numbering.
    """

    literals: frozenset[Literal]
    processes: int
    frontier: Frontier = EMPTY
    parent: Node | None = None
    step: tuple[int, tuple[int, ...]] | None = None
    origin: tuple[int, ...] = ()
    depth: int = 0
    property_name: str = ""
    # What the trace cannot show: this cube is a guess that covers its parent's cube.
    guessed: bool = False
    number: int = 0
    key: object = field(default=None)


def event_of(literal: Literal) -> int:
    """The events of open reads in a literal, as a mask."""
    mask = 0
    for term in terms_of(literal):
        if term[0] == "r":
            mask |= 1 << term[1]
    return mask


def compact(
    literals: frozenset[Literal], growing: Growing | None, *, all_processes: int = 0
) -> tuple[frozenset[Literal], int, Frontier, tuple[int, ...]]:
    """Drop processes and events without literals and number the rest densely.

    With `all_processes` the processes are named, and all of them stay.
    """
    used: set[int] = set()
    events = 0
    for literal in literals:
        used |= literal_processes(literal)
        if growing is not None:
            events |= event_of(literal)
    order = list(range(all_processes)) if all_processes else _ordered(literals, used)
    place = {old: new for new, old in enumerate(order)}
    frontier = EMPTY
    shift: dict[int, int] = {}
    if growing is not None and events:
        kept = [event for event in range(len(growing.after)) if events >> event & 1]
        shift = {old: new for new, old in enumerate(kept)}
        frontier = growing.finished(kept, place, _open_reads(literals) if growing.sources else set())
    moved = any(old != new for old, new in place.items())
    if moved or any(old != new for old, new in shift.items()):
        literals = frozenset(_placed(literal, place, shift) for literal in literals)
    return literals, len(order), frontier, tuple(order)


def _open_reads(literals: frozenset[Literal]) -> set[ReadKey]:
    return {
        (term[1], term[2], term[3], term[4])
        for literal in literals
        for term in terms_of(literal)
        if term[0] == "r"
    }


def without(node: Node, literal: Literal, all_processes: int = 0) -> Node:
    """The cube without one of its literals."""
    return kept(node, node.literals - {literal}, all_processes)


def kept(node: Node, literals: frozenset[Literal], all_processes: int = 0) -> Node:
    """The cube with only some of its literals, and the processes and events that those mention."""
    growing = Growing(node.frontier, node.processes) if node.frontier.after else None
    small, processes, frontier, order = compact(literals, growing, all_processes=all_processes)
    origin = tuple(node.origin[i] for i in order) if node.origin else order
    return Node(
        small, processes, frontier, node.parent, node.step, origin, node.depth, node.property_name,
        node.guessed, node.number, node.key,
    )  # fmt: skip


def _ordered(literals: frozenset[Literal], used: set[int]) -> list[int]:
    """Processes sorted by what is said about each alone, so that symmetric cubes often become equal."""
    said: dict[int, list[str]] = {i: [] for i in used}
    for literal in literals:
        mentioned = literal_processes(literal)
        if len(mentioned) == 1:
            (only,) = mentioned
            said[only].append(repr(rename_literal(literal, {only: 0})))
    return sorted(used, key=lambda i: (sorted(said[i]), i))


def _placed(literal: Literal, place: dict[int, int], shift: dict[int, int]) -> Literal:
    made = rename_literal(literal, place)
    if shift:
        made = shift_events(made, shift)
    return ordered(made)


def shift_events(literal: Literal, shift: dict[int, int]) -> Literal:
    """The literal with its events renamed."""
    if literal[0] == "L":
        return ("L", literal[1], tuple((_shifted(t, shift), f) for t, f in literal[2]), literal[3])
    return (literal[0], _shifted(literal[1], shift), _shifted(literal[2], shift))


def _shifted(term: Term, shift: dict[int, int]) -> Term:
    return ("r", shift.get(term[1], term[1]), *term[2:]) if term[0] == "r" else term


def ordered(literal: Literal) -> Literal:
    """The literal with its terms in normal order again, after a renaming."""
    op = literal[0]
    if op == "L":
        entries = tuple(sorted(literal[2]))
        if literal[1] in ("=", "!") and entries[0][1] < 0:
            return ("L", literal[1], tuple((t, -f) for t, f in entries), -literal[3])
        return ("L", literal[1], entries, literal[3])
    if op == "<" or literal[1] < literal[2]:
        return literal
    return (op, literal[2], literal[1])
