"""Candidate executions written by hand: rows of (thread, kind, location or fence) and chosen relations."""

from __future__ import annotations

from dataclasses import dataclass, field

from treville.models.evaluate import Evaluation, evaluate
from treville.models.model import Model
from treville.relations import Relation, mask_of

Pairs = list[tuple[int, int]]


@dataclass
class Candidate:
    """Initial writes have a negative thread. `tags` maps a set's name to its events."""

    rows: list[tuple[int, str, str]]
    rf: Pairs
    co: Pairs
    relations: dict[str, Pairs] = field(default_factory=dict)
    tags: dict[str, list[int]] = field(default_factory=dict)

    def judge(self, model: Model) -> Evaluation:
        return evaluate(model, len(self.rows), self._sets(), self._relations())

    def violated(self, model: Model) -> set[str]:
        return {axiom.name for axiom in self.judge(model).violated}

    def _sets(self) -> dict[str, int]:
        rows = list(enumerate(self.rows))
        sets = {
            "R": mask_of(i for i, row in rows if row[1] == "R"),
            "W": mask_of(i for i, row in rows if row[1] == "W"),
            "M": mask_of(i for i, row in rows if row[1] in "RW"),
            "F": mask_of(i for i, row in rows if row[1] == "F"),
            "IW": mask_of(i for i, row in rows if row[0] < 0),
        }
        for i, (_, kind, name) in rows:
            if kind == "F":
                sets[name] = sets.get(name, 0) | 1 << i
        for name, events in self.tags.items():
            sets[name] = sets.get(name, 0) | mask_of(events)
        return sets

    def _relations(self) -> dict[str, Relation]:
        n = len(self.rows)
        rows = self.rows
        pairs = [(i, j) for i in range(n) for j in range(n)]
        given = {
            "po": [(i, j) for i, j in pairs if i < j and rows[i][0] == rows[j][0] >= 0],
            "loc": [
                (i, j) for i, j in pairs if "F" not in (rows[i][1], rows[j][1]) and rows[i][2] == rows[j][2]
            ],
            "int": [(i, j) for i, j in pairs if rows[i][0] == rows[j][0]],
            "ext": [(i, j) for i, j in pairs if rows[i][0] != rows[j][0]],
            "rf": self.rf,
            "co": self.co,
            **self.relations,
        }
        return {name: Relation.of(n, members) for name, members in given.items()}


X0, Y0 = (-1, "W", "x"), (-2, "W", "y")


def fence(thread: int, name: str) -> list[tuple[int, str, str]]:
    return [(thread, "F", name)] if name else []


def store_buffering(first: str = "", second: str = "") -> Candidate:
    """Both threads write, then read 0 from the other's location."""
    rows = [X0, Y0, (0, "W", "x"), *fence(0, first), (0, "R", "y")]
    other = len(rows)
    rows += [(1, "W", "y"), *fence(1, second), (1, "R", "x")]
    return Candidate(rows, [(1, other - 1), (0, len(rows) - 1)], [(0, 2), (1, other)])


def message_passing(first: str = "", second: str = "", address: bool = False) -> Candidate:
    """The reader sees the flag but not the message."""
    rows = [X0, Y0, (0, "W", "x"), *fence(0, first), (0, "W", "y")]
    flag = len(rows) - 1
    rows += [(1, "R", "y"), *fence(1, second), (1, "R", "x")]
    relations = {"addr": [(flag + 1, len(rows) - 1)]} if address else {}
    return Candidate(rows, [(flag, flag + 1), (0, len(rows) - 1)], [(0, 2), (1, flag)], relations)


def load_buffering(data: bool = False) -> Candidate:
    """Each thread reads what the other writes after its read."""
    rows = [X0, Y0, (0, "R", "x"), (0, "W", "y"), (1, "R", "y"), (1, "W", "x")]
    relations = {"data": [(2, 3), (4, 5)]} if data else {}
    return Candidate(rows, [(5, 2), (3, 4)], [(0, 5), (1, 3)], relations)


def two_reads_backwards() -> Candidate:
    """A thread reads the new value and then the old one (CoRR)."""
    rows = [X0, (0, "W", "x"), (1, "R", "x"), (1, "R", "x")]
    return Candidate(rows, [(1, 2), (0, 3)], [(0, 1)])


def independent_reads(fences: str = "") -> Candidate:
    """Two readers disagree on the order of two writes (IRIW)."""
    rows = [X0, Y0, (0, "W", "x"), (1, "W", "y"), (2, "R", "x"), *fence(2, fences), (2, "R", "y")]
    middle = len(rows)
    rows += [(3, "R", "y"), *fence(3, fences), (3, "R", "x")]
    rf = [(2, 4), (1, middle - 1), (3, middle), (0, len(rows) - 1)]
    return Candidate(rows, rf, [(0, 2), (1, 3)])


def lost_update() -> Candidate:
    """Two read-modify-writes of x read the same initial value."""
    rows = [X0, (0, "R", "x"), (0, "W", "x"), (1, "R", "x"), (1, "W", "x")]
    return Candidate(
        rows, [(0, 1), (0, 3)], [(0, 2), (0, 4), (2, 4)], {"rmw": [(1, 2), (3, 4)], "amo": [(1, 2), (3, 4)]}
    )
