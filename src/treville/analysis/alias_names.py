"""The analyses of where accesses may go, by name; what they do is in `analysis.aliases`.

Tasks carry one of these names, and most tasks are answered without any such analysis.
"""

from __future__ import annotations

FLOW, ANDERSEN, NONE = "flow", "andersen", "none"
ALIASES = (FLOW, ANDERSEN, NONE)
