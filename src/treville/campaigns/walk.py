"""Candidate executions of a test for people: walked through, explained, drawn.

Explanations answer the question that a verdict leaves open: the condition's outcome is not reachable,
so which axiom forbids it? All candidate executions that end in it are inconsistent; the one whose
evidence is shortest is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from treville.campaigns.litmus_task import Task
from treville.campaigns.outputs import write_text
from treville.campaigns.results import Report
from treville.events.execution import Execution
from treville.models.evaluate import Value, holds
from treville.models.model import Axiom, Model
from treville.programs.litmus.states import FinalValue, state_object, state_satisfies
from treville.programs.litmus.test import LitmusTest, Quantifier
from treville.questions.executions import executions
from treville.results import Budget, BudgetExceeded, InputError
from treville.witness import dot
from treville.witness.explanation import Explanation, explain
from treville.witness.scene import Scene, find_relation, make_scene
from treville.witness.words import execution_text, explanation_text, headline

# Looking for the shortest explanation ends after this many candidates that could be explained, or this many
# in all: some seconds.
_CANDIDATES_COMPARED = 300
_CANDIDATES_SEEN = 3_000
_EXECUTIONS_SHOWN = 1000


@dataclass(slots=True)
class Candidate:
    """A candidate execution with the model's judgement."""

    execution: Execution
    consistent: bool
    violated: list[Axiom]
    values: list[Value]
    explanation: Explanation | None


def candidates(
    test: LitmusTest, model: Model, which: str, bound: int, budget: Budget, limit: int | None = None
) -> Iterator[Candidate]:
    """Candidate executions (`all`, `allowed` or `forbidden`) with an explanation of each forbidden one.
    Raises `TooLarge` when more than `limit` are there."""
    for judged in executions(test, model, which, bound, budget, limit):
        values, violated = judged.evaluation.values, judged.evaluation.violated
        explanation = explain(judged.execution, model, values, violated[0]) if violated else None
        yield Candidate(judged.execution, judged.consistent, violated, values, explanation)


def walk(report: Report, task: Task, test: LitmusTest, model: Model, budget: Budget) -> None:
    """Add executions and the explanation to the report, and write pictures."""
    options = task.options
    if options.executions:
        _list_executions(report, task, test, model, budget)
        return
    chosen, complete = telling(test, model, options.bound, budget)
    if chosen is not None:
        _pictures(task, test, model, chosen, "")
    if not options.explain:
        return
    if chosen is not None and not chosen.consistent:
        report["explanation"] = _explained(chosen, test, model)
    elif chosen is None and complete:
        report["note"] = "no execution, allowed or not, ends in the outcome of the condition"
    flags = [_flagged(flag, test, model, options.bound, budget) for flag in report["flags"]]
    report["flagged"] = [flag for flag in flags if flag is not None]


def _list_executions(report: Report, task: Task, test: LitmusTest, model: Model, budget: Budget) -> None:
    options = task.options
    report["executions"] = []
    for number, candidate in enumerate(candidates(test, model, options.executions, options.bound, budget)):
        if number >= _EXECUTIONS_SHOWN:
            report["executions_cut"] = True
            break
        report["executions"].append(_described(candidate, test, model))
        _pictures(task, test, model, candidate, f"-{number + 1:03}")


def is_outcome(test: LitmusTest, state: tuple[FinalValue, ...]) -> bool:
    """Is it a state that the condition asks about? For `forall`, one that breaks it."""
    return state_satisfies(test, state) != (test.quantifier is Quantifier.FORALL)


def telling(test: LitmusTest, model: Model, bound: int, budget: Budget) -> tuple[Candidate | None, bool]:
    """The execution that tells most about the condition: one that is allowed and ends in its outcome, else
    the one that would end in it whose violation is shortest. Also whether all candidates were seen."""
    best: Candidate | None = None
    seen = 0
    try:
        for candidate in candidates(test, model, "all", bound, budget, _CANDIDATES_SEEN):
            if not is_outcome(test, candidate.execution.final):
                continue
            if candidate.consistent:
                return candidate, True
            seen += 1
            if best is None or _weight(candidate) < _weight(best):
                best = candidate
            if seen >= _CANDIDATES_COMPARED:
                break
    except BudgetExceeded:
        return best, False
    return best, True


