"""Which models do not notice fences without meaning.

A model may order accesses by every event that is a fence, whatever its tags (`imm` does). Under such a model
executions do not show where new fences would be.
"""

from __future__ import annotations

from treville.models.model import Model

_BY_ANY_FENCE = frozenset({"imm"})


def shows_gaps(model: Model) -> bool:
    """Does a fence without known tags mean nothing to the model?"""
    if model.shipped is not None:
        return model.shipped not in _BY_ANY_FENCE
    return "F" not in model.base_names()
