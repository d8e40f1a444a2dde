"""Does a model imply coherence per location? If so the engine only lists coherent executions.

Coherence forbids five patterns: a po-loc step against `co`, `rf`, `co;rf`, `fr` or `fr;rf` (paper 004,
section 2.3; Alglave's "five patterns"). A node of the model surely contains certain words over the
letters po-loc, rf, co, fr; an `irreflexive` axiom over a node that contains a rotation of a pattern
excludes that pattern, and an `acyclic` axiom does so for the closure. This is a sufficient
condition: where it fails nothing is pruned.
"""

from __future__ import annotations

from treville.models.model import Model, Node

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


def implies_coherence(model: Model) -> bool:
    """True only if every consistent execution of the model is coherent per location."""
    words = _Words(model)
    excluded: set[Word] = set()
    for axiom in model.axioms:
        if axiom.flag or axiom.undefined or axiom.negated or axiom.kind == "empty":
            continue
        found = words.of(axiom.node)
        if axiom.kind == "acyclic":
            found = _closure(found)
        excluded |= {_merge_fr(w[i:] + w[:i]) for w in found for i in range(len(w))}
    return all(pattern in excluded for pattern in PATTERNS)


def implies_atomicity(model: Model) -> bool:
    """True only if the model forbids another thread's write between the halves of a read-modify-write."""
    words = _Words(model)
    for axiom in model.axioms:
        node = model.nodes[axiom.node]
        if axiom.flag or axiom.undefined or axiom.negated or axiom.kind != "empty" or node.op != "inter":
            continue
        for pairs, between in (node.args, node.args[::-1]):
            if ("rmw",) in words.of(pairs) and ("fre", "coe") in map(_merge_fr, words.of(between)):
                return True
    return False


class _Words:
    """The short words that each node surely contains."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.known: dict[int, frozenset[Word]] = {}
        self.body = {v: b for g in model.groups for v, b in zip(g.variables, g.bodies, strict=True)}

    def of(self, index: int) -> frozenset[Word]:
        if index not in self.known:
            self.known[index] = frozenset()  # what a recursive use may assume
            self.known[index] = self._compute(self.model.nodes[index], index)
        return self.known[index]

    def _compute(self, node: Node, index: int) -> frozenset[Word]:
        op, args = node.op, node.args
        if op == "base":
            return frozenset({(node.name,)}) if node.name in _LETTERS else frozenset()
        if op == "fixpoint":
            return self.of(self.body[index])
        if op == "union":
            return self.of(args[0]) | self.of(args[1])
        if op == "inter":
            return self._intersection(*args)
        if op == "diff":
            # rf, co and fr are irreflexive, so removing the identity takes nothing away.
            return self.of(args[0]) if self.model.nodes[args[1]].op == "id" else frozenset()
        if op == "seq":
            left, right = self.of(args[0]), self.of(args[1])
            return frozenset(a + b for a in left for b in right if len(a + b) <= _LONGEST)
        if op == "inverse":
            return frozenset({("rf^-1",)}) if self.of(args[0]) >= {("rf",)} else frozenset()
        if op == "opt":
            return self.of(args[0]) | {()}
        if op == "plus":
            return _closure(self.of(args[0]))
        if op == "star":
            return _closure(self.of(args[0])) | {()}
        if op == "identity":
            return frozenset({()}) if self._covers_memory(args[0]) else frozenset()
        return frozenset()

    def _intersection(self, left: int, right: int) -> frozenset[Word]:
        """With `loc`, a po step becomes po-loc, which is all that the patterns need; rf and co keep all."""
        for kept, other in ((left, right), (right, left)):
            node = self.model.nodes[other]
            if node.op == "base" and node.name == "loc":
                return frozenset(w for w in self.of(kept) if len(w) == 1)
            if node.op == "base" and node.name == "ext":
                merged = set(map(_merge_fr, self.of(kept)))
                return frozenset((name + "e",) for name in ("rf", "co", "fr") if (name,) in merged)
        return frozenset()

    def _covers_memory(self, index: int) -> bool:
        node = self.model.nodes[index]
        if node.op == "universe" or (node.op == "base" and node.name == "M"):
            return True
        return node.op == "union" and {self.model.nodes[a].name for a in node.args} >= {"R", "W"}


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
