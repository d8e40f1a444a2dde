"""An execution of a marked program -> what it would be with stronger levels at some sites.

Stronger orders and further fences change neither values nor who reads from whom: accesses get other tags,
fences that ordered nothing become what they stand for, and compilers put fences around accesses. Whether the
model still allows the result is for the evaluator to say, so one execution answers for many assignments
without a search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from treville.events.execution import Event, Execution
from treville.events.kinds import FENCE, READ
from treville.fences import PLACE
from treville.models.evaluate import Evaluation, evaluate
from treville.models.model import Model
from treville.models.races import races_in
from treville.programs.ir import Const, Fence, Instruction, Load, Program, Store, Thread
from treville.questions.repair.applying import at_level
from treville.questions.repair.sites import Assignment, Level, Site, SiteKind, site_of
from treville.records import dataclass, field, replace
from treville.relations import EventId, Relation

Code: TypeAlias = tuple[Instruction, ...]
Lowering = Callable[[Program], Program]
"""What passes make of a program for the model in question."""


@dataclass(frozen=True, slots=True)
class Violation:
    """An execution that the `model` allows and that must not be, of the assignment `under`. `what` goes
    wrong; a `race` is only there while accesses are unordered, and so is what raises `flags`. Not `marked`:
    the execution does not show where new fences would be. `program` is for people: names of locations."""

    execution: Execution
    model: Model
    under: Assignment
    lower: Lowering
    program: Program
    what: str = ""
    race: bool = False
    flags: frozenset[str] = frozenset()
    marked: bool = True
    thread_names: tuple[str, ...] = ()
    _known: dict[Assignment, bool] = field(default_factory=dict, compare=False)
    _lower: dict[Code, Code] = field(default_factory=dict, compare=False)

    def stays(self, sites: Sequence[Site], assignment: Assignment) -> bool:
        """Is the execution still there, and wrong, under an assignment that is at least as strong as the one
        it was found under? False also where that is not known."""
        if assignment not in self._known:
            self._known[assignment] = self._stays(sites, assignment)
        return self._known[assignment]

    def _stays(self, sites: Sequence[Site], assignment: Assignment) -> bool:
        stronger = [site for site in sites if assignment[site.number] != self.under[site.number]]
        if not self.marked and any(site.kind is SiteKind.GAP for site in stronger):
            return False
        judged = self.judged(self.upgraded(sites, assignment))
        if judged.violated or (self.race and not races_in(judged)):
            return False
        return self.flags <= set(judged.flags)

    def judged(self, execution: Execution) -> Evaluation:
        """What the model says of a variant of the execution."""
        everything = self.race or bool(self.flags)
        n = len(execution.events)
        return evaluate(self.model, n, execution.sets, execution.relations, everything=everything)

    def upgraded(self, sites: Sequence[Site], assignment: Assignment) -> Execution:
        """The execution with the levels of a stronger assignment."""
        levels = {
            site.number: site.levels[assignment[site.number]]
            for site in sites
            if assignment[site.number] != self.under[site.number]
        }
        return _Upgrade(self.execution, sites, levels, self._lowered).result()

    def _lowered(self, code: Code) -> Code:
        if code not in self._lower:
            self._lower[code] = self.lower(Program((Thread("", code),))).threads[0].instructions
        return self._lower[code]


class _Upgrade:
    """Makes one variant of an execution."""

    def __init__(
        self,
        execution: Execution,
        sites: Sequence[Site],
        levels: Mapping[int, Level],
        lowered: Callable[[Code], Code],
    ) -> None:
        self.execution = execution
        self.sites = sites
        self.levels = levels
        self.lowered = lowered
        self.events = list(execution.events)
        self.new: list[tuple[EventId, bool, frozenset[str]]] = []  # neighbour, whether before it, tags

    def result(self) -> Execution:
        """See `Violation.upgraded`."""
        for event in self.execution.events:
            number = site_of(event.tags)
            if number is not None and number in self.levels:
                self._raise(event, self.sites[number], self.levels[number])
        sets = self._sets()
        relations = dict(self.execution.relations)
        if self.new:
            relations = self._relations()
            self._add_events()
            for at, event in enumerate(self.events[len(self.execution.events) :], len(self.execution.events)):
                for name in ("F", *event.tags):
                    sets[name] = sets.get(name, 0) | 1 << at
        return Execution(tuple(self.events), sets, relations, self.execution.final)

    # -- single events -------------------------------------------------------------------------------

    def _raise(self, event: Event, site: Site, level: Level) -> None:
        if site.kind is SiteKind.ACCESS:
            self._raise_access(event, level)
        elif level.tags:
            made = self.lowered((Fence(level.tags),))
            tags = frozenset().union(*(fence.tags for fence in made if isinstance(fence, Fence)))
            self._retag(event, event.tags - {PLACE} | tags, level.text)

    def _raise_access(self, event: Event, level: Level) -> None:
        """The instruction behind an event is as good as any that has its tags."""
        link = bool(event.tags & {"RMW", "X"})
        source: Load | Store
        before_lowering = frozenset(tag for tag in event.tags if tag.startswith("site "))
        before_lowering |= event.tags & {"RMW", "X", "AMO", "DATA"}
        if event.kind is FENCE:
            return
        if event.kind is READ:
            source = Load("r", Const(0), before_lowering | self._marks(level), link=link)
        else:
            source = Store(Const(0), Const(0), before_lowering | self._marks(level), link=link)
        behind = False
        for made in self.lowered(tuple(at_level(source, level))):
            if isinstance(made, Fence):
                self.new.append((event.number, not behind, made.tags))
            else:
                assert isinstance(made, Load | Store)
                behind = True
                self._retag(event, self._joined(event.tags, made.tags), event.text)

    @staticmethod
    def _marks(level: Level) -> frozenset[str]:
        """What makes an access one that compilers and models know as atomic."""
        return frozenset({"A"}) if level.order.isupper() and len(level.order) > 1 else frozenset()

    @staticmethod
    def _joined(old: frozenset[str], new: frozenset[str]) -> frozenset[str]:
        """Orders are replaced, whatever else is known of the access stays."""
        return old - _ORDERS | new

    def _retag(self, event: Event, tags: frozenset[str], text: str) -> None:
        self.events[event.number] = replace(event, tags=tags, text=text)

    # -- the whole -----------------------------------------------------------------------------------

    def _sets(self) -> dict[str, int]:
        sets = dict(self.execution.sets)
        for old, new in zip(self.execution.events, self.events, strict=True):
            bit = 1 << old.number
            for tag in old.tags - new.tags:
                sets[tag] = sets.get(tag, 0) & ~bit
            for tag in new.tags - old.tags:
                sets[tag] = sets.get(tag, 0) | bit
        return sets

    def _relations(self) -> dict[str, Relation]:
        """With the new fences in program order, dependent on what their neighbours are control-dependent on,
        and in threads."""
        n, count = len(self.execution.events), len(self.new)
        rows = {
            name: [*relation.rows, *([0] * count)] for name, relation in self.execution.relations.items()
        }
        for k, (neighbour, is_before, _) in enumerate(self.new):
            _insert(rows, n + k, neighbour, is_before)
        return {name: Relation(each) for name, each in rows.items()}

    def _add_events(self) -> None:
        for neighbour, _, tags in self.new:
            beside = self.execution.events[neighbour]
            number = EventId(len(self.events))
            self.events.append(
                Event(number, beside.thread, FENCE, tags, None, None, beside.text, beside.span, beside.order)
            )


def _insert(rows: dict[str, list[int]], new: int, neighbour: int, is_before: bool) -> None:
    """A fence directly before or behind an event: it has the same neighbours in all that orders threads."""
    bit, beside = 1 << new, 1 << neighbour
    for name, each in rows.items():
        if name == "po":
            each[new] = each[neighbour]
            _follow(each, beside, bit)
            if is_before:
                each[new] |= beside
            else:
                each[neighbour] |= bit
        elif name in ("int", "ext"):
            each[new] = each[neighbour]
            _follow(each, beside, bit)
            if name == "int":
                each[neighbour] |= bit
                each[new] |= bit | beside
        elif name == "si":
            each[new] = bit
        elif name in ("ctrl", "ctrl-behind", "atomicblock"):
            if name == "atomicblock":
                each[new] = each[neighbour]
            _follow(each, beside, bit)


def _follow(rows: list[int], beside: int, bit: int) -> None:
    """Whatever leads to the neighbour leads to the new event."""
    for at, row in enumerate(rows):
        if row & beside:
            rows[at] = row | bit


_ORDERS = frozenset(
    {"RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC", "Q", "L", "Acq", "Rel", "AcqRel", "Once", "ONCE"}
    | {"Acquire", "ACQUIRE", "Release", "RELEASE", "MB", PLACE}
)
