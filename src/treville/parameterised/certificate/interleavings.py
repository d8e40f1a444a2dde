"""The invariant of a PASS under sequential consistency -> z3: initiation, consecution, safety.

The negations of the visited cubes are a candidate invariant. Transitions are encoded as relations between a
state and the next, directly from the `System` and not from the search's preimages. Array-based systems need
no more processes for that than the cube and the transition mention together.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from treville.parameterised.backward.instances import arrangements, put_in
from treville.parameterised.decide import Answer, is_rigid
from treville.parameterised.logic.cube import Node
from treville.parameterised.logic.terms import rename_literal, rename_term
from treville.parameterised.system import NAMED, Cube, Literal, Property, Term, Transition, terms_of
from treville.parameterised.wording import cube_text
from treville.results import Budget, BudgetExceeded


class Refuted(Exception):
    """A condition does not hold; the text says which."""


class Checker:
    """The three conditions for one answer."""

    def __init__(self, z3: Any, answer: Answer, budget: Budget) -> None:
        self.z3, self.system, self.budget = z3, answer.system, budget
        self.cubes = answer.cubes()
        self.assumptions = [p for p in self.system.invariants if is_rigid(self.system, p)]
        self.values = {v: i for t in self.system.types for i, v in enumerate(t.values)}
        self.named = {NAMED + i: i for i in range(self.system.processes)} if self.system.named else {}
        self.queries = 0
        self.solvers: dict[tuple[int, bool], Any] = {}

    def run(self) -> int:
        """Check everything; the number of queries. Raises `Refuted` where a condition does not hold."""
        for unsafe in self.system.unsafe:
            self.excluded(unsafe)
        for node in self.cubes:
            if not self.is_assumption(node):
                self.initiation(node)
                self.consecution(node)
        return self.queries

    def satisfiable(self, solver: Any, formulas: list[Any]) -> bool:
        """Can the formulas hold beside what the solver knows?"""
        solver.push()
        solver.add(*formulas)
        result = self.asked(solver)
        solver.pop()
        return result

    def asked(self, solver: Any) -> bool:
        """One query; an answer that z3 does not find in time is not an answer."""
        self.budget.check()
        self.queries += 1
        left = self.budget.remaining()
        if left is not None:
            solver.set("timeout", max(1, int(1000 * left)))
        result = solver.check()
        if result == self.z3.unknown:
            self.budget.check()
            raise BudgetExceeded(f"z3 gave up: {solver.reason_unknown()}")
        return bool(result == self.z3.sat)

    # The three conditions

    def excluded(self, unsafe: Property) -> None:
        """Safety: where the invariant holds, the property does."""
        count = self.system.processes if self.system.named else unsafe.parameters
        solver = self.invariant(count)
        for place in self.places(count, unsafe.parameters):
            for cube in put_in((unsafe.cube,), {**self.named, **dict(enumerate(place))}):
                if self.satisfiable(solver, [self.cube(cube, "")]):
                    raise Refuted(f"the invariant does not exclude {unsafe.name}")

    def initiation(self, node: Node) -> None:
        """No initial state is in the cube."""
        solver = self.z3.Solver()
        count = max(node.processes, 1)
        self.domains(solver, count, ("",))
        for constraint in self.system.initial:
            for chosen in arrangements(range(count), constraint.count):
                solver.add(
                    self.either(put_in(constraint.cubes, {**self.named, **dict(enumerate(chosen))}), "")
                )
        self.assume(solver, count)
        if self.satisfiable(solver, [self.cube(tuple(node.literals), "")]):
            raise Refuted(f"the invariant does not hold at the start: {cube_text(node)}")

    def consecution(self, node: Node) -> None:
        """No step leads from a state outside all cubes into this one."""
        mentioned = {t[1] for literal in node.literals for t in terms_of(literal) if t[0] in "av"}
        for transition in self.system.transitions:
            if not mentioned & {update.symbol.name for update in transition.updates}:
                # The cube would have to hold before the step already.
                continue
            count = node.processes + len(transition.parameters)
            if self.system.processes:
                count = min(count, self.system.processes)
            count = max(count, self.system.processes if self.system.named else 0)
            if len(transition.parameters) > count:
                continue
            solver = self.invariant(count, next_state=True)
            target = self.cube(tuple(node.literals), "'")
            for place in self.parameter_places(node, transition, count):
                if self.satisfiable(solver, [*self.step(transition, place, count), target]):
                    raise Refuted(f"{transition.name} can lead into {cube_text(node)}")

    def is_assumption(self, node: Node) -> bool:
        """Was the cube taken for granted?"""
        return node.step is None and node.parent is None and any(p is node.key for p in self.assumptions)

    def places(self, count: int, parameters: int) -> Iterator[tuple[int, ...]]:
        """Ways to choose the processes of a property."""
        if self.system.named:
            yield from arrangements(range(count), parameters)
        else:
            yield tuple(range(parameters))

    def parameter_places(self, node: Node, transition: Transition, count: int) -> Iterator[tuple[int, ...]]:
        """Parameters are processes of the cube or fresh ones, which are alike."""
        for place in arrangements(range(count), len(transition.parameters)):
            fresh = [i for i in place if i >= node.processes]
            if self.system.named or fresh == list(range(node.processes, node.processes + len(fresh))):
                yield place

    # Formulas

    def invariant(self, count: int, *, next_state: bool = False) -> Any:
        """A solver that knows: no visited cube holds for any choice among `count` processes."""
        if (count, next_state) in self.solvers:
            return self.solvers[count, next_state]
        solver = self.solvers[count, next_state] = self.z3.SolverFor("QF_UFLIRA")
        self.domains(solver, count, ("", "'") if next_state else ("",))
        self.assume(solver, count)
        for node in self.cubes:
            if self.system.named:
                solver.add(self.z3.Not(self.cube(tuple(node.literals), "")))
                continue
            for place in arrangements(range(count), node.processes):
                names = dict(enumerate(place))
                cube = tuple(rename_literal(literal, names) for literal in node.literals)
                solver.add(self.z3.Not(self.cube(cube, "")))
        return solver

    def assume(self, solver: Any, count: int) -> None:
        """Add the invariants about constants that the verdict assumes."""
        for assumption in self.assumptions:
            for place in arrangements(range(count), assumption.parameters):
                for cube in put_in((assumption.cube,), {**self.named, **dict(enumerate(place))}):
                    solver.add(self.z3.Not(self.cube(cube, "")))

    def domains(self, solver: Any, count: int, suffixes: tuple[str, ...]) -> None:
        """Add what types say about values."""
        for symbol in self.system.symbols.values():
            if symbol.type.kind != "enum":
                continue
            for indices in product(range(count), repeat=symbol.arity):
                for suffix in suffixes:
                    name = self.variable(symbol.name, indices, suffix)
                    solver.add(name >= 0, name < len(symbol.type.values))
        ranks = [self.rank(("p", i)) for i in range(count)]
        solver.add(self.z3.Distinct(*ranks) if len(ranks) > 1 else self.z3.BoolVal(True))

    def variable(self, name: str, indices: tuple[int, ...], suffix: str) -> Any:
        """The z3 variable of a cell; constants have no next value."""
        symbol = self.system.symbols[name]
        text = f"{name}{list(indices)}{'' if symbol.rigid else suffix}"
        return self.z3.Real(text) if symbol.type.kind == "real" else self.z3.Int(text)

    def rank(self, term: Term, suffix: str = "") -> Any:
        """The place of a process in the order of processes."""
        if self.system.named and term[0] == "p":
            return self.z3.IntVal(term[1])
        order = self.z3.Function("rank", self.z3.IntSort(), self.z3.IntSort())
        return order(self.term(term, suffix))

    def term(self, term: Term, suffix: str) -> Any:
        """A term as a z3 expression."""
        tag = term[0]
        if tag == "k":
            return self.z3.IntVal(self.values[term[1]])
        if tag == "p":
            return self.z3.IntVal(term[1])
        if tag == "s":
            parts = [self.number(factor) * self.term(inner, suffix) for inner, factor in term[1]]
            return self.z3.Sum([*parts, self.number(term[2])])
        return self.variable(term[1], term[2] if tag == "a" else (), suffix)

    def number(self, value: Any) -> Any:
        """A number as z3 takes it."""
        return value if isinstance(value, int) else self.z3.RealVal(str(value))

    def literal(self, literal: Literal, suffix: str) -> Any:
        """A literal as a z3 formula."""
        if literal[0] == "L":
            total = self.z3.Sum([self.number(f) * self.term(t, suffix) for t, f in literal[2]])
            total = total + self.number(literal[3])
            op = literal[1]
            return (
                total == 0
                if op == "="
                else total != 0
                if op == "!"
                else total < 0
                if op == "<"
                else total <= 0
            )
        left, right = literal[1], literal[2]
        if literal[0] == "<":
            return self.rank(left, suffix) < self.rank(right, suffix)
        equal = self.term(left, suffix) == self.term(right, suffix)
        return equal if literal[0] == "=" else self.z3.Not(equal)

    def cube(self, cube: Cube, suffix: str) -> Any:
        """A cube as a z3 formula."""
        return self.z3.And([self.literal(literal, suffix) for literal in cube])

    def either(self, cubes: list[Cube], suffix: str) -> Any:
        """A disjunction of cubes as a z3 formula."""
        return self.z3.Or([self.cube(cube, suffix) for cube in cubes])

    def step(self, transition: Transition, place: tuple[int, ...], count: int) -> list[Any]:
        """The transition as a relation between plain and primed variables of `count` processes."""
        names = {**self.named, **dict(enumerate(place))}
        made = [self.either(put_in((transition.guard,), names), "")]
        for universal in transition.universals:
            pool = [i for i in range(count) if not universal.other or i not in place]
            for chosen in arrangements(pool, universal.count):
                bound = {**names, **{-1 - k: i for k, i in enumerate(chosen)}}
                made.append(self.either(put_in(universal.cubes, bound), ""))
        updates = {update.symbol.name: update for update in transition.updates}
        for symbol in self.system.symbols.values():
            if symbol.rigid or symbol.weak:
                continue
            for indices in product(range(count), repeat=symbol.arity):
                after = self.variable(symbol.name, indices, "'")
                if symbol.name not in updates:
                    made.append(after == self.variable(symbol.name, indices, ""))
                    continue
                bound = {**names, **{-1 - k: i for k, i in enumerate(indices)}}
                for branch in updates[symbol.name].branches:
                    if branch.value is None:
                        continue
                    value = self.term(rename_term(branch.value, bound), "")
                    made.append(self.z3.Implies(self.either(put_in(branch.when, bound), ""), after == value))
        return made
