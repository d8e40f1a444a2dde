"""Facts about events and a model -> a formula whose solutions are the consistent executions.

Bounds of the model's relations -> literals and constraints. `Encoding` keeps what is needed to ask for
outcomes and to read an execution off a solution.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from treville.analysis.facts import Facts
from treville.analysis.relations import analyse_relations
from treville.encoding.axioms import AxiomEncoding
from treville.encoding.base_relations import MemoryEncoding
from treville.encoding.relations import RelationEncoding
from treville.encoding.weakened import weaken
from treville.formulas.formula import FALSE, TRUE, Formula, Literal
from treville.models.model import Axiom, Model
from treville.programs.ir import Instruction
from treville.programs.litmus.test import ArrayOf, CellOf, Observable, RegisterOf
from treville.records import dataclass, field
from treville.relations import EventId
from treville.results import Budget


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """A formula and its meaning. `flags` are the literals of the model's flags by name; `bound_reached`
    says that some run may have been cut at the loop bound, `unfinished` that it may end otherwise in a later
    round. Of whole programs also `failures`, the literals of
    failing assertions, and `cut`, the literal that some thread was cut. `relations` are the model's, where
    axioms were encoded. What the literals mean never changes; the formula grows until a solver has it."""

    formula: Formula
    facts: Facts
    memory: MemoryEncoding
    flags: Mapping[str, Literal] = field(default_factory=dict)
    bound_reached: bool = False
    failures: Sequence[tuple[Literal, Instruction]] = ()
    cut: Literal = FALSE
    relations: RelationEncoding | None = None
    unfinished: bool = False

    def possible_failures(self) -> list[tuple[Literal, Instruction]]:
        """The literals of all that makes a whole program fail: accesses outside objects, and assertions (what
        follows such an access means nothing, so it comes first)."""
        events = self.facts.symbolic.events
        faults = [(literal, events[event].instruction) for event, literal in self.memory.faults.items()]
        return [*faults, *self.failures]

    def instruction(self, event: EventId) -> Instruction | None:
        """What an event is of; None for initial writes."""
        events = self.facts.symbolic.events
        return events[event].instruction if event < len(events) else None

    def by_relation(self) -> dict[str, int] | None:
        """How many constraints each relation has, for encodings that count them."""
        return None

    def final(self, observable: RegisterOf | CellOf) -> dict[int, Literal]:
        """The numbers that a register or cell may hold in the end, each with its literal."""
        values = self.memory.values
        if isinstance(observable, CellOf):
            numbers = sorted(self.memory.final_numbers(observable.address))
            found = {number: self.memory.finally_holds(observable.address, number) for number in numbers}
        else:
            binding = self.facts.symbolic.final[observable.thread].get(observable.register)
            if binding is None:
                return {0: TRUE}
            numbers = sorted(self.facts.values.listed(binding.value))
            found = {number: values.is_number(binding.value, number) for number in numbers}
        return {number: literal for number, literal in found.items() if literal != FALSE}


def encode_test(
    facts: Facts, model: Model, budget: Budget, axioms: Iterable[Axiom] | None = None
) -> Encoding:
    """The formula of all executions of a litmus test that satisfy the given axioms (by default all of the
    model), with a literal for each flag among them. Raises `NotEncodable` where the model cannot be bounded.
    """
    formula = Formula()
    memory = MemoryEncoding(formula, facts, complete=True)
    wanted = model.axioms if axioms is None else list(axioms)
    relations, flags = _encode_axioms(memory, model, wanted, budget)
    unfinished = may_be_unfinished(facts)
    return Encoding(
        formula, facts, memory, flags, may_be_cut(facts), relations=relations, unfinished=unfinished
    )


def encode_program(
    facts: Facts, model: Model, budget: Budget, axioms: Iterable[Axiom] | None = None,
    max_rules: int | None = None,
) -> Encoding:  # fmt: skip
    """The formula of a whole program's executions, threads cut at their bounds included, that satisfy the
    axioms (by default all of the model), and of other axioms what is cheap.
    Raises `TooManyRules` when the axioms need more than `max_rules`."""
    formula = Formula()
    with budget.stage("encoding"):
        memory = MemoryEncoding(formula, facts, complete=False)
        failures, cut = failures_of(memory)
    formula.max_rules = max_rules
    wanted = model.axioms if axioms is None else list(axioms)
    others = [axiom for axiom in model.axioms if axiom not in wanted]
    relations, flags = _encode_axioms(memory, model, wanted, budget, others)
    formula.max_rules = None
    return Encoding(formula, facts, memory, flags, may_be_cut(facts), failures, cut, relations)


def failures_of(memory: MemoryEncoding) -> tuple[list[tuple[Literal, Instruction]], Literal]:
    """The literals of a whole program's failing assertions, and the literal that some thread is cut."""
    symbolic, condition = memory.facts.symbolic, memory.values.condition
    failures = [(condition(fails), assertion) for fails, assertion in symbolic.asserts]
    return failures, memory.formula.either([condition(cut) for cut in symbolic.cuts])


def may_be_cut(facts: Facts) -> bool:
    """May some run have been cut at the loop bound?"""
    return any(facts.values.possible(cut) for cut in facts.symbolic.cuts)


def may_be_unfinished(facts: Facts) -> bool:
    """May some run of a litmus test have been cut which ends otherwise in a later round?"""
    return any(facts.values.possible(cut) for cut in facts.symbolic.unfinished)


def _encode_axioms(
    memory: MemoryEncoding,
    model: Model,
    axioms: Sequence[Axiom],
    budget: Budget,
    weakened: Iterable[Axiom] = (),
) -> tuple[RelationEncoding | None, dict[str, Literal]]:
    """Require the axioms; the model's relations, and the literals of its flags."""
    if not axioms:
        memory.order_totally()
        return None, {}
    with budget.stage("relations"):
        bounds = analyse_relations(model, memory.facts)
    budget.check()
    relations = RelationEncoding(memory.formula, model, bounds, memory)
    encoder = AxiomEncoding(memory.formula, model, relations)
    flags: dict[str, Literal] = {}
    with budget.stage("encoding"):
        for axiom in axioms:
            if axiom.flag or axiom.undefined:
                literal = encoder.test(axiom)
                flags[axiom.name] = literal if axiom.flag else -literal
            else:
                encoder.require(axiom)
            budget.check()
        for axiom in weakened:
            weaken(encoder, axiom)
            budget.check()
        relations.finish()
        if not encoder.orders_writes:
            memory.order_totally()
    return relations, flags


def addresses_of(observables: Iterable[Observable]) -> set[int]:
    """The addresses that observables look at."""
    found: set[int] = set()
    for observable in observables:
        if isinstance(observable, CellOf):
            found.add(observable.address)
        elif isinstance(observable, ArrayOf):
            found |= set(observable.addresses)
    return found
