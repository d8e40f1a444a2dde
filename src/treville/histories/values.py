"""Values and times of operations, as the text formats write them."""

from __future__ import annotations

import json
import math
from typing import Any

from treville.histories.history import Operation, Value
from treville.results import InputError

_LONGEST_INTEGER = 400


def parse_scalar(text: str) -> Value:
    """A value of a text format: an integer where it looks like one, otherwise the text itself.

    >>> parse_scalar("12"), parse_scalar("-3"), parse_scalar("a12")
    (12, -3, 'a12')
    """
    digits = text[1:] if text[:1] in "+-" else text
    if digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_INTEGER:
        return int(text)
    return text


def plain_value(value: Any) -> Value:
    """A value of a structured format as a hashable one; lists and maps become their JSON text."""
    if value is None or isinstance(value, int | float | str):
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        return value
    return as_text(value)


def as_text(value: Any) -> str:
    """A list or map as the text that stands for it."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def values_of(value: Value) -> tuple[Value, ...] | None:
    """The values of a list that was turned into text; None where it is no list.

    >>> values_of('[1, "a", null]'), values_of(3)
    ((1, 'a', None), None)
    """
    if not isinstance(value, str) or not value.startswith("["):
        return None
    return tuple(plain_value(item) for item in json.loads(value))


def listed(operation: Operation, length: int | None = None) -> tuple[Value, ...]:
    """The values of an operation's list; an `InputError` at its place where it is none of that length."""
    found = values_of(operation.value)
    if found is None or length not in (None, len(found)):
        wanted = "a list" if length is None else f"a list of {length} values"
        raise InputError(f"{operation.function} needs {wanted}, not {operation.value}", operation.span)
    return found
