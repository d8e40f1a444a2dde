"""Small random systems in the `.cub` language, for comparing the search with exhaustive exploration."""

from __future__ import annotations

import random

from tests.seeds import generator

LOCATIONS = ("L1", "L2", "L3", "L4")


def random_system(seed: int, *, weak: bool = True) -> str:
    """A protocol of a few steps over two shared variables and one shared array."""
    choose = generator(seed)
    kind = "weak " if weak else ""
    lines = [f"type loc = {' | '.join(LOCATIONS)}", "type small = A | B | C"]
    lines += [f"{kind}var X : small", f"{kind}var Y : bool", "array PC[proc] : loc"]
    lines += [f"{kind}array W[proc] : bool", "array R[proc] : small"]
    start = ["PC[p] = L1", "W[p] = False", "X = A", "Y = False"]
    if choose.random() < 0.7:
        start.append("R[p] = A")
    lines.append(f"init (p) {{ {' && '.join(start)} }}")
    lines.append(_unsafe(choose, weak=weak))
    lines += [_transition(choose, number) for number in range(choose.randint(3, 6))]
    return "\n".join(lines) + "\n"


def _unsafe(choose: random.Random, *, weak: bool) -> str:
    first, second = choose.choice(LOCATIONS[1:]), choose.choice(LOCATIONS[1:])
    parts = [f"PC[a] = {first}", f"PC[b] = {second}"]
    extra = choose.random()
    if extra < 0.2:
        parts.append("R[a] = B")
    elif extra < 0.3:
        parts += ["a@X = B" if weak else "X = B", "b@Y = True" if weak else "Y = True"]
    return f"unsafe (a b) {{ {' && '.join(parts)} }}"


def _transition(choose: random.Random, number: int) -> str:
    here = choose.choice(LOCATIONS[:3])
    there = choose.choice(LOCATIONS)
    guard = [f"PC[p] = {here}"]
    other = choose.random() < 0.4
    if choose.random() < 0.6:
        choices = ["X = A", "X = B", "X <> C", "Y = True", "Y = False", "W[p] = False", "R[p] = B"]
        choices += ["W[q] = False", "W[q] = True"] if other else ["(X = A || Y = True)"]
        guard.append(choose.choice(choices))
    if choose.random() < 0.3:
        guard.append("fence()")
    if choose.random() < 0.25:
        guard.append("(forall_other k. W[k] = False)")
    actions = [f"PC[p] := {there}"]
    if choose.random() < 0.7:
        actions.append(choose.choice(["X := A", "X := B", "X := C", "X := R[p]", "X := ?"]))
    if choose.random() < 0.3:
        actions.append(choose.choice(["Y := True", "Y := False"]))
    if choose.random() < 0.4:
        target = "q" if other and choose.random() < 0.3 else "p"
        actions.append(f"W[{target}] := {choose.choice(['True', 'False'])}")
    elif choose.random() < 0.15:
        actions.append("W[j] := case | j = p : True | W[j] = True : False | _ : W[j]")
    if choose.random() < 0.4:
        actions.append("R[p] := X")
    parameters = "[p] q" if other else "[p]"
    body = "; ".join(actions)
    return f"transition t{number} ({parameters})\nrequires {{ {' && '.join(guard)} }}\n{{ {body} }}"


def random_litmus(seed: int) -> str:
    """Named processes that each run a short straight line of writes, reads, fences and atomic steps.

    Without universal guards the search is exact, so both verdicts can be compared.
    """
    choose = generator(seed)
    count = choose.choice((2, 2, 3))
    length = 4 if count == 2 else 3
    lines = [f"number_procs {count}", "type loc = " + " | ".join(f"L{i}" for i in range(length + 1))]
    lines += ["type small = A | B | C", "weak var X : small", "weak var Y : small", "array PC[proc] : loc"]
    lines += ["array R[proc] : small", "array S[proc] : small"]
    lines.append("init (p) { PC[p] = L0 && R[p] = A && S[p] = A && X = A && Y = A }")
    for process in range(1, count + 1):
        registers = ["R", "S"]
        for place in range(length):
            lines.append(_instruction(choose, process, place, registers))
    ends = [f"p{i} = #{i} && PC[p{i}] = L{length}" for i in range(1, count + 1)]
    for i in range(1, count + 1):
        for register in "RS":
            if choose.random() < 0.6:
                ends.append(f"{register}[p{i}] = {choose.choice('AABC')}")
    if choose.random() < 0.5:
        ends.append(f"p1@X = {choose.choice('ABC')}")
    parameters = " ".join(f"p{i}" for i in range(1, count + 1))
    lines.append(f"unsafe ({parameters}) {{ {' && '.join(ends)} }}")
    return "\n".join(lines) + "\n"


def _instruction(choose: random.Random, process: int, place: int, registers: list[str]) -> str:
    guard = f"p = #{process} && PC[p] = L{place}"
    variable = choose.choice("XY")
    kind = choose.random()
    action = ""
    if kind < 0.45:
        action = f"; {variable} := {choose.choice('BC')}"
        if kind < 0.08:
            action += f"; {'Y' if variable == 'X' else 'X'} := {choose.choice('BC')}"
    elif kind < 0.85 and registers:
        action = f"; {registers.pop(0)}[p] := {variable}"
    elif kind < 0.95:
        action = f"; X := {choose.choice('BC')}"
        guard += f" && {choose.choice('XY')} <> {choose.choice('BC')}"
    if choose.random() < 0.2:
        guard += " && fence()"
    name = f"t{process}_{place}"
    return f"transition {name} ([p])\nrequires {{ {guard} }}\n{{ PC[p] := L{place + 1}{action} }}"
