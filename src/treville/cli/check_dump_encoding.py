"""The later stages of `treville check` as text, for `--dump`: events, relations, formula."""

from __future__ import annotations

from treville.analysis.active import active_pairs, undecided
from treville.analysis.facts import Facts
from treville.encoding.acyclicity import Encoding, encode_program
from treville.engines.task import ProgramTask
from treville.events.symbolic_data import StaticEvent
from treville.formulas.formula import Formula
from treville.models.implied import implies_coherence
from treville.passes.bounded import facts_of_program
from treville.relations import Relation

MOST_PAIRS = 200


def encoding_text(task: ProgramTask, bound: int, stage: str) -> str:
    """The stage of a program under a model, every axiom encoded."""
    facts = facts_of_program(task.program, bound, task.budget, implies_coherence(task.model))
    return stage_of_encoding(encode_program(facts, task.model, task.budget), stage)


def stage_of_encoding(encoding: Encoding, stage: str) -> str:
    """Events, relations or formula of an encoding."""
    if stage == "events":
        facts = encoding.facts
        show = facts.symbolic.program.show_value
        lines = [_event(encoding, event) for event in facts.symbolic.events]
        lines += [f"{event}: init  W  {show(address)}" for event, address in facts.initial_writes.items()]
        return "\n".join(lines)
    return relations_text(encoding) if stage == "relations" else formula_text(encoding.formula)


def _event(encoding: Encoding, event: StaticEvent) -> str:
    """`12: P1 thread  W x tags guard line`: guards are literals of `--dump formula`."""
    facts = encoding.facts
    if not facts.live >> event.number & 1:
        return f"{event.number}: never executed"
    guard = encoding.memory.executed[event.number]
    name = facts.symbolic.thread_names[event.thread]
    parts = [f"{event.number}: P{event.thread} {name}", event.kind, _addresses(facts, event)]
    parts += ["{" + ",".join(sorted(event.tags)) + "}" if event.tags else ""]
    parts += ["always" if guard == 1 else f"if {guard}"]
    line = event.instruction.span.line if event.instruction.span else 0
    return "  ".join(part for part in [*parts, f"line {line}" if line else ""] if part)


def _addresses(facts: Facts, event: StaticEvent) -> str:
    if event.address is None:
        return ""
    show = facts.symbolic.program.show_value
    return "|".join(show(address) for address in sorted(facts.addresses(event.number)))


def relations_text(encoding: Encoding) -> str:
    """Of every named relation the pairs that it must hold, those that it may hold besides, and which of
    these can matter to an axiom."""
    relations = encoding.relations
    assert relations is not None
    active = active_pairs(relations.model, relations.bounds)
    lines = []
    for name, index in relations.named().items():
        bounds = relations.relation(index)
        lines.append(f"{name}: {len(bounds.may)} may, {len(bounds.must)} must")
        lines.append(f"  must:   {_pairs(bounds.must)}")
        lines.append(f"  may:    {_pairs(bounds.may - bounds.must)}")
        lines.append(f"  active: {_pairs(undecided(active[index], bounds))}")
    return "\n".join(lines)


def _pairs(relation: Relation) -> str:
    pairs = list(relation.pairs())
    shown = " ".join(f"{source}-{target}" for source, target in pairs[:MOST_PAIRS])
    return f"{shown} and {len(pairs) - MOST_PAIRS} more" if len(pairs) > MOST_PAIRS else shown or "none"


def formula_text(formula: Formula) -> str:
    """Atoms, rules, constraints and the edges of the acyclic graph, as an answer-set program."""
    lines = [f"{{{', '.join(map(str, formula.choices))}}}."] if formula.choices else []
    lines += [f"{head} :- {_body(body)}." if body else f"{head}." for head, body in formula.rules]
    lines += [f":- {_body(body)}." for body in formula.forbidden]
    lines += [f":- 2 {{{_body(group)}}}." for group in formula.at_most_one_of]
    lines += [f"#edge ({source}, {target}) : {literal}." for source, target, literal in formula.edges]
    return "\n".join(lines)


def _body(literals: object) -> str:
    assert isinstance(literals, (list, tuple))
    return ", ".join(str(literal) if literal > 0 else f"not {-literal}" for literal in literals)
