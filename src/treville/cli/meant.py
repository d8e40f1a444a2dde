"""What argparse says of a wrong option, command or choice -> what may have been meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_CHOICE = re.compile(r"invalid choice: '(?P<said>.*)' \(choose from (?P<choices>.*)\)", re.DOTALL)
_QUOTED = re.compile(r"'([^']*)'")
_UNKNOWN = "unrecognized arguments: "


def meant(message: str, names: Iterable[str]) -> str:
    """The choice or the name that looks most like what was said; empty if none does."""
    if (wrong := _CHOICE.search(message)) is not None:
        return _nearest(wrong["said"], _QUOTED.findall(wrong["choices"]))
    if message.startswith(_UNKNOWN):
        said = message.removeprefix(_UNKNOWN).split()[0].partition("=")[0]
        return _nearest(said, names) if said.startswith("-") else ""
    return ""


def _nearest(said: str, names: Iterable[str]) -> str:
    known = list(names)
    longer = [name for name in known if name.startswith(said) and len(said) > 2]
    return min(longer, key=len) if longer else next(iter(difflib.get_close_matches(said, known, 1)), "")
