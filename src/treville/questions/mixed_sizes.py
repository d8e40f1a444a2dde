"""Programs whose accesses were taken apart (`programs.cells`) -> do the parts race with other threads?

As long as nobody races with it, an access to several cells, or to a part of one, means the same as accesses
to whole cells. Where somebody does, the outcome depends on how the machine cuts its accesses, of which models
here say nothing: then there is no answer. So the question is asked first, as one for data races; a race is a
race in both.
"""

from __future__ import annotations

from treville.analysis.alias_names import Alias
from treville.analysis.widths import MIXED
from treville.engines.contract import Decision, GaveUp, Proved, Refuted
from treville.engines.registry import DECIDE
from treville.engines.schedule import run, slices_for
from treville.engines.task import ProgramTask, program_task
from treville.fences import PART
from treville.models.races import with_races_of_parts
from treville.passes.program import Context, Source
from treville.programs.ir import Instruction, Load, Program, Store
from treville.records import replace
from treville.results import Unsupported
from treville.results.properties import Property


def parts_of(program: Program) -> list[Instruction]:
    """The accesses that are parts of others and may race."""
    return [i for i in program.instructions() if isinstance(i, Load | Store) and PART in i.tags]


def refuse_parts(program: Program) -> None:
    """Raise where accesses were taken apart that may race, if nobody asks whether they do."""
    if found := parts_of(program):
        raise Unsupported(MIXED, found[0].span)


def needs_no_races(task: ProgramTask) -> bool:
    """Does the answer depend on nobody racing with parts?"""
    return task.property is not Property.RACE and bool(parts_of(task.program))


def races_of_parts(task: ProgramTask, source: Source, context: Context, alias: Alias) -> Decision:
    """Can an access that was taken apart race?"""
    model = with_races_of_parts(context.model)
    about = replace(context, model=model, property=Property.RACE)
    asked = program_task(source, about, task.bound, task.budget, alias)
    found = run(asked, slices_for(asked), DECIDE).answer
    if isinstance(found, Refuted):
        error = Unsupported(f"{MIXED} in a race", parts_of(task.program)[0].span)
        return GaveUp(error.complaint, error.hint, error=error)
    return found


def with_doubt(decision: Decision, races: Decision) -> Decision:
    """A proof holds only if there are no such races; an execution that shows a failure is one in any case."""
    return races if isinstance(decision, Proved) and not isinstance(races, Proved) else decision
