"""Could this recorded run happen under this consistency level? The testing problem of paper 004, chapter 3.

`read_history` turns a log into a `History`, `check` turns a history and a level into an `Answer` with
evidence. A level is data (`levels.py`): which views there are and which orders they respect.
"""

from treville.histories.check import Answer, check
from treville.histories.formats import read_history
from treville.histories.history import Events, History, Operation, Status
from treville.histories.levels import LEVELS, Level, find_level

__all__ = [
    "LEVELS",
    "Answer",
    "Events",
    "History",
    "Level",
    "Operation",
    "Status",
    "check",
    "find_level",
    "read_history",
]
