"""The evaluator against set comprehension, and its verdicts on axioms, flags and recursions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treville.models.cat.resolve import resolve_text
from treville.models.evaluate import evaluate, holds
from treville.models.model import Axiom, AxiomKind, NodeId
from treville.relations import Relation, mask_of

N = 4
EVENTS = range(N)
Pairs = frozenset[tuple[int, int]]
ALL: Pairs = frozenset(product(EVENTS, EVENTS))
ID: Pairs = frozenset((i, i) for i in EVENTS)

relations = st.frozensets(st.sampled_from(sorted(ALL)), max_size=8)
sets = st.frozensets(st.sampled_from(sorted(EVENTS)))


def compose(r: Pairs, s: Pairs) -> Pairs:
    return frozenset((a, d) for a, b in r for c, d in s if b == c)


def closure(r: Pairs) -> Pairs:
    while True:
        larger = r | compose(r, r)
        if larger == r:
            return r
        r = larger


def on(members: frozenset[int]) -> Pairs:
    return frozenset((i, i) for i in members)


# cat text over po, rf and R, W; and the same by comprehension
FORMULAS: list[tuple[str, Callable[[Pairs, Pairs, frozenset[int], frozenset[int]], Pairs]]] = [
    ("po | rf", lambda p, r, s, t: p | r),
    ("po & rf", lambda p, r, s, t: p & r),
    ("po \\ rf", lambda p, r, s, t: p - r),
    ("po; rf", lambda p, r, s, t: compose(p, r)),
    ("~po", lambda p, r, s, t: ALL - p),
    ("po^-1", lambda p, r, s, t: frozenset((b, a) for a, b in p)),
    ("po?", lambda p, r, s, t: p | ID),
    ("po+", lambda p, r, s, t: closure(p)),
    ("po*", lambda p, r, s, t: closure(p) | ID),
    ("[R]; po; [W]", lambda p, r, s, t: frozenset((a, b) for a, b in p if a in s and b in t)),
    ("R * W", lambda p, r, s, t: frozenset(product(s, t))),
    ("po & (R * _)", lambda p, r, s, t: frozenset((a, b) for a, b in p if a in s)),
    ("[domain(po)]", lambda p, r, s, t: on(frozenset(a for a, _ in p))),
    ("[range(po) \\ R]", lambda p, r, s, t: on(frozenset(b for _, b in p) - s)),
    ("[~R | W]", lambda p, r, s, t: on((frozenset(EVENTS) - s) | t)),
    ("id \\ po", lambda p, r, s, t: ID - p),
    ("(po | rf)+ & ~id", lambda p, r, s, t: closure(p | r) - ID),
    ("let rec x = po | x; rf in x", lambda p, r, s, t: compose(p, closure(r) | ID)),
    ("let rec x = po | rf; x; rf in x", lambda p, r, s, t: palindromes(p, r)),
    ("let rec x = po | y; y and y = rf | x in x", lambda p, r, s, t: mutual(p, r)),
    ("let rec x = y | po and y = rf | po; y; po in x", lambda p, r, s, t: p | palindromes(r, p)),
    ("let rec x = y | po; x; po and y = rf | po; y; po in x", lambda p, r, s, t: palindromes(r, p)),
    ("let rec y = rf | po; y; po and x = po | y; x; y in x", lambda p, r, s, t: nested(p, r)),
    ("let rec x = po | y; x; y and y = rf | po; y; po in x", lambda p, r, s, t: nested(p, r)),
]


def palindromes(p: Pairs, r: Pairs) -> Pairs:
    found = p
    while True:
        larger = p | compose(compose(r, found), r)
        if larger <= found:
            return found
        found |= larger


def nested(p: Pairs, r: Pairs) -> Pairs:
    return palindromes(p, palindromes(r, p))


def mutual(p: Pairs, r: Pairs) -> Pairs:
    x: Pairs = frozenset()
    y: Pairs = frozenset()
    while True:
        following = (p | compose(y, y), r | x)
        if following == (x, y):
            return x
        x, y = following


@pytest.mark.parametrize(("text", "expected"), FORMULAS, ids=[text for text, _ in FORMULAS])
@settings(max_examples=60, deadline=None)
@given(relations, relations, sets, sets)
def test_operators_mean_what_comprehension_says(
    text: str,
    expected: Callable[[Pairs, Pairs, frozenset[int], frozenset[int]], Pairs],
    p: Pairs,
    r: Pairs,
    s: frozenset[int],
    t: frozenset[int],
) -> None:
    model = resolve_text(f"let result = {text}")
    given_relations = {"po": Relation.of(N, p), "rf": Relation.of(N, r)}
    found = evaluate(model, N, {"R": mask_of(s), "W": mask_of(t)}, given_relations)
    assert frozenset(found.relation("result").pairs()) == expected(p, r, s, t)


def test_names_that_are_not_given_are_empty() -> None:
    model = resolve_text("let a = R | MFENCE\nlet b = addr | rf")
    found = evaluate(model, 3, {"R": 0b10}, {})
    assert found.set("a") == 0b10
    assert not found.relation("b")


def test_asking_for_the_wrong_kind_fails() -> None:
    found = evaluate(resolve_text("let a = R\nlet b = po"), 2, {}, {})
    with pytest.raises(KeyError):
        found.relation("a")
    with pytest.raises(KeyError):
        found.set("b")


@pytest.mark.parametrize(
    ("kind", "pairs", "expected"),
    [
        ("acyclic", [(0, 1), (1, 2)], True),
        ("acyclic", [(0, 1), (1, 0)], False),
        ("irreflexive", [(0, 1), (1, 0)], True),
        ("irreflexive", [(1, 1)], False),
        ("empty", [], True),
        ("empty", [(0, 1)], False),
    ],
)
def test_axioms_and_their_negations(kind: str, pairs: list[tuple[int, int]], expected: bool) -> None:
    value = Relation.of(3, pairs)
    assert holds(Axiom(AxiomKind(kind), False, NodeId(0), "a"), value) is expected
    assert holds(Axiom(AxiomKind(kind), True, NodeId(0), "a"), value) is not expected


def test_roles_are_kept_apart() -> None:
    model = resolve_text(
        "acyclic po as order\nflag ~empty rf as reads\nundefined_unless empty rf as race\n"
        "assert empty rf as silent\n~empty rf as some"
    )
    cyclic = Relation.of(2, [(0, 1), (1, 0)])
    bad = evaluate(model, 2, {}, {"po": cyclic, "rf": cyclic})
    assert not bad.consistent
    assert [axiom.name for axiom in bad.violated] == ["order"]
    assert bad.flags == ["reads", "silent"]
    assert bad.undefined == ["race"]
    quiet = evaluate(model, 2, {}, {})
    assert [axiom.name for axiom in quiet.violated] == ["some"]
    assert quiet.flags == quiet.undefined == []


MATCHED = """
let matched = let rec
    locks = Rcu-lock \\ domain(m)
