"""Which engines work on a task, in which order, with how much work: one table, and how it is run.

A row of the table has slices of work, in units that are the same on every machine, and names the benchmark
that set them. A slice is skipped where its engine does not suit, or gave up for good; an engine that is left
alone needs no slices and goes on until it is done. The first answer counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from treville.engines.contract import AnyTask, Engine, GaveUp, Suitability
from treville.engines.features import Feature
from treville.engines.task import ProgramTask
from treville.records import NamedTuple, dataclass, replace
from treville.results import Unsupported

T = TypeVar("T", bound=AnyTask)
A = TypeVar("A")


class Slice(NamedTuple):
    """Work for an engine; None: until it is done. `instead_of`: only if that engine cannot work any more;
    `beside`: only if that engine can. An engine that seems to be `near` its end, with at most that many units
    left, gets as many units again, until it had that many more: it may be wrong."""

    engine: str
    units: int | None = None
    instead_of: str = ""
    beside: str = ""
    near: int = 0


@dataclass(frozen=True, slots=True)
class Scheduled(Generic[A]):
    """An answer, and the engine that gave it."""

    answer: A
    engine: str


# -- the table -------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """Slices for tasks that have all features of `has` and none of `lacks`."""

    has: frozenset[Feature]
    lacks: frozenset[Feature]
    slices: tuple[Slice, ...]


def _states(buffers: int | None, views: int | None = None) -> tuple[Slice, ...]:
    """A slice for each engine that explores states; at most one of them suits."""
    views = buffers if views is None else views
    return (
        Slice("buffers", buffers),
        Slice("waiting", buffers),
        Slice("races", buffers),
        Slice("views", views),
        Slice("robustness", views, instead_of="views"),
    )


_APART = Slice("apart", 1)
_OPEN = Slice("view-abstraction", 20_000)
_LOOK = Slice("interleavings", 2_500)
_LOOK_WITHOUT_VIEWS = Slice("interleavings", 2_500, instead_of="views")
# Locks and queues are few graphs: under RC11 cheaper than states with views, on architectures cheaper than
# the solver, where an event costs four times as much (bench/schedule.py bench/locks).
_FEW_GRAPHS = (
    Slice("graphs", 30_000, beside="views", near=60_000),
    Slice("graphs", 6_500, instead_of="buffers", near=100_000),
)
_GRAPHS_OF_RACES = (Slice("graphs", 30_000, near=60_000),)
_NOTHING: frozenset[Feature] = frozenset()


def _of_pointers(first: Sequence[Slice]) -> tuple[Slice, ...]:
    """Pointers suit the machines: Treiber's stack, the Michael-Scott queue (bench/check.py structures). With
    views, which are worth as much work as forty events of graphs, the solver is worth no more than a look
    before (bench/schedule.py tests/c/safe/treiber_stack.c -D THREADS=3)."""
    return (
        _APART, *first, *_states(80_000, 25_000), _OPEN, _LOOK_WITHOUT_VIEWS, Slice("formulas", 1_500),
        Slice("views", 35_000), Slice("robustness", 35_000, instead_of="views"),
        Slice("graphs", 50_000), Slice("formulas", 6_500), Slice("graphs", 150_000),
        Slice("formulas", 40_000), *_states(320_000, 340_000), Slice("graphs", 2_000_000),
        Slice("formulas"),
    )  # fmt: skip


def _of_locks(first: Sequence[Slice]) -> tuple[Slice, ...]:
    """Locks with read-modify-writes (bench/check.py structures)."""
    return (
        _APART, *first, Slice("robustness", 3_600),
        *_states(5_000, 1_200), _OPEN, _LOOK_WITHOUT_VIEWS,
        Slice("graphs", 100_000, beside="views", near=100_000), Slice("formulas", 1_500),
        Slice("graphs", 50_000), Slice("formulas", 6_500), *_states(75_000, 59_000),
        Slice("graphs", 400_000), Slice("formulas", 40_000), *_states(320_000, 340_000),
        Slice("graphs", 2_000_000), Slice("formulas"),
    )  # fmt: skip


# Threads that wait: graphs have no bound, and answer where the machine does not suit (bench/schedule.py
# tests/c/properties --property deadlock,liveness).
_OF_WAITING = (
    _APART, Slice("waiting", 2_500), Slice("graphs", 30_000, near=60_000), Slice("waiting", 75_000),
    Slice("formulas", 8_000), Slice("graphs", 150_000), Slice("waiting", 320_000), Slice("formulas", 40_000),
    Slice("graphs", 2_000_000), Slice("formulas"),
)  # fmt: skip

DECIDE_TABLE = (
    Row(frozenset({Feature.DEADLOCKS}), _NOTHING, _OF_WAITING),
    Row(frozenset({Feature.LIVENESS}), _NOTHING, _OF_WAITING),
    Row(
        frozenset({Feature.UPDATES, Feature.ALLOCATION, Feature.RACES}),
        _NOTHING,
        _of_pointers(_GRAPHS_OF_RACES),
    ),
    Row(frozenset({Feature.UPDATES, Feature.ALLOCATION}), _NOTHING, _of_pointers(_FEW_GRAPHS)),
    Row(frozenset({Feature.UPDATES, Feature.RACES}), _NOTHING, _of_locks(_GRAPHS_OF_RACES)),
    Row(frozenset({Feature.UPDATES}), _NOTHING, _of_locks(_FEW_GRAPHS)),
    # Atomic blocks make few states (bench/check.py structures); whether they race is another matter.
    Row(
        frozenset({Feature.ATOMIC_BLOCKS}),
        frozenset({Feature.RACES}),
        (
            *_states(30_000), _OPEN, _LOOK, Slice("formulas"), *_states(120_000),
        ),
    ),
    # Races of few graphs need no solver (bench/peers.py litmus).
    Row(
        frozenset({Feature.RACES}),
        _NOTHING,
        (
            _APART, *_GRAPHS_OF_RACES, *_states(2_500), _OPEN, _LOOK, Slice("formulas", 8_000),
            Slice("graphs", 50_000), Slice("formulas"), *_states(147_500),
        ),
    ),
    # Long straight threads are the solver's strength (bench/check.py mutexes, fibonacci).
    Row(
        _NOTHING,
        _NOTHING,
        (
            _APART, Slice("graphs", 2_000, beside="views"), Slice("robustness", 4_000),
            *_states(2_500), _OPEN, _LOOK, Slice("formulas"), *_states(147_500),
        ),
    ),
)  # fmt: skip

# Beyond this many traces, selections and candidates the symbolic engine is faster (bench/litmus.py).
OUTCOME_SLICES = (Slice("enumerate", 1_500), Slice("eager"))

# What deeper bounds may cost, where loops were cut at the first one (bench/litmus.py).
DEEPER_SLICES = (Slice("enumerate", 3_000), Slice("eager", 3_000))

# Likewise for what differs between two models (bench/portability.py).
DIFFERENCE_SLICES = (Slice("enumerate", 3_000), Slice("formulas"))

# What `--engine states` stands for.
ALL_STATES = (Slice("robustness", 4_000), *_states(None))


def slices_for(task: ProgramTask) -> tuple[Slice, ...]:
    """The row of the table that a task belongs to."""
    has = set(task.features.places)
    return next(row.slices for row in DECIDE_TABLE if row.has <= has and not row.lacks & has)


# -- running it ------------------------------------------------------------------------------------------


def run(
    task: T,
    slices: Sequence[Slice],
    makers: Mapping[str, Callable[[], Engine[T, A]]],
    *,
    refusals_end: bool = False,
) -> Scheduled[A | GaveUp]:
    """The answer of the first engine that has one; else why the one that got furthest gave up. With
    `refusals_end`, what one engine meets on its way and does not support is supported by nobody: the engines
    for litmus tests read the same test, and not all of them look at everything in it."""
    course = _Course(task, makers)
    for place, each in enumerate(slices):
        if not course.can_work(each.engine) or not course.is_wanted(each):
            continue
        others = {other.engine for other in slices[place + 1 :]} - {each.engine}
        alone = not any(course.can_work(other) for other in others)
        answer = course.work(each, None if alone else each.units)
        if not isinstance(answer, GaveUp):
            return Scheduled(answer, each.engine)
        course.note(each.engine, answer)
        if refusals_end and isinstance(answer.error, Unsupported):
            return Scheduled(answer, each.engine)
        if (ended := task.budget.exhausted()) is not None:
            told = replace(answer, reason=ended.reason, advice=ended.advice, more=False, error=ended)
            return Scheduled(told, each.engine)
    return course.furthest()


class _Course(Generic[T, A]):
    """The engines of one task, each made once, and what became of them."""

    def __init__(self, task: T, makers: Mapping[str, Callable[[], Engine[T, A]]]) -> None:
        self.task = task
        self.makers = makers
        self._engines: dict[str, Engine[T, A]] = {}
        self._suits: dict[str, Suitability] = {}
        self._gave_up: dict[str, GaveUp] = {}

    def engine(self, name: str) -> Engine[T, A]:
        """The engine of that name."""
        if name not in self._engines:
            self._engines[name] = self.makers[name]()
        return self._engines[name]

    def work(self, each: Slice, units: int | None) -> A | GaveUp:
        """What the engine of a slice says after so many units, and again as many while it is near its end."""
        engine, more = self.engine(each.engine), each.near
        while True:
            answer = engine.run(self.task, units)
            goes_on = isinstance(answer, GaveUp) and answer.more and engine.left() <= each.near
            if units is None or not goes_on or more <= 0 or self.task.budget.exhausted() is not None:
                return answer
            more -= units

    def can_work(self, name: str) -> bool:
        """Does the engine suit, and has not given up for good?"""
        if name in self._gave_up:
            return self._gave_up[name].more
        if name not in self._suits:
            self._suits[name] = self.engine(name).suits(self.task)
        return bool(self._suits[name])

    def is_wanted(self, each: Slice) -> bool:
        """Can the engines work that a slice wants, and none that it replaces?"""
        replaced = each.instead_of and self.can_work(each.instead_of)
        return not replaced and (not each.beside or self.can_work(each.beside))

    def note(self, name: str, answer: GaveUp) -> None:
        """Remember why an engine gave up."""
        self._gave_up[name] = answer

    def furthest(self) -> Scheduled[A | GaveUp]:
        """Who got to a bound tells more than who raised something, and that more than who just gave up; if
        nobody worked at all, the last one in the order of the slices says why."""

        def tells(item: tuple[str, GaveUp]) -> int:
            return 2 * (item[1].bound is not None) + (item[1].error is not None)

        if self._gave_up:
            name, answer = max(reversed(self._gave_up.items()), key=tells)
            return Scheduled(answer, name)
        name, suitable = next(reversed(self._suits.items()))
        return Scheduled(suitable.refusal(), name)
