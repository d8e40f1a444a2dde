"""Whatever the text, reading a model ends in a model or in an InputError."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.seeds import generator

from treville.models.cat.files import LIBRARY
from treville.models.cat.resolve import resolve_text
from treville.models.library import MODELS
from treville.models.model import Model
from treville.results import InputError

KEYWORDS_AND_NAMES = """
let rec and in acyclic irreflexive empty show as fun flag try with if then else match end procedure call
forall do from enum include po rf co R W F _ 0 ( ) [ ] { } | & ; \\ * + ? ^ -1 ~ ++ || -> , = 'once 't
"v" "cos.cat" f x y domain range fencerel map generate_orders undefined_unless assert not && when
"""
WORDS = KEYWORDS_AND_NAMES.split()


def settle(text: str) -> bool:
    """True if it is a model; an InputError is fine, anything else is a bug."""
    try:
        return isinstance(resolve_text(text), Model)
    except InputError:
        return False


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_random_words_never_crash(words: list[str]) -> None:
    settle(" ".join(words))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_random_text_never_crashes(text: str) -> None:
    settle(text)


def mutate(text: str, source: random.Random) -> str:
    """Delete, double, swap or replace a few words or characters."""
    words = text.split(" ")
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(words))
        kind = source.randrange(5)
        if kind == 0:
            del words[at]
        elif kind == 1:
            words.insert(at, source.choice(WORDS))
        elif kind == 2:
            words[at] = source.choice(words)
        elif kind == 3:
            words[at] = words[at][::-1]
        else:
            cut = source.randrange(len(words[at]) + 1)
            words[at] = words[at][:cut] + chr(source.randrange(32, 400)) + words[at][cut:]
        words = words or [""]
    return " ".join(words)


@pytest.mark.parametrize("name", sorted(path.name for path in LIBRARY.glob("*.cat")))
def test_mutated_models_never_crash(name: str) -> None:
    text = (LIBRARY / name).read_text()
    source = generator(name)
    outcomes = [settle(mutate(text, source)) for _ in range(25)]
    assert len(outcomes) == 25
    if name.removesuffix(".cat") in MODELS:
        assert settle(text)
