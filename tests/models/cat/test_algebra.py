"""What the resolver simplifies means the same: random expressions against sets of pairs.

Half of the operands are those that laws are about: nothing, everything, the identity, sets as relations."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TypeVar

import pytest
from tests.seeds import generator

from treville.models.cat.resolve import resolve_text
from treville.models.evaluate import evaluate
from treville.relations import Relation, mask_of

N = 3
ALL = frozenset(range(N))
Pairs = frozenset[tuple[int, int]]
Events = frozenset[int]
Member = TypeVar("Member")
ID: Pairs = frozenset((a, a) for a in ALL)
EVERYTHING: Pairs = frozenset(product(ALL, ALL))
NOTHING: Pairs = frozenset()


def compose(r: Pairs, s: Pairs) -> Pairs:
    return frozenset((a, d) for a, b in r for c, d in s if b == c)


def closure(r: Pairs) -> Pairs:
    while not compose(r, r) <= r:
        r |= compose(r, r)
    return r


class Expressions:
    """Random texts of cat with what they mean for given base sets and relations."""

    def __init__(self, choose: Random) -> None:
        self.choose = choose
        self.relations = {
            name: frozenset(choose.sample(sorted(EVERYTHING), choose.randint(1, 4)))
            for name in ("po", "rf", "co")
        }
        self.sets = {
            name: frozenset(choose.sample(sorted(ALL), choose.randint(1, 2))) for name in ("W", "F", "IW")
        }

    def set(self, depth: int) -> tuple[str, Events]:
        """A set."""
        pick = self.choose.choice
        if depth == 0:
            simple: list[tuple[str, Events]] = [*self.sets.items(), ("_", ALL), ("(W \\ W)", frozenset())]
            return pick(simple)
        kind = pick(("|", "&", "\\", "~", "domain", "range"))
        if kind in ("domain", "range"):
            text, pairs = self.relation(depth - 1)
            return f"{kind}({text})", frozenset(pair[kind == "range"] for pair in pairs)
        (one, first), (other, second) = self.set(depth - 1), self.set(depth - 1)
        if kind == "~":
            return f"(~{one})", ALL - first
        return f"({one} {kind} {other})", self._both(kind, first, second)

    def relation(self, depth: int) -> tuple[str, Pairs]:
        """A relation."""
        pick = self.choose.choice
        if depth == 0:
            base = pick(sorted(self.relations.items()))
            return pick((base, base, base, ("id", ID), ("0", NOTHING), ("(_ * _)", EVERYTHING)))
        kind = pick(("|", "&", "&", "\\", "~", ";", ";", "^-1", "+", "star", "?", "[]", "[]", "*"))
        if kind == "[]":
            text, events = self.set(depth - 1)
            return f"[{text}]", frozenset((a, a) for a in events)
        if kind == "*":
            (one, sources), (other, targets) = self.set(depth - 1), self.set(depth - 1)
            return f"({one} * {other})", frozenset(product(sources, targets))
        (one, first), (other, second) = self.relation(depth - 1), self.relation(depth - 1)
        match kind:
            case "~":
                return f"(~{one})", EVERYTHING - first
            case ";":
                return f"({one} ; {other})", compose(first, second)
            case "^-1":
                return f"({one})^-1", frozenset((b, a) for a, b in first)
            case "+":
                return f"({one})+", closure(first)
            case "star":
                return f"({one})*", closure(first) | ID
            case "?":
                return f"({one})?", first | ID
        return f"({one} {kind} {other})", self._both(kind, first, second)

    @staticmethod
    def _both(kind: str, first: frozenset[Member], second: frozenset[Member]) -> frozenset[Member]:
        return {"|": first | second, "&": first & second, "\\": first - second}[kind]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_simplified_expressions_mean_what_they_say(depth: int) -> None:
    choose = generator(f"algebra {depth}")
    for _ in range(120):
        expressions = Expressions(choose)
        text, expected = expressions.relation(depth)
        model = resolve_text(f"empty {text} as check", "m")
        relations = {name: Relation.of(N, pairs) for name, pairs in expressions.relations.items()}
        sets = {name: mask_of(events) for name, events in expressions.sets.items()}
        found = evaluate(model, N, sets, relations)
        assert bool(found.violated) == bool(expected), text
        value = found.values[model.axioms[0].node] if model.axioms else Relation.of(N, [])
        assert isinstance(value, Relation)
        assert frozenset(value.pairs()) == expected, text
