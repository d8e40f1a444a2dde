"""What a command printed -> the same without times, versions and line breaks that mean nothing.

JSON is spread over lines, so that a difference is seen; long texts that are no JSON become their beginning,
their number of lines, and a hash.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

WIDTH = 110
LONG = 4096  # characters; what is longer and no JSON is hashed
_SHOWN = 8  # lines of a long text
_TIME = "*"

# Texts with times and versions, and what they become. The order matters.
_TEXTS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\b\d+\.\d+ s\b", f"{_TIME} s"),
    (r"^(Time \S+) \d+\.\d+$", rf"\1 {_TIME}"),
    # the table of `check`: verdict, bound, seconds
    (r"^(  .*\b(?:PASS|FAIL|UNKNOWN|error)\s+(?:\d+|-))\s+\d+\.\d\d\b", rf"\1  {_TIME}"),
    (r"(?<=^  seconds: ).*$", lambda found: re.sub(r"\d+\.\d+(?:e-\d+)?", _TIME, found.group())),
    (r"^treville \d+(\.\w+)+$", "treville {version}"),
    # how argparse wraps and quotes differs between versions of Python
    (r"\(choose from .*\)$", lambda found: found.group().replace("'", "")),
    # what LLVM says about itself
    (r"clang version [^\"\n]*", "clang version {version}"),
)
_CHANGES = [(re.compile(pattern, re.MULTILINE), replacement) for pattern, replacement in _TEXTS]


def normalised(text: str) -> str:
    """The text without what may differ from run to run."""
    lines: list[str] = []
    rest: list[str] = []
    for line in text.splitlines():
        found = _json(line)
        if found is None:
            rest.append(line)
        else:
            lines += [*_changed(rest), *spread(found).splitlines()]
            rest = []
    return "\n".join([*lines, *_changed(rest)])


def _changed(lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    for pattern, replacement in _CHANGES:
        text = pattern.sub(replacement, text)
    return _shortened(text.splitlines())


def _json(line: str) -> Json:
    """The object of a line, without its times; None if it is no object."""
    if not line.startswith("{"):
        return None
    try:
        return _without_times(json.loads(line))
    except ValueError:
        return None


def _without_times(value: Json, here: bool = False) -> Json:
    """`seconds` is a number, and `stages` has one for each: their names stay. Compilers and checksums go."""
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if key not in ("compiler", "checksum")}
        times = ("seconds", "stages")
        return {key: _without_times(inner, here or key in times) for key, inner in kept.items()}
    if isinstance(value, list):
        return [_without_times(inner, here) for inner in value]
    return _TIME if here and isinstance(value, int | float) else value


def spread(value: Json, indent: str = "") -> str:
    """JSON over as few lines as fit, where a container that does not fit begins a line for its parts."""
    whole = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(whole) <= WIDTH or not isinstance(value, dict | list) or not value:
        return whole
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {spread(v, deeper)}" for key, v in value.items()]
        first, last = "{", "}"
    else:
        parts = [spread(inner, deeper) for inner in value]
        first, last = "[", "]"
    return "\n".join([first, *_filled(parts, deeper), f"{indent}{last}"])


def _filled(parts: list[str], indent: str) -> list[str]:
    """The parts with commas, several to a line where they fit."""
    lines: list[str] = []
    room = False
    for number, part in enumerate(parts):
        text = part + ("," if number < len(parts) - 1 else "")
        if room and "\n" not in text and len(lines[-1]) + 1 + len(text) <= WIDTH:
            lines[-1] += f" {text}"
        else:
            lines.append(indent + text)
        room = "\n" not in text
    return lines


def _shortened(lines: list[str]) -> list[str]:
    """A long text as its first lines, its size and a hash; long lines end early."""
    text = "\n".join(lines)
    if len(text) <= LONG:
        return lines
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return [*(line[:WIDTH] for line in lines[:_SHOWN]), f"... {len(lines)} lines, sha256 {digest}"]
