"""A model of C -> the same model with a flag for accesses that do not happen before their object is freed.

To free an object is a write to each of its cells, which conflicts with every access to it. In C two such
things must be ordered by happens-before, else the program has no meaning, so an access and a free that are
not ordered are an error as much as an access after the free (as GenMC has it). Models of hardware have no
such notion; there an access is wrong if it comes after the write in coherence, which needs no flag.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from treville.models.evaluate import Evaluation
from treville.models.model import RELATION, SET, Axiom, Model, Node
from treville.relations import Relation

USE_AFTER_FREE = "use-after-free"
_HAPPENS_BEFORE = "hb"
_FREED = "FREE"


@lru_cache(maxsize=64)
def with_lifetimes(model: Model) -> Model:
    """The model with the flag, if it is one of C: it says what is undefined, and what happens before."""
    before = model.definitions.get(_HAPPENS_BEFORE)
    if before is None or not any(axiom.undefined for axiom in model.axioms):
        return model
    nodes = list(model.nodes)

    def add(op: str, *args: int, kind: str = RELATION, name: str = "") -> int:
        nodes.append(Node(op, args, kind, name))
        return len(nodes) - 1

    freed = add("base", kind=SET, name=_FREED)
    initial, accesses = add("base", kind=SET, name="IW"), add("base", kind=SET, name="M")
    own = add("diff", add("diff", accesses, initial, kind=SET), freed, kind=SET)
    conflict = add("inter", add("base", name="loc"), add("product", own, freed))
    flag = Axiom("empty", True, add("diff", conflict, before), USE_AFTER_FREE, flag=True)
    return replace(model, nodes=nodes, axioms=[*model.axioms, flag])


def uses_after_free(judged: Evaluation) -> list[tuple[int, int]]:
    """The accesses of an execution that do not happen before their object is freed, with what frees it."""
    for axiom in judged.model.axioms:
        value = judged.values[axiom.node] if axiom.name == USE_AFTER_FREE else None
        if isinstance(value, Relation):
            return list(value.pairs())
    return []
