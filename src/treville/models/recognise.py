"""Facts about definitions that more than one stage looks for, each with its one definition.

From-read, atomic blocks taken as one event each, and the names that say what a definition is for: models of
this field call the order that all threads agree on `ghb`, `ob`'s local part `lob`, and happens-before `hb`.
"""

from __future__ import annotations

from functools import lru_cache

from treville.models.model import Model, Node, NodeId, Operator

# What models call the order of accesses that every thread agrees on, or the part of it inside a thread.
GLOBAL_ORDERS = ("ghb", "lob", "ppo")
HAPPENS_BEFORE = "hb"
BLOCK = "atomicblock"


def is_base(model: Model, node: NodeId, name: str) -> bool:
    """Is the node the base set or relation of that name?"""
    definition = model.nodes[node]
    return definition.op is Operator.BASE and definition.name == name


def is_from_read(model: Model, node: NodeId) -> bool:
    """Is the node `rf^-1 ; co`?"""
    return node in _from_reads(model)


@lru_cache(maxsize=64)
def _from_reads(model: Model) -> frozenset[NodeId]:
    """All such nodes: encoders ask for every pair."""
    return frozenset(number for number, node in model.numbered() if _composes_from_read(model, node))


def _composes_from_read(model: Model, node: Node) -> bool:
    if node.op is not Operator.COMPOSITION:
        return False
    first, second = node.args
    left = model.nodes[first]
    return left.op is Operator.INVERSE and is_base(model, left.args[0], "rf") and is_base(model, second, "co")


def order_of_blocks(model: Model, node: NodeId) -> NodeId | None:
    """The r of `atomicblock?; (r \\ atomicblock)`, which has no cycles if r has none with the events of each
    atomic block taken as one; None for any other node."""
    definition = model.nodes[node]
    if definition.op is not Operator.COMPOSITION:
        return None
    block, order = (model.nodes[argument] for argument in definition.args)
    if block.op is not Operator.OPTIONAL or order.op is not Operator.DIFFERENCE:
        return None
    if not is_base(model, block.args[0], BLOCK) or not is_base(model, order.args[1], BLOCK):
        return None
    return order.args[0]
