"""SAT as a history: the four range reductions of paper 004, section 3.3.

A formula in conjunctive normal form (clauses of non-zero ints, DIMACS style) becomes a history that
passes at every level of the reduction's range exactly when the formula is satisfiable. They show why
testing is hard, and test this and other checkers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from treville.histories.history import History, Operation, Value
from treville.results import InputError, Source

Clause = Sequence[int]
Step = tuple[str, str, str]

RANGES = {
    "slow": ("SC", "TSO", "PSO", "PC-G", "PC-D", "GAO", "GPO+GDO", "causal", "PRAM-M", "CC", "PRAM", "SLOW"),
    "gwo": ("SC", "causal", "GWO"),
    "cc": ("SC", "TSO", "PSO", "PC-G", "PC-D", "GAO", "GPO+GDO", "CC"),
    "pso": ("SC", "TSO", "PSO"),
}
"""The levels between the strong and the weak end of each reduction, as far as they are comparable."""


def reduce_formula(reduction: str, clauses: Sequence[Clause]) -> History:
    """The history of a formula under one of the reductions of `RANGES`."""
    makers: dict[str, Callable[[Sequence[Clause]], tuple[dict[str, list[Step]], Value]]] = {
        "slow": _to_slow,
        "gwo": _to_gwo,
        "cc": _to_cc,
        "pso": _to_pso,
    }
    if reduction not in makers:
        raise InputError(f"unknown reduction {reduction!r}", hint=f"one of {', '.join(makers)}")
    if any(not literal for clause in clauses for literal in clause):
        raise InputError("0 is no literal")
    threads, initial = makers[reduction](clauses)
    operations = [
        Operation(name, kind == "w", key, value)
        for name, steps in threads.items()
        for kind, key, value in steps
    ]
    return History(f"{reduction}-reduction", tuple(operations), {}, initial)


def read_dimacs(text: str, name: str) -> list[list[int]]:
    """The clauses of a formula in DIMACS form."""
    source = Source(name, text)
    clauses: list[list[int]] = [[]]
    for match in re.finditer(r"^[cp%][^\n]*|\S+", text, re.MULTILINE):
        word = match.group()
        if word[0] in "cp%":
            continue
        if not re.fullmatch(r"-?\d{1,9}", word):
            raise InputError("expected a literal", source.span(match.start(), len(word)))
        if int(word):
            clauses[-1].append(int(word))
        else:
            clauses.append([])
    found = clauses if clauses[-1] else clauses[:-1]
    if not found:
        raise InputError("no clauses", source.span(0))
    return found


def _variables(clauses: Sequence[Clause]) -> list[int]:
    return sorted({abs(literal) for clause in clauses for literal in clause})


def _to_slow(clauses: Sequence[Clause]) -> tuple[dict[str, list[Step]], Value]:
    """Section 3.3.2: one location; the thread of a literal that runs late supplies its clauses."""
    threads: dict[str, list[Step]] = {}
    for variable in _variables(clauses):
        for name, literal in (("p", variable), ("n", -variable)):
            steps = [("w", "xi", f"cl{i}") for i, clause in enumerate(clauses) if literal in clause]
            threads[f"{name}{variable}"] = [*steps, ("w", "xi", f"x{variable}")]
    wait = [("r", "xi", f"x{variable}") for variable in _variables(clauses)]
    threads["t"] = wait + [("r", "xi", f"cl{i}") for i in range(len(clauses))]
    return threads, "start"


def _to_gwo(clauses: Sequence[Clause]) -> tuple[dict[str, list[Step]], Value]:
    """Section 3.3.3: threads of at most three events and four locations."""
    threads: dict[str, list[Step]] = {}
    for x in _variables(clauses):
        for name, value in (("n", 0), ("p", 1)):
            threads[f"{name}{x}"] = [
                ("w", "a", f"({x},{value})"),
                ("r", "a", f"({x},{value})"),
                ("w", "b", f"({x},1)"),
            ]
        threads[f"q{x}"] = [("r", "b", f"({x},1)"), ("w", "a", f"({x},2)")]
        threads[f"r{x}"] = [("r", "h", f"h{len(clauses)}"), ("w", "a", f"({x},0)"), ("w", "a", f"({x},1)")]
    for i, clause in enumerate(clauses, 1):
        for j, literal in enumerate(clause):
            x, satisfied = abs(literal), int(literal > 0)
            threads[f"l{i}.{j}"] = [
                ("r", "a", f"({x},2)"),
                ("r", "a", f"({x},{satisfied})"),
                ("w", "c", f"cl{i}"),
            ]
        threads[f"t{i}"] = [("r", "h", f"h{i - 1}"), ("r", "c", f"cl{i}"), ("w", "h", f"h{i}")]
    return threads, "h0"


def _to_cc(clauses: Sequence[Clause]) -> tuple[dict[str, list[Step]], Value]:
    """Section 3.3.4: one location and threads of at most four events."""
    threads: dict[str, list[Step]] = {}
    for x in _variables(clauses):
        threads[f"p{x}"] = [("w", "xi", f"({x},1)")]
        threads[f"n{x}"] = [("w", "xi", f"({x},0)")]
        threads[f"r{x}"] = [
            ("r", "xi", f"h{len(clauses)}"),
            *(("w", "xi", f"({x},{value})") for value in (0, 1, 0)),
        ]
    for i, clause in enumerate(clauses, 1):
        for j, literal in enumerate(clause):
            x, satisfied = abs(literal), int(literal > 0)
            threads[f"l{i}.{j}"] = [
                ("r", "xi", f"({x},{1 - satisfied})"),
                ("r", "xi", f"({x},{satisfied})"),
                ("w", "xi", f"cl{i}"),
            ]
        threads[f"t{i}"] = [("r", "xi", f"h{i - 1}"), ("r", "xi", f"cl{i}"), ("w", "xi", f"h{i}")]
    return threads, "h0"


def _to_pso(clauses: Sequence[Clause]) -> tuple[dict[str, list[Step]], Value]:
    """Section 3.3.5: twelve threads for any 3SAT formula with distinct variables in each clause."""
    for clause in clauses:
        if len(clause) != 3 or len({abs(literal) for literal in clause}) != 3:
            raise InputError("the reduction to PSO needs clauses of three literals over three variables")
    variables = _variables(clauses)
    testers = ("pa", "pa'", "pb", "pb'", "pc", "pc'")
    threads: dict[str, list[Step]] = {name: [] for name in testers}
    for name, value in (("pa", 0), ("pa'", 1)):
        threads[name] += [("w", f"v{x}", str(value)) for x in variables]
    for name, value in (("pb", 0), ("pb'", 1)):
        threads[name] += [("r", f"v{x}", str(value)) for x in variables]
    for j, letter in enumerate("abc"):
        for value, mark in ((0, ""), (1, "'")):
            name = f"p{letter}{mark}"
            for i, clause in enumerate(clauses):
                threads[name] += _synchronise(i, name, testers)
                literal, following = clause[j], clause[(j + 1) % 3]
                threads[name].append(("r", f"v{abs(literal)}", str(int(literal > 0))))
                threads[name] += _flip(i, "abc"[(j + 1) % 3], following, value)
    for j, letter in enumerate("abc"):
        for value, mark in ((0, ""), (1, "'")):
            name = f"q{letter}{mark}"
            threads[name] = []
            for i, clause in enumerate(clauses):
                threads[name] += _flip_partner(i, letter, clause[j], value)
    return threads, "start"


def _synchronise(clause: int, name: str, testers: Sequence[str]) -> list[Step]:
    return [("w", f"z{clause}{name}", "1"), *(("r", f"z{clause}{other}", "1") for other in testers)]


def _flip(clause: int, letter: str, literal: int, value: int) -> list[Step]:
    lock = f"y{clause}{letter}{value}"
    return [
        ("r", f"v{abs(literal)}", str(value)),
        ("w", lock, "1"),
        ("w", f"v{abs(literal)}", str(1 - value)),
        ("r", lock, "0"),
    ]


def _flip_partner(clause: int, letter: str, literal: int, value: int) -> list[Step]:
    lock = f"y{clause}{letter}{value}"
    return [("r", lock, "1"), ("r", f"v{abs(literal)}", str(1 - value)), ("w", lock, "0")]
