"""What the parts of the methods' work weigh, so that methods that take turns get equally much.

A unit is about two and a half microseconds on the machine of `docs/performance.md`. The weights are means
over the nets of `bench/petri.py --corpus`; only their ratios matter, and none needs to be exact. Units are
counted by the budget: how far a method gets in its turn depends on the net alone and not on the machine.
"""

from __future__ import annotations

STEP = 4  # anything between two looks at the schedule
FIRING = 1  # a transition tried at a marking
LIFTING = 4  # a transition tried at a marking with infinities
MARKING = 16  # a marking or box compared with those that a backward search knows
PIVOT = 16  # of linear programming
CONDITION = 1000  # a transition's condition on half spaces, made for z3
# So much of z3's own count of work makes a unit.
RESOURCES = 40
