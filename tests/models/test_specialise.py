"""Shrinking a model to the kinds of events that occur."""

from __future__ import annotations

import random

import pytest

from treville.models.base import RELATIONS, SETS
from treville.models.cat.resolve import resolve_text
from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.models.specialise import specialise
from treville.relations import Relation


def test_what_cannot_fail_is_dropped() -> None:
    model = resolve_text("acyclic po | rf as one\nempty rmw & (fr; co) as two\nflag ~empty Plain as three\n")
    small = specialise(model, frozenset({"rmw", "Plain"}))
    assert [axiom.name for axiom in small.axioms] == ["one"]
    assert small.base_names() == {"po", "rf"}


def test_an_axiom_that_always_fails_is_kept() -> None:
    model = resolve_text("~empty rmw as some\nflag empty rmw as none\n")
    small = specialise(model, frozenset({"rmw"}))
    assert [axiom.name for axiom in small.axioms] == ["some", "none"]


def test_a_recursion_without_a_start_is_empty() -> None:
    model = resolve_text(
        "let rec a = (rmw; b) | [A] and b = (po; a) | (a; b)\nirreflexive a | b as x\nacyclic po as y\n"
    )
    assert [axiom.name for axiom in specialise(model, frozenset({"rmw", "A"})).axioms] == ["y"]
    assert len(specialise(model, frozenset({"rmw"})).axioms) == 2


def test_the_kernel_model_without_its_rarer_events_is_small() -> None:
    model = load_model("lkmm")
    kept = {"R", "W", "M", "F", "IW", "FW", "Once", "Mb"}
    small = specialise(model, frozenset(model.base_names() & SETS.keys() - kept) | {"rmw"})
    assert len(small.nodes) < len(model.nodes) / 5
    assert {axiom.name for axiom in small.axioms} == {"coherence", "happens-before", "propagation"}


@pytest.mark.parametrize("name", ["lkmm", "rc11", "c11", "tso", "power"])
@pytest.mark.parametrize("seed", range(12))
def test_the_smaller_model_says_the_same(name: str, seed: int) -> None:
    """On random (even senseless) executions in which the names are empty."""
    model = load_model(name)
    chance = random.Random(f"{name}{seed}")
    n = 7
    bases = sorted(model.base_names())
    empty = frozenset(base for base in bases if chance.random() < 0.5)
    sets = {b: chance.getrandbits(n) for b in bases if b in SETS and b not in empty}
    relations = {
        b: Relation.of(n, [(i, j) for i in range(n) for j in range(n) if chance.random() < 0.2])
        for b in bases
        if b in RELATIONS and b not in empty
    }
    large = evaluate(model, n, sets, relations)
    small = evaluate(specialise(model, empty), n, sets, relations)
    assert [a.name for a in small.violated] == [a.name for a in large.violated]
    assert (small.flags, small.undefined) == (large.flags, large.undefined)
