"""The properties that programs are checked for, by the names that users give them."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never


class Property(StrEnum):
    """What must not happen; each member's value is its name on the command line and in reports."""

    ASSERTION = "assertion"  # no assertion fails, and memory is used as it may be
    MEMORY = "memory"  # no access outside objects or after they are freed, nothing freed twice or by mistake
    RACE = "race"  # no two conflicting accesses are unordered
    DEADLOCK = "deadlock"  # no thread waits for ever
    LIVENESS = "liveness"  # every thread ends under fair scheduling

    @property
    def is_about_failures(self) -> bool:
        """Does it ask whether something fails at a place in the program?"""
        return self._kind() == "failures"

    @property
    def is_about_waiting(self) -> bool:
        """Does it ask whether threads go on, rather than what they do?"""
        return self._kind() == "waiting"

    def _kind(self) -> str:
        match self:
            case Property.ASSERTION | Property.MEMORY:
                return "failures"
            case Property.RACE:
                return "races"
            case Property.DEADLOCK | Property.LIVENESS:
                return "waiting"
            case _:
                assert_never(self)


# What SV-COMP calls them.
ALIASES = {
    "unreach-call": Property.ASSERTION,
    "valid-memsafety": Property.MEMORY,
    "valid-deref": Property.MEMORY,
    "valid-free": Property.MEMORY,
    "no-data-race": Property.RACE,
    "termination": Property.LIVENESS,
}


def property_of(name: str) -> Property:
    """The property of that name, or of SV-COMP's name for it. Raises `ValueError`."""
    return ALIASES.get(name) or Property(name)
