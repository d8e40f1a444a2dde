"""Is a cube covered by one that was visited? Bit masks first, renamings only where those allow it.

Every literal of a visited cube has a number. A new cube is turned into the mask of all numbered literals
that follow from it; a visited cube covers it when some injection of its processes and events makes all its
literals members of that mask and its order constraints part of the new cube's. A first mask, of literals
with processes and events wiped out, rejects nearly all pairs with one operation.
"""

from __future__ import annotations

from itertools import permutations

from treville.parameterised.cube import Node, ordered, shift_events
from treville.parameterised.frontier import Frontier, renamed, weaker
from treville.parameterised.resolve import rename_literal
from treville.parameterised.system import Literal, Term
from treville.parameterised.theory import Facts, Theory

Variant = tuple[int, Frontier]
_MOST_VARIANTS = 50_000


class _Entry:
    __slots__ = ("alive", "node", "shape", "variants")

    def __init__(self, node: Node, shape: int) -> None:
        self.node = node
        self.shape = shape
        self.alive = True
        # (processes, events) of the other cube -> this cube renamed into it in all ways.
        self.variants: dict[tuple[int, int], list[Variant]] = {}


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
        self.other_shapes: list[tuple[int, Literal]] = []
        self.renamings: dict[tuple[Literal, tuple[int, ...], tuple[int, ...]], int] = {}
        self.tests = 0

    def __len__(self) -> int:
        return sum(entry.alive for entry in self.entries)

    def nodes(self) -> list[Node]:
        """The visited cubes that are not covered by another."""
        return [entry.node for entry in self.entries if entry.alive]

    def add(self, node: Node) -> None:
        """Remember a cube."""
        shape = 0
        for literal in node.literals:
            shape |= 1 << self.shape_number(literal)
        self.entries.append(_Entry(node, shape))

    # Numbering literals

    def number(self, literal: Literal) -> int:
        known = self.numbers.get(literal)
        if known is None:
            known = self.numbers[literal] = len(self.numbers)
            if not _is_plain(literal):
                self.others.append((known, literal))
        return known

    def shape_number(self, literal: Literal) -> int:
        wiped = self.wipe(literal)
        known = self.shapes.get(wiped)
        if known is None:
            known = self.shapes[wiped] = len(self.shapes)
            if not _is_plain(literal):
                self.other_shapes.append((known, wiped))
        return known

    def wipe(self, literal: Literal) -> Literal:
        known = self.wiped.get(literal)
        if known is None:
            known = self.wiped[literal] = _wiped(literal, named=self.named)
        return known

    # Covering

    def covers(self, node: Node) -> Node | None:
        """A visited cube that covers this one, if some does."""
        facts = self.theory.facts(node.literals)
        if facts is None:
            return node
        plain = _plain_consequences(facts, node.processes)
        shape = self._shape_mask(plain, facts)
        mask = -1
        for entry in self.entries:
            if entry.shape & ~shape or not entry.alive:
                continue
            if entry.node.processes > node.processes or len(entry.node.frontier.after) > len(node.frontier.after):
                continue
            self.tests += 1
            variants = self._variants(entry, node)
            if mask < 0:
                mask = self._mask(plain, facts)
            elif len(self.numbers) > self._numbered:
                mask = self._mask(plain, facts)
            for wanted, frontier in variants:
                if not wanted & ~mask and weaker(frontier, node.frontier):
                    return entry.node
        return None

    def _shape_mask(self, plain: set[Literal], facts: Facts) -> int:
        shapes = self.shapes
        mask = 0
        for literal in plain:
            number = shapes.get(self.wipe(literal))
            if number is not None:
                mask |= 1 << number
        for number, _ in self.other_shapes:
            # Cheap and generous: whether such a literal follows is decided on the real literals.
            mask |= 1 << number
        return mask

    def _mask(self, plain: set[Literal], facts: Facts) -> int:
        numbers = self.numbers
        mask = 0
        for literal in plain:
            number = numbers.get(literal)
            if number is not None:
                mask |= 1 << number
        for number, literal in self.others:
            if facts.entails(literal):
                mask |= 1 << number
        self._numbered = len(numbers)
        return mask

    def _variants(self, entry: _Entry, node: Node) -> list[Variant]:
        size = (node.processes, len(node.frontier.after))
        found = entry.variants.get(size)
        if found is None:
            found = entry.variants[size] = self._renamings(entry.node, *size)
        return found

    def _renamings(self, node: Node, processes: int, events: int) -> list[Variant]:
        if self.named:
            places = [tuple(range(processes))]
        else:
            places = list(permutations(range(processes), node.processes))
        made = []
        for place in places[:_MOST_VARIANTS]:
            for shift in permutations(range(events), len(node.frontier.after)):
                mask = 0
                for literal in node.literals:
                    mask |= 1 << self._renamed_number(literal, place, shift)
                frontier = renamed(node.frontier, place, shift, processes)
                made.append((mask, frontier))
        return made

    def _renamed_number(self, literal: Literal, place: tuple[int, ...], shift: tuple[int, ...]) -> int:
        key = (literal, place, shift)
        number = self.renamings.get(key)
        if number is None:
            made = rename_literal(literal, dict(enumerate(place)))
            if shift:
                made = shift_events(made, dict(enumerate(shift)))
            number = self.renamings[key] = self.number(ordered(made))
        return number


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
