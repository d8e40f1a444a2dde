"""Is a cube covered by one that was visited? Bit masks first, renamings only where those allow it.

Every literal of a visited cube has a number. A new cube is turned into the mask of all numbered literals
that follow from it; a visited cube covers it when some injection of its processes and events makes all its
literals members of that mask and its order constraints part of the new cube's. A first mask, of literals
with processes and events wiped out, rejects nearly all pairs with one operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import perm
from typing import Any

from treville.parameterised.backward.frontier import SOURCE, Frontier, renamed, weaker
from treville.parameterised.logic.cube import Node, ordered, shift_events
from treville.parameterised.logic.normal_form import negation
from treville.parameterised.logic.terms import rename_literal
from treville.parameterised.logic.theory import Facts, Theory
from treville.parameterised.system import Literal, Term, terms_of

_MOST_RENAMINGS = 5_040
Variant = tuple[int, Frontier]
# Per event its open reads: reader, name, indices.
Reads = tuple[frozenset[tuple[int, str, tuple[int, ...]]], ...]


class _Entry:
    __slots__ = ("node", "shape", "variants")

    def __init__(self, node: Node, shape: int) -> None:
        self.node = node
        self.shape = shape
        # (processes, reads) of the other cube -> this cube renamed into it in all ways.
        self.variants: dict[tuple[int, Reads], list[Variant]] = {}


class _Query:
    """What follows from a cube, numbered as far as literals have numbers."""

    __slots__ = ("_mask", "_others", "facts", "known", "plain", "visited")

    def __init__(self, visited: Visited, facts: Facts, processes: int) -> None:
        self.visited = visited
        self.facts = facts
        self.plain = _plain_consequences(facts, processes)
        self.known = self._mask = self._others = 0

    def mask(self) -> int:
        """The numbers of all literals that follow; extended when new literals were numbered."""
        numbers = self.visited.numbers
        if self.known < len(numbers):
            self.known = len(numbers)
            for literal in self.plain:
                number = numbers.get(literal)
                if number is not None:
                    self._mask |= 1 << number
            others = self.visited.others
            for number, literal in others[self._others :]:
                if self.facts.entails(literal):
                    self._mask |= 1 << number
            self._others = len(others)
        return self._mask


class Visited:
    """The visited cubes, with `covers(node)`."""

    def __init__(self, theory: Theory, *, named: bool = False) -> None:
        self.theory = theory
        self.named = named
        self.entries: list[_Entry] = []
        self.numbers: dict[Literal, int] = {}
        self.shapes: dict[Literal, int] = {}
        self.wiped: dict[Literal, Literal] = {}
        # Literals that are not `term op constant`, by number: looked through one by one.
        self.others: list[tuple[int, Literal]] = []
        self.other_shapes = 0
        self.literals: list[Literal] = []
        self.negations: dict[Literal, Facts | None] = {}
        self.renamings: dict[tuple[Literal, tuple[int, ...], tuple[int, ...]], int] = {}
        self.tests = 0

    def __len__(self) -> int:
        return len(self.entries)

    def nodes(self) -> list[Node]:
        """The visited cubes."""
        return [entry.node for entry in self.entries]

    def add(self, node: Node) -> None:
        """Remember a cube."""
        shape = 0
        for literal in node.literals:
            shape |= 1 << self.shape_number(literal)
        self.entries.append(_Entry(node, shape))

    # Numbering literals

    def number(self, literal: Literal) -> int:
        """The number of a literal, a new one on first use."""
        known = self.numbers.get(literal)
        if known is None:
            known = self.numbers[literal] = len(self.numbers)
            self.literals.append(literal)
            if not _is_plain(literal):
                self.others.append((known, literal))
        return known

    def shape_number(self, literal: Literal) -> int:
        """The number of a literal's shape, a new one on first use."""
        wiped = self.wipe(literal)
        known = self.shapes.get(wiped)
        if known is None:
            known = self.shapes[wiped] = len(self.shapes)
            if not _is_plain(literal):
                self.other_shapes |= 1 << known
        return known

    def wipe(self, literal: Literal) -> Literal:
        """The literal without its processes and events."""
        known = self.wiped.get(literal)
        if known is None:
            known = self.wiped[literal] = _wiped(literal, named=self.named)
        return known

    # Covering

    def covers(self, node: Node) -> Node | None:
        """A visited cube that covers this one, if some does."""
        query = self._query(node)
        if query is None:
            return node
        for entry, variants in self._candidates(node, query, 0):
            mask = query.mask()
            for wanted, frontier in variants:
                if not wanted & ~mask and weaker(frontier, node.frontier):
                    return entry.node
        return None

    def superfluous(self, node: Node) -> Literal | None:
        """A literal m of the cube that can go, because the cube with m negated is covered.

        So it is when a visited cube is met but for one literal, and the negation of that implies m.
        """
        query = self._query(node)
        if query is None:
            return None
        for _, variants in self._candidates(node, query, 1):
            mask = query.mask()
            for wanted, frontier in variants:
                missing = wanted & ~mask
                if missing & (missing - 1) or not missing or not weaker(frontier, node.frontier):
                    continue
                found = self._implied(node, self.literals[missing.bit_length() - 1])
                if found is not None:
                    return found
        return None

    def _implied(self, node: Node, missing: Literal) -> Literal | None:
        """A literal of the cube that follows from the negation of `missing`."""
        terms = set(terms_of(missing))
        # A passed read must find a source, whatever its value: it cannot go.
        frontier = node.frontier
        passed = {
            ("r", *key)
            for number, key in enumerate(frontier.sources)
            if frontier.passed >> SOURCE + number & 1
        }
        for literal in sorted(node.literals, key=repr):
            if passed and not passed.isdisjoint(terms_of(literal)):
                continue
            if set(terms_of(literal)) != terms and not _same_subject(literal, missing):
                continue
            facts = self._negated(missing)
            if facts is not None and facts.entails(literal):
                return literal
        return None

    def _negated(self, literal: Literal) -> Facts | None:
        if literal not in self.negations:
            shape = negation(literal)
            self.negations[literal] = None if shape[0] == "or" else self.theory.facts([shape])
        return self.negations[literal]

    def _query(self, node: Node) -> _Query | None:
        facts = self.theory.facts(node.literals)
        return None if facts is None else _Query(self, facts, node.processes)

    def _candidates(self, node: Node, query: _Query, spare: int) -> Iterator[tuple[_Entry, list[Variant]]]:
        """Visited cubes that lack at most `spare` kinds of literals, renamed in all ways."""
        shape = self._shape_mask(query.plain)
        events = len(node.frontier.after)
        for entry in self.entries:
            lacking = entry.shape & ~shape
            if lacking and (not spare or lacking & (lacking - 1)):
                continue
            if entry.node.processes > node.processes or len(entry.node.frontier.after) > events:
                continue
            self.tests += 1
            yield entry, self._variants(entry, node)

    def _shape_mask(self, plain: set[Literal]) -> int:
        shapes = self.shapes
        # Cheap and generous: whether other literals follow is decided on the real ones.
        mask = self.other_shapes
        for literal in plain:
            number = shapes.get(self.wipe(literal))
            if number is not None:
                mask |= 1 << number
        return mask

    def _variants(self, entry: _Entry, node: Node) -> list[Variant]:
        reads = reads_of(node)
        size = (node.processes, reads)
        found = entry.variants.get(size)
        if found is None:
            found = entry.variants[size] = list(self._renamings(entry.node, node.processes, reads))
        return found

    def _renamings(self, node: Node, processes: int, reads: Reads) -> Iterator[Variant]:
        """The cube with its processes and events called like those of another cube, in all ways.

        An event can only stand for one with at least its reads.
        """
        mine = reads_of(node)
        if self.named:
            places: Iterator[tuple[int, ...]] = iter([tuple(range(processes))])
        elif perm(processes, node.processes) > _MOST_RENAMINGS:
            # Giving up on one visited cube only means that more is visited.
            return
        else:
            places = permutations(range(processes), node.processes)
        for place in places:
            moved = [
                {(place[reader], name, tuple(place[i] for i in at)) for reader, name, at in event}
                for event in mine
            ]
            for shift in _matchings(moved, reads):
                mask = 0
                for literal in node.literals:
                    mask |= 1 << self._renamed_number(literal, place, shift)
                yield mask, renamed(node.frontier, place, shift, processes)

    def _renamed_number(self, literal: Literal, place: tuple[int, ...], shift: tuple[int, ...]) -> int:
        key = (literal, place, shift)
        number = self.renamings.get(key)
        if number is None:
            made = rename_literal(literal, dict(enumerate(place)))
            if shift:
                made = shift_events(made, dict(enumerate(shift)))
            number = self.renamings[key] = self.number(ordered(made))
        return number


