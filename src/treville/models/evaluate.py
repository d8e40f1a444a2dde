"""A model on one execution: the value of every definition, the violated axioms, the flags.

This is the plain interpreter of the relation algebra; nothing is clever here, because every execution
that an engine finds is checked by it. Recursive definitions are iterated from the empty relation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never, cast

from treville.models.model import (
    Axiom,
    AxiomKind,
    BooleanOperator,
    FixpointGroup,
    Kind,
    Model,
    Node,
    NodeId,
    Operator,
)
from treville.relations import Relation

Value: TypeAlias = int | Relation


@dataclass(slots=True)
class Evaluation:
    """What a model says about an execution. `values` is parallel to `Model.nodes`."""

    model: Model
    values: list[Value]
    violated: list[Axiom]
    flags: list[str]
    undefined: list[str]

    @property
    def consistent(self) -> bool:
        """Does the execution satisfy every axiom?"""
        return not self.violated

    def relation(self, name: str) -> Relation:
        """The value of a relation by its cat name."""
        value = self.values[self.model.definitions[name]]
        if not isinstance(value, Relation):
            raise KeyError(f"{name} is a set")
        return value

    def set(self, name: str) -> int:
        """The value of a set by its cat name."""
        value = self.values[self.model.definitions[name]]
        if isinstance(value, Relation):
            raise KeyError(f"{name} is a relation")
        return value


def evaluate(
    model: Model,
    n: int,
    sets: Mapping[str, int],
    relations: Mapping[str, Relation],
    everything: bool = True,
) -> Evaluation:
    """Evaluate a model over `n` events; base names that are not given are empty.

    Without `everything` only what the axioms need is computed, and other values are meaningless."""
    interpreter = _Interpreter(model, n, sets, relations, None if everything else model.needed())
    interpreter.run(0, len(model.nodes))
    values = interpreter.values
    violated = []
    flags = []
    undefined = []
    for axiom in model.axioms:
        satisfied = holds(axiom, values[axiom.node])
        if axiom.flag:
            if satisfied:
                flags.append(axiom.name)
        elif not satisfied:
            if axiom.undefined:
                undefined.append(axiom.name)
            else:
                violated.append(axiom)
    return Evaluation(model, values, violated, flags, undefined)


def iterations(
    model: Model, n: int, sets: Mapping[str, int], relations: Mapping[str, Relation], group: FixpointGroup,
    values: list[Value],
) -> list[list[Value]]:  # fmt: skip
    """The values of all nodes during each iteration of a recursive group: its variables as the iteration
    found them, its bodies as computed from those. `values` is the finished evaluation."""
    interpreter = _Interpreter(model, n, sets, relations, None)
    interpreter.values = list(values)
    history: list[list[Value]] = []
    interpreter._iterate(group, group.variables[0], history)
    return history


def holds(axiom: Axiom, value: Value) -> bool:
    """Is the test of an axiom true of a value?"""
    match axiom.kind:
        case AxiomKind.EMPTY:
            satisfied = not value
        case AxiomKind.ACYCLIC:
            satisfied = cast(Relation, value).is_acyclic()
        case AxiomKind.IRREFLEXIVE:
            satisfied = cast(Relation, value).is_irreflexive()
        case _:
            assert_never(axiom.kind)
    return satisfied != axiom.negated


class _Interpreter:
    def __init__(
        self,
        model: Model,
        n: int,
        sets: Mapping[str, int],
        relations: Mapping[str, Relation],
        wanted: set[NodeId] | None = None,
    ) -> None:
        self.model = model
        self.n = n
        self.sets = sets
        self.relations = relations
        self.wanted = wanted
        self.values: list[Value] = [0] * len(model.nodes)
        self.groups = {group.variables[0]: group for group in model.groups}
        self.members = {variable for group in model.groups for variable in group.variables}

    def run(self, start: int, end: int) -> None:
        """Evaluate the nodes `start .. end-1` in order."""
        nodes, wanted = self.model.nodes, self.wanted
        for index in map(NodeId, range(start, end)):
            if wanted is not None and index not in wanted:
                continue
            if index in self.groups:
                self._iterate(self.groups[index], index)
            elif index not in self.members:
                self.values[index] = self._value(nodes[index])

    def _iterate(self, group: FixpointGroup, start: int, history: list[list[Value]] | None = None) -> None:
        """The least fixpoint of a group; its bodies lie after its variables."""
        for variable in group.variables:
            self.values[variable] = self._empty(self.model.nodes[variable].kind)
        stop = max(group.bodies) + 1
        while True:
            self.run(start + 1, stop)
            if history is not None:
                history.append(list(self.values))
            following = [self.values[body] for body in group.bodies]
            if following == [self.values[variable] for variable in group.variables]:
                return
            for variable, value in zip(group.variables, following, strict=True):
                self.values[variable] = value

    def _value(self, node: Node) -> Value:
        op = node.op
        match op:
            case Operator.UNION | Operator.INTERSECTION | Operator.DIFFERENCE:
                return self._boolean(op, *[self.values[argument] for argument in node.args])
            case Operator.COMPOSITION:
                return self._relation(node.args[0]) @ self._relation(node.args[1])
            case Operator.BASE:
                return self._base(node)
            case Operator.INVERSE:
                return self._relation(node.args[0]).inverse()
            case Operator.IDENTITY_ON:
                return Relation.identity(self.n, self._set(node.args[0]))
            case Operator.PRODUCT:
                return Relation.product(self.n, self._set(node.args[0]), self._set(node.args[1]))
            case Operator.OPTIONAL:
                return self._relation(node.args[0]).optional()
            case Operator.PLUS:
                return self._relation(node.args[0]).plus()
            case Operator.STAR:
                return self._relation(node.args[0]).star()
            case Operator.DOMAIN:
                return self._relation(node.args[0]).domain()
            case Operator.RANGE:
                return self._relation(node.args[0]).range()
            case Operator.COMPLEMENT:
                return self._complement(self.values[node.args[0]])
            case Operator.EMPTY:
                return self._empty(node.kind)
            case Operator.UNIVERSE:
                return (1 << self.n) - 1 if node.kind is Kind.SET else Relation.full(self.n)
            case Operator.ID:
                return Relation.identity(self.n)
            case Operator.FIXPOINT:
                raise AssertionError("a recursive name has the value that its group gives it")
            case _:
                assert_never(op)

    def _relation(self, node: NodeId) -> Relation:
        return cast(Relation, self.values[node])

    def _set(self, node: NodeId) -> int:
        return cast(int, self.values[node])

    def _empty(self, kind: Kind) -> Value:
        return 0 if kind is Kind.SET else Relation.empty(self.n)

    def _base(self, node: Node) -> Value:
        if node.kind is Kind.SET:
            return self.sets.get(node.name, 0)
        found = self.relations.get(node.name)
        return Relation.empty(self.n) if found is None else found

    def _complement(self, value: Value) -> Value:
        return ((1 << self.n) - 1) & ~value if isinstance(value, int) else value.complement()

    def _boolean(self, op: BooleanOperator, first: Value, second: Value) -> Value:
        if isinstance(first, int):
            return _of_sets(op, first, cast(int, second))
        return _of_relations(op, first, cast(Relation, second))


def _of_sets(op: BooleanOperator, first: int, second: int) -> int:
    match op:
        case Operator.UNION:
            return first | second
        case Operator.INTERSECTION:
            return first & second
        case Operator.DIFFERENCE:
            return first & ~second
        case _:
            assert_never(op)


def _of_relations(op: BooleanOperator, first: Relation, second: Relation) -> Relation:
    match op:
        case Operator.UNION:
            return first | second
        case Operator.INTERSECTION:
            return first & second
        case Operator.DIFFERENCE:
            return first - second
        case _:
            assert_never(op)
