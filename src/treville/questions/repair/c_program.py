"""A C program as something to repair.

Its files are compiled once, as a skeleton that tells where sites are; assignments are made of that program.
What is reported was compiled again from the files that it speaks of.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from treville.engines.contract import Failure, GaveUp, Refuted
from treville.events.execution import Execution
from treville.models.evaluate import Evaluation, evaluate
from treville.models.model import Model
from treville.models.races import races_in
from treville.passes.program import Context, Source, map_to_architecture
from treville.programs.c import Unit, read_unit
from treville.programs.c.compile import RUNTIME
from treville.programs.c.sandbox import Sandbox
from treville.programs.c.sources import named_files
from treville.programs.edits.c_tokens import generated_from
from treville.programs.edits.text import Edit, edited, full_name, place_in
from treville.programs.includes import reached
from treville.programs.ir import Assert, Program
from treville.questions.reachability import Answer, in_turn, reachability
from treville.questions.repair.c_sites import Style, sources_of
from treville.questions.repair.c_skeleton import Applied, Skeleton
from treville.questions.repair.c_writing import before_and_after, patches
from treville.questions.repair.marking import shows_gaps
from treville.questions.repair.sites import Assignment, Site
from treville.questions.repair.subject import Asked, Subject
from treville.questions.repair.upgrading import Violation
from treville.records import dataclass
from treville.results import Budget, InputError, Notice, Span, Verdict, disk
from treville.results.defaults import BOUND
from treville.results.properties import Property
from treville.witness.naming import name_events


@dataclass(frozen=True, slots=True)
class Compiling:
    """What the compiler is told beside the file."""

    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    sandbox: bool = False

    def unit(self, file: str, overlay: Mapping[str, str] | None = None) -> Unit:
        """The file compiled, with other contents of some files."""
        files = tuple((overlay or {}).items())
        return read_unit(Path(file), self.defines, self.includes, self.others, self.sandbox, files)


@dataclass(frozen=True, slots=True)
class Asking:
    """What is asked about the program."""

    goal: Property = Property.SAFETY
    bound: int | None = None
    engine: str = "auto"


class CSubject(Subject):
    """A C program with its sites."""

    def __init__(self, file: str, compiling: Compiling, asking: Asking) -> None:
        self.file = file
        self.compiling = compiling
        self.asking = asking
        self.unit = compiling.unit(file)
        own = [file, *compiling.others, *_headers(file, self.unit, compiling)]
        names = dict.fromkeys(map(_from_here, own))
        self.texts = {name: disk.read_text(name) for name in names if _is_source(name)}
        self.sources = sources_of(self.texts)
        self.sites: Sequence[Site] = self.sources.sites
        self.skeleton = Skeleton(self.sources, partial(compiling.unit, file))
        self.usable = self.skeleton.usable
        self.needs = self.sources.needs
        self.liked = self.skeleton.liked

    def unchanged(self) -> Iterator[Notice]:
        """The code where nothing is typed."""
        for file, text in self.texts.items():
            end = generated_from(text)
            if end is not None:
                place = Span(file, *place_in(text, end))
                yield Notice("what follows was made of another file, nothing is changed there", place)
        known = {full_name(file) for file in self.texts}
        for name in sorted(named_files(self.unit.module)):
            is_own = full_name(name) in known or Path(name).is_relative_to(RUNTIME)
            if not is_own and disk.is_file(Path(name)):
                yield Notice(f"{name} is not changed: it is elsewhere (-I DIR), or cannot be written")

    @property
    def own_model(self) -> str:
        """The model of the primitives that it uses."""
        return "lkmm" if self.sources.style is Style.KERNEL else "rc11"

    def ask(self, assignment: Assignment, model: Model, budget: Budget) -> Asked:
        """See `Subject`."""
        for marked in (True, False) if shows_gaps(model) else (False,):
            source = Applied(self.skeleton, self.sites, assignment, marked)
            answer = self._answers(source, model, budget)
            asked = self._told(answer, assignment, model, marked)
            if asked.verdict is not Verdict.UNKNOWN:
                return asked
            budget.check()
        return asked

    def _answers(self, source: Source, model: Model, budget: Budget) -> Answer:
        """The first answer that is no PASS."""
        goal, asking = self.asking.goal, self.asking

        def ask(part: Property) -> Answer:
            return reachability(source, Context(model, part), asking.bound, budget, asking.engine)

        for answer in in_turn(goal, model, ask):
            if answer.verdict is not Verdict.PASS:
                break
        return answer

    def _told(self, answer: Answer, assignment: Assignment, model: Model, marked: bool) -> Asked:
        decision, goal = answer.decision, answer.task.property
        if isinstance(decision, GaveUp):
            return Asked(Verdict.UNKNOWN, reason=decision.reason)
        if not isinstance(decision, Refuted):
            return Asked(Verdict.PASS)
        execution, checked = decision.execution, answer.task.model
        judged = evaluate(checked, len(execution.events), execution.sets, execution.relations)
        race, program = goal is Property.RACE, decision.evidence.program
        what = _race(judged, execution, program) if race else _failure(decision)
        found = Violation(
            execution, checked, assignment, partial(map_to_architecture, context=Context(model, goal)),
            program, what, race,
            frozenset() if race else frozenset(judged.flags), marked, decision.evidence.thread_names,
        )  # fmt: skip
        return Asked(Verdict.FAIL, (found,), found.what)

    def made(self, assignment: Assignment, marked: bool) -> Program:
        """See `Subject`."""
        return Applied(self.skeleton, self.sites, assignment, marked).program(self.asking.bound or BOUND)

    def again(self, texts: Mapping[str, str]) -> Program:
        """See `Subject`."""
        return self.compiling.unit(self.file, texts).program(self.asking.bound or BOUND)

    def patched(self, assignment: Assignment) -> dict[str, str]:
        """See `Subject`."""
        return _by_file(self.texts, patches(self.sources, assignment))

    def written(self, site: Site, level: int) -> tuple[str, str]:
        """See `Subject`."""
        return before_and_after(self.sources, site, level)

    def confirm(self, texts: Mapping[str, str], model: Model, budget: Budget) -> Asked:
        """See `Subject`."""
        try:
            unit = self.compiling.unit(self.file, texts)
        except InputError as error:
            return Asked(Verdict.UNKNOWN, reason=f"the changed program does not compile: {error.complaint}")
        answer = self._answers(unit, model, budget)
        return self._told(answer, (), model, marked=False)


def _by_file(texts: Mapping[str, str], edits: Sequence[Edit]) -> dict[str, str]:
    changed = dict.fromkeys(edit.file for edit in edits)
    return {file: edited(texts[file], [edit for edit in edits if edit.file == file]) for file in changed}


def _from_here(file: str) -> str:
    """A file's name as spans and patches have it: from the folder where the command was run."""
    path, here = Path(full_name(file)), disk.here()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _is_source(file: str) -> bool:
    return file.endswith((".c", ".h", ".i", ".cpp", ".cc", ".cxx", ".hpp"))


