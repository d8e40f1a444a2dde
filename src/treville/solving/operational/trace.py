"""A failing run of the machine -> the execution that it is: events, reads-from, coherence, program order.

The order in which stores reach memory is coherence; a read's source is the youngest entry of its own buffer
or else what memory holds. The result can be judged by any model, like the executions of the other engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from treville.events.execution import INIT_THREAD, Event, Execution
from treville.models.model import Model
from treville.programs.ir import Allocate, AtomicBegin, Load, Program, Store
from treville.relations import Relation
from treville.results import Budget
from treville.results.properties import ASSERTION, RACE
from treville.solving.operational.dependencies import DEPENDENCIES, Along, Needs
from treville.solving.operational.machine import Machine
from treville.solving.operational.memories import initial_memory, with_objects_in_order
from treville.solving.operational.races import find_race
from treville.solving.operational.robustness import NotRobust, RobustSearch
from treville.solving.operational.states import Answer, Failed, LimitReached, Log, TooManyStates
from treville.solving.operational.waiting import Waiting, find_waiting
from treville.solving.reachability import Reachability

if TYPE_CHECKING:
    from treville.solving.operational.views.trace import Exploration

MODELS = {"sc": "sc", "svcomp": "sc", "tso": "tso", "pso": "pso"}
VIEWS = "rc11"
FEW_STATES = 4_000


@dataclass(slots=True)
class Begun:
    """A search with views that goes on when the limit grows."""

    exploration: Exploration | None = None


def reach_by_states(
    program: Program,
    model: Model,
    budget: Budget,
    limit: int,
    goal: str = ASSERTION,
    begun: Begun | None = None,
) -> Reachability | None:
    """The answer for a program compiled for the model, not `complete` if there are more than `limit` states;
    None if it makes no sense to explore more. `begun` keeps what was done for a smaller limit."""
    kind = machine_of(model)
    if kind is None and model.shipped == VIEWS and goal == ASSERTION and not program.has(AtomicBegin):
        kind = VIEWS
    if kind is None or (goal == RACE and kind != "sc"):
        return None
    try:
        if goal == RACE:
            return _waiting(program, Waiting(find_race(program, limit, budget)))
        if goal != ASSERTION:
            return _waiting(program, find_waiting(program, kind, goal, limit, budget))
        if kind == VIEWS:
            return _weakly(program, model, budget, limit, begun)
        answer = Machine(program, kind, limit=limit, budget=budget).explore()
    except LimitReached:
        return Reachability(complete=False, stats={"states": limit})
    except (TooManyStates, NotRobust, Failed):
        return None
    return reachability_of(program, answer)


def _weakly(
    program: Program, model: Model, budget: Budget, limit: int, begun: Begun | None
) -> Reachability | None:
    """The answer for RC11: by SC's states where that makes no difference and they are few (each costs a third
    of the others), else by the machine with views; and where that has no answer (threads write on and on) by
    any number of SC's states. Raises `TooManyStates`, `NotRobust`."""
    from treville.solving.operational.views.trace import Exploration

    begun = Begun() if begun is None else begun
    if begun.exploration is None:
        begun.exploration = Exploration(program, model, budget)
        found = None if program.has(Allocate) else _as_sc(program, budget, min(3 * limit, FEW_STATES))
        if found is not None:
            return found
    try:
        answer = begun.exploration.answer(limit)
        if answer.verdict != "UNKNOWN":
            return reachability_of(program, answer, begun.exploration.execution)
    except LimitReached:
        raise
    except TooManyStates:
        pass
    return _robustly(program, budget, limit)


def _as_sc(program: Program, budget: Budget, limit: int) -> Reachability | None:
    """The answer by a few of SC's states, if they have one."""
    try:
        return _robustly(program, budget, limit)
    except (TooManyStates, NotRobust):
        return None


