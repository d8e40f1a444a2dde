"""Treville verifies concurrent programs on weak memory, for any memory model written in cat."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treville.api import CandidateExecution, OutcomeSet, Test, load_test

__version__ = "0.1.0"
__all__ = ["CandidateExecution", "OutcomeSet", "Test", "__version__", "load_test"]


def __getattr__(name: str) -> Any:
    """The interface is imported when it is first used, so that the command line starts at once."""
    if name in __all__:
        from treville import api

        return getattr(api, name)
    raise AttributeError(f"module 'treville' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What completion offers, imported or not."""
    return sorted({*globals(), *__all__})
