"""Random straight-line programs with an outcome, which the store-buffer machine can or cannot reach.

The outcome is what all processes have in their registers at the end. Those that a weaker model reaches and a
stronger one does not are preferred, because they need writes that overtake each other.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from tests.seeds import generator

from treville.parameterised.language.resolve import read_system
from treville.parameterised.states.forward import explore
from treville.parameterised.states.machine import Bounds

_REGISTERS = "RST"
_VALUES = "ABCDE"
_STRONGER = {"pso": "tso", "tso": "sc", "sc": "sc"}


class Outcome(NamedTuple):
    """A system, and whether its unsafe state is reachable."""

    text: str
    reachable: bool
    # Some transition writes two cells at once.
    together: bool


def random_outcome(seed: int, model: str) -> Outcome | None:
    """None when the program has too many states."""
    choose = generator(seed)
    count = choose.choice((2, 2, 3))
    length = 5 if count == 2 else 3
    together = choose.random() < 0.15
    lines = _program(choose, count, length, together=together)
    mine, others = (_ends(lines, count, length, name) for name in (model, _STRONGER[model]))
    if mine is None or others is None:
        return None
    rare = sorted(mine - others)
    end = choose.choice(rare if rare and choose.random() < 0.7 else sorted(mine))
    if choose.random() < 0.4:
        changed = list(end)
        changed[choose.randrange(len(changed))] = choose.choice(_VALUES)
        end = tuple(changed)
    return Outcome("\n".join([*lines, _unsafe(end, count, length)]) + "\n", end in mine, together)


def _program(choose: random.Random, count: int, length: int, *, together: bool) -> list[str]:
    lines = [f"number_procs {count}", "type loc = " + " | ".join(f"L{i}" for i in range(length + 1))]
    lines += [f"type small = {' | '.join(_VALUES)}", "weak var X : small", "weak var Y : small"]
    lines += ["array PC[proc] : loc", *(f"array {register}[proc] : small" for register in _REGISTERS)]
    start = ["PC[p] = L0", "X = A", "Y = A", *(f"{register}[p] = A" for register in _REGISTERS)]
    lines.append(f"init (p) {{ {' && '.join(start)} }}")
    for process in range(1, count + 1):
        free = list(_REGISTERS)
        lines += [_instruction(choose, process, place, free, together=together) for place in range(length)]
    return lines


def _instruction(choose: random.Random, process: int, place: int, free: list[str], *, together: bool) -> str:
    guard = f"p = #{process} && PC[p] = L{place}"
    first, second = choose.sample("XY", 2)
    kind, action = choose.random(), ""
    if kind < 0.5:
        action = f"; {first} := {choose.choice(_VALUES[1:])}"
        if together and choose.random() < 0.3:
            action += f"; {second} := {choose.choice(_VALUES[1:])}"
    elif kind < 0.88 and free:
        action = f"; {free.pop(0)}[p] := {first}"
    elif kind < 0.95 and free:
        action = f"; {free.pop(0)}[p] := {choose.choice('XY')}; {first} := {choose.choice(_VALUES[1:])}"
    if choose.random() < 0.1:
        guard += " && fence()"
    return f"transition t{process}_{place} ([p]) requires {{ {guard} }} {{ PC[p] := L{place + 1}{action} }}"


def _ends(lines: list[str], count: int, length: int, model: str) -> set[tuple[str, ...]] | None:
    """What the registers can hold when all processes are done."""
    nothing = "unsafe (p) { PC[p] = L0 && PC[p] = L1 }"
    system = read_system("\n".join([*lines, nothing]), "ends", model)
    found = explore(system, count, most=30_000, bounds=Bounds(buffer=6))
    if not found.complete:
        return None
    slots = found.machine.slots
    places = [slots["a", "PC", (i,)] for i in range(count)]
    registers = [slots["a", name, (i,)] for name in _REGISTERS for i in range(count)]
    return {
        tuple(values[slot] for slot in registers)
        for values, _ in found.states
        if all(values[slot] == f"L{length}" for slot in places)
    }


def _unsafe(end: tuple[str, ...], count: int, length: int) -> str:
    parts = [f"p{i} = #{i + 1} && PC[p{i}] = L{length}" for i in range(count)]
    cells = [f"{name}[p{i}]" for name in _REGISTERS for i in range(count)]
    parts += [f"{cell} = {value}" for cell, value in zip(cells, end, strict=True)]
    return f"unsafe ({' '.join(f'p{i}' for i in range(count))}) {{ {' && '.join(parts)} }}"
