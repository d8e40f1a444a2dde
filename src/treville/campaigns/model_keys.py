"""What makes two models the same: their definitions, not their files' names."""

from __future__ import annotations

from functools import cache

from treville.campaigns.keys import text_key
from treville.campaigns.loading import load_model
from treville.models.identity import fingerprint
from treville.results.errors import TrevilleError


@cache
def model_key(name: str, variants: tuple[str, ...] = (), bell: str = "") -> str:
    """The content of a model, its includes resolved; that of a test's own choice follows from the test."""
    annotations = text_key(bell, None) if bell else ""
    if not name:
        return annotations
    try:
        model = load_model(name, variants, bell)
    except TrevilleError as error:
        return str(error)
    # Names decide what C is compiled for, and appear in explanations.
    axioms = [axiom.name for axiom in model.axioms]
    return f"{name} {fingerprint(model)} {sorted(model.base_names())} {axioms} {annotations}"
