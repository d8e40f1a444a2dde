"""A model on one execution: the value of every definition, the violated axioms, the flags.

This is the plain interpreter of the relation algebra; nothing is clever here, because every execution
that an engine finds is checked by it. Recursive definitions are iterated from the empty relation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias, assert_never, cast

from treville.models.model import SET, Axiom, AxiomKind, FixpointGroup, Model, Node, NodeId, Operator
from treville.records import dataclass
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


def defined(
    model: Model, n: int, sets: Mapping[str, int], relations: Mapping[str, Relation], names: Iterable[str]
) -> list[Relation]:
    """What some definitions of a model are, and nothing else."""
    roots = [model.definitions[name] for name in names]
    interpreter = _Interpreter(model, n, sets, relations, model.below(roots))
    interpreter.run(0, len(model.nodes))
    return [cast(Relation, interpreter.values[root]) for root in roots]


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
        wanted: AbstractSet[NodeId] | None = None,
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
        for index in cast("Iterable[NodeId]", range(start, end)):
            if wanted is not None and index not in wanted:
                continue
            if index in self.groups:
                self._iterate(self.groups[index], index)
            elif index not in self.members:
                node = nodes[index]
                self.values[index] = _RULES[node.op](self, node)

    def _iterate(self, group: FixpointGroup, start: int, history: list[list[Value]] | None = None) -> None:
        """The least fixpoint of a group; its bodies lie after its variables."""
        for variable in group.variables:
            self.values[variable] = self.empty(self.model.nodes[variable])
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

    def base(self, node: Node) -> Value:
        """What the execution gives."""
        if node.kind is SET:
            return self.sets.get(node.name, 0)
        found = self.relations.get(node.name)
        return Relation.empty(self.n) if found is None else found

    def empty(self, node: Node) -> Value:
        """The empty set or relation."""
        return 0 if node.kind is SET else Relation.empty(self.n)

    def universe(self, node: Node) -> Value:
        """All events, or all pairs."""
        return (1 << self.n) - 1 if node.kind is SET else Relation.full(self.n)

    def identity(self, node: Node) -> Value:
        """Every event and itself, of a set if there is one."""
        return Relation.identity(self.n, *[cast(int, self.values[argument]) for argument in node.args])

    def product(self, node: Node) -> Value:
        """All pairs from one set to another."""
        sources, targets = (cast(int, self.values[argument]) for argument in node.args)
        return Relation.product(self.n, sources, targets)

    def complement(self, node: Node) -> Value:
        """What is not in a set or relation."""
        value = self.values[node.args[0]]
        return ((1 << self.n) - 1) & ~value if isinstance(value, int) else value.complement()

    def recursive(self, node: Node) -> Value:
        """Never asked for: `_iterate` gives recursive names their values."""
        raise AssertionError(f"{node.name} is computed with its group")


_Rule: TypeAlias = Callable[[_Interpreter, Node], Value]


def _of_one(compute: Callable[[Relation], Value]) -> _Rule:
    def rule(interpreter: _Interpreter, node: Node) -> Value:
        return compute(cast(Relation, interpreter.values[node.args[0]]))

    return rule


def _of_two(
    sets: Callable[[int, int], int] | None, relations: Callable[[Relation, Relation], Relation]
) -> _Rule:
    """Of two relations, or of two sets where that has a meaning."""

    def rule(interpreter: _Interpreter, node: Node) -> Value:
        one, other = node.args
        first, second = interpreter.values[one], interpreter.values[other]
        if isinstance(first, Relation):
            return relations(first, cast(Relation, second))
        assert sets is not None
        return sets(first, cast(int, second))

    return rule


def _rule(op: Operator) -> _Rule:
    match op:
        case Operator.BASE:
            return _Interpreter.base
        case Operator.EMPTY:
            return _Interpreter.empty
        case Operator.UNIVERSE:
            return _Interpreter.universe
        case Operator.ID | Operator.IDENTITY_ON:
            return _Interpreter.identity
        case Operator.UNION:
            return _of_two(int.__or__, Relation.__or__)
        case Operator.INTERSECTION:
            return _of_two(int.__and__, Relation.__and__)
        case Operator.DIFFERENCE:
            return _of_two(lambda first, second: first & ~second, Relation.__sub__)
        case Operator.COMPLEMENT:
            return _Interpreter.complement
        case Operator.COMPOSITION:
            return _of_two(None, Relation.__matmul__)
        case Operator.PRODUCT:
            return _Interpreter.product
        case Operator.INVERSE:
            return _of_one(Relation.inverse)
        case Operator.OPTIONAL:
            return _of_one(Relation.optional)
        case Operator.PLUS:
            return _of_one(Relation.plus)
        case Operator.STAR:
            return _of_one(Relation.star)
        case Operator.DOMAIN:
            return _of_one(Relation.domain)
        case Operator.RANGE:
            return _of_one(Relation.range)
        case Operator.FIXPOINT:
            return _Interpreter.recursive
        case _:
            assert_never(op)


# Nodes are evaluated by the thousand, so which rule an operator has is decided once.
_RULES = {op: _rule(op) for op in Operator}
