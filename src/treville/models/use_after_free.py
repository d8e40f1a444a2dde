"""A model of C -> the same model with a flag for accesses that do not happen before their object is freed.

To free an object is a write to each of its cells, which conflicts with every access to it. In C two such
things must be ordered by happens-before, else the program has no meaning, so an access and a free that are
not ordered are an error as much as an access after the free (as GenMC has it). Models of hardware have no
such notion; there an access is wrong if it comes after the write in coherence, which needs no flag.
"""

from __future__ import annotations

from functools import lru_cache

from treville.models.evaluate import Evaluation
from treville.models.extend import Extension
from treville.models.model import SET, Axiom, AxiomKind, Model, Operator
from treville.models.recognise import HAPPENS_BEFORE
from treville.relations import Relation

USE_AFTER_FREE = "use-after-free"
_FREED = "FREE"


@lru_cache(maxsize=64)
def with_lifetimes(model: Model) -> Model:
    """The model with the flag, if it is one of C: it says what is undefined, and what happens before."""
    before = model.definitions.get(HAPPENS_BEFORE)
    if before is None or not any(axiom.undefined for axiom in model.axioms):
        return model
    build = Extension(model)
    freed, initial, accesses = (build.base(name, SET) for name in (_FREED, "IW", "M"))
    done = build.add(Operator.DIFFERENCE, accesses, initial, kind=SET)
    own = build.add(Operator.DIFFERENCE, done, freed, kind=SET)
    pairs = build.add(Operator.PRODUCT, own, freed)
    conflict = build.add(Operator.INTERSECTION, build.base("loc"), pairs)
    unordered = build.add(Operator.DIFFERENCE, conflict, before)
    return build.with_axioms(Axiom(AxiomKind.EMPTY, True, unordered, USE_AFTER_FREE, flag=True))


def uses_after_free(judged: Evaluation) -> list[tuple[int, int]]:
    """The accesses of an execution that do not happen before their object is freed, with what frees it."""
    for axiom in judged.model.axioms:
        value = judged.values[axiom.node] if axiom.name == USE_AFTER_FREE else None
        if isinstance(value, Relation):
            return list(value.pairs())
    return []
