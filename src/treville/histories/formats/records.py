"""Records (maps of fields) to operations, shared by JSON lines, EDN and CSV.

A record has `process`, `type` (read, write, cas or append), `key`, `value`, and optionally `status` (ok,
fail, info), `invoke`/`complete` times. Jepsen's form, one record for the invocation and one for the
completion (`type` invoke/ok/fail/info and `f` the function), is paired up. A record with only `initial` (a
map) gives initial values. Field names have common aliases, case ignored.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Any

from treville.histories.history import History, Operation, Status, Value
from treville.histories.objects import OBJECTS, REGISTER
from treville.histories.values import plain_value
from treville.records import dataclass, replace
from treville.results import InputError, Span

_ALIASES = {
    "process": ("process", "thread", "client", "session", "proc", "pid"),
    "type": ("type", "kind", "op", "operation"),
    "f": ("f", "function"),
    "key": ("key", "location", "loc", "variable", "var", "register", "object"),
    "value": ("value", "val"),
    "start": ("invoke", "start", "call", "begin", "invoked"),
    "end": ("complete", "end", "return", "finish", "completed"),
    "status": ("status", "outcome"),
    "time": ("time", "timestamp"),
    "index": ("index",),
}
FIELD_OF = {alias: name for name, aliases in _ALIASES.items() for alias in aliases}
_NO_KEY = "register"
_READS = ("read", "r", "get", "load")
_WRITES = ("write", "w", "put", "set", "store")
_OTHERS = {"cas": "cas", "compare-and-set": "cas", "compare-and-swap": "cas", "append": "append"}
_TRANSACTIONS = ("txn", "transaction")
_PHASES = ("invoke", "ok", "fail", "info")


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of one record of a log and its place."""

    fields: dict[str, Any]
    span: Span


def read_records(name: str, records: Iterable[Record]) -> History:
    """The history that the records describe."""
    return _Builder(name).history(records)


class _Builder:
    def __init__(self, name: str) -> None:
        self.name = name
        self.operations: list[Operation] = []
        self.initial: dict[str, Value] = {}
        self.open: dict[str, int] = {}
        self.style: str | None = None

    def history(self, records: Iterable[Record]) -> History:
        for number, record in enumerate(records):
            self._add(number, record)
        finished = tuple(self._complete(operation) for operation in self.operations)
        kind = _object_type(finished)
        # Where clients read nil, nil is what Jepsen's registers start with, and 0 is a value like others.
        nil = (self.style == "paired" or kind != REGISTER.name) and any(
            o.value is None and not o.is_write and o.status is Status.OK for o in finished
        )
        return History(self.name, finished, self.initial, None if nil else 0, kind)

    @staticmethod
    def _complete(operation: Operation) -> Operation:
        if operation.is_write and operation.value is None:
            raise InputError("a write needs a value", operation.span)
        return operation

    def _add(self, number: int, record: Record) -> None:
        if self._initial_values(record):
            return
        fields = _canonical(record)
        if fields.get("process") == "nemesis":
            return  # Jepsen logs its faults among the operations
        kind = str(fields.get("type", "")).lower()
        paired = kind in _PHASES and "f" in fields
        style = "paired" if paired else "single"
        if self.style not in (None, style):
            raise InputError("invocation records and whole operations are mixed", record.span)
        self.style = style
        if paired:
            self._add_phase(number, kind, fields, record.span)
        else:
            self.operations.append(_operation(fields, record.span))

    def _initial_values(self, record: Record) -> bool:
        names = {key.lower(): key for key in record.fields}
        if "initial" not in names or len(names) != 1:
            return False
        values = record.fields[names["initial"]]
        if not isinstance(values, dict):
            raise InputError("initial must be a map from keys to values", record.span)
        for key, value in values.items():
            self.initial[str(key)] = plain_value(value)
        return True

    def _add_phase(self, number: int, phase: str, fields: dict[str, Any], span: Span) -> None:
        """Jepsen's invoke and completion records; the position in the log is the time if none is given."""
        process = _process(fields, span)
        moment = _time(fields.get("time", number), span)
        is_write, other = _function(fields["f"], span)
        if phase == "invoke":
            if process in self.open:
                raise InputError(f"process {process} invokes before its last operation completed", span)
            self.open[process] = len(self.operations)
            key, value = _key_and_value(fields, span, other)
            operation = Operation(process, is_write, key, value, moment, None, Status.INFO, span, other)
            self.operations.append(operation)
            return
        if process not in self.open:
            raise InputError(f"completion without an invocation of process {process}", span)
        index = self.open.pop(process)
        known = self.operations[index]
        if (known.is_write, known.other_function) != (is_write, other):
            raise InputError(f"this completes another operation than {known}", span)
        if phase != "ok":  # in place of a value there may be an error
            self.operations[index] = replace(known, status=Status(phase))
            return
        key, value = self._result(known, fields, span)
        if key != known.key:
            raise InputError(f"this completes another operation than {known}", span)
        result = known.value if is_write and value is None else value
        self.operations[index] = replace(known, value=result, end=moment, status=Status.OK)

    @staticmethod
    def _result(known: Operation, fields: dict[str, Any], span: Span) -> tuple[str, Value]:
        """Key and value of a completion. Invoked without a key, a list is the value and no key with one."""
        if known.key == _NO_KEY and "key" not in fields:
            return _NO_KEY, plain_value(fields.get("value"))
        return _key_and_value(fields, span, known.other_function)


