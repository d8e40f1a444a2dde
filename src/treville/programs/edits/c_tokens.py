"""The words of a C source as it is typed, with where they stand; comments and directives are left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from treville.records import NamedTuple

_WORD = re.compile(
    r"""(?P<skip>\s+ | //[^\n]* | /\*.*?(?:\*/|\Z) | \\\n)
      | (?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"? | (?:[uUL])?'(?:[^'\\\n]|\\.)*'?)
      | (?P<name>[A-Za-z_$]\w*)
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<mark>::|->|[^\s])""",
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"[ \t]*#(?:[^\n\\]|\\.|\\\n|/\*.*?\*/)*", re.DOTALL)
_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)\n]*\))?")

# What says that the lines behind it are numbered otherwise, as programs that write sources do.
_RENUMBERED = re.compile(r"^[ \t]*#[ \t]*(?:line\b|\d)", re.MULTILINE)


class Word(NamedTuple):
    """A token and where it stands."""

    text: str
    start: int
    is_name: bool

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


class Macro(NamedTuple):
    """A definition: its name and the words of what it stands for."""

    name: str
    body: tuple[Word, ...]


def words_of(text: str) -> tuple[list[Word], dict[str, Macro]]:
    """The words of a source outside directives, and its macros. One that is defined twice is none."""
    words: list[Word] = []
    macros: dict[str, Macro] = {}
    twice: set[str] = set()
    at = 0
    fresh = True  # nothing but space since the beginning of the line
    while at < len(text):
        directive = _DIRECTIVE.match(text, at) if fresh else None
        if directive is not None:
            macro = _macro(text, directive)
            if macro is not None:
                twice |= {macro.name} & macros.keys()
                macros[macro.name] = macro
            at = directive.end()
            continue
        match = _WORD.match(text, at)
        assert match is not None
        at = match.end()
        if match.lastgroup == "skip":
            fresh = fresh or "\n" in match.group()
            continue
        fresh = False
        words.append(Word(match.group(), match.start(), match.lastgroup == "name"))
    return words, {name: macro for name, macro in macros.items() if name not in twice}


def generated_from(text: str) -> int | None:
    """Where the part of a source begins that was made of another file; None: people wrote all of it."""
    found = _RENUMBERED.search(text)
    return found.start() if found else None


def _macro(text: str, directive: re.Match[str]) -> Macro | None:
    head = _DEFINE.match(text, directive.start(), directive.end())
    if head is None:
        return None
    body = []
    at = head.end()
    while at < directive.end():
        match = _WORD.match(text, at, directive.end())
        assert match is not None
        at = match.end()
        if match.lastgroup != "skip":
            body.append(Word(match.group(), match.start(), match.lastgroup == "name"))
    return Macro(head.group(1), tuple(body))


_OPENING, _CLOSING = "([{", ")]}"


def closing(words: Sequence[Word], at: int) -> int | None:
    """The place of the bracket that closes the one at `at`; None if nothing does."""
    depth = 0
    for place in range(at, len(words)):
        depth += words[place].text in _OPENING
        depth -= words[place].text in _CLOSING
        if depth == 0:
            return place
    return None


class CallText(NamedTuple):
    """A call as it is typed: its name, its arguments (start and end of each), where it ends."""

    name: Word
    arguments: tuple[tuple[int, int], ...]
    end: int


def calls_in(words: Sequence[Word]) -> list[CallText]:
    """All calls, of functions and of macros with arguments; nested ones too."""
    found = []
    for at, word in enumerate(words[:-1]):
        if word.is_name and words[at + 1].text == "(":
            end = closing(words, at + 1)
            if end is not None:
                found.append(CallText(word, _arguments(words, at + 2, end), words[end].end))
    return found


def _arguments(words: Sequence[Word], at: int, end: int) -> tuple[tuple[int, int], ...]:
    if at == end:
        return ()
    pieces, depth, first = [], 0, at
    for place in range(at, end):
        depth += words[place].text in _OPENING
        depth -= words[place].text in _CLOSING
        if words[place].text == "," and depth == 0:
            pieces.append((words[first].start, words[place - 1].end))
            first = place + 1
    pieces.append((words[min(first, end - 1)].start, words[end - 1].end))
    return tuple(pieces)
