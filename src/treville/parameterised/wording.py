"""Terms, literals, cubes and machine states as text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from treville.parameterised.backward.frontier import SOURCE, Frontier
from treville.parameterised.logic.cube import Node
from treville.parameterised.states.machine import Machine, State
from treville.parameterised.system import Literal, Term

_OPERATORS = {"=": "=", "!": "<>", "<=": "<=", "r<=": "<=", "<": "<"}


def process(number: int) -> str:
    """A process's name."""
    return f"#{number + 1}"


def cell(name: str, indices: tuple[int, ...]) -> str:
    """A variable or cell."""
    return f"{name}[{','.join(process(i) for i in indices)}]" if indices else name


def term_text(term: Term) -> str:
    """A term; what a process sees at an open event is `e1:#1@X`."""
    tag = term[0]
    if tag == "k":
        return str(term[1])
    if tag == "p":
        return process(term[1])
    if tag == "a":
        return cell(term[1], term[2])
    if tag == "r":
        return f"e{term[1] + 1}:{process(term[2])}@{cell(term[3], term[4])}"
    return str(term[1])


def literal_text(literal: Literal) -> str:
    """A literal in the language of the input."""
    if literal[0] != "L":
        left, right = literal[1], literal[2]
        if left[0] in "kp" and literal[0] != "<":
            left, right = right, left
        return f"{term_text(left)} {_OPERATORS[literal[0]]} {term_text(right)}"
    positive = [(term, factor) for term, factor in literal[2] if factor > 0]
    negative = [(term, -factor) for term, factor in literal[2] if factor < 0]
    constant = literal[3]
    left_text, right_text = _sum(positive, max(constant, 0)), _sum(negative, max(-constant, 0))
    return f"{left_text} {_OPERATORS[literal[1]]} {right_text}"


def _sum(entries: list[tuple[Term, Any]], constant: Any) -> str:
    parts = [term_text(term) if factor == 1 else f"{factor} * {term_text(term)}" for term, factor in entries]
    if constant or not parts:
        parts.append(str(constant))
    return " + ".join(parts)


def cube_text(node: Node) -> str:
    """A cube: its literals, then the order of its open events."""
    parts = sorted(literal_text(literal) for literal in node.literals)
    return " && ".join([*parts, *order_text(node.frontier)]) or "true"


def order_text(frontier: Frontier) -> list[str]:
    """What has to come before the open events of a cube."""
    found = []
    for event, mask in enumerate(frontier.after):
        found += [f"e{event + 1} < {name}" for name in _events(frontier, mask)]
    for kind, masks in (("reads", frontier.reads), ("writes", frontier.writes)):
        for number, mask in enumerate(masks):
            found += [f"{kind} of {process(number)} < {name}" for name in _events(frontier, mask)]
    for (name, indices), mask in frontier.cells:
        found += [f"accesses to {cell(name, indices)} < {event}" for event in _events(frontier, mask)]
    return [*found, *_coherence_text(frontier)]


def _coherence_text(frontier: Frontier) -> list[str]:
    """What only PSO has: sources of open reads, own writes, and old writes that new ones precede."""
    found = []
    for number, mask in enumerate(frontier.source_after):
        (source,) = _events(frontier, 1 << SOURCE + number)
        found += [f"{source} < {name}" for name in _events(frontier, mask)]
        if frontier.passed >> SOURCE + number & 1:
            found.append(f"{source} is a write")
    for (owner, (name, indices)), mask in frontier.own:
        who = f"{process(owner)}'s writes to {cell(name, indices)}"
        found += [f"{who} < {event}" for event in _events(frontier, mask)]
    for (name, indices), masks in frontier.stores:
        for mask in masks:
            known = ", ".join(_events(frontier, mask))
            found.append(f"accesses to {cell(name, indices)} < a write < {known}")
    return found


def _events(frontier: Frontier, mask: int) -> list[str]:
    names = [f"e{event + 1}" for event in range(len(frontier.after)) if mask >> event & 1]
    for number, (event, reader, name, indices) in enumerate(frontier.sources):
        if mask >> SOURCE + number & 1:
            names.append(f"source of e{event + 1}:{process(reader)}@{cell(name, indices)}")
    return names


def value_text(value: Any, kind: str) -> str:
    """A value of the machine."""
    if kind == "proc":
        return process(value)
    if isinstance(value, Fraction):
        return str(value)
    return f"{kind}{value}" if kind == "abstract" else str(value)


def state_text(machine: Machine, state: State, before: State | None = None) -> str:
    """A machine state, or what changed in it, with the pending writes."""
    values, buffers = state
    shown = []
    for term, slot in machine.slots.items():
        symbol = machine.slot_symbol[slot]
        if before is None and symbol.rigid and symbol.arity == 0:
            continue
        if before is None or before[0][slot] != values[slot]:
            shown.append(f"{term_text(term)} = {value_text(values[slot], symbol.type.kind)}")
    names = {slot: term for term, slot in machine.slots.items()}
    for number, pending in enumerate(buffers):
        if pending and (before is None or before[1][number] != pending):
            entries = [
                " & ".join(
                    f"{term_text(names[slot])} = {value_text(value, machine.slot_symbol[slot].type.kind)}"
                    for slot, value in entry
                )
                for entry in pending
            ]
            shown.append(f"buffer of {process(number)}: {'; '.join(entries)}")
        elif before is not None and before[1][number] and not pending:
            shown.append(f"buffer of {process(number)}: empty")
    return ", ".join(shown)
