"""Every pair has a derivation: what it follows from is so, and nothing follows from itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.models.derivation import LAST, NO_EVENT, Derivations, Part
from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.models.model import Operator
from treville.programs.litmus import parse
from treville.questions.executions import executions
from treville.relations import Relation, elements

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "litmus"
CASES = [("IRIW+fences", "power"), ("MP+fence+addr", "power"), ("lock+fences", "tso"), ("WRC+addrs", "power")]


def _derivations(test: str, name: str) -> list[Derivations]:
    parsed = parse((EXAMPLES / f"{test}.litmus").read_text(encoding="utf-8"), test)
    model = load_model(name)
    made = []
    for judged in executions(parsed, model, "all"):
        execution = judged.execution
        given = model, len(execution.events), execution.sets, execution.relations
        made.append(Derivations(*given, evaluate(*given).values))
    return made


def _everything(derivations: Derivations) -> list[Part]:
    found = []
    for number, _ in derivations.model.numbered():
        value = derivations.value(number)
        if isinstance(value, Relation):
            found += [Part(True, number, *pair) for pair in value.pairs()]
        else:
            found += [Part(True, number, event, NO_EVENT) for event in elements(value)]
    return found


@pytest.mark.parametrize(("test", "model"), CASES)
def test_derivations_are_right_and_end(test: str, model: str) -> None:
    recursive = 0
    for derivations in _derivations(test, model)[:12]:
        done: set[Part] = set()
        for part in _everything(derivations):
            _follow(derivations, part, done, set())
        recursive += sum(part.stage != LAST for part in done)
    assert recursive or "addr" not in test, "dependencies go through recursive definitions"


def _follow(derivations: Derivations, part: Part, done: set[Part], above: set[Part]) -> None:
    if part in done:
        return
    assert part not in above, "a pair follows from itself"
    assert derivations.has(part.node, part.source, part.target, part.stage) == part.holds
    if part.holds:
        parts = derivations.because(part.node, part.source, part.target, part.stage)
        _check(derivations, part, parts)
        for further in parts:
            _follow(derivations, further, done, above | {part})
    done.add(part)


def _check(derivations: Derivations, part: Part, parts: list[Part]) -> None:
    """Do the parts make up a pair?"""
    op = derivations.model.nodes[part.node].op
    if op in (Operator.UNION, Operator.FIXPOINT):
        assert [(p.holds, p.source, p.target) for p in parts] == [(True, part.source, part.target)]
    elif op in (Operator.COMPOSITION, Operator.PLUS, Operator.STAR, Operator.OPTIONAL):
        stops = [part.source, *(p.target for p in parts)]
        assert [p.source for p in parts] == stops[:-1]
        assert stops[-1] == part.target
    elif op is Operator.DIFFERENCE:
        assert [p.holds for p in parts] == [True, False]
    elif op in (Operator.BASE, Operator.EMPTY, Operator.UNIVERSE, Operator.ID):
        assert parts == []


@pytest.mark.parametrize("last", [False, True])
def test_of_several_derivations_the_caller_chooses(last: bool) -> None:
    chosen = -1 if last else 0
    for plain in _derivations("IRIW+fences", "power")[:2]:
        derivations = Derivations(
            plain.model, *plain._execution, plain.values,
            side=lambda sides: sides[chosen], middle=lambda middles, _s, _t: list(middles)[chosen],
        )  # fmt: skip
        for number, node in plain.model.numbered():
            value = plain.value(number)
            if node.op is Operator.COMPOSITION and isinstance(value, Relation):
                left, right = (plain.relation(argument) for argument in node.args)
                for source, target in value.pairs():
                    middles = [m for m in elements(left.rows[source]) if (m, target) in right]
                    assert derivations.because(number, source, target)[0].target == middles[chosen]
