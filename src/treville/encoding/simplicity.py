"""Which axioms of a model are cheap to encode? The lazy engines encode these all the same."""

from __future__ import annotations

from treville.models.model import Axiom, Model, NodeId, Operator

# Beyond this many definitions an axiom is not simple (bench/check.py mutexes).
SIMPLE = 16


def eager_axioms(model: Model) -> list[Axiom]:
    """The axioms that the lazy engine encodes all the same: simple ones, and flags, which ask for more than
    one execution per state."""
    return [axiom for axiom in model.axioms if axiom.flag or axiom.undefined or is_simple(model, axiom)]


def is_simple(model: Model, axiom: Axiom) -> bool:
    """Is the axiom cheap to encode: no closure and no recursion, few definitions?"""
    seen: set[NodeId] = set()
    pending = [axiom.node]
    while pending:
        index = pending.pop()
        if index not in seen:
            seen.add(index)
            node = model.nodes[index]
            if node.op in (Operator.FIXPOINT, Operator.PLUS, Operator.STAR) or len(seen) > SIMPLE:
                return False
            pending.extend(node.args)
    return True
