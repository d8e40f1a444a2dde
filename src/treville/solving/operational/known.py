"""Which machine does just what a model says? Decided by what the model is, not by the name of its file."""

from __future__ import annotations

from pathlib import Path

from treville.models.cat.files import LIBRARY
from treville.models.model import Model

INTERLEAVING = "sc"  # the machine without buffers
_BUFFERED = {"sc": INTERLEAVING, "svcomp": INTERLEAVING, "tso": "tso", "pso": "pso"}
_VIEWED = "rc11"


def machine_of(model: Model) -> str | None:
    """The machine with or without buffers that does just what the model says, if there is one."""
    return _BUFFERED.get(model.name) if _is_shipped(model) else None


def has_views(model: Model) -> bool:
    """Does the machine with views do what the model says?"""
    return model.name == _VIEWED and _is_shipped(model)


def _is_shipped(model: Model) -> bool:
    return Path(model.file).parent == LIBRARY
