"""The clauses behind a litmus program -> tokens, and the small steps that readers take over them."""

from __future__ import annotations

import re

from treville.programs.litmus.layout import Sections
from treville.programs.litmus.literals import parse_number
from treville.results import InputError, Unsupported

_TOKEN = re.compile(
    r"\s*+(?:(/\\)|(\\/)|(=>)|(==?)|(!=|<>)|(~|not\b)|(-?0[xX][0-9a-fA-F]+|-?\d+)"
    r'|(instr:\s*"[^"]*")|(label:\s*"[^"]*")|(%?[A-Za-z_.$][\w.$/]*)|(\S))'
)
(AND, OR, IMPLIES, EQUAL, DIFFERENT, NOT, NUMBER, INSTRUCTION, LABEL, NAME, SIGN) = range(1, 12)


class Tokens:
    """A cursor over the tokens: (kind, text, offset in the section)."""

    def __init__(self, sections: Sections) -> None:
        self.sections = sections
        self.text, self.base = sections.conditions
        self.tokens = [
            (m.lastindex or 0, m.group(m.lastindex or 0), m.start(m.lastindex or 0))
            for m in _TOKEN.finditer(self.text.rstrip())
        ]
        self.tokens.append((0, "", len(self.text)))
        self.place = 0

    @property
    def kind(self) -> int:
        """What sort of token is next; 0 at the end."""
        return self.tokens[self.place][0]

    @property
    def word(self) -> str:
        """The next token's text."""
        return self.tokens[self.place][1]

    def step(self) -> None:
        """Go to the next token."""
        if self.tokens[self.place][0]:
            self.place += 1

    def take(self, sign: str) -> bool:
        """Step over a punctuation sign if it is next."""
        kind, word, _ = self.tokens[self.place]
        if kind == SIGN and word == sign:
            self.place += 1
            return True
        return False

    def expect(self, sign: str) -> None:
        """Step over a punctuation sign that must be next."""
        if not self.take(sign):
            raise self.fail(f"'{sign}'")

    def identifier(self) -> str:
        """Step over a name."""
        kind, word, _ = self.tokens[self.place]
        if kind != NAME:
            raise self.fail("a name")
        self.place += 1
        return word

    def number(self) -> int:
        """Step over a number."""
        kind, word, _ = self.tokens[self.place]
        if kind != NUMBER:
            raise self.fail("a number")
        self.place += 1
        return parse_number(word)

    def fail(self, expected: str) -> InputError:
        """An error at the next token, for the caller to raise."""
        _, word, offset = self.tokens[self.place]
        found = repr(word) if word else "the end of the file"
        return self.sections.error(
            f"condition: expected {expected}, found {found}", self.base + offset, max(1, len(word))
        )

    def unsupported(self, construct: str) -> Unsupported:
        """A refusal of the next token, for the caller to raise."""
        _, word, offset = self.tokens[self.place]
        span = self.sections.source.span(self.base + offset, max(1, len(word)))
        return Unsupported(f"{construct} in the condition", span)
