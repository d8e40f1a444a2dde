"""The kinds of question, by the names of their commands."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

from treville.campaigns.kind import Kind

NAMES = (
    "litmus", "check", "sequentialise", "port", "repair", "compare", "synth", "history", "petri", "param",
)  # fmt: skip


def kind_named(name: str) -> Kind[Any, Any]:
    """The kind of question that a command asks; its module has the questions, too."""
    return cast("Kind[Any, Any]", import_module(f"treville.campaigns.{name}").KIND)
