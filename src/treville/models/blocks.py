"""A model -> the same model for programs with atomic blocks: no other thread gets between a block's events.

`svcomp` says so itself (paper 004, Figure 4.16). Under any other model a block stands between full fences,
and this adds that blocks, taken as one event each, are ordered like events: no path leads out of a block and
back into it through communication, fences, other blocks, and what the model itself orders globally.
"""

from __future__ import annotations

from treville.fences import FULL_FENCES
from treville.models.extend import Extension
from treville.models.model import RELATION, SET, Axiom, AxiomKind, Model, NodeId, Operator
from treville.models.recognise import BLOCK, GLOBAL_ORDERS

_INTERLEAVING = ("sc", "svcomp")


def with_atomic_blocks(model: Model) -> Model:
    """The model with the axiom `atomic blocks`, whose relation `recognise.order_of_blocks` knows."""
    build = Extension(model)
    order = _interleaved(build) if model.shipped in _INTERLEAVING else _ordered(build)
    block = build.base(BLOCK)
    outside = build.add(Operator.DIFFERENCE, order, block)
    between = build.add(Operator.COMPOSITION, build.add(Operator.OPTIONAL, block), outside)
    return build.with_axioms(Axiom(AxiomKind.ACYCLIC, False, between, "atomic blocks"))


def _interleaved(build: Extension) -> NodeId:
    """The order of a model under which threads are interleaved."""
    return build.union([build.base("po"), *_communication(build)])


def _ordered(build: Extension) -> NodeId:
    """What every model orders: communication between threads, what full fences stand between, and what the
    model says itself."""
    leaving = build.add(Operator.INTERSECTION, build.union(_communication(build)), build.base("ext"))
    definitions = build.model.definitions
    within = [definitions[name] for name in GLOBAL_ORDERS if name in definitions]
    within = [node for node in within if build.nodes[node].kind is RELATION]
    return build.union([leaving, _fenced(build), *within])


def _communication(build: Extension) -> list[NodeId]:
    reads, coherence = build.base("rf"), build.base("co")
    from_reads = build.add(Operator.COMPOSITION, build.add(Operator.INVERSE, reads), coherence)
    return [reads, coherence, from_reads]


def _fenced(build: Extension) -> NodeId:
    """Program order across a full fence."""
    fences = [build.base(name, SET) for name in sorted(FULL_FENCES)]
    of_c = (build.base("F", SET), build.base("SC", SET))
    fences.append(build.add(Operator.INTERSECTION, *of_c, kind=SET))
    full, po = build.add(Operator.IDENTITY_ON, build.union(fences)), build.base("po")
    return build.add(Operator.COMPOSITION, build.add(Operator.COMPOSITION, po, full), po)
