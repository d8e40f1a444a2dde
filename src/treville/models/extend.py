"""A model -> another one with further definitions and axioms: how derived models are built.

Atomic blocks, races, lifetimes and the views of portability add to a model what it does not say itself. Equal
definitions are shared, and old ones keep their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from treville.models.model import RELATION, Axiom, Kind, Model, Node, NodeId, Operator
from treville.records import replace

_Key: TypeAlias = tuple[Operator, tuple[NodeId, ...], Kind, str]


class Extension:
    """A model's definitions, and those that are added to them."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.nodes = list(model.nodes)
        self._known: dict[_Key, NodeId] = {}
        for number, node in model.numbered():
            if node.op is not Operator.FIXPOINT:  # two recursive names are not one
                self._known.setdefault(_key(node), number)

    def add(self, op: Operator, *args: NodeId, kind: Kind = RELATION, name: str = "") -> NodeId:
        """The number of a definition; of an equal one that is there already, if it is."""
        node = Node(op, args, kind, name)
        found = self._known.setdefault(_key(node), NodeId(len(self.nodes)))
        if found == len(self.nodes):
            self.nodes.append(node)
        return found

    def base(self, name: str, kind: Kind = RELATION) -> NodeId:
        """A base set or relation."""
        return self.add(Operator.BASE, kind=kind, name=name)

    def union(self, members: Sequence[NodeId]) -> NodeId:
        """The union of at least one set, or of relations."""
        result = members[0]
        for member in members[1:]:
            result = self.add(Operator.UNION, result, member, kind=self.nodes[member].kind)
        return result

    def copy(self, other: Model, roots: Iterable[NodeId]) -> dict[NodeId, NodeId]:
        """Where the definitions that the roots of another model need are now; it has no recursive ones."""
        needed = other.below(roots)
        places: dict[NodeId, NodeId] = {}
        for number, node in other.numbered():
            if number in needed:
                assert node.op is not Operator.FIXPOINT
                args = (places[argument] for argument in node.args)
                places[number] = self.add(node.op, *args, kind=node.kind, name=node.name)
        return places

    def with_axioms(self, *axioms: Axiom) -> Model:
        """The model with all that was added, and further axioms."""
        return self.with_all_axioms((*self.model.axioms, *axioms))

    def with_all_axioms(self, axioms: Iterable[Axiom]) -> Model:
        """The model with all that was added, and these axioms instead of its own."""
        return replace(self.model, nodes=tuple(self.nodes), axioms=tuple(axioms))


def _key(node: Node) -> _Key:
    return node.op, node.args, node.kind, node.name if node.op is Operator.BASE else ""


def renamed(model: Model, name_of: Callable[[Node], str]) -> Model:
    """The model reading other base sets and relations: those with the names that `name_of` gives."""
    nodes = [replace(node, name=name_of(node)) if node.op is Operator.BASE else node for node in model.nodes]
    return replace(model, nodes=tuple(nodes))
