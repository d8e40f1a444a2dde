"""Jepsen's console log: a line for each invocation and completion among the other lines of the log.

    INFO  jepsen.util - 3	:invoke	:cas	[1 2]
    INFO  jepsen.util - 3	:ok	:cas	[1 2]

The line ends with process, phase, function and value; what stands before is the logger's. Other lines are the
log's own messages. The position is the time. A completion that is no `:ok` tells an error for a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from treville.histories.formats.edn import value_at
from treville.histories.formats.records import Record, numbered_lines, read_records
from treville.histories.history import History
from treville.results import InputError, Source

_PHASE = re.compile(r"(?:^|\s):(?:invoke|ok|fail|info)\s+:\S")
_LINE = re.compile(r"(?:^|.*\s)(:?[\w-]+)\s+:(invoke|ok|fail|info)\s+:([^\s,]+)(?:\s+(.*))?$")


def looks_like(text: str) -> bool:
    """Whether some line of a text is one of this log, and none before it begins a map."""
    for line in text.split("\n"):
        if line.lstrip().startswith(("{", "[", "(")):
            return False
        if _PHASE.search(line):
            return True
    return False


def read(source: Source) -> History:
    """A history from the lines of a log."""
    return read_records(source.name, _records(source))


def _records(source: Source) -> Iterator[Record]:
    for _, offset, line in numbered_lines(source.text):
        if not _PHASE.search(line):
            continue
        span = source.span(offset, len(line))
        match = _LINE.match(line)
        if match is None:
            raise InputError("expected process, phase, function and value", span)
        process, phase, function, rest = match.groups()
        fields: dict[str, object] = {"process": process.lstrip(":"), "type": phase, "f": function}
        if phase in ("invoke", "ok") and fields["process"] != "nemesis":
            fields["value"] = value_at(source, offset + match.start(4), offset + len(line)) if rest else None
        yield Record(fields, span)
