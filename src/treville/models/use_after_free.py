"""A model of C -> the same model with flags for accesses that do not happen in the life of their object.

To free an object is a write to each of its cells, which conflicts with every access to it. In C two such
things must be ordered by happens-before, else the program has no meaning, so an access and a free that are
not ordered are an error as much as an access after the free (as GenMC has it). Models of hardware have no
such notion; there an access is wrong if it comes after the write in coherence, which needs no flag.
Likewise an access must happen after the allocation, which is an event where that is in doubt.
"""

from __future__ import annotations

from functools import lru_cache

from treville.models.evaluate import Evaluation
from treville.models.extend import Extension
from treville.models.model import SET, Axiom, AxiomKind, Model, Operator
from treville.models.recognise import HAPPENS_BEFORE
from treville.relations import Relation

USE_AFTER_FREE = "use-after-free"
BEFORE_ALLOCATION = "access-before-allocation"
LIFETIMES = (USE_AFTER_FREE, BEFORE_ALLOCATION)
_FREED, _BEGUN = "FREE", "ALLOC"


def knows_lifetimes(model: Model) -> bool:
    """Is it a model of C: does it say what is undefined, and what happens before?"""
    return HAPPENS_BEFORE in model.definitions and any(axiom.undefined for axiom in model.axioms)


@lru_cache(maxsize=64)
def with_beginnings(model: Model) -> Model:
    """The model of C with a flag for accesses that do not happen after their object was allocated."""
    before = model.definitions.get(HAPPENS_BEFORE)
    if before is None or not knows_lifetimes(model):
        return model
    build = Extension(model)
    begun, initial, accesses = (build.base(name, SET) for name in (_BEGUN, "IW", "M"))
    done = build.add(Operator.DIFFERENCE, accesses, initial, kind=SET)
    pairs = build.add(Operator.PRODUCT, begun, done)
    same = build.add(Operator.INTERSECTION, build.base("loc"), pairs)
    unordered = build.add(Operator.DIFFERENCE, same, before)
    return build.with_axioms(Axiom(AxiomKind.EMPTY, True, unordered, BEFORE_ALLOCATION, flag=True))


@lru_cache(maxsize=64)
def with_lifetimes(model: Model) -> Model:
    """The model with the flag, if it is one of C."""
    before = model.definitions.get(HAPPENS_BEFORE)
    if before is None or not knows_lifetimes(model):
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
    return _flagged(judged, USE_AFTER_FREE)


def uses_before_allocation(judged: Evaluation) -> list[tuple[int, int]]:
    """The allocations of objects in an execution, with the accesses that do not happen after them."""
    return _flagged(judged, BEFORE_ALLOCATION)


def _flagged(judged: Evaluation, name: str) -> list[tuple[int, int]]:
    for axiom in judged.model.axioms:
        value = judged.values[axiom.node] if axiom.name == name else None
        if isinstance(value, Relation):
            return list(value.pairs())
    return []
