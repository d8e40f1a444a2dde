"""Logs to histories."""

from treville.histories.formats.detection import read_history

__all__ = ["read_history"]
