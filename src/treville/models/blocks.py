"""A model -> the same model for programs with atomic blocks: no other thread gets between a block's events.

`svcomp` says so itself (paper 004, Figure 4.16). Under any other model a block stands between full fences,
and this adds that blocks, taken as one event each, are ordered like events: no path leads out of a block and
back into it through communication, fences, other blocks, and what the model itself orders globally.
"""

from __future__ import annotations

from dataclasses import replace

from treville.models.model import RELATION, SET, Axiom, Model, Node

BLOCK = "atomicblock"
_FULL_FENCES = ("MFENCE", "SYNC", "DMB.ISH", "Fence.rw.rw", "MEMBAR", "Mb")
# What models call the order of accesses that every thread agrees on, or the part of it inside a thread.
_ORDERS = ("ghb", "lob", "ppo")
_INTERLEAVING = ("sc", "svcomp")


class _Builder:
    """Appends nodes to a copy of a model's nodes; equal nodes are shared."""

    def __init__(self, model: Model) -> None:
        self.nodes = list(model.nodes)
        self.known = {
            (n.op, n.args, n.kind, n.name if n.op == "base" else ""): i for i, n in enumerate(self.nodes)
        }

    def add(self, op: str, *args: int, kind: str = RELATION, name: str = "") -> int:
        """The number of the node."""
        key = (op, args, kind, name)
        if key not in self.known:
            self.known[key] = len(self.nodes)
            self.nodes.append(Node(op, args, kind, name))
        return self.known[key]

    def base(self, name: str, kind: str = RELATION) -> int:
        """A base set or relation."""
        return self.add("base", kind=kind, name=name)

    def union(self, members: list[int], kind: str = RELATION) -> int:
        """The union of at least one set or relation."""
        result = members[0]
        for member in members[1:]:
            result = self.add("union", result, member, kind=kind)
        return result


def with_atomic_blocks(model: Model) -> Model:
    """The model with the axiom `atomic blocks`."""
    build = _Builder(model)
    reads, coherence, po = build.base("rf"), build.base("co"), build.base("po")
    from_reads = build.add("seq", build.add("inverse", reads), coherence)
    if model.name in _INTERLEAVING:
        order = build.union([po, reads, coherence, from_reads])
    else:
        communication = build.union([reads, coherence, from_reads])
        leaving = build.add("inter", communication, build.base("ext"))
        within = [model.definitions[name] for name in _ORDERS if name in model.definitions]
        within = [node for node in within if model.nodes[node].kind == RELATION]
        order = build.union([leaving, _fenced(build, po), *within])
    block = build.base(BLOCK)
    between = build.add("seq", build.add("opt", block), build.add("diff", order, block))
    axiom = Axiom("acyclic", False, between, "atomic blocks")
    return replace(model, nodes=build.nodes, axioms=[*model.axioms, axiom])


def _fenced(build: _Builder, po: int) -> int:
    """Program order across a full fence."""
    fences = [build.base(name, SET) for name in _FULL_FENCES]
    fences.append(build.add("inter", build.base("F", SET), build.base("SC", SET), kind=SET))
    full = build.add("identity", build.union(fences, SET))
    return build.add("seq", build.add("seq", po, full), po)