def _canonical(record: Record) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in record.fields.items():
        name = FIELD_OF.get(str(key).lower())
        if name is None:
            continue  # logs carry much else: hosts, latencies, errors
        if name in fields:
            raise InputError(f"field {name} is given twice", record.span)
        fields[name] = value
    if "type" not in fields and "f" in fields:
        fields["type"] = fields.pop("f")
    return fields


def _operation(fields: dict[str, Any], span: Span) -> Operation:
    kind = fields.get("type")
    if kind is None:
        raise InputError("no type of operation", span, 'expected "type": "read" or "write"')
    is_write, other = _function(kind, span)
    key, value = _key_and_value(fields, span, other)
    status = _status(fields.get("status", "ok"), span)
    times = [_time(fields[n], span) if fields.get(n) is not None else None for n in ("start", "end")]
    start, end = times
    if start is not None and end is not None and end < start:
        raise InputError("the operation completes before it is invoked", span)
    if status is not Status.OK:
        end = None
    return Operation(_process(fields, span), is_write, key, value, start, end, status, span, other)


def _process(fields: dict[str, Any], span: Span) -> str:
    process = fields.get("process")
    if process is None or process == "" or isinstance(process, dict | list | bool):
        raise InputError("no process", span, 'expected "process": a number or a name')
    return str(process)


def _function(kind: Any, span: Span) -> tuple[bool, str | None]:
    """Whether it changes anything, and the name of a function that registers do not have."""
    text = str(kind).lower()
    if text in _WRITES:
        return True, None
    if text in _READS:
        return False, None
    if text in _OTHERS:
        return True, _OTHERS[text]
    if text in _TRANSACTIONS:
        raise InputError(
            "a transaction (txn) of several operations", span, "operations of one key are checked"
        )
    near = difflib.get_close_matches(text, ["read", "write", *_OTHERS], 1)
    others = " or ".join(dict.fromkeys(_OTHERS.values()))
    hint = f"did you mean {near[0]}?" if near else f"expected read, write, {others}"
    raise InputError(f"unknown type of operation {str(kind)[:60]!r}", span, hint)


def _object_type(operations: tuple[Operation, ...]) -> str:
    """The first kind of object that has all functions of the log."""
    used = {o.other_function: o for o in reversed(operations) if o.other_function}
    if not used:
        return REGISTER.name
    functions = {*used, *(o.function for o in operations if o.other_function is None)}
    for name, specification in OBJECTS.items():
        if functions <= specification.functions:
            return name
    names = ", ".join(sorted(function for function in functions if function))
    raise InputError(f"no object has all of {names}", next(iter(used.values())).span)


def _key_and_value(fields: dict[str, Any], span: Span, other: str | None) -> tuple[str, Value]:
    key, value = fields.get("key"), fields.get("value")
    # Jepsen's independent keys are [key value]; compare-and-set has [old new].
    if key is None and isinstance(value, list) and len(value) == 2 and (other != "cas" or _nested(value)):
        key, value = value
    if key is None:
        # A log of a single register names no key.
        if "key" in fields:
            raise InputError("the key is empty", span)
        key = _NO_KEY
    if isinstance(key, dict | list):
        raise InputError("a key is a number or a name", span)
    return str(key), plain_value(value)


def _nested(value: list[Any]) -> bool:
    return isinstance(value[1], list)


def _status(status: Any, span: Span) -> Status:
    try:
        return Status(str(status).lower())
    except ValueError:
        raise InputError(f"unknown status {str(status)[:60]!r}", span, "expected ok, fail or info") from None


def _time(value: Any, span: Span) -> float:
    try:
        if isinstance(value, bool):
            raise ValueError
        moment = float(value)
        if moment != moment or moment in (float("inf"), float("-inf")):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"a time must be a number, not {str(value)[:60]!r}", span) from None
    return moment


def numbered_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Line number from 1, offset and text of each line that is not blank."""
    offset = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, offset, line.rstrip("\r")
        offset += len(line) + 1
