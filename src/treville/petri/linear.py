"""Improving rays of polyhedral cones, exactly: the linear programming that half spaces need.

A `Cone` is {x >= 0 : row . x <= 0 for every row}. `ray(objective)` finds an integer point of it with
objective . x > 0, or proves that there is none (Farkas: then the objective is a non-negative combination
of the rows, whose multipliers `combination` returns). The tableau is kept between calls, so that many
objectives over one net cost few pivots each. Rows are sparse and scaled to coprime integers: nets have
small coefficients, which makes exact arithmetic as cheap as floating point here, and never wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

from treville.petri import work
from treville.results.budget import Budget

Row = dict[int, int]
_PIVOTS_BEFORE_BLAND = 200
_SCALE = -1


def _reduce(row: Row) -> None:
    """Divide a row by the greatest common divisor of its entries."""
    divisor = gcd(*row.values()) if row else 1
    if divisor > 1:
        for column in row:
            row[column] //= divisor


def _eliminate(row: Row, pivot_row: Row, column: int) -> None:
    """Clear `column` from `row` by subtracting a multiple of `pivot_row`; `row` is scaled positively."""
    factor, pivot = row[column], pivot_row[column]
    shared = gcd(factor, pivot)
    factor, pivot = factor // shared, pivot // shared
    if pivot != 1:
        for key in row:
            row[key] *= pivot
    for key, value in pivot_row.items():
        new = row.get(key, 0) - factor * value
        if new:
            row[key] = new
        else:
            del row[key]
    if pivot != 1:
        _reduce(row)


class Cone:
    """The cone {x >= 0 : row . x <= 0}; columns are 0..width-1, slacks follow."""

    def __init__(self, width: int, rows: Iterable[Mapping[int, int]], budget: Budget) -> None:
        self.width = width
        self.budget = budget
        self._rows: list[Row] = []
        self._basis: list[int] = []
        self._row_of: dict[int, int] = {}
        self._rows_with: dict[int, set[int]] = {}
        for index, row in enumerate(rows):
            entries = {column: value for column, value in row.items() if value}
            entries[width + index] = 1
            self._rows.append(entries)
            self._basis.append(width + index)
            self._row_of[width + index] = index
        for index, entries in enumerate(self._rows):
            for column in entries:
                self._rows_with.setdefault(column, set()).add(index)
        self._objective: Row = {}

    def ray(self, objective: Mapping[int, int]) -> dict[int, int] | None:
        """A point of the cone with positive objective (sparse, integer), or None when there is none."""
        self._objective = {column: value for column, value in objective.items() if value}
        # A column of no row, which never enters: it tells by what the objective has been multiplied.
        self._objective[_SCALE] = -1
        for column in list(self._objective):
            if column in self._row_of and column in self._objective:
                _eliminate(self._objective, self._rows[self._row_of[column]], column)
        pivots = 0
        while True:
            self.budget.check()
            self.budget.spend(work.PIVOT)
            entering = self._entering(pivots > _PIVOTS_BEFORE_BLAND)
            if entering is None:
                return None
            leaving = self._leaving(entering)
            if leaving is None:
                return self._point(entering)
            self._pivot(leaving, entering)
            pivots += 1

    def combination(self) -> tuple[int, dict[int, int]]:
        """After a failed `ray`: (scale, multipliers of rows) with scale * objective <= their combination."""
        multipliers = {c - self.width: -v for c, v in self._objective.items() if c >= self.width and v < 0}
        return -self._objective[_SCALE], multipliers

    def _entering(self, bland: bool) -> int | None:
        best, best_value = None, 0
        for column, value in self._objective.items():
            if value <= 0:
                continue
            if bland:
                if best is None or column < best:
                    best = column
            elif value > best_value or (value == best_value and best is not None and column < best):
                best, best_value = column, value
        return best

    def _leaving(self, entering: int) -> int | None:
        """Every right-hand side is zero, so any row with a positive entry blocks; take Bland's."""
        best = None
        for index in self._rows_with.get(entering, ()):
            if self._rows[index][entering] > 0 and (best is None or self._basis[index] < self._basis[best]):
                best = index
        return best

    def _pivot(self, leaving: int, entering: int) -> None:
        pivot_row = self._rows[leaving]
        for index in list(self._rows_with[entering]):
            if index != leaving:
                self._replace(index, pivot_row, entering)
        if entering in self._objective:
            _eliminate(self._objective, pivot_row, entering)
        del self._row_of[self._basis[leaving]]
        self._basis[leaving] = entering
        self._row_of[entering] = leaving

    def _replace(self, index: int, pivot_row: Row, column: int) -> None:
        row = self._rows[index]
        before = [key for key in pivot_row if key not in row]
        _eliminate(row, pivot_row, column)
        for key in before:
            self._rows_with[key].add(index)
        for key in pivot_row:
            if key not in row:
                self._rows_with[key].discard(index)

    def _point(self, entering: int) -> dict[int, int]:
        """Move along `entering`: basic variables follow from their rows; scaled to integers."""
        scale = 1
        moves: list[tuple[int, int, int]] = []
        for index in self._rows_with.get(entering, ()):
            row = self._rows[index]
            basic = self._basis[index]
            if basic < self.width:
                moves.append((basic, -row[entering], row[basic]))
                scale = scale * row[basic] // gcd(scale, row[basic])
        point = {basic: step * (scale // own) for basic, step, own in moves if step}
        if entering < self.width:
            point[entering] = scale
        _reduce(point)
        return point
