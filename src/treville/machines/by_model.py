"""Which machine does just what a model says? Decided by what the model is, not by the name of its file."""

from __future__ import annotations

from treville.models.model import Model

INTERLEAVING = "sc"  # the machine without buffers
_BUFFERED = {"sc": INTERLEAVING, "svcomp": INTERLEAVING, "tso": "tso", "pso": "pso"}
_VIEWED = "rc11"


def machine_of(model: Model) -> str | None:
    """The machine with or without buffers that does just what the model says, if there is one."""
    return None if model.shipped is None else _BUFFERED.get(model.shipped)


def has_views(model: Model) -> bool:
    """Does the machine with views do what the model says?"""
    return model.shipped == _VIEWED
