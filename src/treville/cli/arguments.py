"""Numbers on the command line: what `argparse` needs to refuse wrong ones with a sentence."""

from __future__ import annotations

import argparse


def natural(text: str) -> int:
    """A whole number, zero included."""
    return _at_least(text, 0)


def positive(text: str) -> int:
    """A whole number above zero."""
    return _at_least(text, 1)


def seconds(text: str) -> float:
    """A positive, finite number of seconds."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds") from None
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"a positive number of seconds is needed, not {text}")
    return value


def _at_least(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
    if value < least:
        raise argparse.ArgumentTypeError(f"at least {least} is needed, not {value}")
    return value