and unlocks = Rcu-unlock \\ range(m)
and free = [locks | unlocks]; po; [locks | unlocks]
and m = m | ([locks]; po; [unlocks]) \\ (free; free)
in m
"""


def test_nested_brackets_are_matched_as_herd7_does() -> None:
    # lock 0, lock 1, unlock 2, lock 3, unlock 4, unlock 5
    order = Relation.of(6, [(i, j) for i in range(6) for j in range(i + 1, 6)])
    tags = {"Rcu-lock": 0b001011, "Rcu-unlock": 0b110100}
    found = evaluate(resolve_text(MATCHED), 6, tags, {"po": order})
    assert sorted(found.relation("matched").pairs()) == [(0, 5), (1, 2), (3, 4)]


def test_recursions_inside_recursions() -> None:
    text = "let rec x = po | (let rec y = x | rf; y; rf in y); co; x"
    model = resolve_text(text + "\nacyclic x")
    found = evaluate(
        model,
        5,
        {},
        {
            "po": Relation.of(5, [(1, 2)]),
            "rf": Relation.of(5, [(0, 1), (2, 3)]),
            "co": Relation.of(5, [(3, 1)]),
        },
    )
    # y holds (1,2) and rf;(1,2);rf = (0,3); then (0,3);co;(1,2) puts (0,2) into x, and so on
    assert sorted(found.relation("x").pairs()) == [(0, 2), (1, 2)]


def test_only_what_axioms_need_can_be_asked_for() -> None:
    model = resolve_text("let rec x = po | rf; x; rf\nlet unused = (po | rf)+\nacyclic x | po as order")
    given_relations = {"po": Relation.of(3, [(0, 1), (1, 0)]), "rf": Relation.of(3, [(2, 0)])}
    whole = evaluate(model, 3, {}, given_relations)
    part = evaluate(model, 3, {}, given_relations, everything=False)
    assert [a.name for a in part.violated] == [a.name for a in whole.violated] == ["order"]
    assert part.relation("x") == whole.relation("x")
    assert part.values[model.definitions["unused"]] == 0
