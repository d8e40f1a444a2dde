"""Many litmus tests under many models -> a stream of reports in the order of the inputs.

Questions that an earlier, interrupted run answered are taken from its result file; the others go to
this process, or to a pool of processes where limits or `--jobs` ask for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from treville.campaigns.litmus import answer, lost, question_key, warm_up
from treville.campaigns.litmus_task import Options, Task
from treville.campaigns.outputs import PictureName, picture_names
from treville.campaigns.pool import Limits, Pool, can_fork
from treville.campaigns.results import Journal, Key, Report


def run_batch(
    files: Sequence[str],
    models: Sequence[str],
    options: Options,
    jobs: int = 1,
    journal: Journal | None = None,
) -> Iterator[Report]:
    """A report for each file and model, in order."""
    drawn = options.svg or options.dot
    names = picture_names(files, models) if drawn else {}
    tasks = (
        Task(file, model, options, names.get((file, model), PictureName()))
        for file in files
        for model in models
    )
    if journal is None:
        yield from _answers(tasks, options, jobs)
    else:
        yield from _resumed(tasks, options, jobs, journal)


def _answers(tasks: Iterable[Task], options: Options, jobs: int) -> Iterator[Report]:
    limited = options.seconds is not None or options.memory is not None
    if not can_fork() or (jobs <= 1 and not limited):
        yield from map(answer, tasks)
        return
    warm_up()
    yield from Pool(answer, lost, jobs, _backstop(options)).map(tasks)


def _backstop(options: Options) -> Limits:
    """Engines watch their budget themselves and end well; this is for those that do not."""
    seconds = None if options.seconds is None else options.seconds * 1.1 + 0.5
    memory = None if options.memory is None else int(options.memory * 1.1) + 50_000_000
    return Limits(seconds, memory)


def _resumed(tasks: Iterable[Task], options: Options, jobs: int, journal: Journal) -> Iterator[Report]:
    """Merge stored and new results: `order` holds, for each task on its way, the key of its stored result."""
    order: deque[Key | None] = deque()

    def remaining() -> Iterator[Task]:
        for task in tasks:
            key = question_key(task)
            known = key in journal
            order.append(key if known else None)
            if not known:
                yield task

    def stored() -> Iterator[Report]:
        while order and order[0] is not None:
            report = journal.find(order.popleft() or ())
            if report is not None:
                yield report

    for report in _answers(remaining(), options, jobs):
        yield from stored()
        order.popleft()
        journal.add(report)
        yield report
    yield from stored()
