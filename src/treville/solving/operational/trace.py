"""A failing run of the machine -> the execution that it is: events, reads-from, coherence, program order.

The order in which stores reach memory is coherence; a read's source is the youngest entry of its own buffer
or else what memory holds. The result can be judged by a model like the executions of the other engines. The
machine does not follow dependencies, which neither SC nor TSO nor PSO nor RC11 needs.
"""

from __future__ import annotations

from pathlib import Path

from treville.events.execution import INIT_THREAD, Event, Execution
from treville.models.cat.files import LIBRARY
from treville.models.model import Model
from treville.programs.ir import AtomicBegin, Load, Program, Store
from treville.relations import Relation
from treville.results import Budget
from treville.results.properties import ASSERTION, RACE
from treville.solving.operational.machine import Machine
from treville.solving.operational.memories import initial_memory, with_objects_in_order
from treville.solving.operational.races import find_race
from treville.solving.operational.robustness import NotRobust, RobustSearch
from treville.solving.operational.states import Answer, LimitReached, Log, TooManyStates
from treville.solving.operational.waiting import Waiting, find_waiting
from treville.solving.reachability import Reachability

MODELS = {"sc": "sc", "svcomp": "sc", "tso": "tso", "pso": "pso"}
ROBUST = "rc11"  # explored as SC, as long as that makes no difference


def reach_by_states(
    program: Program, model: Model, budget: Budget, limit: int, goal: str = ASSERTION
) -> Reachability | None:
    """The answer for a program compiled for the model, not `complete` if there are more than `limit` states;
    None if it makes no sense to explore more."""
    kind = MODELS.get(model.name)
    if kind is None and model.name == ROBUST and goal == ASSERTION and not _has_blocks(program):
        kind = ROBUST
    if kind is None or Path(model.file).parent != LIBRARY or (goal == RACE and kind != "sc"):
        return None  # a user's model of the same name may say something else
    try:
        if goal == RACE:
            return _waiting(program, Waiting(find_race(program, limit, budget)))
        if goal != ASSERTION:
            return _waiting(program, find_waiting(program, kind, goal, limit, budget))
        robust = kind == ROBUST
        machine = Machine(program, "sc" if robust else kind, limit=limit, budget=budget)
        answer = RobustSearch(machine).explore() if robust else machine.explore()
    except LimitReached:
        return Reachability(complete=False, stats={"states": limit})
    except (TooManyStates, NotRobust):
        return None
    found = Reachability(complete=answer.verdict != "UNKNOWN", stats={"states": answer.states})
    if answer.verdict == "FAIL" and answer.failed is not None:
        found.failed = [answer.failed]
        found.thread_names = [name or "main" for name in answer.bodies]
        found.execution = Trace(program, answer).execution()
    return found


