"""A cube and a transition -> the cubes of the states from which the transition can lead into it.

Section 4 of paper 002: parameters are mapped to the cube's processes and fresh ones in all injective ways,
values are replaced by what the updates assign (case by case), the guard is added, universal guards are
instantiated for the processes at hand (which forgets all others: the result is exact or too large). Weak
accesses make one event: its reads are open, its writes feed the open reads of the cube or come after them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from treville.parameterised.backward.frontier import CellKey, Growing
from treville.parameterised.backward.instances import Instance, Instances, arrangements
from treville.parameterised.backward.memory_order import Access, Fates, memory_order
from treville.parameterised.logic.cube import Node, compact
from treville.parameterised.logic.terms import difference
from treville.parameterised.logic.theory import Theory
from treville.parameterised.system import Cube, Literal, System, Term, equality, linear, terms_of
from treville.records import dataclass

# Value of a read that takes what a write leaves arbitrary, and of a cell that is not written.
KEEP = object()
Choice = tuple[Cube, Any]


class Preimage:
    """Predecessors of cubes in one system."""

    def __init__(self, system: System, theory: Theory) -> None:
        self.system = system
        self.theory = theory
        self.order = memory_order(system)
        self.instances = Instances(system)
        self.weak = {name for name, symbol in system.symbols.items() if symbol.weak}
        self.integral = theory.integral
        self.written = [
            frozenset(update.symbol.name for update in transition.updates)
            for transition in system.transitions
        ]
        self.made = 0

    def of(self, node: Node) -> Iterator[Node]:
        """All predecessors, each with its step; contradictory ones are left out."""
        # Sorted, so that a run does not depend on the order of sets.
        terms = sorted({term for literal in node.literals for term in terms_of(literal) if term[0] in "avr"})
        names = {term[3] if term[0] == "r" else term[1] for term in terms}
        known = _known_values(node.literals)
        for number in range(len(self.system.transitions)):
            if names & self.written[number]:
                yield from self._through(node, number, terms, known)

    def _through(self, node: Node, number: int, terms: list[Term], known: dict[Term, Any]) -> Iterator[Node]:
        transition = self.system.transitions[number]
        for place in self._places(node.processes, len(transition.parameters)):
            instance = self.instances.get(number, place)
            affected = [term for term in terms if instance.touches(term)]
            if not affected:
                continue
            total = max(node.processes, max(place, default=-1) + 1)
            step = _Step(self, node, instance, total)
            for literals, growing in step.results(affected, known):
                self.made += 1
                yield self._child(node, literals, growing, (number, place))

    def _child(
        self, node: Node, literals: frozenset[Literal], growing: Growing | None, step: tuple[int, Any]
    ) -> Node:
        everyone = self.system.processes if self.system.named else 0
        small, processes, frontier, order = compact(literals, growing, all_processes=everyone)
        return Node(small, processes, frontier, node, step, order, node.depth + 1, node.property_name)

    def _places(self, processes: int, count: int) -> Iterator[tuple[int, ...]]:
        """Injective maps of parameters to processes; fresh ones are taken in order."""
        bound = self.system.processes
        if self.system.named:
            yield from arrangements(range(bound), count)
            return
        for fresh in range(count + 1):
            if count - fresh > processes or (bound and processes + fresh > bound):
                continue
            names = (*range(processes), *range(processes, processes + fresh))
            for place in arrangements(names, count):
                new = [i for i in place if i >= processes]
                if len(new) == fresh and new == sorted(new):
                    yield place


@dataclass(slots=True)
class _Step:
    """One transition instance before one cube."""

    engine: Preimage
    node: Node
    instance: Instance
    total: int

    def results(
        self, affected: list[Term], known: dict[Term, Any]
    ) -> Iterator[tuple[frozenset[Literal], Growing | None]]:
        """Literals and order of every predecessor of this step."""
        strong = [term for term in affected if term[0] != "r"]
        cells = sorted({(term[3], term[4]) for term in affected if term[0] == "r"})
        choices = [self._choices(term, known.get(term)) for term in strong]
        cell_choices = [self._cell_choices(cell) for cell in cells]
        if not all(choices) or not all(cell_choices):
            return
        guards = self.instance.guards(self.total)
        for picked in product(*choices, *cell_choices):
            conditions = [literal for cube, _ in picked for literal in cube]
            values = dict(zip(strong, (value for _, value in picked), strict=False))
            written = dict(zip(cells, (value for _, value in picked[len(strong) :]), strict=True))
            for growing, reads in self._orders(written):
                yield from self._combined(conditions, {**values, **reads}, guards, growing)

    def _choices(self, term: Term, known: Any) -> list[Choice]:
        """How a strong term gets its value; branches whose constant contradicts the cube are left out."""
        found = self.instance.values(term)
        if known is None:
            return found
        return [c for c in found if c[1] is None or c[1][0] not in "kp" or c[1] == known]

    def _cell_choices(self, cell: CellKey) -> list[Choice]:
        name, indices = cell
        term: Term = ("a", name, indices) if indices else ("v", name)
        return [(cube, KEEP if value == term else value) for cube, value in self.instance.values(term)]

    # Order

    def _orders(self, written: dict[CellKey, Any]) -> Iterator[tuple[Growing | None, dict[Term, Any]]]:
        """Ways to place the new event: the grown frontier, and values for reads that it feeds."""
        if not self.instance.weak:
            yield (Growing(self.node.frontier, self.total) if self.node.frontier.after else None), {}
            return
        changed = {cell: value for cell, value in written.items() if value is not KEEP}
        reads = {
            term
            for literal in self.node.literals
            for term in terms_of(literal)
            if term[0] == "r" and (term[3], term[4]) in changed
        }
        model, actor = self.engine.order, self.instance.actor
        by_event = [sorted(t for t in reads if t[1] == event) for event in sorted({t[1] for t in reads})]
        access = self._access(changed)
        for picked in product(*(model.fates(actor, terms) for terms in by_event)):
            fates = Fates()
            for more in picked:
                fates = fates.joined(more)
            growing = Growing(self.node.frontier, self.total)
            if model.place(growing, access, fates):
                yield growing, {term: changed[term[3], term[4]] for term in fates.fed}

    def _access(self, changed: dict[CellKey, Any]) -> Access:
        instance, transition = self.instance, self.instance.transition
        looks = instance.read_cells(self.total) if transition.reads else ()
        stores = {*changed, *instance.sure_writes(self.total)} if transition.writes else ()
        return Access(instance.actor, transition, looks, stores)

    # Literals

    def _combined(
        self, conditions: list[Literal], values: dict[Term, Any], guards: list[list[Cube]], growing: Any
    ) -> Iterator[tuple[frozenset[Literal], Growing | None]]:
        base = self._substituted(values)
        if base is None:
            return
        event = len(self.node.frontier.after)
        for extra in product(*guards):
            literals = list(base)
            for literal in (*conditions, *(literal for cube in extra for literal in cube)):
                literals.append(self._read_literal(literal, event))
            normal = self.engine.theory.normal(literals)
            if normal is not None:
                yield normal, growing

    def _substituted(self, values: dict[Term, Any]) -> list[Literal] | None:
        event = len(self.node.frontier.after)
        values = {term: None if v is None else self._read_term(v, event) for term, v in values.items()}
        made: list[Literal] = []
        for literal in self.node.literals:
            terms = terms_of(literal)
            if not any(term in values for term in terms):
                made.append(literal)
                continue
            if any(term in values and values[term] is None for term in terms):
                # An arbitrary value meets any constraint on one term; constraints between several are
                # dropped too, which only makes the cube larger.
                continue
            new = replaced(literal, values, self.engine.integral)
            if new is False:
                return None
            if new is not True:
                made.append(new)
        return made

    def _read_term(self, term: Term, event: int) -> Term:
        tag = term[0]
        if tag == "s":
            return ("s", tuple((self._read_term(t, event), f) for t, f in term[1]), term[2])
        if tag == "v" and term[1] in self.engine.weak:
            return ("r", event, self.instance.actor, term[1], ())
        if tag == "a" and term[1] in self.engine.weak:
            return ("r", event, self.instance.actor, term[1], term[2])
        return term

    def _read_literal(self, literal: Literal, event: int) -> Literal:
        if not self.engine.weak:
            return literal
        values = {}
        for term in terms_of(literal):
            seen = self._read_term(term, event)
            if seen != term:
                values[term] = seen
        if not values:
            return literal
        made = replaced(literal, values, self.engine.integral)
        # Different terms become different reads: that decides nothing.
        assert not isinstance(made, bool)
        return made


def replaced(literal: Literal, values: dict[Term, Term], integral: set[str]) -> Literal | bool:
    """The literal with terms replaced by values, in normal form or decided."""
    op = literal[0]
    if op != "L":
        left: Term = values.get(literal[1]) or literal[1]
        right: Term = values.get(literal[2]) or literal[2]
        if op == "<":
            return False if left == right else ("<", left, right)
        return equality(op, left, right)
    terms: dict[Term, Any] = {}
    constant = literal[3]
    for term, factor in literal[2]:
        inner, offset = difference(values.get(term, term), ("s", (), 0))
        constant += factor * offset
        for other, other_factor in inner.items():
            terms[other] = terms.get(other, 0) + factor * other_factor
    some = literal[2][0][0]
    whole = (some[3] if some[0] == "r" else some[1]) in integral
    return linear("<=" if literal[1] == "r<=" else literal[1], terms, constant, integral=whole)


def _known_values(literals: frozenset[Literal]) -> dict[Term, Any]:
    found: dict[Term, Any] = {}
    for literal in literals:
        if literal[0] == "=":
            left, right = literal[1], literal[2]
            if right[0] in "kp":
                found[left] = right
            elif left[0] in "kp":
                found[right] = left
    return found
