"""The properties that programs are checked for, by the names that users give them.

Some ask whether something goes wrong at a place in the program: which *errors* each of these is about is
told here, once. The others are about pairs of accesses, and about threads that do not go on.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import assert_never


class Error(StrEnum):
    """What can go wrong at a place in a program; each member's value is its name in reports."""

    ASSERTION = "assertion"
    ACCESS = "access"  # to memory outside every object, or after its end
    FREE = "free"  # of what is no object of the heap, or a second time
    LEAK = "leak"  # an object that nobody can free any more
    UNDEFINED = "undefined"  # other behaviour without a meaning, such as a division by zero


NEVER_WRITTEN = "a read of memory that was never written"
NEVER_SET = "a read of a local variable that was never set is reached"
UNORDERED = "an access that is not ordered after the allocation"


class Kind(Enum):
    """What a property is about."""

    ERRORS = "errors at places"
    RACES = "pairs of accesses"
    WAITING = "whether threads go on"


class Property(StrEnum):
    """What must not happen; each member's value is its name on the command line and in reports. The four of
    SV-COMP about memory have its names, and mean what they mean there."""

    SAFETY = "safety"  # none of the errors but leaks; no data race where the model says what that is
    ASSERTION = "assertion"  # no assertion fails
    MEMORY = "memory"  # memory is used as it may be, and nothing else is undefined
    RACE = "race"  # no two conflicting accesses are unordered
    DEADLOCK = "deadlock"  # no thread waits for ever
    LIVENESS = "liveness"  # every thread ends under fair scheduling
    VALID_MEMSAFETY = "valid-memsafety"  # the next three together
    VALID_DEREF = "valid-deref"
    VALID_FREE = "valid-free"
    VALID_MEMTRACK = "valid-memtrack"

    @property
    def errors(self) -> frozenset[Error]:
        """The errors that violate it."""
        match self:
            case Property.SAFETY:
                return frozenset({Error.ASSERTION, Error.ACCESS, Error.FREE, Error.UNDEFINED})
            case Property.ASSERTION:
                return frozenset({Error.ASSERTION})
            case Property.MEMORY:
                return frozenset({Error.ACCESS, Error.FREE, Error.UNDEFINED})
            case Property.VALID_MEMSAFETY:
                return frozenset({Error.ACCESS, Error.FREE, Error.LEAK})
            case Property.VALID_DEREF:
                return frozenset({Error.ACCESS})
            case Property.VALID_FREE:
                return frozenset({Error.FREE})
            case Property.VALID_MEMTRACK:
                return frozenset({Error.LEAK})
            case Property.RACE | Property.DEADLOCK | Property.LIVENESS:
                return frozenset()
            case _:
                assert_never(self)

    @property
    def kind(self) -> Kind:
        """What it is about; what `safety` says of races is a question of its own."""
        match self:
            case Property.RACE:
                return Kind.RACES
            case Property.DEADLOCK | Property.LIVENESS:
                return Kind.WAITING
            case Property.SAFETY | Property.ASSERTION | Property.MEMORY | Property.VALID_MEMSAFETY:
                return Kind.ERRORS
            case Property.VALID_DEREF | Property.VALID_FREE | Property.VALID_MEMTRACK:
                return Kind.ERRORS
            case _:
                assert_never(self)

    @property
    def is_about_failures(self) -> bool:
        """Does it ask whether something fails at a place in the program?"""
        return self.kind is Kind.ERRORS

    @property
    def is_about_waiting(self) -> bool:
        """Does it ask whether threads go on, rather than what they do?"""
        return self.kind is Kind.WAITING


# What SV-COMP calls the others.
ALIASES = {
    "unreach-call": Property.ASSERTION,
    "no-data-race": Property.RACE,
    "termination": Property.LIVENESS,
}


def property_of(name: str) -> Property:
    """The property of that name, or of SV-COMP's name for it. Raises `ValueError`."""
    return ALIASES.get(name) or Property(name)