def _robustly(program: Program, budget: Budget, limit: int) -> Reachability | None:
    """The answer by SC's states. Raises `NotRobust` where RC11 may allow more."""
    machine = Machine(program, "sc", limit=limit, budget=budget)
    answer = RobustSearch(machine).explore()
    if machine.memories.frees and answer.verdict != "FAIL":
        return None  # whether accesses happen before their object is freed, the states do not tell
    return reachability_of(program, answer) if answer.verdict != "UNKNOWN" else None


def machine_of(model: Model) -> str | None:
    """The machine with or without buffers that does just what the model says, if there is one."""
    return MODELS.get(model.shipped) if model.shipped is not None else None


def is_explored_as_sc(model: Model) -> bool:
    """Does the machine without buffers do just what the model says?"""
    return machine_of(model) == "sc"


def reachability_of(program: Program, answer: Answer, execution: Execution | None = None) -> Reachability:
    """What the machine answered, with the execution that fails."""
    found = Reachability(complete=answer.verdict != "UNKNOWN", stats={"states": answer.states})
    if answer.verdict == "FAIL" and answer.failed is not None:
        found.failed, found.message = [answer.failed], answer.message
        found.thread_names = [name or "main" for name in answer.bodies]
        found.execution = execution or Trace(program, answer).execution()
    return found


def _waiting(program: Program, waiting: Waiting) -> Reachability:
    """The answer to who waits for ever (or races)."""
    answer = waiting.answer
    found = Reachability(complete=answer.verdict != "UNKNOWN", stats={"states": answer.states})
    if answer.verdict == "FAIL":
        found.failed, found.waiting = waiting.places, waiting.threads
        found.thread_names = [name or "main" for name in answer.bodies]
        found.execution = Trace(program, answer).execution()
    return found


