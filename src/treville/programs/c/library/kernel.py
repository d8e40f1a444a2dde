"""The Linux kernel's primitives."""

from __future__ import annotations

from treville.programs.c.library.calls import Handler

FUNCTIONS: dict[str, Handler] = {}
