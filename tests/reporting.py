"""Questions asked in this process, without workers, and their reports as JSON has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from treville.analysis.alias_names import FLOW, Alias
from treville.campaigns import check, check_task, litmus, litmus_task
from treville.campaigns.kind import Limits, nobody
from treville.campaigns.loading import TEST_SUFFIXES
from treville.results.properties import Property
from treville.results.reports.report import as_object

Report: TypeAlias = "dict[str, Any]"


@dataclass(frozen=True, slots=True)
class Options:
    """What tests ask of `treville check`."""

    bound: int = 0
    loops: tuple[str, ...] = ()
    seconds: float | None = None
    memory: int | None = None
    compile_to: str = ""
    properties: tuple[Property, ...] = (Property.SAFETY,)
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    engine: str = "auto"
    alias: Alias = FLOW
    encoding: str = "acyclicity"
    solver: str = "clasp"

    def asked(self) -> check_task.Options:
        """As the question has them."""
        own = ("seconds", "memory", "properties")
        rest = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in own}
        return check_task.Options(limits=Limits(self.seconds, self.memory), **rest)


def answers(file: str, models: Sequence[str], options: Options) -> Iterator[Report]:
    """The reports of `treville check` for each model and property."""
    own = "" if file.endswith(TEST_SUFFIXES) else check.DEFAULT_MODEL
    questions = [
        check_task.Question(file, model, goal, options.asked())
        for model in models or [own]
        for goal in options.properties
    ]
    for report in check.KIND.answers(questions, nobody()):
        yield as_object(report, private=True)


def litmus_answer(question: litmus_task.Question) -> Report:
    """The report of `treville litmus`."""
    found: Report = as_object(litmus.answer(question), private=True)
    return found
