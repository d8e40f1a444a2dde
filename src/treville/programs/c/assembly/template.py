"""A template of inline assembly -> lines of assembly, with operands in place of their numbers.

Labels that are numbers (`1:`, jumped to as `1b` and `1f`) get names; directives that only tell the assembler
what it may accept, and hints to the processor, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from treville.records import NamedTuple

_OPERAND = re.compile(r"\$(?:(\d+)|\{(\d+)(?::(\w))?\}|\{:(\w+)\}|(\$))")
_ALTERNATIVES = re.compile(r"\$\(([^$]*(?:\$[^()|][^$]*)*)(?:\$\|[^$]*(?:\$[^()|][^$]*)*)*\$\)")
_LABEL = re.compile(r"^\s*([\w.$]+)\s*:\s*")
_JUMP = re.compile(r"\b(\d+)([bf])$")
_DIRECTIVES = re.compile(
    r"\.(?:arch|arch_extension|cpu|p2align|align|balign|syntax|machine|option|set|fpu|thumb|arm)\b"
)
_HINTS = re.compile(
    r"(?:nop|pause|rep\s+nop|yield|wfe|sev|sevl|hint\s+#?\w+|prfm\s.*|prefetch\w*\s.*|pld\w*\s.*|or\s+(\d+),\s*\1,\s*\1)$"
)
_STACK_FENCE = re.compile(r"lock\s+(?:add|or)[lq]?\s+\$?(?:0x)?0\s*,\s*-?(?:0x)?[0-9a-f]*\(%[re]sp\)$")


class Line(NamedTuple):
    """Labels in front, and the text of an instruction ("" for none)."""

    labels: tuple[str, ...]
    text: str


def instructions(template: str, comment: str) -> list[str]:
    """The instructions of a template, with their labels, operands still as numbers."""
    text = template.replace("\\0A", "\n").replace("\\09", " ").replace("\\22", '"')
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = _ALTERNATIVES.sub(lambda match: match.group(1), text)
    found: list[str] = []
    for line in text.split("\n"):
        for part in line.split(comment)[0].split("//")[0].split(";"):
            clean = " ".join(part.split())
            if found and re.fullmatch(r"(?:.*:\s*)?(?:lock|rep)", found[-1], re.IGNORECASE) and clean:
                found[-1] += f" {clean}"  # a prefix on a line of its own
            elif clean:
                found.append(clean)
    return found


def lines(parts: list[str], operand: Callable[[int, str], str]) -> list[Line]:
    """The lines of assembly; `operand` says how a numbered operand is written with a modifier."""

    def written(match: re.Match[str]) -> str:
        plain, number, modifier, special, dollar = match.groups()
        if dollar:
            return "$"
        if special:
            return "0"  # the number of this piece of assembly
        return operand(int(plain or number), modifier or "")

    found = [_line(_OPERAND.sub(written, part)) for part in parts]
    return _with_named_labels([line for line in found if line.labels or line.text])


def _line(text: str) -> Line:
    labels = []
    while (label := _LABEL.match(text)) is not None:
        labels.append(label.group(1))
        text = text[label.end() :]
    lowered = text.lower()
    if _DIRECTIVES.match(lowered) or _HINTS.match(lowered):
        text = ""
    elif _STACK_FENCE.match(lowered):
        text = "mfence"  # the old idiom: a locked instruction that changes nothing of one's own stack
    return Line(tuple(labels), text)


def _with_named_labels(code: list[Line]) -> list[Line]:
    """`1:` can be many places: give each a name."""
    places = [(at, label) for at, line in enumerate(code) for label in line.labels if label.isdigit()]

    def named(at: int) -> Callable[[re.Match[str]], str]:
        def name(jump: re.Match[str]) -> str:
            number, direction = jump.groups()
            if direction == "b":
                meant = [place for place, label in places if label == number and place <= at][-1:]
            else:
                meant = [place for place, label in places if label == number and place > at][:1]
            return f"label{number}at{meant[0]}" if meant else jump.group()

        return name

    return [
        Line(
            tuple(f"label{label}at{at}" if label.isdigit() else label for label in line.labels),
            _JUMP.sub(named(at), line.text),
        )
        for at, line in enumerate(code)
    ]
