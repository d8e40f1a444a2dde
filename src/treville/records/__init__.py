"""Classes of data: the part of the standard library's `dataclasses` that Treville uses, and its `NamedTuple`,
made quickly.

To type checkers these are the names of the standard library, so that fields, frozen classes and `replace` are
checked as usual; what runs is `treville.records.making` and `treville.records.tuples`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
    from typing import NamedTuple
else:
    from treville.records.making import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
    from treville.records.tuples import NamedTuple

__all__ = ["FrozenInstanceError", "NamedTuple", "dataclass", "field", "fields", "is_dataclass", "replace"]
