"""Programs in the input language of Porthos (`.pts`; paper 004, section 2.1) -> litmus tests: `parse`."""

from __future__ import annotations

from treville.programs.litmus.test import LitmusTest

SUFFIX = ".pts"


def parse(text: str, name: str, leave_after: int | None = None) -> LitmusTest:
    """Read a program; `name` is the file's name for messages. With `leave_after` loops are copied out that
    many times and left then, whatever their condition says, as Porthos does it."""
    from treville.programs.pts.reader import read

    return read(text, name, leave_after)
