"""Does a model imply coherence per location? Asked for each model once."""

from __future__ import annotations

from functools import lru_cache

from treville.models.model import Model
from treville.solving.enumeration.implied import implies_coherence


@lru_cache(maxsize=64)
def known_coherent(model: Model) -> bool:
    """Does the model imply coherence per location? Remembered for each model."""
    return implies_coherence(model)
