"""What the code generator asks about a model's nodes: which depend on rf and co, what recursions they are in,
what they cost, and which axioms need them."""

from __future__ import annotations

from treville.models.model import SET, Axiom, FixpointGroup, Model, Node, NodeId, Operator
from treville.relations.graphs import reachable

DYNAMIC_BASES = frozenset({"rf", "co", "fr", "FW"})
# Beside one for any other operator.
_COST = {
    Operator.COMPOSITION: 4, Operator.PLUS: 5, Operator.STAR: 5, Operator.INVERSE: 4, Operator.FIXPOINT: 30,
    Operator.DOMAIN: 3, Operator.RANGE: 3,
}  # fmt: skip


class Facts:
    """Facts about one model; `nodes` are its own, to which base nodes may be added."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.nodes = list(model.nodes)
        self.group_of: dict[NodeId, FixpointGroup] = {v: g for g in model.groups for v in g.variables}
        self.dynamic = self._find_dynamic()
        self.inside_group = self._find_dependents()

    def node_of_base(self, name: str) -> NodeId:
        """The base set of that name, added when the model does not mention it."""
        for index, entry in enumerate(self.nodes):
            if entry.op is Operator.BASE and entry.name == name:
                return NodeId(index)
        self.nodes.append(Node(Operator.BASE, (), SET, name))
        self.dynamic.append(False)
        return NodeId(len(self.nodes) - 1)

    def children(self, node: NodeId) -> tuple[NodeId, ...]:
        """The nodes that a node is computed from; for a recursive name, the bodies of its group."""
        entry = self.nodes[node]
        return self.group_of[node].bodies if entry.op is Operator.FIXPOINT else entry.args

    def cost(self, node: NodeId, seen: set[NodeId] | None = None) -> int:
        """A rough count of the work to compute a node, shared parts once."""
        seen = set() if seen is None else seen
        if node in seen or not self.dynamic[node]:
            return 0
        seen.add(node)
        own = _COST.get(self.nodes[node].op, 1)
        return own + sum(self.cost(child, seen) for child in self.children(node))

    def users(self, axioms: list[Axiom]) -> dict[NodeId, int]:
        """For each dynamic node, the mask of the axioms (bit = position in the list) that need it."""
        masks: dict[NodeId, int] = {}
        for position, axiom in enumerate(axioms):
            for node in reachable([axiom.node], self._dynamic_children):
                if self.dynamic[node]:
                    masks[node] = masks.get(node, 0) | 1 << position
        return masks

    def _dynamic_children(self, node: NodeId) -> list[NodeId]:
        return [child for child in self.children(node) if self.dynamic[child]] if self.dynamic[node] else []

    def _find_dynamic(self) -> list[bool]:
        nodes = self.nodes
        dynamic = [node.op is Operator.BASE and node.name in DYNAMIC_BASES for node in nodes]
        changed = True
        while changed:
            changed = False
            for index in map(NodeId, range(len(nodes))):
                if not dynamic[index] and any(dynamic[child] for child in self.children(index)):
                    dynamic[index] = changed = True
        return dynamic

    def _find_dependents(self) -> dict[NodeId, set[NodeId]]:
        """For each recursive name, the nodes that depend on some name of its group."""
        out: dict[NodeId, set[NodeId]] = {}
        for group in self.model.groups:
            inside = set(group.variables)
            changed = True
            while changed:
                changed = False
                for index, node in self.model.numbered():
                    if index not in inside and inside.intersection(node.args):
                        inside.add(index)
                        changed = True
            out.update(dict.fromkeys(group.variables, inside))
        return out
