"""The invariant of a PASS under TSO, often PSO -> z3: initiation, consecution, safety, over moments.

Cubes with open events do not speak of single states. So the invariant is stated for every beginning X of a
run and any moments of time, and proved by induction on X:

    no visited cube holds, whatever its processes and at whatever moments its open events happen.

A run is taken in an order of its transitions that respects program order, coherence and reads-from (TSO has
one); reads, fences and atomic transitions happen at a moment, other writes land at a moment, and these
moments respect ghb (section 2 of paper 002). Of X the following is known at a moment e, and nothing else:

    seen(e, i, c)      what process i would read in cell c, were X the whole run: its own last write to c if
                       that lands later than e, else the last write to c that landed before e, else the
                       initial value
    reads(i, e)        all reads and fences of process i in X happen before e
    writes(i, e)       all writes of process i in X land before e
    cell(c, e)         all reads of c in X happen, and all writes to c land, before e

When X is extended by a transition of process i, then

- its reads (or fence) happen at a moment m with reads(i, m), and with writes(i, m) for a fence or an atomic
  transition; it reads seen(m, i, c);
- its writes land at a moment f with reads(i, f), writes(i, f), and cell(c, f) for every cell c it writes; f
  is m for an atomic transition;
- afterwards i, and from f on everybody, sees the new values; the three conditions hold at e if they held
  before and m, or f, is before e.

PSO differs in that a landing does not need writes(i, f), nor an atomic transition writes(i, m), and cubes can
ask for own(i, c, e): all writes of process i to c land before e. The order of transitions is that of issue
there, which coherence follows where no cell is contested (`pending`); other systems are not checked here.

z3 gets this step and a cube of the invariant that holds after it, at its moments; one that held before, at
those moments and m, must follow. Instances of the invariant are added where a model of z3 violates them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from treville.parameterised.backward.instances import arrangements, put_in
from treville.parameterised.certificate.interleavings import Refuted
from treville.parameterised.certificate.moments import MomentFormulas
from treville.parameterised.decide import Answer
from treville.parameterised.logic.cube import Node, shift_events
from treville.parameterised.logic.model_values import Values, embeddings
from treville.parameterised.logic.terms import rename_literal
from treville.parameterised.system import Literal, Property, Transition, terms_of
from treville.parameterised.wording import cube_text
from treville.results import Budget

_INSTANCES_AT_ONCE = 4


class TimelineChecker(MomentFormulas):
    """The three conditions over moments."""

    def __init__(self, z3: Any, answer: Answer, budget: Budget) -> None:
        super().__init__(z3, answer, budget)
        self.moves: dict[tuple[int, tuple[int, ...], tuple[int, ...]], list[Literal]] = {}

    def excluded(self, unsafe: Property) -> None:
        """Safety: the processes that look do so at one moment after their own reads."""
        count = self.system.processes if self.system.named else unsafe.parameters
        for place in self.places(count, unsafe.parameters):
            for cube in put_in((unsafe.cube,), {**self.named, **dict(enumerate(place))}):
                readers = {t[2] for literal in cube for t in terms_of(literal) if t[0] == "r"}
                formulas = [self.cube(cube, ""), *(self.flag("reads", i, 0) for i in sorted(readers))]
                if self.reachable(count, 1, [0], formulas):
                    raise Refuted(f"the invariant does not exclude {unsafe.name}")

    def initiation(self, node: Node) -> None:
        """At the start everybody sees the initial values, and all three conditions hold at all moments."""
        moments = len(node.frontier.after)
        count = max(node.processes, 1)
        solver = self.z3.Solver()
        self.domains(solver, count, ("",))
        self.assume(solver, count)
        self.now = None
        for name, indices in self.weak_cells(count):
            start = self.variable(name, indices, "")
            for moment, reader in product(range(moments), range(count)):
                solver.add(self.view(moment, reader, (name, indices)) == start)
        for constraint in self.system.initial:
            for chosen in arrangements(range(count), constraint.count):
                names = {**self.named, **dict(enumerate(chosen))}
                solver.add(self.at_start(put_in(constraint.cubes, names)))
        if self.satisfiable(solver, [self.cube(tuple(node.literals), "")]):
            raise Refuted(f"the invariant does not hold at the start: {cube_text(node)}")

    def at_start(self, cubes: list[Any]) -> Any:
        """Literals of `init` mean memory itself."""
        terms = {t for cube in cubes for literal in cube for t in terms_of(literal) if self.is_weak(t)}
        pairs = [(self.term(t, ""), self.variable(t[1], t[2] if t[0] == "a" else (), "")) for t in terms]
        formula = self.either(cubes, "")
        return self.z3.substitute(formula, *pairs) if pairs else formula

    def consecution(self, node: Node) -> None:
        """No transition at the end of a run makes the cube hold where no cube held before."""
        terms = [t for literal in node.literals for t in terms_of(literal)]
        mentioned = {t[3] if t[0] == "r" else t[1] for t in terms if t[0] in "avr"}
        for transition in self.system.transitions:
            # A cube that says nothing about what changes held before: conditions only become stronger.
            if mentioned & {update.symbol.name for update in transition.updates}:
                for place, count in self.step_places(node, transition):
                    self.step_into(node, transition, place, count)

    def step_places(self, node: Node, transition: Transition) -> Iterator[tuple[tuple[int, ...], int]]:
        """Processes of the parameters, with the number of processes that takes."""
        bound = self.system.processes
        if self.system.named:
            yield from ((place, bound) for place in arrangements(range(bound), len(transition.parameters)))
            return
        most = node.processes + len(transition.parameters)
        for place in self.parameter_places(node, transition, min(most, bound) if bound else most):
            yield place, max(node.processes, *(i + 1 for i in place))

    def step_into(self, node: Node, transition: Transition, place: tuple[int, ...], count: int) -> None:
        """Check one transition instance before one cube."""
        moments = len(node.frontier.after)
        formulas = self.extension(transition, place, count, moments)
        assert self.now is not None
        formulas += [self.cube(tuple(node.literals), "'"), *self.order(node, tuple(range(moments)), "'")]
        known = [*range(moments), moments] if self.now.happens else list(range(moments))
        if self.reachable(count, moments + 1, known, formulas):
            raise Refuted(f"{transition.name} can lead into {cube_text(node)}")

    def reachable(self, count: int, moments: int, known: list[int], formulas: list[Any]) -> bool:
        """Can the formulas hold where the invariant does, at the known moments?"""
        base = self.base(count, moments)
        while True:
            base.push()
            base.add(*formulas)
            values = Values(self.z3, base.model()) if self.asked(base) else None
            base.pop()
            if values is None:
                return False
            broken = list(islice(self.broken(values, count, known), _INSTANCES_AT_ONCE))
            if not broken:
                return True
            base.add(*(self.z3.Not(cube) for cube in broken))

    def broken(self, values: Values, count: int, known: list[int]) -> Iterator[Any]:
        """Instances of cubes that hold in a model before the step."""
        for node in self.cubes:
            for place, events in embeddings(node, count, known, self, values, named=self.system.named):
                literals = self.moved(node, place, events)
                if all(values.holds(literal, self) for literal in literals):
                    order = self.order(node, events, "", place)
                    if all(values.true(formula) for formula in order):
                        yield self.z3.And([self.literal(literal, "") for literal in literals] + order)

    def moved(self, node: Node, place: tuple[int, ...], events: tuple[int, ...]) -> list[Literal]:
        """The cube's literals with processes and events put in."""
        key = (id(node), place, events)
        if key not in self.moves:
            names, shift = dict(enumerate(place)), dict(enumerate(events))
            self.moves[key] = [shift_events(rename_literal(lit, names), shift) for lit in node.literals]
        return self.moves[key]
