"""A model and base names that are empty in a test -> the smaller model that says the same there.

Most tests have few kinds of events: without RCU, locks or plain accesses nearly nothing of the Linux kernel
model is left. The DAG is rebuilt with those names empty, and the constructors' laws do the rest; what no
axiom needs any more is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from treville.models.cat.graph import Graph
from treville.models.model import Axiom, FixpointGroup, Model, Node

_Rebuild = Callable[[Graph, Node, tuple[int, ...]], int]


def specialise(model: Model, empty: frozenset[str]) -> Model:
    """The model where the base sets and relations in `empty` are empty.

    Verdicts, flags and undefined behaviour are those of `model`; axioms keep their names and order, but one
    that cannot fail, or a flag that cannot be raised, is gone. `definitions` keeps the names that are left.
    """
    graph = Graph()
    table = _Table(model, graph, empty)
    axioms = []
    for axiom in model.axioms:
        node = table.node(axiom.node)
        if not _is_settled(axiom, graph, node):
            axioms.append((axiom, node))
    return _compact(model, graph, table, axioms)


def _is_settled(axiom: Axiom, graph: Graph, node: int) -> bool:
    """Is the tested relation always empty, and does that satisfy the axiom (or keep the flag down)?"""
    return graph.is_empty(node) and axiom.flag == axiom.negated


class _Table:
    """Old nodes -> new nodes, on demand, so that unused definitions cost nothing."""

    def __init__(self, model: Model, graph: Graph, empty: frozenset[str]) -> None:
        self.model, self.graph, self.empty = model, graph, empty
        self.known: dict[int, int] = {}
        self.groups = {variable: group for group in model.groups for variable in group.variables}

    def node(self, index: int) -> int:
        """The new node for an old one; arguments come first, without recursion on deep models."""
        pending = [index]
        while pending:
            top = pending[-1]
            if top in self.known:
                pending.pop()
                continue
            node = self.model.nodes[top]
            if node.op == "fixpoint":
                self._group(self.groups[top])
                continue
            missing = [argument for argument in node.args if argument not in self.known]
            if missing:
                pending.extend(missing)
                continue
            self.known[top] = self._rebuild(node)
            pending.pop()
        return self.known[index]

    def _rebuild(self, node: Node) -> int:
        arguments = tuple(self.known[argument] for argument in node.args)
        if node.op == "base" and node.name in self.empty:
            return self.graph.empty(node.kind)
        new = _CONSTRUCTORS[node.op](self.graph, node, arguments)
        if node.name and not self.graph.names[new]:
            self.graph.names[new] = node.name
        return new

    def _group(self, group: FixpointGroup) -> None:
        """A recursive group without the members that are empty as long as nothing outside makes them grow."""
        outer = self.known
        graph, nodes = self.graph, self.model.nodes
        growing: dict[int, int] = {}
        while True:
            self.known = dict(outer)
            for variable in group.variables:
                self.known[variable] = growing.get(variable, graph.empty(nodes[variable].kind))
            bodies = {v: self.node(body) for v, body in zip(group.variables, group.bodies, strict=True)}
            new = [v for v, body in bodies.items() if v not in growing and not graph.is_empty(body)]
            if not new:
                break
            for variable in new:
                growing[variable] = graph.variable(nodes[variable].name, nodes[variable].kind)
        if growing:
            solved = graph.close(list(growing.values()), [bodies[variable] for variable in growing])
            outer.update(zip(growing, solved, strict=True))
        for variable in group.variables:
            outer.setdefault(variable, graph.empty(nodes[variable].kind))
        self.known = outer


def _compact(model: Model, graph: Graph, table: _Table, axioms: list[tuple[Axiom, int]]) -> Model:
    """Keep the nodes that the axioms reach, in their order."""
    nodes, groups, place = graph.compact([node for _, node in axioms])
    return Model(
        name=model.name,
        nodes=nodes,
        groups=groups,
        axioms=[replace(axiom, node=place[node]) for axiom, node in axioms],
        definitions={
            name: place[new]
            for name, old in model.definitions.items()
            if (new := table.known.get(old)) is not None and new in place
        },
        file=model.file,
        title=model.title,
    )


_CONSTRUCTORS: dict[str, _Rebuild] = {
    "base": lambda g, node, _: g.base(node.name, node.kind),
    "empty": lambda g, node, _: g.empty(node.kind),
    "universe": lambda g, node, _: g.universe(node.kind),
    "id": lambda g, _node, _: g.id(),
    "union": lambda g, _node, a: g.union(*a),
    "inter": lambda g, _node, a: g.inter(*a),
    "diff": lambda g, _node, a: g.diff(*a),
    "complement": lambda g, _node, a: g.complement(*a),
    "seq": lambda g, _node, a: g.seq(*a),
    "product": lambda g, _node, a: g.product(*a),
    "inverse": lambda g, _node, a: g.inverse(*a),
    "identity": lambda g, _node, a: g.identity(*a),
    "domain": lambda g, _node, a: g.domain(*a),
    "range": lambda g, _node, a: g.range(*a),
    "opt": lambda g, _node, a: g.closure("opt", *a),
    "plus": lambda g, _node, a: g.closure("plus", *a),
    "star": lambda g, _node, a: g.closure("star", *a),
}
