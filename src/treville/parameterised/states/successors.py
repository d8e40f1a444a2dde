"""All steps of an instance without store buffers -> one compiled function from values to next values.

Exploring states is most of the work of guessing, and one function with a local name for every slot does it
several times faster than a call per step. It is made of the machine's own expressions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from treville.parameterised.states.machine import Machine, Step, Values
from treville.results import BudgetExceeded

_SLOT = re.compile(r"s\[(\d+)\]")
# Quoted, it is a constructor of the file.
_KEPT = re.compile(r"(?<!')\bKEPT\b(?!')")
_STEPS_A_FUNCTION = 50


def successors(machine: Machine) -> Callable[[Values], list[Values]]:
    """The function that gives the values after every step that can happen."""
    parts = []
    for first in range(0, len(machine.steps), _STEPS_A_FUNCTION):
        parts.append(_function(machine, machine.steps[first : first + _STEPS_A_FUNCTION]))
    if len(parts) == 1:
        return parts[0]
    return lambda values: [new for part in parts for new in part(values)]


def _function(machine: Machine, steps: list[Step]) -> Callable[[Values], list[Values]]:
    slots = len(machine.slots)
    lines = ["def after(s):", "    made = []"]
    if slots:
        lines.append(f"    {', '.join(f's{slot}' for slot in range(slots))}, = s")
    for step in steps:
        lines += _step(machine, step)
    lines.append("    return made")
    names: dict[str, Any] = {"Fraction": Fraction, "__builtins__": {}}
    try:
        exec("\n".join(lines), names)
    except (SyntaxError, RecursionError, MemoryError):
        raise BudgetExceeded("a transition is too large to be evaluated", "split it") from None
    found: Callable[[Values], list[Values]] = names["after"]
    return found


def _step(machine: Machine, step: Step) -> list[str]:
    lines = [f"    if {_local(step.guard_text)}:"]
    new = {slot: f"s{slot}" for slot in range(len(machine.slots))}
    indent = " " * 8
    for slot in step.arbitrary:
        lines.append(f"{indent}for n{slot} in {machine.any_value(slot)!r}:")
        new[slot] = f"n{slot}"
        indent += " " * 4
    bounded = []
    for slot, text in step.assigned:
        value = _KEPT.sub(f"s{slot}", _local(text))
        if machine.slot_symbol[slot].type.kind in ("int", "real"):
            lines.append(f"{indent}n{slot} = {value}")
            bounded.append(f"{machine.bounds.lowest} <= n{slot} <= {machine.bounds.highest}")
            value = f"n{slot}"
        new[slot] = value
    if bounded:
        lines.append(f"{indent}if {' and '.join(bounded)}:")
        indent += " " * 4
    lines.append(f"{indent}made.append(({', '.join(new.values())}{',' if new else ''}))")
    return lines


def _local(text: str) -> str:
    return _SLOT.sub(r"s\1", text)
