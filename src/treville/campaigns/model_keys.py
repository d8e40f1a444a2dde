"""What makes two models the same: their definitions, not their files' names."""

from __future__ import annotations

from functools import cache

from treville.campaigns.loading import load_model
from treville.models.identity import fingerprint
from treville.results.errors import TrevilleError


@cache
def model_key(name: str, variants: tuple[str, ...] = (), bell: str = "") -> str:
    """The content of a model, its includes resolved; that of a test's own choice follows from the test."""
    if not name:
        return ""
    try:
        model = load_model(name, variants, bell)
    except TrevilleError as error:
        return str(error)
    return f"{name} {fingerprint(model)}"
