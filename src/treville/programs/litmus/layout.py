"""Litmus file text -> its sections, each with its place in the file.

A litmus file has a header (dialect, name, documentation, `Key=value` lines), an initial state in braces, a
program, and clauses about final states. Comments are blanked out with spaces of the same length, so every
offset into a section is an offset into the file.
"""

from __future__ import annotations

import re

from treville.records import NamedTuple, dataclass, field
from treville.results import InputError, Source


class Part(NamedTuple):
    """A piece of the file: its text (comments blanked out) and the offset of its first character."""

    text: str
    offset: int


NOTHING = Part("", 0)


@dataclass(slots=True)
class Sections:
    """What a litmus file consists of. `dialect` is the file's first word as it is written. A `fragment` is
    code without a test around it, whose registers and accesses may be of any width."""

    source: Source
    dialect: str
    name: str
    documentation: str = ""
    information: dict[str, str] = field(default_factory=dict)
    initial: Part = NOTHING
    program: Part = NOTHING
    conditions: Part = NOTHING
    fragment: bool = False

    def error(self, message: str, offset: int, length: int = 1, hint: str = "") -> InputError:
        """An input error at an offset of the file, for the caller to raise."""
        return InputError(message, self.source.span(offset, length), hint)


_COMMENT_LINE = re.compile(r"\(\*[^\n]*")
_HEADER = re.compile(r'\s*(\w+)[ \t]+([^\s;{"]+)[ \t]*(?:\([^)\n]*\))?[ \t\r]*\n?[ \t]*(?:"([^"]*)")?')
_INFORMATION = re.compile(r"[ \t]*([A-Za-z][\w/.\-]*)[ \t]*=[ \t]*(.*)")
_BRACE = re.compile(r"[{}]")
_COMMENT_MARK = re.compile(r"\(\*|\*\)")
_NOT_NEWLINE = re.compile(r"[^\n]+")
_CLAUSE = re.compile(
    r'"[^"\n]*"|(?<![\w./\-])(?:(?:~[ \t]*)?exists|forall|final|[oO]bserved|locations|filter)(?![\w./\-])'
)
_C_COMMENT = re.compile(r"//|/\*|\(\*(?=[\s*])")
_C_CLOSING = {"//": "\n", "/*": "*/", "(*": "*)"}


def split(text: str, file_name: str) -> Sections:
    """Find the sections of a litmus file; linear in its length."""
    source = Source(file_name, text)
    dialect = _first_word(text)
    if dialect in ("C", "CPP"):
        return _split_c(source)
    clean = blank_comments(source, text, 0)
    sections, end_of_initial = _split_front(source, clean)
    _split_back(sections, clean, end_of_initial)
    return sections


def _first_word(text: str) -> str:
    match = re.search(r"\w+", text)
    return match.group().upper() if match else ""


def _split_c(source: Source) -> Sections:
    """C needs care: `(*p)` is a dereference inside functions and a comment elsewhere."""
    text = _without_block_comments_in_front(source.text)
    clean_front = blank_comments(source, text, 0, until_brace=True)
    sections, end_of_initial = _split_front(source, clean_front)
    body = _blank_c_comments(text[end_of_initial:])
    _split_back(sections, text[:end_of_initial] + body, end_of_initial)
    conditions = sections.conditions
    sections.conditions = Part(blank_comments(source, conditions.text, conditions.offset), conditions.offset)
    return sections


def _without_block_comments_in_front(text: str) -> str:
    """Blank `/* ... */` in front of the initial state."""
    start = text.find("/*")
    while 0 <= start < text.find("{"):
        end = text.find("*/", start + 2) + 2
        if end < 2:
            break
        text = text[:start] + _NOT_NEWLINE.sub(_spaces, text[start:end]) + text[end:]
        start = text.find("/*", end)
    return text


