"""The reduction of testing to SAT (paper 004, section 3.5), solved by clasp.

Variables: a source literal for each read and candidate write (EXE), and for each group and pair of
writes one literal that says which comes first; a from-read literal says that a read precedes a write
that overwrites its source (SV). Total orders are needed only in so far as the graph of every view is
acyclic. Two ways to say that:

- `acyclic` hands the edges to clasp's own acyclicity check (the default);
- `transitive` adds, as the paper does, an order literal for every two nodes and cubic many
  transitivity clauses. It is kept for comparison (`bench/histories.py`) and as a cross-check.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations

from treville.formulas.formula import FALSE, TRUE, Formula, Literal, Vertex
from treville.histories.problem import Group, Problem
from treville.histories.saturation import Facts
from treville.histories.view_graphs import ViewGraph
from treville.results import Budget, BudgetExceeded, OutOfWork
from treville.solving.back_ends.clasp import Clasp

_MOST_NODES_FOR_TRANSITIVE = 400
_MOST_FOR_ONE_SOURCE = 40


class Encoding:
    """Writes a problem into a formula and remembers what its literals mean."""

    def __init__(self, problem: Problem, facts: Facts, budget: Budget, transitive: bool) -> None:
        self.problem, self.facts, self.budget = problem, facts, budget
        self.formula = Formula()
        self.offset = [self.formula.vertices(view.nodes)[0] if view.nodes else 0 for view in problem.views]
        self.transitive = transitive
        self.source: dict[tuple[int, int], Literal] = {}
        self.present: dict[int, Literal] = {}
        self.before: dict[tuple[int, int, int], Literal] = {}
        self.precedes: dict[tuple[int, int], Literal] = {}
        self._written: set[tuple[int, int]] = set()

    # -- literals and clauses --------------------------------------------------------------------

    def conjunction(self, literals: list[Literal]) -> Literal:
        """A literal that holds whenever all the given ones do; when it need not hold, the solver is free."""
        literals = [literal for literal in literals if literal != TRUE]
        if FALSE in literals:
            return FALSE
        if len(literals) < 2:
            return literals[0] if literals else TRUE
        both = self.formula.choice()
        self.formula.forbid_apart(-both, *literals)
        return both

    def edge(self, before: int, after: int, *conditions: Literal) -> None:
        """While the conditions hold, global node `before` precedes `after`."""
        condition = self.conjunction(list(conditions))
        if self.transitive:
            self.formula.require(-condition, self.order(before, after))
        else:
            self.formula.edge(Vertex(before), Vertex(after), condition)

    def order(self, first: int, second: int) -> Literal:
        """The literal of the transitive encoding for "node `first` precedes node `second`"."""
        if first < second:
            return self.precedes[first, second]
        return -self.precedes[second, first]

    # -- the formula -----------------------------------------------------------------------------

    def write(self) -> None:
        """EXE and SV for all views."""
        if self.transitive:
            self._total_orders()
        self._executions()
        for index, view in enumerate(self.problem.views):
            self.budget.check()
            self._view(index, view)
        for number, group in enumerate(self.problem.groups):
            self.budget.check()
            self._group(number, group)
        for first, before, second, after in self.problem.issue:
            self.edge(self.offset[first] + before, self.offset[second] + after)

    def _total_orders(self) -> None:
        nodes = self.formula.graph_nodes
        if nodes > _MOST_NODES_FOR_TRANSITIVE:
            raise BudgetExceeded(
                f"{nodes} nodes are too many for transitivity clauses", "use --algorithm sat"
            )
        for together in self._ordered_together():
            for first, second in combinations(together, 2):
                self.precedes[first, second] = self.formula.choice()
            for first, second in permutations(together, 2):
                self.budget.check()
                self._order_with_others(first, second, together)

    def _order_with_others(self, first: int, second: int, together: range) -> None:
        """Transitivity."""
        before, order, forbid = self.order(first, second), self.order, self.formula.forbid_apart
        for third in together:
            if third not in (first, second):
                forbid(before, order(second, third), order(third, first))

    def _ordered_together(self) -> list[range]:
        """Nodes that may be ordered with each other: those of one view, or all when views are linked."""
        if self.problem.issue:
            return [range(self.formula.graph_nodes)]
        return [
            range(start, start + view.nodes)
            for start, view in zip(self.offset, self.problem.views, strict=True)
        ]

    def _executions(self) -> None:
        events = self.problem.events
        readers: dict[int, list[Literal]] = {}
        for read, candidates in self.facts.candidates.items():
            if len(candidates) == 1:
                self.source[candidates[0], read] = TRUE
            else:
                for write in candidates:
                    self.source[write, read] = self.formula.choice()
            literals = [self.source[write, read] for write in candidates]
            self.formula.require(*literals)
            # Two sources at once do no harm, so that large sets can do without these clauses.
            if len(literals) <= _MOST_FOR_ONE_SOURCE:
                for first, second in combinations(literals, 2):
                    self.formula.forbid_apart(first, second)
            self.budget.check()
            for write in candidates:
                readers.setdefault(write, []).append(self.source[write, read])
        for write in events.optional:
            self.present[write] = self._disjunction(readers.get(write, []))
        for write, read, uncertain in self.problem.exclusions:
            if (write, read) in self.source:
                self.formula.require(-self.source[write, read], -self.present[uncertain])

    def _disjunction(self, literals: list[Literal]) -> Literal:
        either = self.formula.choice()
        for literal in literals:
            self.formula.require(-literal, either)
        self.formula.require(-either, *literals)
        return either

    def _view(self, index: int, view: ViewGraph) -> None:
        start = self.offset[index]
        for before, after in view.fixed:
            self.edge(start + before, start + after)
        for before, after in self.facts.derived[index]:
            self.edge(start + before, start + after)
        for before, after, conditions in view.conditional:
            self.edge(start + before, start + after, *(self.present[write] for _, write in conditions))

    def _group(self, number: int, group: Group) -> None:
        sources = {w for r in group.reads for w in self.facts.candidates[r]}
        for read in group.reads:
            self.budget.check()
            for write in self.facts.candidates[read]:
                self._reads_from(write, read)
        for position, first in enumerate(group.writes):
            self.budget.check()
            for second in group.writes[position + 1 :]:
                # The order of two writes that no read of the group can see does not matter, unless the
                # views must agree on it.
                if self.problem.level.agree or first in sources or second in sources:
                    self._write_pair(number, group, first, second)
        for read in group.reads:
            self._from_reads(number, group, read)

    def _reads_from(self, write: int, read: int) -> None:
        key = (write, read)
        if key in self._written:
            return
        self._written.add(key)
        for index, before, after, conditions in self.problem.source_edges(write, read):
            start = self.offset[index]
            extra = (self.present[w] for _, w in conditions)
            self.edge(start + before, start + after, self.source[key], *extra)

    def _write_pair(self, number: int, group: Group, first: int, second: int) -> None:
        known = self.facts.known(group, first, second)
        literal = self.formula.choice() if known is None else (TRUE if known else FALSE)
        self.before[number, first, second] = literal
        self.before[number, second, first] = -literal
        if known is not None and not {first, second} & self.problem.events.optional:
            return  # the views' graphs have a path already
        for a, b, condition in ((first, second, literal), (second, first, -literal)):
            conditions = [condition, self.present[a]] if a in self.present else [condition]
            for index, before, after in self.problem.order_edges(group, a, b):
                self.edge(self.offset[index] + before, self.offset[index] + after, *conditions)

    def _from_reads(self, number: int, group: Group, read: int) -> None:
        """A write after the read's source is after the read: one literal for each overwriting write."""
        candidates = self.facts.candidates[read]
        for write in group.writes:
            self.budget.check()
            reasons = []
            for source in candidates:
                if source == write:
                    continue
                initial = self.problem.events.is_initial(source)
                order = TRUE if initial else self.before[number, source, write]
                if order != FALSE:
                    reasons.append((self.source[source, read], order))
            certain = reasons == [(TRUE, TRUE)] and self.facts.closures
            if not reasons or (certain and write not in self.problem.events.optional):
                continue  # saturation has the path from the read to the write
            if len(reasons) == 1:
                overwritten = self.conjunction(list(reasons[0]))
            else:
                overwritten = self.formula.choice()
                for chosen, order in reasons:
                    forbid = self.formula.forbid if TRUE in (chosen, order) else self.formula.forbid_apart
                    forbid(-overwritten, chosen, order)
            for index, before, after in self.problem.from_read_edges(group, read, write):
                self.edge(self.offset[index] + before, self.offset[index] + after, overwritten)


