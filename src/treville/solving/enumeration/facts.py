"""What the code generator asks about a model's nodes: which depend on rf and co, what recursions they are in,
what they cost, and which axioms need them."""

from __future__ import annotations

from dataclasses import replace

from treville.models.model import SET, Axiom, FixpointGroup, Model, Node
from treville.relations.graphs import reachable

DYNAMIC_BASES = frozenset({"rf", "co", "fr", "FW"})
_COST = {"seq": 4, "plus": 5, "star": 5, "inverse": 4, "fixpoint": 30, "domain": 3, "range": 3}


class Facts:
    """Facts about one model; works on a copy of its node list, to which base nodes may be added."""

    def __init__(self, model: Model) -> None:
        self.model = replace(model, nodes=list(model.nodes))
        self.group_of: dict[int, FixpointGroup] = {v: g for g in model.groups for v in g.variables}
        self.dynamic = self._find_dynamic()
        self.inside_group = self._find_dependents()

    def is_base(self, node: int, name: str) -> bool:
        """Is the node the base set or relation of that name?"""
        entry = self.model.nodes[node]
        return entry.op == "base" and entry.name == name

    def node_of_base(self, name: str) -> int:
        """The base set of that name, added when the model does not mention it."""
        for index, entry in enumerate(self.model.nodes):
            if entry.op == "base" and entry.name == name:
                return index
        self.model.nodes.append(Node("base", (), SET, name))
        self.dynamic.append(False)
        return len(self.model.nodes) - 1

    def children(self, node: int) -> tuple[int, ...]:
        """The nodes that a node is computed from; for a recursive name, the bodies of its group."""
        entry = self.model.nodes[node]
        return self.group_of[node].bodies if entry.op == "fixpoint" else entry.args

    def cost(self, node: int, seen: set[int] | None = None) -> int:
        """A rough count of the work to compute a node, shared parts once."""
        seen = set() if seen is None else seen
        if node in seen or not self.dynamic[node]:
            return 0
        seen.add(node)
        own = _COST.get(self.model.nodes[node].op, 1)
        return own + sum(self.cost(child, seen) for child in self.children(node))

    def users(self, axioms: list[Axiom]) -> dict[int, int]:
        """For each dynamic node, the mask of the axioms (bit = position in the list) that need it."""
        masks: dict[int, int] = {}
        for position, axiom in enumerate(axioms):
            for node in reachable([axiom.node], self._dynamic_children):
                if self.dynamic[node]:
                    masks[node] = masks.get(node, 0) | 1 << position
        return masks

    def _dynamic_children(self, node: int) -> list[int]:
        return [child for child in self.children(node) if self.dynamic[child]] if self.dynamic[node] else []

    def _find_dynamic(self) -> list[bool]:
        nodes = self.model.nodes
        dynamic = [node.op == "base" and node.name in DYNAMIC_BASES for node in nodes]
        changed = True
        while changed:
            changed = False
            for index in range(len(nodes)):
                if not dynamic[index] and any(dynamic[child] for child in self.children(index)):
                    dynamic[index] = changed = True
        return dynamic

    def _find_dependents(self) -> dict[int, set[int]]:
        """For each recursive name, the nodes that depend on some name of its group."""
        out: dict[int, set[int]] = {}
        for group in self.model.groups:
            inside = set(group.variables)
            changed = True
            while changed:
                changed = False
                for index, node in enumerate(self.model.nodes):
                    if index not in inside and inside.intersection(node.args):
                        inside.add(index)
                        changed = True
            out.update(dict.fromkeys(group.variables, inside))
        return out
