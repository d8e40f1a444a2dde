"""What events do to memory. Equal to the names that cat has for the three sets, and shown as these."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class EventKind(StrEnum):
    """A read, a write or a fence; who looks at all three matches them."""

    READ = "R"
    WRITE = "W"
    FENCE = "F"


# By the short names, which are also the fast ones: members of an enum are slow to look up in Python 3.11.
READ: Final = EventKind.READ
WRITE: Final = EventKind.WRITE
FENCE: Final = EventKind.FENCE
