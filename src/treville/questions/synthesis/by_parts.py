"""Models of large unions: the holes of a sketch are filled with parts that a solver chooses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treville.models.model import Operator
from treville.questions.synthesis.answer import Answer, Found
from treville.questions.synthesis.by_size import Known
from treville.questions.synthesis.choosing import Chooser, Exhausted
from treville.questions.synthesis.evaluation import Evaluator, apply
from treville.questions.synthesis.filling import Filling, Recursion, Slot
from treville.questions.synthesis.listing import Evidence, list_executions
from treville.questions.synthesis.parts import all_leaves, distinct, on_cycles, parts_of
from treville.questions.synthesis.problem import Problem
from treville.questions.synthesis.sketches import ASSUMED, Sketch, built_in, envelopes
from treville.questions.synthesis.terms import Term, leaf, made
from treville.questions.synthesis.vocabulary import Vocabulary, merged
from treville.questions.synthesis.writing import definition, tidy
from treville.results import Budget
from treville.results.verdict import Verdict

_LARGEST_PARTS = 2
_MOST_UNIONS = 2


def fill_built_in(problem: Problem, vocabulary: Vocabulary, budget: Budget) -> Answer:
    """One acyclic union, then two; small parts first; under the strongest assumption that no allowed test
    contradicts."""
    space = problem.space
    tried: list[str] = []
    answer = Answer(method="parts")
    assumed, evidence = _assumed(problem, vocabulary, budget)
    answer.executions = evidence.executions
    for size in range(1, (space.size or _LARGEST_PARTS) + 1):
        for unions in [space.axioms] if space.axioms else range(1, _MOST_UNIONS + 1):
            sketch = built_in(vocabulary.prelude, assumed, unions, vocabulary.folder)
            if (assumed, size, unions) not in problem.exhausted:
                if _filled(problem, vocabulary, sketch, evidence, size, budget, answer) is None:
                    return answer
                problem.exhausted.add((assumed, size, unions))
            tried.append(f"{unions} of parts of size {size}")
    answer.reason = (
        f"no model with acyclic unions of parts was found (exhausted: {', '.join(tried)}); raise --size or "
        "--axioms, or give a --sketch"
    )
    return answer


def alternatives(
    problem: Problem, vocabulary: Vocabulary, sketch: Sketch | None, budget: Budget
) -> Iterator[Found]:
    """Other models that explain the tests, of all parts of size 1 that the dialect has: one that forbids as
    much as it can, and cheapest ones without one of the parts of the cheapest."""
    if sketch is None:
        assumed, evidence = _assumed(problem, vocabulary, budget)
        unions = problem.space.axioms or 1
        sketch = built_in(vocabulary.prelude, assumed, unions, vocabulary.folder)
    else:
        evidence = list_executions(problem.requirements, sketch.least, budget)
    base = problem.space.base
    parts = vocabulary.values(base, evidence.world) if base else all_leaves(vocabulary, evidence.world)
    slots = _slots(sketch, parts, 0, evidence)
    chooser = Chooser(sketch.model, sketch.holes, slots, evidence, budget)
    chosen = chooser.largest()
    whole = Filling(sketch.model, sketch.holes, evidence.world, chosen)
    killed = whole.forbidden(dict.fromkeys(range(len(chosen)), evidence.world.all))
    if not evidence.forbidden & ~killed:
        yield _written(vocabulary, sketch, chosen)
    cheapest = chooser.run()
    for slot in [] if isinstance(cheapest, Exhausted) else cheapest:
        other = chooser.run(slot)
        if not isinstance(other, Exhausted):
            yield _written(vocabulary, sketch, other)


def _assumed(problem: Problem, vocabulary: Vocabulary, budget: Budget) -> tuple[str, Evidence]:
    """The strongest assumption that no allowed test contradicts, and the executions that are left."""
    for assumed in ("",) if problem.space.weaker else ASSUMED:
        least = built_in(vocabulary.prelude, assumed, 1, vocabulary.folder).least
        evidence = list_executions(problem.requirements, least, budget, settled=True)
        if not evidence.impossible:
            break
    return assumed, evidence


def fill(problem: Problem, vocabulary: Vocabulary, sketch: Sketch, budget: Budget) -> Answer:
    """The cheapest content of a sketch's holes; that there is none is a verdict, for the space is finite."""
    evidence = list_executions(problem.requirements, sketch.least, budget)
    answer = Answer(executions=evidence.executions, method="sketch", holes=sketch.holes)
    if evidence.impossible:
        answer.verdict = Verdict.FAIL
        answer.contradiction = (evidence.impossible[0],)
        answer.reason = f"the sketch forbids {evidence.impossible[0].name}, whatever its holes contain"
        return answer
    largest = problem.space.size or _LARGEST_PARTS
    exhausted: Exhausted | None = None
    for size in range(1, largest + 1):
        exhausted = _filled(problem, vocabulary, sketch, evidence, size, budget, answer)
        if exhausted is None:
            return answer
    assert exhausted is not None
    answer.verdict = Verdict.FAIL
    answer.contradiction = tuple(exhausted.tests)
    names = ", ".join(
        f"{each.name} ({'allowed' if each.allowed else 'forbidden'})" for each in exhausted.tests
    )
    answer.reason = f"no unions of parts up to size {largest} fill the holes: {names} contradict each other"
    return answer


