"""Tests and models that campaigns are about, found by name."""

from __future__ import annotations

from treville.models import library
from treville.models.model import Model
from treville.programs.litmus import DIALECTS, parse
from treville.programs.litmus.test import LitmusTest
from treville.results import InputError


def load_test(text: str, name: str) -> LitmusTest:
    """Parse a litmus test; the name is for messages."""
    return parse(text, name)


def own_model(test: LitmusTest) -> str:
    """The model of the test's dialect."""
    return DIALECTS[test.dialect]


def load_model(name: str, variants: tuple[str, ...] = (), bell: str = "") -> Model:
    """A shipped model by name, or a `.cat` file; the library resolves each once per process."""
    try:
        return library.load_model(name, variants, bell or None)
    except OSError as error:
        raise InputError(f"cannot read the model: {error}") from None