def _has_blocks(program: Program) -> bool:
    threads = [*program.threads, *program.functions.values()]
    return any(isinstance(i, AtomicBegin) for thread in threads for i in thread.instructions)


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
    """Builds the execution from what happened."""

    def __init__(self, program: Program, answer: Answer) -> None:
        self.log = with_objects_in_order(answer.log, len(program.locations))
        self.initial = dict(initial_memory(program))
        self.events: list[Event] = []
        self.before: dict[int, int] = {0: 0}  # thread -> mask of the events that precede what it does next
        self.po: list[tuple[int, int]] = []
        self.rf: list[tuple[int, int]] = []
        self.rmw: list[tuple[int, int]] = []
        self.coherence: dict[int, list[int]] = {}
        self.buffers: dict[int, list[int]] = {}
        self.linked: dict[int, int] = {}
        self.order: dict[int, int] = {}
        self.blocks: list[list[int]] = []
        self.open_block = -1

    def execution(self) -> Execution:
        """The execution of the whole log; what is still in buffers gets to memory last."""
        for entry in self.log:
            if entry.kind == "C":
                self._commit(self.buffers[entry.thread].pop(entry.address))
            elif entry.kind == "S":
                self.before[entry.address] = self.before[entry.thread]
            elif entry.kind == "J":
                self.before[entry.thread] |= self.before.get(entry.address, 0)
            else:
                self._event(entry)
        for waiting in self.buffers.values():
            for event in waiting:
                self._commit(event)
        return self._finished()

    def _event(self, entry: Log) -> None:
        instruction = entry.instruction
        tags = instruction.tags if isinstance(instruction, Load | Store) else getattr(instruction, "tags", ())
        kind = {"R": "R", "F": "F"}.get(entry.kind, "W")
        link = isinstance(instruction, Load | Store) and instruction.link
        if not (link and kind == "W"):
            self.order[entry.thread] = self.order.get(entry.thread, 0) + 1
        place = (None, None) if kind == "F" else (entry.address, entry.value)
        number = self._add(entry.thread, kind, frozenset(tags), place, entry)
        self.before[entry.thread] = self.before.get(entry.thread, 0) | 1 << number
        if entry.kind == "R":
            self.rf.append((self._source(entry), number))
            if link:
                self.linked[entry.thread] = number
        elif entry.kind == "W":
            self.buffers.setdefault(entry.thread, []).append(number)
        elif entry.kind == "D":
            self._commit(number)
            if link and entry.thread in self.linked:
                self.rmw.append((self.linked.pop(entry.thread), number))
        self._note_block(entry, number)

    def _add(
        self,
        thread: int,
        kind: str,
        tags: frozenset[str],
        place: tuple[int | None, int | None],
        entry: Log | None,
    ) -> int:
        number = len(self.events)
        source = entry.instruction if entry else None
        text, span = (source.text, source.span) if source else ("", None)
        order = self.order.get(thread, 0)
        self.events.append(Event(number, thread, kind, tags, *place, text, span, order))
        for earlier in _bits(self.before.get(thread, 0) if thread != INIT_THREAD else 0):
            self.po.append((earlier, number))
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
            value = self.initial.get(address, 0)
            first = self._add(INIT_THREAD, "W", frozenset({"IW"}), (address, value), None)
            self.coherence[address] = [first]
        return self.coherence[address]

    def _commit(self, event: int) -> None:
        address = self.events[event].address
        assert address is not None
        self._written(address).append(event)

    def _finished(self) -> Execution:
        n = len(self.events)
        co = [
            (a, b) for order in self.coherence.values() for i, a in enumerate(order) for b in order[i + 1 :]
        ]
        threads: dict[int, list[int]] = {}
        for event in self.events:
            key = event.thread if event.thread != INIT_THREAD else -2 - event.number
            threads.setdefault(key, []).append(event.number)
        inside = Relation.of(n, ((a, b) for group in threads.values() for a in group for b in group))
        same: dict[int | None, list[int]] = {}
        for event in self.events:
            if event.address is not None:
                same.setdefault(event.address, []).append(event.number)
        relations = {
            "po": Relation.of(n, self.po),
            "rf": Relation.of(n, self.rf),
            "co": Relation.of(n, co),
            "rmw": Relation.of(n, self.rmw),
            "amo": Relation.of(n, self.rmw),
            "loc": Relation.of(n, ((a, b) for group in same.values() for a in group for b in group)),
            "int": inside,
            "ext": inside.complement(),
            "atomicblock": Relation.of(n, ((a, b) for block in self.blocks for a in block for b in block)),
        }
        relations["fr"] = relations["rf"].inverse() @ relations["co"]
        return Execution(self.events, self._sets(), relations)

    def _sets(self) -> dict[str, int]:
        sets = {"R": 0, "W": 0, "F": 0, "IW": 0}
        for event in self.events:
            for name in {event.kind, *event.tags}:
                sets[name] = sets.get(name, 0) | 1 << event.number
        sets["M"] = sets["R"] | sets["W"]
        return sets


def _bits(mask: int) -> list[int]:
    return [number for number in range(mask.bit_length()) if mask >> number & 1]
