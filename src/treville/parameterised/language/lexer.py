"""Text of a `.cub` file -> tokens; nested comments, located complaints."""

from __future__ import annotations

import re

from treville.records import dataclass
from treville.results import InputError, Source

KEYWORDS = frozenset(
    (
        "type", "init", "transition", "invariant", "requires", "array", "var", "const", "unsafe", "case",
        "forall_other", "exists_other", "forall", "exists", "predicate", "if", "then", "else", "not", "true",
        "false", "number_procs", "let", "in", "weak", "fence",
    )
)  # fmt: skip
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\f]+)"
    r"|(?P<comment>\(\*)"
    r"|(?P<real>-?[0-9]+\.[0-9]*)"
    r"|(?P<integer>-?[0-9]+)"
    r"|(?P<process>#[0-9]+)"
    r"|(?P<upper>[A-Z][A-Za-z0-9_]*)"
    r"|(?P<lower>[a-z][A-Za-z0-9_']*)"
    r"|(?P<symbol><=>|=>|<=|>=|<>|:=|&&|\|\||[-=<>+*:;,.?|_()\[\]{}@])"
)
_COMMENT_EDGE = re.compile(r"\(\*|\*\)")
_LONGEST_NUMBER = 30


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the input; `kind` is keyword, upper, lower, integer, real, process, symbol or end."""

    kind: str
    text: str
    at: int


def tokens(source: Source) -> list[Token]:
    """All tokens, closed by one of kind `end`."""
    found: list[Token] = []
    position, text = 0, source.text
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise InputError(f"unexpected character {text[position]!r}", source.span(position))
        kind = str(match.lastgroup)
        if kind == "comment":
            position = _after_comment(source, position)
            continue
        position = match.end()
        if kind != "space":
            found.append(_token(source, kind, match))
    found.append(Token("end", "the end of the file", len(text)))
    return found


def _token(source: Source, kind: str, match: re.Match[str]) -> Token:
    word = match.group()
    if kind in ("integer", "real", "process") and len(word) > _LONGEST_NUMBER:
        raise InputError("this number is too long", source.span(match.start(), len(word)))
    return Token("keyword" if kind == "lower" and word in KEYWORDS else kind, word, match.start())


def _after_comment(source: Source, start: int) -> int:
    depth = 0
    for edge in _COMMENT_EDGE.finditer(source.text, start):
        depth += 1 if edge.group() == "(*" else -1
        if depth == 0:
            return edge.end()
    raise InputError("this comment is not closed", source.span(start, 2), "write *) where it ends")
