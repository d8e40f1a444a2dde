"""What the reports of all commands have in common, and how a report becomes JSON.

Fields that are `absent()` are left out of the JSON while they have no value; all others are always there.
Fields marked `PRIVATE` travel with a report (to the client of a cluster, into a journal) and are not part of
its JSON. The JSON Schema of each kind is made from these types (`schemas.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Mapping
from enum import Enum, StrEnum
from functools import cache
from typing import Any, TypedDict, cast

from treville.records import dataclass, field, fields
from treville.results.errors import Limit
from treville.results.verdict import EXIT_OF, ExitCode, Verdict

SCHEMA = 2
PRIVATE: Mapping[str, bool] = {"private": True}
OPTIONAL: Mapping[str, bool] = {"optional": True}
SHOWN: Mapping[str, bool] = {"shown": True}  # optional, and null where it has no value
# What terminals take for commands, and bytes of names that are not text: JSON has an escape for both.
_ESCAPED = re.compile("[\x7f-\x9f\ud800-\udfff]")

Hop = TypedDict("Hop", {"from": int, "to": int, "relation": str, "via": list[str]})
"""A step of a cycle: two events, the relation between them, and the definitions that it comes from."""
State = dict[str, Any]
"""A final state: names of registers and locations, and numbers, addresses or lists of them."""


def absent() -> Any:
    """A field that is left out while it has no value."""
    return field(default=None, metadata=OPTIONAL)


class Status(StrEnum):
    """Whether there is an answer: `unknown` ended at a limit, `error` is wrong input or a bug."""

    DONE = "done"
    UNKNOWN = "unknown"
    ERROR = "error"


class Cause(StrEnum):
    """Who is to blame for an error."""

    INPUT = "input"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in a file."""

    file: str
    line: int
    column: int | None = absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why there is no answer: wrong input, or a bug of Treville."""

    cause: Cause
    message: str
    place: Place | None = absent()
    hint: str | None = absent()


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that goes with a report: a picture, a witness. `name` is where it was asked for."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The answer to one question. `seconds` are those of the clock, reading included. `left_out`: the
    question makes no sense for this input, and nobody asked it explicitly."""

    file: str
    verdict: Verdict = Verdict.UNKNOWN
    status: Status = Status.UNKNOWN
    reason: str = ""
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    error: Fault | None = absent()
    limit: Limit | None = absent()
    place: Place | None = absent()
    detail: str = field(default="", metadata=PRIVATE)
    artifacts: tuple[Artifact, ...] = field(default=(), metadata=PRIVATE)
    left_out: bool = field(default=False, metadata=PRIVATE)

    @property
    def exit_code(self) -> ExitCode:
        """What a process that asked only this ends with."""
        return self.error_code or EXIT_OF[self.verdict]

    @property
    def error_code(self) -> ExitCode | None:
        """The exit code of a report that has no answer because of wrong input or a bug."""
        if self.error is None:
            return None
        return ExitCode.INTERNAL if self.error.cause is Cause.INTERNAL else ExitCode.INPUT

    def complaint(self) -> str:
        """Why there is no answer, for standard error; nothing where text says so."""
        if self.error is None:
            return ""
        return self.detail or f"{self.file}: error: {self.reason}"

    def shown_at(self) -> Place | None:
        """Where other tools show it: what it is about, or the beginning of the file; None if that is none."""
        return self.place or Place(file=self.file, line=1)

    def about(self) -> str:
        """What was asked about the file, in a few words."""
        return ""


def object_line(content: dict[str, Any]) -> str:
    """One line of `--json` output: the schema's version comes first."""
    return to_json({"schema": SCHEMA, **content})


def to_json(value: object) -> str:
    """JSON in one line that is harmless on terminals, too."""
    text = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def as_object(value: Any, private: bool = False) -> Any:
    """A value of a report as JSON has it. With `private` nothing is left out."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, tuple | list):
        return [as_object(each, private) for each in value]
    if isinstance(value, dict):
        return {key: as_object(each, private) for key, each in value.items()}
    return {
        name: as_object(found, private)
        for name, hidden, omitted in _layout(cast(Hashable, type(value)))
        if (private or not hidden) and ((found := getattr(value, name)) is not None or not omitted)
    }


@cache
def _layout(kind: Any) -> tuple[tuple[str, bool, bool], ...]:
    """The fields of a class: names, whether they are private, whether they are left out while None."""
    return tuple(
        (each.name, "private" in each.metadata, "optional" in each.metadata) for each in fields(kind)
    )
