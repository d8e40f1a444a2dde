"""The properties that programs are checked for, by the names that users give them."""

from __future__ import annotations

ASSERTION = "assertion"  # no assertion fails, no access is outside every object
RACE = "race"  # no two conflicting accesses are unordered
DEADLOCK = "deadlock"  # no thread waits for ever
LIVENESS = "liveness"  # every thread ends under fair scheduling
PROPERTIES = (ASSERTION, RACE, DEADLOCK, LIVENESS)
# What SV-COMP calls them.
ALIASES = {"unreach-call": ASSERTION, "no-data-race": RACE, "termination": LIVENESS}