def reads_of(node: Node) -> Reads:
    """The open reads of every event."""
    if not node.frontier.after:
        return ()
    found: list[set[tuple[int, str, tuple[int, ...]]]] = [set() for _ in node.frontier.after]
    for literal in node.literals:
        for term in terms_of(literal):
            if term[0] == "r":
                found[term[1]].add((term[2], term[3], term[4]))
    return tuple(frozenset(event) for event in found)


def _matchings(
    wanted: list[set[Any]], offered: Reads, taken: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Injections of the wanted events into the offered ones that have at least their reads."""
    if len(taken) == len(wanted):
        yield taken
        return
    for event, reads in enumerate(offered):
        if event not in taken and wanted[len(taken)] <= reads:
            yield from _matchings(wanted, offered, (*taken, event))


def _same_subject(literal: Literal, other: Literal) -> bool:
    """Both about the same term and constants of its type."""
    if "L" in (literal[0], other[0]) or "<" in (literal[0], other[0]):
        return False
    mine = {term for term in literal[1:] if term[0] not in "kp"}
    return len(mine) == 1 and mine == {term for term in other[1:] if term[0] not in "kp"}


def _is_plain(literal: Literal) -> bool:
    """`term = constant` or `term ! constant`."""
    return literal[0] in "=!" and (literal[1][0] in "kp") != (literal[2][0] in "kp")


def _plain_consequences(facts: Facts, processes: int) -> set[Literal]:
    """All `term op constant` that follow: values, and what they and the differences exclude."""
    found: set[Literal] = set()
    everyone = [("p", i) for i in range(processes)]
    for term in (*facts.values, *facts.parent):
        value = facts.value(term)
        if value[0] not in "kp":
            continue
        found.add(_pair("=", term, value))
        others = everyone if value[0] == "p" else facts.theory.domain(term) or ()
        found.update(_pair("!", term, other) for other in others if other != value)
    for left, right in facts.different:
        term, constant = (left, right) if right[0] in "kp" else (right, left)
        if constant[0] in "kp" and term[0] not in "kp":
            found.add(_pair("!", term, constant))
            root = facts.root(term)
            found.update(_pair("!", other, constant) for other in facts.parent if facts.root(other) == root)
    return found


def _pair(op: str, left: Term, right: Term) -> Literal:
    return (op, left, right) if left < right else (op, right, left)


def _wiped(literal: Literal, *, named: bool) -> Literal:
    def wiped(term: Term) -> Term:
        tag = term[0]
        if tag == "a":
            return term if named else ("a", term[1])
        if tag == "p":
            return term if named else ("p",)
        if tag == "r":
            return ("r", *term[2:]) if named else ("r", term[3])
        return term

    if literal[0] == "L":
        return ("L", literal[1], tuple(sorted((wiped(t), f) for t, f in literal[2])))
    return (literal[0], *sorted((wiped(literal[1]), wiped(literal[2]))))