def solve(problem: Problem, facts: Facts, budget: Budget, transitive: bool = False) -> dict[int, int] | None:
    """A source for each read such that all views exist, or None. Raises `BudgetExceeded`; units of work are
    the solver's conflicts."""
    result = solve_with_orders(problem, facts, budget, transitive)
    return None if result is None else result[0]


def solve_with_orders(
    problem: Problem, facts: Facts, budget: Budget, transitive: bool = False
) -> tuple[dict[int, int], set[tuple[int, int, int]]] | None:
    """Sources, and the chosen write orders as (group, before, after); None when there are none."""
    encoding = Encoding(problem, facts, budget, transitive)
    encoding.write()
    found: list[tuple[dict[int, int], set[tuple[int, int, int]]]] = []

    def read_off(is_true: Callable[[Literal], bool]) -> bool:
        sources = {read: write for (write, read), literal in encoding.source.items() if is_true(literal)}
        found.append((sources, {key for key, literal in encoding.before.items() if is_true(literal)}))
        return False

    # frumpy was two to three times faster than clasp's other presets on histories with few values.
    solver = Clasp(encoding.formula, preset="frumpy", budget=budget)
    if not solver.look(budget, read_off, (), budget.units_left) and not found:
        raise OutOfWork(f"no answer with {budget.units} conflicts")
    return found[0] if found else None
