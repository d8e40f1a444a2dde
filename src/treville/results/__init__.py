"""Verdicts, places in inputs, errors, budgets and reports; shared by every part of the tool."""

from treville.results.budget import Budget
from treville.results.errors import (
    BudgetExceeded,
    InputError,
    OutOfWork,
    TooLarge,
    TrevilleError,
    Unsupported,
)
from treville.results.notices import Notice, as_warnings, warning_lines
from treville.results.source import Source, Span
from treville.results.verdict import EXIT_OF, ExitCode, Verdict, batch_exit

__all__ = [
    "EXIT_OF",
    "Budget",
    "BudgetExceeded",
    "ExitCode",
    "InputError",
    "Notice",
    "OutOfWork",
    "Source",
    "Span",
    "TooLarge",
    "TrevilleError",
    "Unsupported",
    "Verdict",
    "as_warnings",
    "batch_exit",
    "warning_lines",
]
