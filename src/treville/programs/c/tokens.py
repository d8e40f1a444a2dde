"""The tokens of LLVM IR's text."""

from __future__ import annotations

import re

from treville.results import InputError

_TOKEN = re.compile(
    r"""\s*(?:;[^\n]*)?(?:
      (?P<local>%(?:"[^"]*"|[\w.$-]+))
    | (?P<global>@(?:"[^"]*"|[\w.$-]+))
    | (?P<metadata>![\w.$\\-]*(?:"[^"]*")?)
    | (?P<bytes>c"(?:[^"\\]|\\[0-9A-Fa-f]{2}|\\\\)*")
    | (?P<string>"[^"]*")
    | (?P<number>-?\d+(?![\w.]))
    | (?P<word>\#?[-\w.$]+(?:(?<=[0-9]e)[+-]\d+)?)
    | (?P<mark>\.\.\.|[\[\](){}<>,=*|:])
    )""",
    re.VERBOSE,
)
_MOST_DIGITS = 20  # of numbers of elements


class Tokens:
    """The tokens of one top-level entity or instruction."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.items: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None or match.lastgroup is None:
                if not text[at:].strip() or text[at:].lstrip().startswith(";"):
                    break
                raise InputError(f"LLVM IR that cannot be read: {text[at : at + 40].strip()!r}")
            self.items.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        self.at = 0

    def peek(self, ahead: int = 0) -> str:
        """The next token, or one further on; empty at the end."""
        place = self.at + ahead
        return self.items[place][1] if place < len(self.items) else ""

    def kind(self) -> str:
        """What the next token is."""
        return self.items[self.at][0] if self.at < len(self.items) else ""

    def next(self) -> str:
        """Step over the next token."""
        token = self.peek()
        if not token:
            raise InputError(f"LLVM IR ends too early: {self.text.strip()[:80]!r}")
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        """Step over the next token if it is this one."""
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        """Step over this token, which must come next."""
        if not self.accept(token):
            raise InputError(f"LLVM IR: expected {token!r} in {self.text.strip()[:120]!r}")

    def number(self) -> int:
        """Step over a whole number of 64 bits, which must come next."""
        token = self.next()
        if not (token.isascii() and token.isdigit() and len(token) <= _MOST_DIGITS):
            raise InputError(f"LLVM IR: expected a number in {self.text.strip()[:120]!r}")
        return int(token)

    def skip_balanced(self) -> None:
        """Skip a parenthesis with all it contains."""
        depth = 0
        while True:
            token = self.next()
            depth += token in "([{<"
            depth -= token in ")]}>"
            if depth == 0:
                return
