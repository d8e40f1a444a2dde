"""Separating inductive half spaces of Petri nets by an SMT solver: the loop of paper 004, section 7.5.

A candidate k satisfies the structural conditions (0)-(5) for every transition; the constant c follows by
dynamic programming for all transitions at once (`halfspace.constants`). Where no c exists, the solver
learns two things: no positive multiple of k (Lemma 16), and, for markings that leave the candidate half
space, that an inductive one must not contain them without their successors. The second lemma is linear
too and cuts away far more, so the search does not depend on lucky candidates. Candidates that are
trivial for most transitions come first, small entries before large ones; bounds grow without end, which
makes this a semi-decision procedure. For upward-closed targets the solver only sees k <= 0 (Theorem 18).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import count as count_from
from typing import Any

from treville.petri import work
from treville.petri.halfspace import (
    MAX_RANGE,
    HalfSpace,
    constants,
    greatest,
    least,
    triviality,
    violating_marking,
)
from treville.petri.net import UNBOUNDED, Box, Marking, Problem
from treville.results.budget import Budget
from treville.results.errors import TrevilleError

# Of z3's own count of work for a query: first (some 400 milliseconds), and at most; doubled when it gives up.
_FIRST_RESOURCES, _MOST_RESOURCES = 6_000_000, 4_000_000_000
_LONGEST_TIMEOUT = 2**31 - 1  # milliseconds
_MAX_STEEP = 30_000  # entries times transitions up to which condition (5) is spelt out
_CONSTANTS_TRIED = 6  # candidates c per k whose violating markings are learnt


class SolverMissing(TrevilleError):
    """The SMT solver is an optional part of the installation."""

    def __init__(self) -> None:
        super().__init__("non-trivial half spaces need z3: pip install 'treville[z3]'")


def _import_z3() -> Any:
    try:
        import z3
    except ImportError as error:
        raise SolverMissing from error
    return z3


def separating_half_space(
    problem: Problem, target: Box, budget: Budget
) -> Generator[None, None, HalfSpace | str]:
    """A half space that holds initially, is inductive and excludes `target`, or why there is none."""
    search = _Search(problem, target, budget, _import_z3())
    return (yield from search.run())


class _Search:
    def __init__(self, problem: Problem, target: Box, budget: Budget, z3: Any) -> None:
        self.problem, self.target, self.budget, self.z3 = problem, target, budget, z3
        self.net = problem.net
        self.places = range(len(self.net.places))
        # A context of its own: in a shared one the search depends on what was asked before.
        self.context = context = z3.Context()
        self.solver = z3.SolverFor("QF_LIA", ctx=context)
        self.k = [z3.Int(f"k{p}", context) for p in self.places]
        self.c = z3.Int("c", context)
        self.rising, self.falling = z3.Bool("rising", context), z3.Bool("falling", context)
        self.trivial = [z3.Bool(f"trivial{t}", context) for t in range(len(self.net.transitions))]
        self.resources = _FIRST_RESOURCES
        self.candidates = 0
        self.exhaustive = True  # False once a candidate's constants were too many to try all
        self._separation()

    # --- the formula

    def _sum(self, terms: list[Any]) -> Any:
        return self.z3.Sum(terms) if terms else self.z3.IntVal(0, self.context)

    def _product(self, vector: Marking | dict[int, int]) -> Any:
        items = vector.items() if isinstance(vector, dict) else enumerate(vector)
        return self._sum([n * self.k[p] for p, n in items if n])

    def _extreme(self, box: Box, highest: bool) -> Any:
        """The least or greatest k . m over a box; entries with an infinite extreme are excluded."""
        terms = []
        for p, low, high in zip(self.places, box.low, box.high, strict=True):
            entry = self.k[p]
            if low == high:
                terms.append(low * entry)
            elif high == UNBOUNDED:
                self.solver.add(entry <= 0 if highest else entry >= 0)
                terms.append(low * entry)
            else:
                ends = (int(high) * entry, low * entry) if highest else (low * entry, int(high) * entry)
                terms.append(self.z3.If(entry >= 0, *ends))
        return self._sum(terms)

    def _separation(self) -> None:
        """Condition (0) with the constant between both sides, and the signs of condition (4)."""
        self.solver.add(self._extreme(self.problem.initial, False) >= self.c)
        self.solver.add(self._extreme(self.target, True) < self.c)
        for entry in self.k:
            self.solver.add(self.z3.Implies(self.rising, entry >= 0))
            self.solver.add(self.z3.Implies(self.falling, entry <= 0))

    def _transitions(self) -> Iterator[None]:
        """Conditions (1)-(3) make a transition trivial; otherwise (4) and (5) are necessary.

        Condition (5) only saves candidates; on large nets its size would cost more than it saves.
        """
        z3 = self.z3
        small = len(self.k) * len(self.trivial) <= _MAX_STEEP
        for transition, trivial in zip(self.net.transitions, self.trivial, strict=True):
            self.budget.check()
            self.budget.spend(work.CONDITION)
            change = self._product(transition.delta)
            before = self._product({p: i.low for p, i in transition.guard.items()})
            criteria = [
                change >= 0,
                z3.And(self.rising, before + change >= self.c),
                z3.And(self.falling, before < self.c),
            ]
            self.solver.add(z3.Implies(trivial, z3.Or(criteria)))
            entries = self.k if small else []
            steep = [z3.Or(entry == 0, entry >= -change, entry <= change) for entry in entries]
            one_sign = z3.Or(self.rising, self.falling)
            self.solver.add(z3.Implies(z3.Not(trivial), z3.And(one_sign, change < 0, *steep)))
            yield

    # --- the loop

    def _stages(self) -> Iterator[tuple[int, int | None]]:
        """(transitions that may be non-trivial, bound on entries): diagonally, so that both grow for ever."""
        count = len(self.trivial)
        levels = [count] + [1 << i for i in range(count.bit_length()) if 1 << i < count]
        yield 0, None
        for diagonal in count_from(1):
            for index, level in enumerate(levels[:diagonal]):
                yield level, 4 ** (diagonal - index)
            if diagonal >= len(levels):
                yield count, None

    def run(self) -> Generator[None, None, HalfSpace | str]:
        """Stages until a half space is found or shown not to exist."""
        yield from self._transitions()
        for level, bound in self._stages():
            assumptions = self._assumptions(level, bound)
            while True:
                answer = self._ask(assumptions)
                yield
                if answer != self.z3.sat:
                    break
                half_space = self._examine()
                if half_space is not None:
                    return half_space
            if answer == self.z3.unsat and bound is None and level == len(self.trivial):
                claim = "no separating inductive half space exists"
                return claim if self.exhaustive else "no separating half space with small constants was found"
            if answer == self.z3.unknown:
                self.resources = min(2 * self.resources, _MOST_RESOURCES)
        raise AssertionError("stages never end")

    def _ask(self, assumptions: list[Any]) -> Any:
        """One query, which ends with its share of work, or with the budget's time."""
        self.budget.check()
        left = self.budget.remaining()
        if left is not None:
            self.solver.set("timeout", min(int(left * 1000) + 1, _LONGEST_TIMEOUT))
        self.solver.set("rlimit", self.resources)
        before = self._used()
        answer = self.solver.check(*assumptions)
        self.budget.spend((self._used() - before) // work.RESOURCES)
        return answer

    def _used(self) -> int:
        """What z3 has counted so far."""
        return next((int(value) for key, value in self.solver.statistics() if key == "rlimit count"), 0)

    def _assumptions(self, level: int, bound: int | None) -> list[Any]:
        z3 = self.z3
        literals = []
        if level < len(self.trivial):
            literals.append(z3.Bool(f"level{level}", self.context))
            few = z3.PbLe([(z3.Not(trivial), 1) for trivial in self.trivial], level)
            self.solver.add(z3.Implies(literals[-1], few))
        if bound is not None:
            literals.append(z3.Bool(f"bound{bound}", self.context))
            small = [z3.And(entry <= bound, entry >= -bound) for entry in self.k]
            self.solver.add(z3.Implies(literals[-1], z3.And(small)))
        return literals

    def _examine(self) -> HalfSpace | None:
        """The candidate with a suitable constant, or None after teaching the solver why there is none."""
        self.candidates += 1
        model = self.solver.model()
        k = tuple(model.eval(entry, model_completion=True).as_long() for entry in self.k)
        smallest, largest = int(greatest(k, self.target)) + 1, int(least(k, self.problem.initial))
        c = constants(k, self.net, smallest, largest)
        if c is not None:
            return HalfSpace(k, c)
        if largest - smallest > MAX_RANGE or max(map(abs, k)) ** 2 > MAX_RANGE:
            self.exhaustive = False
        self._forbid_multiples(k)
        step = max(1, (largest - smallest) // _CONSTANTS_TRIED)
        for constant in {*range(smallest, largest + 1, step), largest}:
            self._learn_markings(HalfSpace(k, constant))
        return None

    def _forbid_multiples(self, k: tuple[int, ...]) -> None:
        pivot = next(p for p in self.places if k[p])
        other = [k[pivot] * self.k[p] != k[p] * self.k[pivot] for p in self.places if p != pivot]
        sign = self.k[pivot] <= 0 if k[pivot] > 0 else self.k[pivot] >= 0
        self.solver.add(self.z3.Or(sign, *other))

    def _learn_markings(self, half_space: HalfSpace) -> None:
        for transition in self.net.transitions:
            if triviality(half_space, transition) is None:
                marking = violating_marking(half_space, transition)
                if marking is not None:
                    self.budget.spend(work.CONDITION)
                    inside = self._product(marking) >= self.c
                    after = self._product(transition.fire(marking)) >= self.c
                    self.solver.add(self.z3.Implies(inside, after))
