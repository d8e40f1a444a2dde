"""What is done where users say nothing: one place for what the commands and the Python interface share."""

from __future__ import annotations

# How often loops are unrolled, as herd7 does it. `treville check` deepens by itself instead.
BOUND = 2

# How long a question may take, for every command.
SECONDS = 60.0