def _headers(file: str, unit: Unit, compiling: Compiling) -> Iterator[str]:
    """Files beside the program, or in folders that were named, which people may change."""
    own = [Path(name) for name in (file, *compiling.others)]
    folders = [path.absolute().parent for path in own] + [Path(folder) for folder in compiling.includes]
    named = {Path(name) for name in named_files(unit.module)} | (reached(own, folders) or set())
    allowed = Sandbox(tuple(folder.resolve() for folder in folders))
    for path in sorted({Path(full_name(str(path))) for path in named}):
        if allowed.allows(path) and disk.is_file(path) and os.access(path, os.W_OK):
            yield str(path)


def _race(judged: Evaluation, execution: Execution, program: Program) -> str:
    """The racing accesses, and where they are."""
    pairs = races_in(judged)
    if not pairs:
        return "data race"
    events, brief = execution.events, name_events(execution, program).brief
    pair = [events[event] for event in min(pairs, key=lambda pair: (events[min(pair)].span is None, pair))]
    told = [f"{brief[each.number]}{f' in line {each.span.line}' if each.span else ''}" for each in pair]
    place = next((f"{each.span.file}:{each.span.line}: " for each in pair if each.span), "")
    return f"{place}data race: {' and '.join(dict.fromkeys(told))}"


def _failure(refuted: Refuted[Failure]) -> str:
    """What goes wrong, and where."""
    evidence = refuted.evidence
    if not evidence.failed:
        return "an error"
    failed = evidence.failed[0]
    place = f"{failed.span.file}:{failed.span.line}: " if failed.span else ""
    what = evidence.message or ("an assertion fails" if isinstance(failed, Assert) else "a wrong access")
    return f"{place}{what}{f': {failed.text}' if failed.text else ''}"