class Trace:
    """Builds the execution from what happened. `orders` and the like are kept as masks: programs that run for
    long have thousands of events."""

    def __init__(self, program: Program, answer: Answer) -> None:
        self.log = with_objects_in_order(answer.log, len(program.locations))
        self.as_run = answer.log
        self.along = Along(program)
        self.initial = dict(initial_memory(program))
        self.events: list[Event] = []
        self.numbers: list[int | None] = []  # of the log's entries
        self.needs: dict[int, Needs] = {}
        self.rf: list[tuple[int, int]] = []
        self.rmw: list[tuple[int, int]] = []
        self.coherence: dict[int, list[int]] = {}
        self.buffers: dict[int, list[int]] = {}
        self.linked: dict[int, int] = {}
        self.blocks: list[list[int]] = []
        self.open_block = -1

    def execution(self) -> Execution:
        """The execution of the whole log; what is still in buffers gets to memory last."""
        for entry, run in zip(self.log, self.as_run, strict=True):
            self.numbers.append(None)
            if entry.kind == "C":
                self._commit(self.buffers[entry.thread].pop(entry.address))
            elif entry.kind in "SJAH":
                self.along.other(run)
            else:
                self.numbers[-1] = self._event(entry, run)
        for waiting in self.buffers.values():
            for event in waiting:
                self._commit(event)
        return Execution(self.events, self._sets(), self._relations())

    def _event(self, entry: Log, run: Log) -> int:
        instruction = entry.instruction
        tags = frozenset(getattr(instruction, "tags", ()))
        kind = {"R": "R", "F": "F"}.get(entry.kind, "W")
        link = isinstance(instruction, Load | Store) and instruction.link
        source = self._source(entry) if kind == "R" else -1
        number = len(self.events)
        needs = self.needs[number] = self.along.event(run, number)
        event = Event(number, entry.thread, kind, tags, order=needs.order)
        if instruction is not None:
            event = replace(event, text=instruction.text, span=instruction.span)
        if kind != "F":
            event = replace(event, address=entry.address, value=entry.value)
        self.events.append(event)
        if entry.kind == "R":
            self.rf.append((source, number))
            if link:
                self.linked[entry.thread] = number
        elif entry.kind == "W":
            self.buffers.setdefault(entry.thread, []).append(number)
        elif entry.kind == "D":
            self._commit(number)
            if link and entry.thread in self.linked:
                self.rmw.append((self.linked.pop(entry.thread), number))
        self._note_block(entry, number)
        return number

    def _note_block(self, entry: Log, number: int) -> None:
        if not entry.block:
            self.open_block = -1
            return
        if self.open_block != entry.thread:
            self.blocks.append([])
            self.open_block = entry.thread
        self.blocks[-1].append(number)

    def _source(self, entry: Log) -> int:
        own = [e for e in self.buffers.get(entry.thread, []) if self.events[e].address == entry.address]
        return own[-1] if own else self._written(entry.address)[-1]

    def _written(self, address: int) -> list[int]:
        """The writes of a location that reached memory, the initial one first."""
        if address not in self.coherence:
            number, value = len(self.events), self.initial.get(address, 0)
            self.events.append(Event(number, INIT_THREAD, "W", frozenset({"IW"}), address, value))
            self.coherence[address] = [number]
        return self.coherence[address]

    def _commit(self, event: int) -> None:
        address = self.events[event].address
        assert address is not None
        self._written(address).append(event)

    # -- relations ---------------------------------------------------------------------------------------

    def _relations(self) -> dict[str, Relation]:
        n = len(self.events)
        inside = self._same([_thread_of(event) for event in self.events])
        relations = {
            "po": self._program_order(),
            "rf": Relation.of(n, self.rf),
            "co": self._coherence_order(),
            "rmw": Relation.of(n, self.rmw),
            "amo": Relation.of(n, self.rmw),
            "loc": self._same([event.address for event in self.events]),
            "int": inside,
            "ext": inside.complement(),
            "si": self._same([(_thread_of(event), event.order) for event in self.events]),
            "atomicblock": Relation.of(n, ((a, b) for block in self.blocks for a in block for b in block)),
        }
        relations["fr"] = relations["rf"].inverse() @ relations["co"]
        for place, name in enumerate(DEPENDENCIES):
            sources = [self.needs[event][place] if event in self.needs else 0 for event in range(n)]
            relations[name] = Relation(sources).inverse()
        return relations

    def _program_order(self) -> Relation:
        """From the end of the log to its start: what each thread does from there on, what the threads that it
        starts do, and what happens after it is joined."""
        rows = [0] * len(self.events)
        later: dict[int, int] = {}
        for entry, number in zip(reversed(self.log), reversed(self.numbers), strict=True):
            mine = later.get(entry.thread, 0)
            if entry.kind == "S":
                later[entry.thread] = mine | later.get(entry.address, 0)
            elif entry.kind == "J":
                later[entry.address] = later.get(entry.address, 0) | mine
            elif number is not None:
                rows[number] = mine
                later[entry.thread] = mine | 1 << number
        return Relation(rows)

    def _coherence_order(self) -> Relation:
        rows = [0] * len(self.events)
        for order in self.coherence.values():
            later = 0
            for event in reversed(order):
                rows[event] = later
                later |= 1 << event
        return Relation(rows)

    def _same(self, keys: Sequence[object]) -> Relation:
        """The pairs of events with the same key, which is not None."""
        groups: dict[object, int] = {}
        for number, key in enumerate(keys):
            groups[key] = groups.get(key, 0) | 1 << number
        return Relation([0 if key is None else groups[key] for key in keys])

    def _sets(self) -> dict[str, int]:
        sets = {"R": 0, "W": 0, "F": 0, "IW": 0}
        for event in self.events:
            for name in {event.kind, *event.tags}:
                sets[name] = sets.get(name, 0) | 1 << event.number
        sets["M"] = sets["R"] | sets["W"]
        return sets


def _thread_of(event: Event) -> int:
    """The event's thread; initial writes belong to none, so each is alone."""
    return event.thread if event.thread != INIT_THREAD else -2 - event.number
