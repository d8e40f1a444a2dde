"""Moments of a run and a transition at its end -> z3 formulas: what is seen, what has happened, what lands.

The vocabulary of `timeline`, which says what the conditions reads, writes, cell and own mean, and
how a transition extends a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import Any

from treville.parameterised.backward.frontier import CellKey
from treville.parameterised.backward.instances import put_in
from treville.parameterised.certificate.interleavings import Checker
from treville.parameterised.decide import Answer
from treville.parameterised.logic.cube import Node
from treville.parameterised.logic.terms import rename_term
from treville.parameterised.system import Literal, Term, Transition, terms_of
from treville.records import dataclass
from treville.results import Budget


@dataclass(slots=True)
class Step:
    """A transition at the end of a run: `moment` is the number of its reads' moment, `landing` a formula."""

    actor: int
    moment: int
    happens: bool
    landing: Any
    # Written cells: when it is written, and what.
    written: dict[CellKey, tuple[Any, Any]]
    looked: set[CellKey]


class MomentFormulas(Checker):
    """Formulas before the step, and after it (with a prime)."""

    def __init__(self, z3: Any, answer: Answer, budget: Budget) -> None:
        super().__init__(z3, answer, budget)
        self.pso = self.system.model == "pso"
        # What a process has done before a write of its own lands.
        self.own_kinds = ("reads",) if self.pso else ("reads", "writes")
        self.bases: dict[tuple[int, int], Any] = {}
        self.now: Step | None = None
        self.looked: set[CellKey] = set()
        # Formulas that do not depend on the step, made once: making them is what takes time.
        self.made: dict[object, Any] = {}

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
        return self.once(literal, lambda: super(MomentFormulas, self).literal(literal, ""))

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
        step = self.now = Step(actor, moments, happens, landing, {}, set())
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

    def lands(self, step: Step, moments: int) -> list[Any]:
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
