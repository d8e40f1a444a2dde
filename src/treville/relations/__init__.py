"""Finite sets and binary relations over small ints: the algebra that every other part builds on.

An event is an int, a set of events is an int used as a bit mask, and a relation over `n` events is
a list of `n` row masks: bit `j` of `rows[i]` says that `(i, j)` is in the relation. Python's big
ints make union, composition and closure cheap without native code.

>>> chain = Relation.of(3, [(0, 1), (1, 2)])
>>> sorted(chain.plus().pairs())
[(0, 1), (0, 2), (1, 2)]
>>> chain.is_acyclic(), (chain | chain.inverse()).is_acyclic()
(True, False)
"""

from treville.relations.relation import Relation
from treville.relations.sets import EventId, all_events, bits, by_event, elements, last_of, mask_of, size

__all__ = [
    "EventId", "Relation", "all_events", "bits", "by_event", "elements", "last_of", "mask_of", "size",
]  # fmt: skip
