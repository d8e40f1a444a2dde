"""Recursive definitions: what the resolver makes of them equals their plain iteration, however nested."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from tests.seeds import conclusive, generator

from treville.models.cat.resolve import resolve_text
from treville.models.evaluate import evaluate
from treville.relations import Relation, mask_of

N = 4
Pairs = frozenset[tuple[int, int]]
Values = dict[str, Pairs]
Meaning = Callable[[Values], Pairs]
NOTHING: Pairs = frozenset()
ALL: Pairs = frozenset(product(range(N), range(N)))
BASES = ("po", "rf", "co", "addr", "data")


def compose(r: Pairs, s: Pairs) -> Pairs:
    return frozenset((a, d) for a, b in r for c, d in s if b == c)


def iterate(names: list[str], bodies: list[Meaning], values: Values) -> Values:
    """The least solution by definition: all names from empty, until nothing changes."""
    current = dict.fromkeys(names, NOTHING)
    while True:
        following = {name: body(values | current) for name, body in zip(names, bodies, strict=True)}
        if following == current:
            return current
        current = following


class Generator:
    """Random expressions, each as cat text and as a function of the values of names."""

    def __init__(self, seed: int) -> None:
        self.random = generator(seed)
        self.fresh = 0

    def expression(self, depth: int, names: tuple[str, ...]) -> tuple[str, Meaning]:
        choose = self.random.random()
        if depth == 0 or choose < 0.15:
            name = self.random.choice(names if names and self.random.random() < 0.6 else BASES)
            return name, lambda values: values[name]
        if choose < 0.3:
            return self.recursion(depth - 1, names)
        (left, first), (right, second) = (self.expression(depth - 1, names) for _ in range(2))
        operators: list[tuple[str, Meaning]] = [
            (f"({left} | {right})", lambda v: first(v) | second(v)),
            (f"({left} & {right})", lambda v: first(v) & second(v)),
            (f"({left} ; {right})", lambda v: compose(first(v), second(v))),
            (f"({left} ; {right})", lambda v: compose(first(v), second(v))),
            (f"({left})^-1", lambda v: frozenset((b, a) for a, b in first(v))),
            (f"([R] ; {left})", lambda v: frozenset((a, b) for a, b in first(v) if a % 2)),
            (f"({left} \\ po)", lambda v: first(v) - v["po"]),
            (f"({left} & ~po)", lambda v: first(v) & (ALL - v["po"])),
        ]
        return self.random.choice(operators)

    def recursion(self, depth: int, names: tuple[str, ...]) -> tuple[str, Meaning]:
        count = self.random.randint(1, 3)
        own = [f"n{self.fresh + i}" for i in range(count)]
        self.fresh += count
        bodies = [self.expression(depth, (*names, *own)) for _ in own]
        text = " and ".join(f"{name} = {body[0]}" for name, body in zip(own, bodies, strict=True))
        wanted = self.random.choice(own)
        meanings = [body[1] for body in bodies]
        return (
            f"(let rec {text} in {wanted})",
            lambda values: iterate(own, meanings, values)[wanted],
        )


@pytest.mark.parametrize("block", range(8))
def test_nested_and_mutual_recursions_mean_their_iteration(block: int) -> None:
    recursive = 0
    for seed in range(block * 60, block * 60 + 60):
        text, meaning = Generator(seed).recursion(2 + seed % 3, ())
        source = generator(seed)
        values = {name: frozenset(source.sample(sorted(ALL), source.randint(0, 5))) for name in BASES}
        model = resolve_text(f"let result = {text}")
        recursive += bool(model.groups)
        given = {name: Relation.of(N, pairs) for name, pairs in values.items()}
        found = evaluate(model, N, {"R": mask_of(i for i in range(N) if i % 2)}, given)
        assert frozenset(found.relation("result").pairs()) == meaning(values), text
    assert conclusive(bool(recursive))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("domain(po ; [s]) | first", {0, 1, 2}),
        ("first | range([s] ; co)", {2, 3}),
        ("domain(po ; [s])", set()),
        ("range([s] ; po) & _", set()),
    ],
)
def test_recursive_sets_are_told_from_recursive_relations(text: str, expected: set[int]) -> None:
    """The kind of a name that is defined by itself is that of the first operand that has a plain one."""
    model = resolve_text(f"let first = domain(data)\nlet rec s = {text}\nempty [s] as check", "m")
    empty = Relation.of(N, [])
    values = {
        "po": Relation.of(N, [(0, 1), (1, 2)]),
        "co": Relation.of(N, [(2, 3)]),
        "data": Relation.of(N, [(2, 0)]),
    }
    relations = {name: values.get(name, empty) for name in BASES}
    result = evaluate(model, N, {"_": (1 << N) - 1}, relations)
    assert bool(result.violated) == bool(expected)
    found = result.values[model.axioms[0].node]
    assert isinstance(found, Relation)
    assert {a for a, _ in found.pairs()} == expected