def _flagged(flag: str, test: LitmusTest, model: Model, bound: int, budget: Budget) -> Report | None:
    """An allowed execution that raises the flag, and the evidence."""
    axiom = next((a for a in model.axioms if a.name == flag and not a.is_constraint), None)
    if axiom is None:
        return None
    try:
        for candidate in candidates(test, model, "allowed", bound, budget, _CANDIDATES_SEEN):
            if holds(axiom, candidate.values[axiom.node]) == axiom.flag:
                candidate.explanation = explain(candidate.execution, model, candidate.values, axiom)
                candidate.violated = [axiom]
                return {"flag": flag, **_explained(candidate, test, model)}
    except BudgetExceeded:
        pass
    return None


def _weight(candidate: Candidate) -> tuple[int, int]:
    """Few violated axioms and a short cycle explain best."""
    hops = candidate.explanation.hops() if candidate.explanation else []
    return len(candidate.violated), len(hops)


# -- reports ---------------------------------------------------------------------------------------


def _described(candidate: Candidate, test: LitmusTest, model: Model) -> Report:
    return {
        "allowed": candidate.consistent,
        "state": state_object(test, candidate.execution.final),
        "text": execution_text(candidate.execution, test.program),
        **({} if candidate.consistent else _explained(candidate, test, model)),
    }


def _explained(candidate: Candidate, test: LitmusTest, model: Model) -> Report:
    explanation = candidate.explanation
    assert explanation is not None
    return {
        "state": state_object(test, candidate.execution.final),
        "axiom": explanation.axiom.name,
        "violated": [axiom.name for axiom in candidate.violated],
        "cycle": [
            {"from": hop.source, "to": hop.target, "relation": hop.label, "via": list(hop.via)}
            for hop in explanation.hops()
        ],
        "execution": execution_text(candidate.execution, test.program),
        "text": explanation_text(explanation, candidate.execution, test.program, model),
    }


# -- pictures --------------------------------------------------------------------------------------


def scene_of(candidate: Candidate, test: LitmusTest, model: Model, show: tuple[str, ...] = ()) -> Scene:
    """The picture of a candidate with its title, judgement and final state."""
    for name in show:
        if find_relation(candidate.execution, name, model, candidate.values) is None:
            known = ", ".join(sorted({*candidate.execution.relations, "fr", *model.definitions}))
            raise InputError(f"--show: no relation is called '{name}'", None, f"known here: {known}")
    scene = make_scene(
        candidate.execution,
        test.program,
        candidate.explanation,
        model=model,
        values=candidate.values,
        show=show,
    )
    scene.title = test.name
    if candidate.explanation is None:
        scene.subtitle = f"allowed by {model.name}"
    else:
        scene.subtitle = f"forbidden: {headline(candidate.explanation, model)}"
    state = state_object(test, candidate.execution.final)
    scene.footer = " ".join(f"{name}={_shown(value)};" for name, value in state.items())
    return scene


def _shown(value: object) -> str:
    return "{" + ",".join(map(str, value)) + "}" if isinstance(value, list) else str(value)


def _pictures(task: Task, test: LitmusTest, model: Model, candidate: Candidate, suffix: str) -> None:
    options = task.options
    if not options.svg and not options.dot:
        return
    from treville.witness import svg

    scene = scene_of(candidate, test, model, options.show)
    stem = task.picture.stem(task.file, model.name) + suffix
    for folder, ending, draw in ((options.svg, "svg", svg.draw), (options.dot, "dot", dot.draw)):
        if folder:
            write_text(Path(folder) / f"{stem}.{ending}", draw(scene))