def _filled(
    problem: Problem,
    vocabulary: Vocabulary,
    sketch: Sketch,
    evidence: Evidence,
    size: int,
    budget: Budget,
    answer: Answer,
) -> Exhausted | None:
    """Put the model into the answer, or tell why there is none."""
    with budget.stage(f"parts of size {size}"):
        parts = _parts(problem, vocabulary, sketch, evidence, size, budget)
        slots = _slots(sketch, parts, problem.space.recursion, evidence)
    answer.candidates += len(slots)
    chooser = Chooser(sketch.model, sketch.holes, slots, evidence, budget)
    with budget.stage(f"choosing among {len(slots)} parts for {len(evidence.world)} executions"):
        found = chooser.run()
    if isinstance(found, Exhausted):
        return found
    answer.found = _written(vocabulary, sketch, found)
    return None


def _parts(
    problem: Problem, vocabulary: Vocabulary, sketch: Sketch, evidence: Evidence, size: int, budget: Budget
) -> list[Known]:
    parts = parts_of(vocabulary, evidence.world, size, budget, problem.space.base)
    return on_cycles(parts, evidence.world) if sketch.acyclic else parts


def _slots(sketch: Sketch, parts: Sequence[Known], recursion: int, evidence: Evidence) -> list[Slot]:
    """Which part may be in which hole: those that alone cost no allowed test its last witness."""
    slots = [
        Slot(hole, each.term, each.value)
        for hole in sketch.holes
        for each in _inside(sketch, hole, parts, evidence)
    ]
    for hole in sketch.holes[:recursion]:
        slots += _recursive(hole, parts, evidence)
    filling = Filling(sketch.model, sketch.holes, evidence.world, slots)
    everything = evidence.world.all
    kept = []
    needed = set(evidence.witnesses.values())
    for number, slot in enumerate(slots):
        killed = filling.forbidden({number: everything})
        if all(mask & ~killed for mask in needed):
            kept.append(slot)
    return kept


def _inside(sketch: Sketch, hole: str, parts: Sequence[Known], evidence: Evidence) -> list[Known]:
    """The parts that differ where the content of the hole matters."""
    nodes = envelopes(sketch.model, sketch.holes).get(hole)
    if nodes is None:
        return list(parts)
    evaluator = Evaluator(sketch.model, evidence.world, nodes)
    evaluator.run()
    inside = merged((evaluator.values[node] for node in nodes), evaluator.nothing)
    cut = [
        Known(each.term, apply(evidence.world, Operator.INTERSECTION, each.value, inside)) for each in parts
    ]
    return distinct([each for each in cut if any(each.value)], [])


def _recursive(hole: str, parts: Sequence[Known], evidence: Evidence) -> list[Slot]:
    """Parts that mention their own hole."""
    itself = leaf(hole)
    universe = tuple(group.universe for group in evidence.world.groups)
    out = [Slot(hole, made(Operator.COMPOSITION, itself, itself), universe, Recursion.SQUARE)]
    for each in parts:
        if each.term.size == 1:
            before, after = (each.term, itself), (itself, each.term)
            out.append(Slot(hole, made(Operator.COMPOSITION, *before), each.value, Recursion.BEFORE))
            out.append(Slot(hole, made(Operator.COMPOSITION, *after), each.value, Recursion.AFTER))
    return out


def _written(vocabulary: Vocabulary, sketch: Sketch, slots: Sequence[Slot]) -> Found:
    """The sketch with its holes defined."""
    lines, size = [], 0
    for hole in sketch.holes:
        mine = [slot for slot in slots if slot.hole == hole]
        terms: list[Term] = tidy(slot.term for slot in mine)
        text = definition(hole, terms)
        recursive = any(slot.recursion is not Recursion.NONE for slot in mine)
        lines.append(text.replace("let ", "let rec ", 1) if recursive else text)
        size += sum(term.size for term in terms)
    axioms = len(sketch.model.constraints())
    body = "".join(lines) + "\n" + sketch.body
    return Found(vocabulary.prelude, body, axioms, size, False, sketch.folder or vocabulary.folder)
