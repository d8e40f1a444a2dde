"""A model on one execution: the value of every definition, the violated axioms, the flags.

This is the plain interpreter of the relation algebra; nothing is clever here, because every execution
that an engine finds is checked by it. Recursive definitions are iterated from the empty relation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from treville.models.model import SET, Axiom, FixpointGroup, Model, Node
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
    if axiom.kind == "empty":
        satisfied = not value
    elif axiom.kind == "acyclic":
        satisfied = cast(Relation, value).is_acyclic()
    else:
        satisfied = cast(Relation, value).is_irreflexive()
    return satisfied != axiom.negated


class _Interpreter:
    def __init__(
        self,
        model: Model,
        n: int,
        sets: Mapping[str, int],
        relations: Mapping[str, Relation],
        wanted: set[int] | None = None,
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
        for index in range(start, end):
            if self.wanted is not None and index not in self.wanted:
                continue
            if index in self.groups:
                self._iterate(self.groups[index], index)
            elif index not in self.members:
                node = self.model.nodes[index]
                self.values[index] = self._value(node)

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

    def _empty(self, kind: str) -> Value:
        return 0 if kind == SET else Relation.empty(self.n)

    def _value(self, node: Node) -> Value:
        if node.op == "base":
            return self._base(node)
        if node.op in ("empty", "universe"):
            return self._constant(node)
        operands = [self.values[argument] for argument in node.args]
        return self._of_sets(node, operands) if node.kind == SET else self._of_relations(node, operands)

    def _base(self, node: Node) -> Value:
        if node.kind == SET:
            return self.sets.get(node.name, 0)
        found = self.relations.get(node.name)
        return Relation.empty(self.n) if found is None else found

    def _constant(self, node: Node) -> Value:
        if node.op == "empty":
            return self._empty(node.kind)
        return (1 << self.n) - 1 if node.kind == SET else Relation.full(self.n)

    def _of_sets(self, node: Node, operands: list[Value]) -> int:
        op = node.op
        if op in ("domain", "range"):
            relation = cast(Relation, operands[0])
            return relation.domain() if op == "domain" else relation.range()
        a = cast(int, operands[0])
        if op == "complement":
            return ((1 << self.n) - 1) & ~a
        b = cast(int, operands[1])
        return {"union": a | b, "inter": a & b, "diff": a & ~b}[op]

    def _of_relations(self, node: Node, operands: list[Value]) -> Relation:
        op = node.op
        if op == "id":
            return Relation.identity(self.n)
        if op == "identity":
            return Relation.identity(self.n, cast(int, operands[0]))
        if op == "product":
            return Relation.product(self.n, cast(int, operands[0]), cast(int, operands[1]))
        r = cast(Relation, operands[0])
        if len(operands) == 1:
            unary = {
                "complement": r.complement,
                "inverse": r.inverse,
                "opt": r.optional,
                "plus": r.plus,
                "star": r.star,
            }
            return unary[op]()
        s = cast(Relation, operands[1])
        if op == "seq":
            return r @ s
        if op == "union":
            return r | s
        return r & s if op == "inter" else r - s
