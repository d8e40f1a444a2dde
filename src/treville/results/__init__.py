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
from treville.results.source import Source, Span
from treville.results.verdict import EXIT_OF, SCHEMA, ExitCode, Verdict, batch_exit, report_line

__all__ = [
    "EXIT_OF",
    "SCHEMA",
    "Budget",
    "BudgetExceeded",
    "ExitCode",
    "InputError",
    "OutOfWork",
    "Source",
    "Span",
    "TooLarge",
    "TrevilleError",
    "Unsupported",
    "Verdict",
    "batch_exit",
    "report_line",
]
