"""The analyses of where accesses may go, by name; what they do is in `analysis.aliases`.

Tasks carry one of these names, and most tasks are answered without any such analysis.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Alias(StrEnum):
    """Which analysis says where accesses may go."""

    FLOW = "flow"
    ANDERSEN = "andersen"
    NONE = "none"


FLOW: Final = Alias.FLOW
ANDERSEN: Final = Alias.ANDERSEN
NONE: Final = Alias.NONE
ALIASES = tuple(Alias)
