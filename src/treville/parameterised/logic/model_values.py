"""A model of z3 as values, and the ways in which a cube could hold in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any, Protocol

from treville.parameterised.logic.cube import Node
from treville.parameterised.logic.terms import rename_literal
from treville.parameterised.system import Literal, literal_processes, terms_of


class Formulas(Protocol):
    """Makes z3 formulas of literals."""

    def literal(self, literal: Literal, suffix: str) -> Any:
        """A literal as a z3 formula."""
        ...


class Values:
    """What formulas are worth in a model."""

    def __init__(self, z3: Any, model: Any) -> None:
        self.z3, self.model = z3, model
        self.known: dict[Literal, bool] = {}
        self.by_number: dict[int, bool] = {}

    def true(self, formula: Any) -> bool:
        """Does the formula (one that stays alive) hold? Looked up once."""
        number = formula.get_id()
        if number not in self.by_number:
            value = self.model.eval(formula, model_completion=True)
            self.by_number[number] = bool(self.z3.is_true(value))
        return self.by_number[number]

    def holds(self, literal: Literal, formulas: Formulas) -> bool:
        """Does a literal hold before the step? Looked up once."""
        if literal not in self.known:
            self.known[literal] = self.true(formulas.literal(literal, ""))
        return self.known[literal]


def embeddings(
    node: Node, count: int, moments: list[int], formulas: Formulas, values: Values, *, named: bool
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Processes and moments for a cube such that its literals without events hold in the model."""
    plain = [lit for lit in node.literals if all(term[0] != "r" for term in terms_of(lit))]
    events = len(node.frontier.after)
    if events > len(moments) or node.processes > count:
        return
    places = [tuple(range(count))] if named else _places(node, count, plain, formulas, values)
    for place in places:
        names = dict(enumerate(place))
        if all(values.holds(rename_literal(literal, names), formulas) for literal in plain):
            for chosen in permutations(moments, events):
                yield place, chosen


def _places(
    node: Node, count: int, plain: list[Literal], formulas: Formulas, values: Values
) -> Iterator[tuple[int, ...]]:
    """Injections of the cube's processes; what is said about one process alone is tested at once."""
    alone: list[list[Literal]] = [[] for _ in range(node.processes)]
    for literal in plain:
        mentioned = literal_processes(literal)
        if len(mentioned) == 1:
            alone[min(mentioned)].append(literal)
    fitting = [
        [i for i in range(count) if all(values.holds(rename_literal(lit, {at: i}), formulas) for lit in said)]
        for at, said in enumerate(alone)
    ]
    yield from _injections(fitting, ())


def _injections(fitting: list[list[int]], chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if len(chosen) == len(fitting):
        yield chosen
        return
    for process in fitting[len(chosen)]:
        if process not in chosen:
            yield from _injections(fitting, (*chosen, process))
