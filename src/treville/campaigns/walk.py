"""Candidate executions of a test for people: walked through, explained, drawn.

Explanations answer the question that a verdict leaves open: the condition's outcome is not reachable,
so which axiom forbids it? All candidate executions that end in it are inconsistent; `campaigns.contrast` has
the one that is shown.
"""

from __future__ import annotations

from pathlib import Path

from treville.campaigns.contrast import CANDIDATES_SEEN, Candidate, candidates, contrasting
from treville.campaigns.litmus_task import Task
from treville.campaigns.outputs import write_text
from treville.campaigns.results import Report
from treville.models.evaluate import holds
from treville.models.model import Model
from treville.programs.litmus.states import state_object
from treville.programs.litmus.test import LitmusTest
from treville.results import Budget, BudgetExceeded, InputError
from treville.results.defaults import BOUND
from treville.witness import dot
from treville.witness.explanation import explain
from treville.witness.scene import Scene, find_relation, make_scene
from treville.witness.words import execution_text, explanation_text, headline

_EXECUTIONS_SHOWN = 1000


def walk(report: Report, task: Task, test: LitmusTest, model: Model, budget: Budget) -> None:
    """Add executions and the explanation to the report, and write pictures."""
    options = task.options
    if options.executions:
        _list_executions(report, task, test, model, budget)
        return
    observation = "" if report["bound_reached"] else report["observation"]
    found = contrasting(test, model, observation, options.bound or BOUND, budget)
    if found.candidate is not None:
        _pictures(task, test, model, found.candidate, "")
    if not options.explain:
        return
    if found.candidate is not None and not found.candidate.consistent:
        report["explanation"] = _explained(found.candidate, test, model)
    elif found.nothing:
        report["note"] = "no execution, allowed or not, ends in the outcome of the condition"
    flags = [_flagged(flag, test, model, options.bound or BOUND, budget) for flag in report["flags"]]
    report["flagged"] = [flag for flag in flags if flag is not None]


def _list_executions(report: Report, task: Task, test: LitmusTest, model: Model, budget: Budget) -> None:
    options = task.options
    report["executions"] = []
    listed = candidates(test, model, options.executions, options.bound or BOUND, budget)
    for number, candidate in enumerate(listed):
        if number >= _EXECUTIONS_SHOWN:
            report["executions_cut"] = True
            break
        report["executions"].append(_described(candidate, test, model))
        _pictures(task, test, model, candidate, f"-{number + 1:03}")


def _flagged(flag: str, test: LitmusTest, model: Model, bound: int, budget: Budget) -> Report | None:
    """An allowed execution that raises the flag, and the evidence."""
    axiom = next((a for a in model.axioms if a.name == flag and not a.is_constraint), None)
    if axiom is None:
        return None
    try:
        for candidate in candidates(test, model, "allowed", bound, budget, CANDIDATES_SEEN):
            if holds(axiom, candidate.values[axiom.node]) == axiom.flag:
                candidate.explanation = explain(candidate.execution, model, candidate.values, axiom)
                candidate.violated = [axiom]
                return {"flag": flag, **_explained(candidate, test, model)}
    except BudgetExceeded:
        pass
    return None


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
