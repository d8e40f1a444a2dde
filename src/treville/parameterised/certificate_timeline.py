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

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, permutations, product
from typing import Any

from treville.parameterised.certificate_z3 import Checker, Refuted
from treville.parameterised.cube import Node, shift_events
from treville.parameterised.decide import Answer
from treville.parameterised.frontier import CellKey
from treville.parameterised.instances import arrangements, put_in
from treville.parameterised.model_values import Values, embeddings
from treville.parameterised.system import Literal, Property, Term, Transition, terms_of
from treville.parameterised.terms import rename_literal, rename_term
from treville.parameterised.wording import cube_text
from treville.results import Budget

_INSTANCES_AT_ONCE = 4


@dataclass(slots=True)
class _Step:
    """A transition at the end of a run: `moment` is the number of its reads' moment, `landing` a formula."""

    actor: int
    moment: int
    happens: bool
    landing: Any
    # Written cells: when it is written, and what.
    written: dict[CellKey, tuple[Any, Any]]
    looked: set[CellKey]


class TimelineChecker(Checker):
    """The three conditions over moments."""

    def __init__(self, z3: Any, answer: Answer, budget: Budget) -> None:
        super().__init__(z3, answer, budget)
        self.pso = self.system.model == "pso"
        # What a process has done before a write of its own lands.
        self.own_kinds = ("reads",) if self.pso else ("reads", "writes")
        self.bases: dict[tuple[int, int], Any] = {}
        self.now: _Step | None = None
        self.looked: set[CellKey] = set()
        self.moves: dict[tuple[int, tuple[int, ...], tuple[int, ...]], list[Literal]] = {}
        # Formulas that do not depend on the step, made once: making them is what takes time.
        self.made: dict[object, Any] = {}

    # The three conditions

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

    # Formulas

    def base(self, count: int, moments: int) -> Any:
        """A solver that knows types, assumptions and the order of moments."""
        if (count, moments) not in self.bases:
            solver = self.bases[count, moments] = self.z3.Solver()
            self.domains(solver, count, ("", "'"))
            self.assume(solver, count)
            self.view_domains(solver, count, moments)
            times = [self.time(e) for e in range(moments)]
            if moments > 1:
                solver.add(self.z3.Distinct(*times))
            for first, second in permutations(range(moments), 2):
                for kind, about in self.conditions(count):
                    stays = self.z3.Implies(self.flag(kind, about, first), self.flag(kind, about, second))
                    solver.add(self.z3.Implies(times[first] < times[second], stays))
            if self.pso:
                self.own_conditions(solver, count, moments)
        return self.bases[count, moments]

    def own_conditions(self, solver: Any, count: int, moments: int) -> None:
        """What holds for all writes of a process, or all accesses to a cell, holds for its writes to it."""
        for process, cell in product(range(count), self.weak_cells(count)):
            for moment in range(moments):
                every = self.z3.Or(self.flag("writes", process, moment), self.flag("cell", cell, moment))
                solver.add(self.z3.Implies(every, self.flag("own", (process, cell), moment)))

    def conditions(self, count: int) -> Iterator[tuple[str, Any]]:
        """The kinds of conditions and what they are about."""
        for process in range(count):
            yield "reads", process
            yield "writes", process
        for cell in self.weak_cells(count):
            yield "cell", cell
            if self.pso:
                yield from (("own", (process, cell)) for process in range(count))

    def weak_cells(self, count: int) -> Iterator[CellKey]:
        """The weak variables and cells of an instance."""
        for symbol in self.system.symbols.values():
            if symbol.weak:
                for indices in product(range(count), repeat=symbol.arity):
                    yield symbol.name, indices

    def view_domains(self, solver: Any, count: int, moments: int) -> None:
        """Everything that is seen has a value of its type."""
        for cell in self.weak_cells(count):
            kind = self.system.symbols[cell[0]].type
            if kind.kind == "enum":
                for moment, reader in product(range(moments), range(count)):
                    seen = self.view(moment, reader, cell)
                    solver.add(seen >= 0, seen < len(kind.values))

    def time(self, moment: int) -> Any:
        """The place of a moment in time."""
        return self.once(("time", moment), lambda: self.z3.Real(f"time {moment}"))

    def before(self, first: int, second: int) -> Any:
        """One moment is before another."""
        return self.once(("before", first, second), lambda: self.time(first) < self.time(second))

    def once(self, key: object, make: Callable[[], Any]) -> Any:
        """What `make` gives, made on first use."""
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    def flag(self, kind: str, about: Any, moment: int) -> Any:
        """A condition before the step."""
        return self.once((kind, about, moment), lambda: self.z3.Bool(f"{kind} {about} before {moment}"))

    def flag_after(self, kind: str, about: Any, moment: int) -> Any:
        """A condition after the step."""
        step, before, z3 = self.now, self.flag(kind, about, moment), self.z3
        assert step is not None
        happened = self.before(step.moment, moment)
        landed = step.landing < self.time(moment) if step.written else None
        more = []
        if kind == "cell":
            if about in step.looked:
                more.append(happened)
            if about in step.written:
                more.append(z3.Implies(step.written[about][0], landed))
        elif kind == "own":
            process, cell = about
            if process == step.actor and cell in step.written:
                more.append(z3.Implies(step.written[cell][0], landed))
        elif about == step.actor:
            if kind == "reads" and step.happens:
                more.append(happened)
            elif kind == "writes" and step.written:
                more.append(z3.Implies(z3.Or([when for when, _ in step.written.values()]), landed))
        return z3.And(before, *more)

    def view(self, moment: int, reader: int, cell: CellKey) -> Any:
        """What a process sees before the step."""
        text = f"{cell[0]}{list(cell[1])} seen by {reader} at {moment}"
        make = self.z3.Real if self.system.symbols[cell[0]].type.kind == "real" else self.z3.Int
        return self.once((moment, reader, cell), lambda: make(text))

    def view_after(self, moment: int, reader: int, cell: CellKey) -> Any:
        """What a process sees after the step."""
        step, before = self.now, self.view(moment, reader, cell)
        assert step is not None
        if cell not in step.written:
            return before
        when, value = step.written[cell]
        landed = True if reader == step.actor else step.landing < self.time(moment)
        return self.z3.If(self.z3.And(when, landed), value, before)

    def is_weak(self, term: Term) -> bool:
        """Is it a weak variable or cell, as guards and updates name it?"""
        return term[0] in "av" and self.system.symbols[term[1]].weak

    def literal(self, literal: Literal, suffix: str) -> Any:
        """A literal as a z3 formula."""
        if suffix or any(map(self.is_weak, terms_of(literal))):
            return super().literal(literal, suffix)
        return self.once(literal, lambda: super(TimelineChecker, self).literal(literal, ""))

    def term(self, term: Term, suffix: str) -> Any:
        """Weak terms are what the acting process sees at the moment of the transition."""
        if term[0] == "r":
            make = self.view_after if suffix else self.view
            return make(term[1], term[2], (term[3], term[4]))
        if self.is_weak(term):
            cell = (term[1], term[2] if term[0] == "a" else ())
            self.looked.add(cell)
            where = (self.now.moment, self.now.actor) if self.now is not None else (0, 0)
            return self.view(*where, cell)
        return super().term(term, suffix)

    def order(
        self, node: Node, events: tuple[int, ...], suffix: str, place: tuple[int, ...] | None = None
    ) -> list[Any]:
        """The order that a cube asks for, with its events at these moments."""
        flag = self.flag_after if suffix else self.flag
        names = place if place is not None else tuple(range(node.processes))
        frontier, made = node.frontier, []
        for event, mask in enumerate(frontier.after):
            made += [self.before(events[event], events[e]) for e in _bits(mask)]
        for kind, masks in (("reads", frontier.reads), ("writes", frontier.writes)):
            for process, mask in enumerate(masks):
                made += [flag(kind, names[process], events[e]) for e in _bits(mask)]
        masks_of = [*frontier.cells, *((cell, mask) for cell, masks in frontier.stores for mask in masks)]
        for (name, indices), mask in masks_of:
            cell = (name, tuple(names[i] for i in indices))
            made += [flag("cell", cell, events[e]) for e in _bits(mask)]
        for (owner, (name, indices)), mask in frontier.own:
            about = (names[owner], (name, tuple(names[i] for i in indices)))
            made += [flag("own", about, events[e]) for e in _bits(mask)]
        return made

    # The step

    def extension(
        self, transition: Transition, place: tuple[int, ...], count: int, moments: int
    ) -> list[Any]:
        """A transition at the end of the run: what it needs and does, with `moments` as its own moment."""
        atomic = transition.reads and transition.writes
        landing = self.time(moments) if atomic else self.z3.Real("landing")
        happens = transition.reads or transition.fence
        actor = place[transition.actor]
        step = self.now = _Step(actor, moments, happens, landing, {}, set())
        self.looked = set()
        made = self.step(transition, place, count)
        step.written = self.written(transition, place, count)
        step.looked = self.looked if transition.reads else set()
        others = [self.time(e) for e in range(moments + 1)]
        if happens:
            made.append(self.flag("reads", actor, moments))
        if transition.fence or (atomic and not self.pso):
            made.append(self.flag("writes", actor, moments))
        if not atomic:
            made += [landing != other for other in others]
        if transition.fence and not atomic:
            made.append(others[moments] < landing)
        return [*made, *self.lands(step, moments + 1)]

    def lands(self, step: _Step, moments: int) -> list[Any]:
        """The conditions hold where writes land, and so at all later moments."""
        made = []
        for when, _ in step.written.values():
            for moment in range(moments):
                later = step.landing <= self.time(moment)
                own = [self.flag(kind, step.actor, moment) for kind in self.own_kinds]
                made.append(self.z3.Implies(self.z3.And(when, later), self.z3.And(own)))
        for cell, (when, _) in step.written.items():
            for moment in range(moments):
                later = step.landing <= self.time(moment)
                made.append(self.z3.Implies(self.z3.And(when, later), self.flag("cell", cell, moment)))
        return made

    def written(
        self, transition: Transition, place: tuple[int, ...], count: int
    ) -> dict[CellKey, tuple[Any, Any]]:
        """The cells that a transition can write: when it does, and the value."""
        z3, found = self.z3, {}
        names = {**self.named, **dict(enumerate(place))}
        for update in transition.updates:
            if not update.symbol.weak:
                continue
            for indices in product(range(count), repeat=update.symbol.arity):
                bound = {**names, **{-1 - k: i for k, i in enumerate(indices)}}
                own: Term = ("a", update.symbol.name, indices) if indices else ("v", update.symbol.name)
                when, value = z3.BoolVal(False), None
                for branch in update.branches:
                    new = None if branch.value is None else rename_term(branch.value, bound)
                    cases = put_in(branch.when, bound)
                    if new == own or not cases:
                        continue
                    here = self.either(cases, "")
                    text = self.arbitrary(update.symbol.name) if new is None else self.term(new, "")
                    when = z3.Or(when, here)
                    value = text if value is None else z3.If(here, text, value)
                if value is not None:
                    found[update.symbol.name, indices] = (z3.simplify(when), value)
        return found

    def arbitrary(self, name: str) -> Any:
        """Any value of the symbol's type."""
        kind = self.system.symbols[name].type
        number = self.z3.Real(f"any {name}") if kind.kind == "real" else self.z3.Int(f"any {name}")
        if kind.kind != "enum":
            return number
        return self.z3.If(self.z3.And(number >= 0, number < len(kind.values)), number, 0)


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
