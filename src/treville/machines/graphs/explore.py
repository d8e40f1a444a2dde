"""A program and a model -> every consistent execution graph, once (TruSt).

Events are added one by one, in the order that a fixed schedule of the threads gives. A read takes each write
that keeps the graph consistent; a write takes each place in coherence, and besides each earlier read that
does not need it may read it instead: then what was added after that read is deleted, but for what the write
needs. This is done only where the deleted events are just what would be added again, so that no graph is
built twice, and nothing but the graph itself need be remembered (M. Kokologiannakis, I. Marmanis, V.
Gladstein, V. Vafeiadis, Truly stateless, optimal dynamic partial order reduction, POPL 2022).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from treville.machines.graphs.clocks import Clocks, Order, lower_bound
from treville.machines.graphs.consistency import Bits, Consistency
from treville.machines.graphs.early import EarlyWrites
from treville.machines.graphs.event import INITIAL, Event, Kind, initial_write
from treville.machines.graphs.for_ever import ForEver, Waiters
from treville.machines.graphs.graph import Graph, may_be_revisited
from treville.machines.graphs.races import Races
from treville.machines.graphs.rounds import Again, Rounds
from treville.machines.graphs.space import Outside, Space
from treville.machines.graphs.waits import Waits, mask_of
from treville.machines.states import TooManyStates
from treville.machines.threads import ARBITRARY, MAIN, Action, Does, Threads
from treville.programs import ir
from treville.programs.operators import wrap
from treville.records import dataclass, field
from treville.results.properties import NEVER_WRITTEN, Error, Property

_MOST_EVENTS = 4_000
_LOOK_ON = 5_000
Found: TypeAlias = "Graph | Failing | None"
Choice: TypeAlias = Callable[[], Found]
ORDERLESS = frozenset(("A", "RLX", "NA", "DATA"))
_STEPS = (Does.FENCE, Does.SPAWN, Does.ALLOCATE, Does.FREE)


@dataclass(frozen=True, slots=True)
class Failing:
    """A graph in which a thread fails at an instruction, or (None) threads are `waiting` for ever, or else
    two threads race."""

    graph: Graph
    instruction: ir.Instruction | None
    message: str = ""
    waiting: Waiters = ()

    @property
    def is_race(self) -> bool:
        """Do two threads race?"""
        return self.instruction is None and not self.waiting


@dataclass
class Explorer:
    """The search; it can go on where `spend` ended it. That counts the events that are added. `reduced`:
    leave out what makes no difference to failures. `visit` is shown every complete graph. With a `doubt` the
    search goes on for a while: it may still find a failure, but that there is none is no answer any more.
    Races are failures, or else the first one only ends that the search `looks_for_races`. With `waits_fail`
    threads that wait for ever are failures, of deadlock or of liveness."""

    threads: Threads
    space: Space
    clocks: Clocks
    consistency: Consistency
    bits: Bits
    errors: frozenset[Error]
    spend: Callable[[int], None]
    reduced: bool = True
    visit: Callable[[Graph], None] | None = None
    early: EarlyWrites | None = None
    looks_for_races: bool = False
    races_fail: bool = False
    waits_fail: Property | None = None
    doubt: str = ""
    complete: int = 0
    blocked: int = 0
    _first: dict[int, int] = field(default_factory=dict)
    _children: dict[tuple[int, int], int] = field(default_factory=dict)
    _stack: list[Choice] = field(default_factory=list)
    _shares: list[float] = field(default_factory=list)  # of the search, for each choice of the stack
    _graph: Graph | None = None
    _share: float = 1.0
    _look_on: int = _LOOK_ON

    def __post_init__(self) -> None:
        depends = self.consistency.depends
        orderless = ORDERLESS if depends is None else ORDERLESS - {"A"}  # which is Arm's acquire
        self._rounds = Rounds(self.threads, self.space.memories.globals, self._behind, depends, orderless)
        self._waits = Waits(self.threads, self._behind, depends)
        self._races = Races(self.clocks)
        self._stack.append(self._begin)
        self._shares.append(1.0)

    @property
    def progress(self) -> float:
        """How much of the search is done, if all choices of a graph lead to equally much."""
        return 1.0 - sum(self._shares) - (self._share if self._graph is not None else 0.0)

    def explore(self) -> Failing | None:
        """Go on until a thread fails, or everything was seen."""
        stack = self._stack
        self.consistency.spend = self.spend
        if self.early is not None:
            self.early.spend = self.spend
        while True:
            try:
                if self._graph is None:
                    if not stack:
                        break
                    found = stack[-1]()  # it stays there if work ends in the midst of it
                    stack.pop()
                    self._share = self._shares.pop()
                else:
                    self.spend(1)
                    found = self._next(self._graph)
                    self._look_on -= bool(self.doubt)
            except Again:
                found, self.complete, self.blocked = None, 0, 0
                stack[:], self._shares[:] = [self._begin], [1.0]
            if isinstance(found, Failing):
                return found
            self._graph = found
            if self._look_on < 0:
                break
        if self.doubt:
            raise TooManyStates(self.doubt)
        return None

    def _begin(self) -> Graph:
        graph = Graph()
        root = initial_write(0, 0)
        root.index, root.after = -1, self.threads.start(MAIN)
        graph.threads[0], graph.roots[0] = [], root
        return graph

    # -- who is next -------------------------------------------------------------------------------------

    def _next(self, graph: Graph) -> Found:
        """The graph with one event more; None if there is none, or if there are several such graphs, which
        then wait."""
        actions = self.threads.actions
        if graph.waiting and graph.urgent < 0:
            for number in graph.waiting:
                if mask_of(graph, graph.last(number).place) & ~graph.waiting[number]:
                    return self._wake(graph, number)
        waits = False
        for number in graph.threads if graph.urgent < 0 else (graph.urgent,):
            last = graph.last(number)
            if last.idle:
                waits = True
                continue
            action = actions[last.after]
            does = action.does
            if does is Does.END:
                continue
            if does is Does.LOAD or does is Does.UPDATE:
                return self._access(graph, number, last, action, self._read)
            if does is Does.STORE:
                return self._access(graph, number, last, action, self._write)
            if does is Does.FAIL:
                assert action.instruction is not None
                return Failing(graph, action.instruction)
            if does in _STEPS or (does is Does.JOIN and self._has_ended(graph, action.address)):
                return self._step(graph, number, last, action)
            if does is Does.CHOOSE:
                return self._choose(graph, number, last)
            if does in (Does.BLOCKED, Does.CUT, Does.JOIN):
                waits = True
                continue
            raise TooManyStates(f"graphs have no {does.value}")
        self.complete += not waits
        self.blocked += waits
        if waits and self.waits_fail is not None:
            return self._for_ever(graph, self.waits_fail)
        if self.visit is not None and not waits:
            self.visit(graph)
        return None

    def _for_ever(self, graph: Graph, goal: Property) -> Failing | None:
        """Does the run end with threads that wait for ever?"""
        waiters = ForEver(self.threads, self._behind, goal is Property.DEADLOCK).waiters(graph)
        return Failing(graph, None, waiting=waiters) if waiters else None

    def _has_ended(self, graph: Graph, number: int) -> bool:
        if number not in graph.threads:
            return False
        last = graph.last(number)
        return not last.idle and self.threads.actions[last.after].does is Does.END

    def _event(self, graph: Graph, kind: Kind, number: int, last: Event, action: Action) -> Event:
        index = len(graph.threads[number])
        if len(graph.order) > _MOST_EVENTS:
            raise TooManyStates("an execution that goes on and on")
        event = Event(kind, number, index, self.bits.of(number, index), last.after)
        event.instruction, event.place = action.instruction, action.address
        event.marks = last.marks | self.threads.mark(last.after)
        return event

    # -- steps without a choice --------------------------------------------------------------------------

    def _step(self, graph: Graph, number: int, last: Event, action: Action) -> Graph:
        does, result = action.does, 0
        kind = Kind[does.name]
        event = self._event(graph, kind, number, last, action)
        self.clocks.follow(event, last)
        if kind is Kind.ALLOCATE:
            result = self.space.allocate(graph, event, number, self.threads.frames[last.after].objects)
        elif kind is Kind.FREE:
            self.space.free(graph, event, self.clocks.surely_before(event))
        elif kind is Kind.SPAWN:
            result = event.value = self._child(number, event.index)
        elif kind is Kind.JOIN:
            event.value = action.address
            self.clocks.join(event, graph.last(action.address))
            graph.joins[action.address] = event
        event.after = self._behind(last.after, result)
        if kind is Kind.SPAWN:
            self._start(graph, event, action)
        graph.add(event)
        if self.reduced and kind is Kind.FENCE and self._rounds.ends(graph, event, event.after):
            event.idle = True
        return graph

    def _child(self, number: int, index: int) -> int:
        key = (number, index)
        if key not in self._children:
            self._children[key] = len(self._children) + 1
        return self._children[key]

    def _start(self, graph: Graph, spawn: Event, action: Action) -> None:
        assert isinstance(action.instruction, ir.Spawn)
        number = spawn.value
        root = Event(Kind.SPAWN, number, -1, spawn.bit, -1)
        root.instruction, root.value = action.instruction, action.address
        root.po, root.prefix, root.before, root.seen = spawn.po, spawn.prefix, spawn.before, spawn.seen
        root.pending, root.pending_seen = spawn.pending, spawn.pending_seen
        root.fenced, root.fenced_seen = spawn.fenced, spawn.fenced_seen
        root.after = self.threads.start(action.instruction.function, action.address, number)
        graph.threads[number], graph.roots[number] = [], root

    def _behind(self, state: int, result: int) -> int:
        """The thread behind its action; updates that do not write are over at once."""
        threads = self.threads
        state = threads.after(state, result)
        while threads.actions[state].does is Does.SKIP:
            state = threads.after(state)
        return state

    def _choose(self, graph: Graph, number: int, last: Event) -> Graph | None:
        values = self.threads.choices(last.after)
        if not values:
            return None
        self._first[last.after] = values[0]
        return self._one_of([self._chosen(graph, number, last, value) for value in reversed(values)])

    def _chosen(self, graph: Graph, number: int, last: Event, value: int) -> Choice:
        def make() -> Graph:
            other = graph.copy()
            event = self._event(other, Kind.CHOOSE, number, last, self.threads.actions[last.after])
            event.value = value
            event.after = self._behind(last.after, value)
            self.clocks.follow(event, last)
            other.add(event)
            return other

        return make

    def _one_of(self, choices: list[Choice]) -> Graph | None:
        """Do the last of several, and keep the others for later."""
        self._stack.extend(choices)
        self._shares += [self._share / max(1, len(choices))] * len(choices)
        return None

    # -- accesses ----------------------------------------------------------------------------------------

    def _access(
        self, graph: Graph, number: int, last: Event, action: Action,
        access: Callable[[Graph, int, Event, Action], Found],
    ) -> Found:  # fmt: skip
        """A read or a write of memory that is there."""
        instruction = action.instruction
        assert isinstance(instruction, ir.Load | ir.Store)
        self.space.memories.width(action.address, instruction.bits)
        if action.address not in graph.writes:
            try:
                self.space.open(graph, action.address)
            except Outside as outside:
                if ir.error_of(instruction) in self.errors:
                    return Failing(graph, instruction, str(outside))
                return self._stopped(graph, number, last)
        if graph.objects:
            of_c = self.clocks.order is Order.C11
            self.space.lives(graph, action.address, last.before if of_c else None)
        return access(graph, number, last, action)

    def _stopped(self, graph: Graph, number: int, last: Event) -> Graph:
        """The thread goes no further: an error that nobody asked for. Where writes may come early, those
        behind it might be seen all the same."""
        if self.early is not None:
            self.doubt = "some runs use memory as they may not, and what follows in them has no meaning"
        event = self._event(graph, Kind.CHOOSE, number, last, Action(Does.BLOCKED))
        event.after, event.idle = last.after, True
        self._first[last.after] = 0
        self.clocks.follow(event, last)
        graph.add(event)
        return graph

    def _read(self, graph: Graph, number: int, last: Event, action: Action) -> Found:
        place = action.address
        writes = graph.writes[place]
        low = lower_bound(graph, place, last.seen)
        if len(writes) == 1 and _is_unset(action, writes[0]):
            return self._unset(graph, action)
        if self.reduced and self._waits.blocks(last.after, action, writes[-1]):
            return self._wait(graph, number, last, action, low)
        if low == len(writes) - 1:
            event = self._reading(graph, number, last, action, writes[-1])
            return self._judged(self._with_read(graph, event), event)
        choices = []
        for position in range(low, len(writes)):
            choices.append(self._read_of(graph, number, last, action, position))
        return self._one_of(choices)

    def _read_of_nothing(self, graph: Graph, number: int, last: Event, action: Action) -> Failing | None:
        """A read of memory before anything was written there, if that is consistent."""
        other, write = graph.copy(), graph.writes[action.address][0]
        event = self._event(other, Kind.READ, number, last, action)
        event.source = write
        self.clocks.follow(event, last)
        other.add(event)
        return self._unset(graph, action) if self.consistency.accepts(other, write, event) else None

    def _unset(self, graph: Graph, action: Action) -> Failing:
        """A read of memory that nobody wrote."""
        instruction = action.instruction
        assert isinstance(instruction, ir.Load)
        if Error.UNDEFINED in self.errors and not instruction.blind:
            return Failing(graph, instruction, NEVER_WRITTEN)
        raise TooManyStates("a read of memory that was not written")

    def _read_of(self, graph: Graph, number: int, last: Event, action: Action, position: int) -> Choice:
        write = graph.writes[action.address][position]
        is_last = position == len(graph.writes[action.address]) - 1

        def make() -> Found:
            if _is_unset(action, write):
                return self._read_of_nothing(graph, number, last, action)
            event = self._reading(graph, number, last, action, write)
            if event.idle and not is_last and not self.looks_for_races:
                return None
            other = self._with_read(graph.copy(), event)
            if not is_last and not self.consistency.accepts(other, write, event):
                return None
            judged = self._judged(other, event)
            return None if event.idle and not is_last and judged is other else judged

        return make

    def _reading(self, graph: Graph, number: int, last: Event, action: Action, write: Event) -> Event:
        """The event that reads a write."""
        instruction = action.instruction
        assert isinstance(instruction, ir.Load)
        event = Event(Kind.READ, number, last.index + 1, self.bits.of(number, last.index + 1), last.after)
        event.instruction, event.place, event.source = instruction, action.address, write
        event.marks = last.marks | self.threads.mark(last.after)
        event.value = 0 if write.value == ARBITRARY else wrap(write.value, instruction.bits)
        event.after = self._behind(last.after, event.value if instruction.register is not None else 0)
        event.linked = instruction.link and self._writes_back(event.after)
        self.clocks.follow(event, last)
        if self.reduced:
            event.idle = self._is_idle(graph, event)
        return event

    def _writes_back(self, state: int) -> bool:
        """Is the second half of an update next?"""
        store = self.threads.actions[state].instruction
        return isinstance(store, ir.Store) and store.link

    def _with_read(self, graph: Graph, event: Event) -> Graph:
        graph.waiting.pop(event.thread, None)
        graph.add(event)
        graph.urgent = event.thread if event.linked and not event.idle else -1
        return graph

    def _is_idle(self, graph: Graph, event: Event) -> bool:
        """Does the thread only go round with this read, or wait? An update that writes back what it read
        counts, too."""
        after = event.after
        if self._waits.is_stuck(after):
            return True
        if event.linked:
            store = self.threads.actions[after]
            if store.value != event.value:
                return False
            after = self._behind(after, 0)
        return self._rounds.ends(graph, event, after)

    # -- reads that wait ---------------------------------------------------------------------------------

    def _wait(self, graph: Graph, number: int, last: Event, action: Action, low: int) -> Graph | None:
        """The last write makes the thread wait; it may have read another one."""
        positions = range(low, len(graph.writes[action.address]))
        choices = self._offered(graph, number, last, action, positions)
        return self._one_of([*choices, lambda: self._waiting(graph, number, action.address)])

    def _waiting(self, graph: Graph, number: int, place: int) -> Graph:
        """The graph in which the thread has read none of the writes that are there."""
        waiting, last = graph.copy(), graph.last(number)
        event = self._waits.begin(last, number, self.bits.of(number, last.index + 1), place)
        event.known = waiting.waiting[number] = mask_of(graph, place)
        waiting.add(event)
        return waiting

    def _wake(self, graph: Graph, number: int) -> Graph | None:
        """Offer new writes to a thread that waits. That it took none of them is an event as well: if what
        came later is deleted, it is offered just the later ones again."""
        last = graph.last(number)
        action, known = self.threads.actions[last.after], graph.waiting[number]
        writes = graph.writes[last.place]
        low = lower_bound(graph, last.place, last.seen)
        positions = [at for at in range(low, len(writes)) if not writes[at].bit & known]
        choices = self._offered(graph, number, last, action, positions)
        if self._waits.blocks(last.after, action, writes[-1]):
            if not choices:
                graph.waiting[number] = mask_of(graph, last.place)
                return graph
            choices.append(lambda: self._waiting(graph, number, last.place))
        return self._one_of(choices)

    def _offered(
        self, graph: Graph, number: int, last: Event, action: Action, positions: Iterable[int]
    ) -> list[Choice]:
        """The graphs in which a thread reads what does not make it wait; or races when it reads others."""
        choices = []
        for position in positions:
            if not self._waits.blocks(last.after, action, graph.writes[action.address][position]):
                choices.append(self._read_of(graph, number, last, action, position))
            elif self.looks_for_races and self._races.are_possible(graph, action):
                choices.append(self._read_in_vain(graph, number, last, action, position))
        return choices

    def _read_in_vain(self, graph: Graph, number: int, last: Event, action: Action, position: int) -> Choice:
        """Does a read race after which the thread waits?"""

        def make() -> Found:
            write = graph.writes[action.address][position]
            event = self._reading(graph, number, last, action, write)
            other = graph.copy()
            other.add(event)
            judged = self._judged(other, event) if self.consistency.accepts(other, write, event) else other
            return None if judged is other else judged

        return make

    # -- writes ------------------------------------------------------------------------------------------

    def _write(self, graph: Graph, number: int, last: Event, action: Action) -> Graph | None:
        instruction, place = action.instruction, action.address
        assert isinstance(instruction, ir.Store)
        event = self._event(graph, Kind.WRITE, number, last, action)
        event.value, event.linked = action.value, instruction.link
        event.after = self._behind(last.after, 0)
        self.clocks.follow(event, last)
        self.clocks.release(event, graph, last if event.linked else None)
        if self.early is not None and self.early.possible(graph, event):
            self.doubt = "a write that an earlier read might have read: load buffering"
        graph.urgent = -1
        low = 1 + lower_bound(graph, place, last.seen)
        if place in self._rounds.watched and not self._is_ordered(graph, event):
            self._rounds.contest(place)
        choices: list[Choice] = []
        for read in graph.reads.get(place, ()):
            if not read.bit & event.prefix:
                choices += self._revisits(graph, read, event, low)
        choices += [self._put(graph, event, position) for position in self._places(graph, event, low)]
        return self._one_of(choices)

    def _is_ordered(self, graph: Graph, write: Event) -> bool:
        """Are all writes of other threads to its cell surely before a write, which comes next?"""
        others = mask_of(graph, write.place) & ~write.seen & ~INITIAL
        for other in graph.writes[write.place]:
            if other.thread == write.thread:
                others &= ~other.bit
        if others and self.early is not None and self.clocks.order is Order.PROGRAM:
            others &= ~self.early.ordered(graph, write, others)
        return not others

    def _places(self, graph: Graph, event: Event, low: int) -> list[int]:
        """Where a write can go in coherence: not before what its thread knows, nor into an update."""
        writes = graph.writes[event.place]
        if event.linked:
            source = graph.threads[event.thread][event.index - 1].source
            assert source is not None
            position = writes.index(source) + 1
            free = position == len(writes) or not writes[position].linked
            return [position] if free and position >= low else []
        return [at for at in range(low, len(writes) + 1) if at == len(writes) or not writes[at].linked]

    def _put(self, graph: Graph, event: Event, position: int) -> Choice:
        is_last = position == len(graph.writes[event.place])

        def make() -> Found:
            other = graph.copy()
            other.add(event)
            other.place_write(event, position)
            if not is_last and not self.consistency.accepts(other, event, event):
                return None
            return self._judged(other, event)

        return make

    def _revisits(self, graph: Graph, read: Event, event: Event, low: int) -> list[Choice]:
        """The graphs in which an earlier read reads the write."""
        kept = may_be_revisited(graph, read, event.prefix & ~event.bit, self._first)
        if kept is None:
            return []
        events = graph.threads[read.thread]
        last = events[read.index - 1] if read.index else graph.roots[read.thread]
        action = self.threads.actions[read.state]
        if self.reduced and self._waits.blocks(read.state, action, event):
            return self._waits_again(graph.restricted(kept), read, last, event)
        new = self._reading(graph, read.thread, last, action, event)
        other = graph.revisited(kept, read, new)
        low = 1 + lower_bound(other, event.place, event.seen | last.seen)
        places = self._places(other, event, low)
        other.add(event)
        return [self._revisited(other, event, new, position) for position in places]

    def _waits_again(self, graph: Graph, read: Event, last: Event, write: Event) -> list[Choice]:
        """The graph in which a thread waits because its read finds the write."""
        number, place = read.thread, read.place
        wait = self._waits.begin(last, number, read.bit, place)
        wait.known, wait.because = mask_of(graph, place) | write.bit, write.bit
        graph.order.insert(graph.order.index(read), wait)
        graph.without(read)
        graph.threads[number].append(wait)
        position = len(graph.writes[place])
        if position not in self._places(graph, write, 1 + lower_bound(graph, place, write.seen)):
            return []
        graph.add(write)
        graph.place_write(write, position)
        graph.waiting[number] = mask_of(graph, place)
        return [lambda: self._judged(graph, write)]

    def _revisited(self, graph: Graph, event: Event, new: Event, position: int) -> Choice:
        is_last = position == len(graph.writes[event.place])

        def make() -> Found:
            if new.idle and not is_last and not self.looks_for_races:
                return None
            other = graph.copy()
            other.place_write(event, position)
            if not is_last and not self.consistency.accepts(other, event, new):
                return None
            judged = self._judged(other, event, new)
            return None if new.idle and not is_last and judged is other else judged

        return make

    # -- races -------------------------------------------------------------------------------------------

    def _judged(self, graph: Graph, *fresh: Event) -> Graph | Failing:
        """The graph, or that its new events race with others."""
        if self.looks_for_races and any(self._races.has(graph, event) for event in fresh):
            if self.races_fail:
                return Failing(graph, None)
            self.looks_for_races = False
        return graph


def _is_unset(action: Action, write: Event) -> bool:
    """Does a read find what nobody wrote, without having asked whether anybody did?"""
    asks = isinstance(action.instruction, ir.Load) and action.instruction.zeroed
    return write.value == ARBITRARY and not asks
