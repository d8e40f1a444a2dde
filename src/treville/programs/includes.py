"""The files that a C or C++ file may bring in, by its own words: no compiler is asked.

What a line `#include` means depends on what is there; so all is told that it may mean, and whether a branch
of `#if` is compiled makes no difference.
"""

from __future__ import annotations

import os
import re

_SPLICE = re.compile(rb"(?:\\|\?\?/)[ \t]*\r?\n")
_DIRECTIVE = re.compile(
    rb"(?:#|%:|\?\?=)(?:\s|/\*.*?\*/)*(?:include_next|include|import|embed)\b(?:[ \t]|/\*.*?\*/)*([^\n]*)",
    re.DOTALL,
)
_LITERAL = re.compile(rb'"([^"\n]+)"|<([^>\n]+)>')
# Whether a file is there, or which time it is, no name of a file tells.
_ASKS = re.compile(
    rb"\b__has_(?:include|embed)|\b__(?:DATE|TIME|TIMESTAMP)__|^\s*(?:export\s+)?import\b", re.MULTILINE
)
# Folders that are searched without an option.
SEARCHED = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH")


def included(content: bytes) -> list[tuple[bool, str]] | None:
    """The names that a file includes, and whether its own folder is searched first; None if a macro names
    one, or the file asks for more than contents of files."""
    text = _SPLICE.sub(b"", content)
    if _ASKS.search(text):
        return None
    named = [_LITERAL.match(operand) for operand in _DIRECTIVE.findall(text)]
    if any(name is None for name in named):
        return None
    return [(name[1] is not None, os.fsdecode(name[1] or name[2])) for name in named if name is not None]
