"""The properties that programs are checked for, by the names that users give them."""

from __future__ import annotations

ASSERTION = "assertion"  # no assertion fails, and memory is used as it may be
MEMORY = "memory"  # no access outside objects or after they are freed, nothing freed twice or by mistake
RACE = "race"  # no two conflicting accesses are unordered
DEADLOCK = "deadlock"  # no thread waits for ever
LIVENESS = "liveness"  # every thread ends under fair scheduling
PROPERTIES = (ASSERTION, MEMORY, RACE, DEADLOCK, LIVENESS)
# What SV-COMP calls them.
ALIASES = {
    "unreach-call": ASSERTION,
    "valid-memsafety": MEMORY,
    "valid-deref": MEMORY,
    "valid-free": MEMORY,
    "no-data-race": RACE,
    "termination": LIVENESS,
}
