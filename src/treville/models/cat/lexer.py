"""cat text -> tokens, with the words and comments that herd7 accepts.

A token's kind is its own text for keywords and operators, else `name`, `tag`, `string` or `eof`.
Comments are `(* ... *)`, which nest, and `//` or `#` up to the end of the line.
"""

from __future__ import annotations

import re

from treville.records import NamedTuple
from treville.results import InputError, Source

KEYWORDS = frozenset(
    {
        "let", "rec", "and", "when", "acyclic", "irreflexive", "empty", "show", "unshow", "subset", "as",
        "fun", "in", "undefined_unless", "flag", "assert", "include", "variant", "begin", "end",
        "procedure", "call", "enum", "debug", "match", "with", "forall", "from", "do", "try", "if",
        "then", "else", "catdep", "instructions", "default", "not",
    }
)  # fmt: skip

_TOKEN = re.compile(
    r"""[ \t\r\n\f]+
    | (?:\#|//)[^\n]*
    | (?P<comment>\(\*)
    | (?P<name>_?[A-Za-z][A-Za-z0-9_.\-]*'?)
    | (?P<tag>'_?[A-Za-z][A-Za-z0-9_.\-]*'?)
    | (?P<string>"[^"\n]*")
    | (?P<operator>\|\||\+\+|->|-1|&&|[(){}\[\]|&*~+^\\?=;,_0])""",
    re.VERBOSE,
)
_COMMENT_EDGE = re.compile(r"\(\*|\*\)")


class Tokens(NamedTuple):
    """The tokens of a text as parallel lists; the last one has kind `eof`."""

    kinds: list[str]
    texts: list[str]
    offsets: list[int]


def tokenise(source: Source) -> Tokens:
    """Split the text; raises InputError at a character that no token starts with."""
    text = source.text
    kinds: list[str] = []
    texts: list[str] = []
    offsets: list[int] = []
    position = 0
    match = _TOKEN.match
    while position < len(text):
        found = match(text, position)
        if found is None:
            raise _bad_character(source, position)
        group = found.lastgroup
        end = found.end()
        if group == "comment":
            end = _skip_comment(source, position)
        elif group is not None:
            word = found.group()
            if group == "operator" or (group == "name" and word in KEYWORDS):
                kinds.append(word)
            else:
                kinds.append(group)
                word = word[1:-1] if group == "string" else word[1:] if group == "tag" else word
            texts.append(word)
            offsets.append(position)
        position = end
    kinds.append("eof")
    texts.append("")
    offsets.append(len(text.rstrip()))
    return Tokens(kinds, texts, offsets)


def _skip_comment(source: Source, start: int) -> int:
    depth = 0
    for edge in _COMMENT_EDGE.finditer(source.text, start):
        depth += 1 if edge.group() == "(*" else -1
        if depth == 0:
            return edge.end()
    raise InputError("this comment is not closed", source.span(start, 2), "end it with *)")


def _bad_character(source: Source, position: int) -> InputError:
    character = source.text[position]
    if character == '"':
        return InputError("this string is not closed on its line", source.span(position), 'end it with "')
    return InputError(f"unexpected character {character!r}", source.span(position))
