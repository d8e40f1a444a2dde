"""Syntactic deadness (paper 004, Figure 5.4): executions whose final state tells them apart.

A difference matters to state portability only if its state is new. Many are not, because the order of some
writes was seen by nobody. An execution is syntactically dead if the coherence of writes that are not final
follows from what reads saw and from program order. Initial writes do not take part in that: they come first
in every execution. The figure's other condition, that branches depend on reads which read from a write,
holds of every execution here, where initial values are written by events.

Being dead is neither necessary nor sufficient for a new state: it says where to look first.
"""

from __future__ import annotations

from functools import lru_cache

from treville.models.cat.resolve import resolve_text
from treville.models.model import Model

_CAT = """
"syntactic deadness"
let order = [W \\ IW]; co
let next = order \\ (order; order)
let visible = rf?; (po; (rf^-1)?)?
empty (next; next; next^-1) \\ visible as observed-coherence
"""


@lru_cache(maxsize=1)
def deadness() -> Model:
    """The conditions as a model, so that every engine can use them."""
    return resolve_text(_CAT, "deadness.cat")