def _blank_c_comments(text: str) -> str:
    """Blank `// ...`, `/* ... */` and `(* ... *)` in C; the last only where a space or star follows, as
    `(*p)` is an expression. An opening without an end is left for the C reader to refuse."""
    pieces: list[str] = []
    kept = position = 0
    unclosed: set[str] = set()
    while (opening := _C_COMMENT.search(text, position)) is not None:
        sign = opening.group()
        closing = _C_CLOSING[sign]
        end = -1 if sign in unclosed else text.find(closing, opening.end())
        if end < 0 and closing != "\n":
            unclosed.add(sign)
            position = opening.end()
            continue
        position = len(text) if end < 0 else end + len(closing)
        pieces.append(text[kept : opening.start()])
        pieces.append(_NOT_NEWLINE.sub(_spaces, text[opening.start() : position]))
        kept = position
    pieces.append(text[kept:])
    return "".join(pieces)


def blank_comments(source: Source, text: str, base: int, *, until_brace: bool = False) -> str:
    """Replace `(* nested comments *)` by spaces, keeping line ends; `base` is the text's offset in the file.

    With `until_brace` the part behind the initial state is left alone.
    """
    if "(*" not in text:
        return text
    pieces: list[str] = []
    depth = kept = opened = braces = 0
    seen_brace = False
    for mark in _COMMENT_MARK.finditer(text):
        if mark.group() == "*)":
            if depth == 1:
                kept = mark.end()
                pieces.append(_NOT_NEWLINE.sub(_spaces, text[opened:kept]))
            depth = max(0, depth - 1)
            continue
        if depth == 0:
            opened = mark.start()
            between = text[kept:opened]
            over = False
            for brace in _BRACE.finditer(between):
                braces += 1 if brace.group() == "{" else -1
                seen_brace = True
                over = over or braces <= 0
            if until_brace and over:
                break
            pieces.append(between)
        depth += 1
    if depth:
        if seen_brace or base != 0:
            raise InputError("this comment is never closed", source.span(base + opened, 2), "end it with *)")
        return _without_unclosed(source, text, opened, until_brace)
    pieces.append(text[kept:])
    return "".join(pieces)


def _spaces(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _without_unclosed(source: Source, text: str, opened: int, until_brace: bool) -> str:
    """In the header any line is accepted, so a comment that is never closed there ends with its line."""
    brace = text.find("{", opened)
    if brace < 0:
        raise InputError("this comment is never closed", source.span(opened, 2), "end it with *)")
    header = _COMMENT_LINE.sub(_spaces, text[opened:brace])
    return blank_comments(source, text[:opened] + header + text[brace:], 0, until_brace=until_brace)


def _split_front(source: Source, text: str) -> tuple[Sections, int]:
    """Header, information lines and initial state; also the offset behind the initial state."""
    header = _HEADER.match(text)
    if header is None:
        raise InputError(
            "a litmus test starts with its dialect and its name", source.span(0), "for example: X86 SB"
        )
    sections = Sections(source, header.group(1), header.group(2), header.group(3) or "")
    position = header.end()
    while True:
        end = text.find("\n", position)
        line_end = len(text) if end < 0 else end
        information = _INFORMATION.match(text, position, line_end)
        if information is None:
            brace = text.find("{", position, line_end)
            if brace >= 0:
                break
        else:
            sections.information[information.group(1)] = information.group(2).strip()
        if end < 0:
            raise sections.error("no initial state found", len(text), hint="write {} for an empty one")
        position = end + 1
    close = _closing_brace(sections, text, brace)
    sections.initial = Part(text[brace + 1 : close], brace + 1)
    return sections, close + 1


def _closing_brace(sections: Sections, text: str, opening: int) -> int:
    depth = 0
    for brace in _BRACE.finditer(text, opening):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return brace.start()
    raise sections.error("the initial state is never closed", opening, hint="end it with }")


def _split_back(sections: Sections, text: str, start: int) -> None:
    """The program from `start` on, and the clauses behind it up to the end or `<<`."""
    stop = len(text)
    clause = next((m.start() for m in _CLAUSE.finditer(text, start) if m.group()[0] != '"'), None)
    if clause is None:
        clause = stop
    else:
        commands = text.find("<<", clause)
        stop = commands if commands >= 0 else stop
    sections.program = Part(text[start:clause], start)
    sections.conditions = Part(text[clause:stop], clause)
