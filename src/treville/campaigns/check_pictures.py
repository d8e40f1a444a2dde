"""The execution that a report of `treville check` shows -> pictures and witness files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from treville import __version__
from treville.campaigns.check_task import Question
from treville.events.execution import Execution
from treville.models.evaluate import evaluate
from treville.models.library import load_model
from treville.models.model import Model
from treville.programs.ir import Program
from treville.records import replace
from treville.results.properties import Property
from treville.results.reports.check import CheckReport, Witness
from treville.results.reports.report import Artifact
from treville.witness import dot, graphml, svg
from treville.witness.explanation import explain
from treville.witness.scene import Edge, Scene, make_scene


def pictures(
    report: CheckReport, execution: Execution, program: Program, model: Model, question: Question
) -> Iterator[Artifact]:
    """The violating execution drawn, and as a witness, where the options say."""
    options, shown = question.options, report.witness
    assert shown is not None
    goal = "" if report.property == Property.SAFETY else f"-{report.property}"
    stem = question.picture.stem(report.file, model.name) + goal
    if options.graphml:
        yield Artifact(str(Path(options.graphml) / f"{stem}.graphml"), _graphml(report, shown, model))
    if not options.svg and not options.dot:
        return
    scene = _scene(execution, program, weak=shown.interleaving is None)
    scene.title = f"{Path(report.file).name} under {model.name}"
    scene.subtitle = report.reason
    _mark_race(scene, shown.race or ())
    for folder, ending, draw in ((options.svg, "svg", svg.draw), (options.dot, "dot", dot.draw)):
        if folder:
            yield Artifact(str(Path(folder) / f"{stem}.{ending}"), draw(scene))


def _scene(execution: Execution, program: Program, *, weak: bool) -> Scene:
    """The execution; if it is no interleaving, the cycle that shows what happened out of order stands out."""
    if not weak:
        return make_scene(execution, program)
    model = load_model("sc")
    judged = evaluate(model, len(execution.events), execution.sets, execution.relations)
    if not judged.violated:
        return make_scene(execution, program)
    cycle = explain(execution, model, judged.values, judged.violated[0])
    return make_scene(execution, program, cycle, model=model, values=judged.values)


def _mark_race(scene: Scene, labels: Sequence[str]) -> None:
    """Join the two accesses that race."""
    racing = [box.event for box in scene.boxes() if box.label and box.label in labels]
    for thread, boxes in scene.columns.items():
        scene.columns[thread] = [replace(box, evidence=True) if box.event in racing else box for box in boxes]
    if len(racing) == 2:
        scene.edges.append(Edge(racing[0], racing[1], "race", evidence=True))


def _graphml(report: CheckReport, shown: Witness, model: Model) -> str:
    events = {event.label: event for event in shown.events}
    order = shown.interleaving or sorted(events, key=lambda label: events[label].number)
    steps = [
        graphml.Step(e.number, e.thread, e.line, "" if e.file == report.file else e.file)
        for e in (events[label] for label in order)
    ]
    source = Path(report.file).read_bytes()
    specified = graphml.specification(Property(report.property), report.violated or "")
    return graphml.draw(steps, report.file, source, model.name, __version__, specified)
