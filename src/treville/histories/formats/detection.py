"""Which format a log has, judged by its content, whatever its name."""

from __future__ import annotations

import re

from treville.histories.formats import compact, edn, jepsen_log, json_lines, table
from treville.histories.history import History, Value
from treville.records import replace
from treville.results import InputError, Source

_READERS = {
    "json": json_lines.read,
    "edn": edn.read,
    "csv": table.read,
    "compact": compact.read,
    "jepsen log": jepsen_log.read,
}
_HINT = "a history is JSON lines, EDN, CSV, Jepsen's log, or (w,x,1).(r,y,0) || (w,y,1).(r,x,0)"


def detect(text: str) -> str | None:
    """The name of the format, or None when the text is none of them."""
    body = _without_comments(text)
    if not body:
        return None
    if body.startswith("{:") or re.match(r"[\[(]\s*\{\s*:", body) or re.match(r"\{\s*:", body):
        return "edn"
    if body.startswith("{"):
        return "json" if re.match(r'\{\s*("|\})', body) else "edn"
    if re.match(r'\[\s*(\{\s*["}]|\])', body):
        return "json"
    if body.startswith(("#_", "[")):
        return "edn"
    if re.match(r"(init\s|([A-Za-z_][\w-]*\s*:\s*)?\(\s*[A-Za-z]+\s*,)|\|\|", body):
        return "compact"
    if jepsen_log.looks_like(body):
        return "jepsen log"
    first = body.split("\n", 1)[0]
    if first.count(table.delimiter_of(first)) >= 2:
        return "csv"
    return None


def _without_comments(text: str) -> str:
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line and not re.match(r";|#(?!_)", line))


def read_history(text: str, name: str, initial: dict[str, Value] | None = None) -> History:
    """The history that a text holds; `initial` adds to or overrides initial values of the text."""
    source = Source(name, text.removeprefix("\ufeff"))
    kind = detect(source.text)
    if kind is None:
        message = "no operations" if not source.text.strip() else "this is no history"
        raise InputError(message, source.span(0), _HINT)
    history = _READERS[kind](source)
    if not history.operations:
        raise InputError("no operations", source.span(0), _HINT)
    given = dict(initial or {})
    default = given.pop("*", history.default_initial)
    return replace(history, name=name, initial={**history.initial, **given}, default_initial=default)
