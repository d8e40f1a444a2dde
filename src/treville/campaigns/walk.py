"""Candidate executions of a test for people: walked through, explained, drawn.

Explanations answer the question that a verdict leaves open: the condition's outcome is not reachable,
so which axiom forbids it? All candidate executions that end in it are inconsistent; `campaigns.contrast` has
the one that is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from treville.campaigns.contrast import CANDIDATES_SEEN, Candidate, candidates, contrasting
from treville.campaigns.guard import Draft
from treville.campaigns.litmus_task import Question
from treville.models.evaluate import holds
from treville.models.model import Model
from treville.programs.litmus.states import state_object
from treville.programs.litmus.test import LitmusTest
from treville.records import replace
from treville.results import Budget, BudgetExceeded, InputError
from treville.results.defaults import BOUND
from treville.results.reports.litmus import Explained, Flagged, Listed, LitmusReport
from treville.results.reports.report import Artifact, Hop
from treville.witness import dot
from treville.witness.explanation import Explanation, explain
from treville.witness.scene import Scene, find_relation, make_scene
from treville.witness.words import execution_text, explanation_text, headline

_EXECUTIONS_SHOWN = 1000


def walk(
    draft: Draft[LitmusReport], question: Question, test: LitmusTest, model: Model, budget: Budget
) -> None:
    """Add executions, the explanation and pictures to the report."""
    options = question.options
    if options.executions:
        _list_executions(draft, question, test, model, budget)
        return
    observation = "" if draft.report.bound_reached else draft.report.observation or ""
    found = contrasting(test, model, observation, options.bound or BOUND, budget)
    if found.candidate is not None:
        artifacts = tuple(_pictures(question, test, model, found.candidate, ""))
        draft.report = replace(draft.report, artifacts=artifacts)
    if not options.explain:
        return
    if found.candidate is not None and not found.candidate.consistent:
        draft.report = replace(draft.report, explanation=_explained(found.candidate, test, model))
    elif found.nothing:
        note = "no execution, allowed or not, ends in the outcome of the condition"
        draft.report = replace(draft.report, note=note)
    flags = [_flagged(flag, test, model, options.bound or BOUND, budget) for flag in draft.report.flags]
    draft.report = replace(draft.report, flagged=tuple(flag for flag in flags if flag is not None))


def _list_executions(
    draft: Draft[LitmusReport], question: Question, test: LitmusTest, model: Model, budget: Budget
) -> None:
    options = question.options
    shown: list[Listed] = []
    artifacts: list[Artifact] = []
    cut = None
    try:
        listed = candidates(test, model, options.executions, options.bound or BOUND, budget)
        for number, candidate in enumerate(listed):
            if number >= _EXECUTIONS_SHOWN:
                cut = True
                break
            shown.append(_described(candidate, test, model))
            artifacts += _pictures(question, test, model, candidate, f"-{number + 1:03}")
    finally:
        draft.report = replace(
            draft.report, executions=tuple(shown), executions_cut=cut, artifacts=tuple(artifacts)
        )


def _flagged(flag: str, test: LitmusTest, model: Model, bound: int, budget: Budget) -> Flagged | None:
    """An allowed execution that raises the flag, and the evidence."""
    axiom = next((a for a in model.axioms if a.name == flag and not a.is_constraint), None)
    if axiom is None:
        return None
    try:
        for candidate in candidates(test, model, "allowed", bound, budget, CANDIDATES_SEEN):
            if holds(axiom, candidate.values[axiom.node]) == axiom.flag:
                candidate.explanation = explain(candidate.execution, model, candidate.values, axiom)
                candidate.violated = [axiom]
                shown = _explained(candidate, test, model)
                return Flagged(
                    flag=flag, state=shown.state, axiom=shown.axiom, violated=shown.violated,
                    cycle=shown.cycle, execution=shown.execution, text=shown.text,
                )  # fmt: skip
    except BudgetExceeded:
        pass
    return None


# -- reports ---------------------------------------------------------------------------------------


def _described(candidate: Candidate, test: LitmusTest, model: Model) -> Listed:
    return Listed(
        allowed=candidate.consistent,
        state=state_object(test, candidate.execution.final),
        execution=execution_text(candidate.execution, test.program),
        forbidden=None if candidate.consistent else _explained(candidate, test, model),
    )


def _explained(candidate: Candidate, test: LitmusTest, model: Model) -> Explained:
    explanation = candidate.explanation
    assert explanation is not None
    return Explained(
        state=state_object(test, candidate.execution.final),
        axiom=explanation.axiom.name,
        violated=tuple(axiom.name for axiom in candidate.violated),
        cycle=cycle_of(explanation),
        execution=execution_text(candidate.execution, test.program),
        text=explanation_text(explanation, candidate.execution, test.program, model),
    )


def cycle_of(explanation: Explanation) -> tuple[Hop, ...]:
    """The edges of an explanation as reports have them."""
    return tuple(
        Hop({"from": hop.source, "to": hop.target, "relation": hop.label, "via": list(hop.via)})
        for hop in explanation.hops()
    )


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


def _pictures(
    question: Question, test: LitmusTest, model: Model, candidate: Candidate, suffix: str
) -> Iterator[Artifact]:
    options = question.options
    if not options.svg and not options.dot:
        return
    from treville.witness import svg

    scene = scene_of(candidate, test, model, options.show)
    stem = question.picture.stem(question.file, model.name) + suffix
    for folder, ending, draw in ((options.svg, "svg", svg.draw), (options.dot, "dot", dot.draw)):
        if folder:
            yield Artifact(str(Path(folder) / f"{stem}.{ending}"), draw(scene))
