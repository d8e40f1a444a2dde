"""An independent check of a PASS.

Under SC the negations of the visited cubes are handed to z3 as a candidate invariant, with the transitions
encoded directly from the `System` (not from the preimages): it holds initially, every transition keeps it,
and it excludes the unsafe cubes. Array-based systems need no more processes for that than the cube and the
transition mention together. Cubes with open events speak of runs rather than states, so under TSO and PSO the
check is a finite one: instances with two and three processes are explored on the machine with store buffers,
and no state may be unsafe or meet a cube without open events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from treville.parameterised.cube import Node
from treville.parameterised.decide import Answer, is_rigid
from treville.parameterised.forward import explore
from treville.parameterised.instances import arrangements, put_in
from treville.parameterised.resolve import rename_literal, rename_term
from treville.parameterised.system import NAMED, Cube, Literal, Property, Term, Transition, terms_of
from treville.parameterised.wording import cube_text
from treville.results import Budget, BudgetExceeded, Unsupported

_MOST_STATES = 20_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the invariant is right (None: not checked to the end), and what was checked."""

    right: bool | None
    text: str


def certify(answer: Answer, budget: Budget) -> Outcome:
    """Check the invariant of a PASS; running out of the budget is not a success."""
    try:
        return _by_instances(answer, budget) if answer.system.model != "sc" else _by_z3(answer, budget)
    except BudgetExceeded as error:
        return Outcome(None, f"the invariant was not checked to the end: {error.reason}")


# Finite instances


def _by_instances(answer: Answer, budget: Budget) -> Outcome:
    system = answer.system
    assumptions = tuple(p for p in system.invariants if is_rigid(system, p))
    sizes = (
        [system.processes]
        if system.named
        else [n for n in (2, 3) if not system.processes or n <= system.processes]
    )
    plain = [
        Property("", node.processes, tuple(node.literals), system.unsafe[0].span)
        for node in answer.cubes()
        if not node.frontier.after and system.unsafe
    ]
    complete = True
    for size in sizes:
        result = explore(
            system, size, assumptions=assumptions, most=_MOST_STATES, budget=budget,
            properties=(*system.unsafe, *plain),
        )  # fmt: skip
        if result.unsafe is not None:
            return Outcome(False, f"an instance with {size} processes contradicts the invariant")
        complete &= result.complete
    how = "all states" if complete else f"up to {_MOST_STATES} states"
    shown = " and ".join(map(str, sizes))
    return Outcome(True, f"checked on instances with {shown} processes ({how}, buffers of 2 entries)")


# z3


def _by_z3(answer: Answer, budget: Budget) -> Outcome:
    try:
        import z3
    except ImportError:
        raise Unsupported("--certify needs z3; install the extra 'z3-solver'") from None
    return _Checker(z3, answer, budget).run()


class _Checker:
    def __init__(self, z3: Any, answer: Answer, budget: Budget) -> None:
        self.z3, self.system, self.budget = z3, answer.system, budget
        self.cubes = answer.cubes()
        self.assumptions = [p for p in self.system.invariants if is_rigid(self.system, p)]
        self.values = {v: i for t in self.system.types for i, v in enumerate(t.values)}
        self.named = {NAMED + i: i for i in range(self.system.processes)} if self.system.named else {}
        self.queries = 0
        self.solvers: dict[tuple[int, bool], Any] = {}

    def run(self) -> Outcome:
        for unsafe in self.system.unsafe:
            if (wrong := self.excluded(unsafe)) is not None:
                return wrong
        for node in self.cubes:
            for check in (self.initiation, self.consecution):
                wrong = check(node)
                if wrong is not None:
                    return wrong
        return Outcome(
            True, f"z3 confirms the invariant: initiation, consecution, safety ({self.queries} queries)"
        )

    def satisfiable(self, solver: Any, formulas: list[Any]) -> bool:
        self.budget.check()
        self.queries += 1
        solver.push()
        solver.add(*formulas)
        result = solver.check()
        solver.pop()
        return bool(result != self.z3.unsat)

    # The three conditions

    def excluded(self, unsafe: Property) -> Outcome | None:
        count = self.system.processes if self.system.named else unsafe.parameters
        solver = self.invariant(count)
        for place in self.places(count, unsafe.parameters):
            for cube in put_in((unsafe.cube,), {**self.named, **dict(enumerate(place))}):
                if self.satisfiable(solver, [self.cube(cube, "")]):
                    return Outcome(False, f"the invariant does not exclude {unsafe.name}")
        return None

    def initiation(self, node: Node) -> Outcome | None:
        if self.is_assumption(node):
            return None
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
            return Outcome(False, f"the invariant does not hold at the start: {cube_text(node)}")
        return None

    def consecution(self, node: Node) -> Outcome | None:
        if self.is_assumption(node):
            return None
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
                    return Outcome(False, f"{transition.name} can lead into {cube_text(node)}")
        return None

    def is_assumption(self, node: Node) -> bool:
        return node.step is None and node.parent is None and any(p is node.key for p in self.assumptions)

    def places(self, count: int, parameters: int) -> Iterator[tuple[int, ...]]:
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
        for assumption in self.assumptions:
            for place in arrangements(range(count), assumption.parameters):
                for cube in put_in((assumption.cube,), {**self.named, **dict(enumerate(place))}):
                    solver.add(self.z3.Not(self.cube(cube, "")))

    def domains(self, solver: Any, count: int, suffixes: tuple[str, ...]) -> None:
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
        symbol = self.system.symbols[name]
        text = f"{name}{list(indices)}{'' if symbol.rigid else suffix}"
        return self.z3.Real(text) if symbol.type.kind == "real" else self.z3.Int(text)

    def rank(self, term: Term) -> Any:
        """The place of a process in the order of processes."""
        if self.system.named and term[0] == "p":
            return self.z3.IntVal(term[1])
        order = self.z3.Function("rank", self.z3.IntSort(), self.z3.IntSort())
        return order(self.term(term, ""))

    def term(self, term: Term, suffix: str) -> Any:
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
        return value if isinstance(value, int) else self.z3.RealVal(str(value))

    def literal(self, literal: Literal, suffix: str) -> Any:
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
            return self.rank(left) < self.rank(right)
        equal = self.term(left, suffix) == self.term(right, suffix)
        return equal if literal[0] == "=" else self.z3.Not(equal)

    def cube(self, cube: Cube, suffix: str) -> Any:
        return self.z3.And([self.literal(literal, suffix) for literal in cube])

    def either(self, cubes: list[Cube], suffix: str) -> Any:
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
            if symbol.rigid:
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
