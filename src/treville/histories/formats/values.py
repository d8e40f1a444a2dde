"""Values and times of operations, as the text formats write them."""

from __future__ import annotations

import json
import math
from typing import Any

from treville.histories.history import Value

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
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
