"""Does a model imply coherence per location? If so engines only look at coherent executions.

Coherence forbids five patterns: a po-loc step against `co`, `rf`, `co;rf`, `fr` or `fr;rf` (paper 004,
section 2.3; Alglave's "five patterns"). A node of the model surely contains certain words over the
letters po-loc, rf, co, fr; an `irreflexive` axiom over a node that contains a rotation of a pattern
excludes that pattern, and an `acyclic` axiom does so for the closure. This is a sufficient
condition: where it fails nothing is pruned.
"""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from treville.models.model import AxiomKind, Model, Node, NodeId, Operator
from treville.models.recognise import is_base

Word = tuple[str, ...]
PATTERNS: tuple[Word, ...] = (
    ("po", "co"),
    ("po", "rf"),
    ("po", "co", "rf"),
    ("po", "fr"),
    ("po", "fr", "rf"),
)
_LETTERS = ("po", "rf", "co", "fr", "rmw")
_LONGEST = 4


@lru_cache(maxsize=64)
def implies_coherence(model: Model) -> bool:
    """True only if every consistent execution of the model is coherent per location."""
    words = _Words(model)
    excluded: set[Word] = set()
    for axiom in model.constraints():
        if axiom.negated or axiom.kind is AxiomKind.EMPTY:
            continue
        found = words.of(axiom.node)
        if axiom.kind is AxiomKind.ACYCLIC:
            found = _closure(found)
        excluded |= {_merge_fr(w[i:] + w[:i]) for w in found for i in range(len(w))}
    return all(pattern in excluded for pattern in PATTERNS)


@lru_cache(maxsize=64)
def implies_atomicity(model: Model) -> bool:
    """True only if the model forbids another thread's write between the halves of a read-modify-write."""
    words = _Words(model)
    for axiom in model.constraints():
        node = model.nodes[axiom.node]
        if axiom.negated or axiom.kind is not AxiomKind.EMPTY or node.op is not Operator.INTERSECTION:
            continue
        for pairs, between in (node.args, node.args[::-1]):
            if ("rmw",) in words.of(pairs) and ("fre", "coe") in map(_merge_fr, words.of(between)):
                return True
    return False


class _Words:
    """The short words that each node surely contains."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.known: dict[NodeId, frozenset[Word]] = {}
        self.body = model.bodies()

    def of(self, index: NodeId) -> frozenset[Word]:
        if index not in self.known:
            self.known[index] = frozenset()  # what a recursive use may assume
            self.known[index] = self._compute(self.model.nodes[index], index)
        return self.known[index]

    def _compute(self, node: Node, index: NodeId) -> frozenset[Word]:
        op, args = node.op, node.args
        match op:
            case Operator.BASE:
                return frozenset({(node.name,)}) if node.name in _LETTERS else frozenset()
            case Operator.FIXPOINT:
                return self.of(self.body[index])
            case Operator.UNION:
                return self.of(args[0]) | self.of(args[1])
            case Operator.INTERSECTION:
                return self._intersection(*args)
            case Operator.DIFFERENCE:
                # rf, co and fr are irreflexive, so removing the identity takes nothing away.
                return self.of(args[0]) if self.model.nodes[args[1]].op is Operator.ID else frozenset()
            case Operator.COMPOSITION:
                left, right = self.of(args[0]), self.of(args[1])
                return frozenset(a + b for a in left for b in right if len(a + b) <= _LONGEST)
            case Operator.INVERSE:
                return frozenset({("rf^-1",)}) if self.of(args[0]) >= {("rf",)} else frozenset()
            case Operator.OPTIONAL:
                return self.of(args[0]) | {()}
            case Operator.PLUS:
                return _closure(self.of(args[0]))
            case Operator.STAR:
                return _closure(self.of(args[0])) | {()}
            case Operator.IDENTITY_ON:
                return frozenset({()}) if self._covers_memory(args[0]) else frozenset()
            case Operator.EMPTY | Operator.UNIVERSE | Operator.ID | Operator.COMPLEMENT | Operator.PRODUCT:
                return frozenset()
            case Operator.DOMAIN | Operator.RANGE:
                return frozenset()
            case _:
                assert_never(op)

    def _intersection(self, left: NodeId, right: NodeId) -> frozenset[Word]:
        """With `loc`, a po step becomes po-loc, which is all that the patterns need; rf and co keep all."""
        for kept, other in ((left, right), (right, left)):
            if is_base(self.model, other, "loc"):
                return frozenset(w for w in self.of(kept) if len(w) == 1)
            if is_base(self.model, other, "ext"):
                merged = set(map(_merge_fr, self.of(kept)))
                return frozenset((name + "e",) for name in ("rf", "co", "fr") if (name,) in merged)
        return frozenset()

    def _covers_memory(self, index: NodeId) -> bool:
        node = self.model.nodes[index]
        if node.op is Operator.UNIVERSE or is_base(self.model, index, "M"):
            return True
        return node.op is Operator.UNION and {self.model.nodes[a].name for a in node.args} >= {"R", "W"}


def _closure(words: frozenset[Word]) -> frozenset[Word]:
    found = set(words)
    frontier = set(words)
    while frontier:
        frontier = {a + b for a in frontier for b in words if len(b) > 0 and len(a + b) <= _LONGEST} - found
        found |= frontier
    return frozenset(found)


def _merge_fr(word: Word) -> Word:
    """Write `rf^-1 ; co` as `fr`."""
    out: list[str] = []
    for letter in word:
        if letter == "co" and out and out[-1] == "rf^-1":
            out[-1] = "fr"
        else:
            out.append(letter)
    return tuple(out)
