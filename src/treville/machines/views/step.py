"""A state of the machine with views that is being changed: reads, writes, fences, starts and joins.

Memory holds for each cell its writes in coherence order, each with the view that it releases. A thread reads
any write that its view does not exclude, writes behind what its view knows (not between an update and the
write that it read), and acquires views with what it reads. (J. Kang, C.-K. Hur, O. Lahav, V. Vafeiadis, D.
Dreyer, A promising semantics for relaxed-memory concurrency, POPL 2017, without promises.) What becomes of
seq_cst events is told in `seq_cst`.
"""

from __future__ import annotations

from treville.machines.memories import start_of
from treville.machines.states import Log, TooManyStates
from treville.machines.threads import Action, Does
from treville.machines.views import seq_cst
from treville.machines.views.future import ACQUIRING, ATOMIC, RELEASING
from treville.machines.views.lanes import Change
from treville.machines.views.state import NOTHING, UNTOUCHED, Knows, Message, Parts, State
from treville.programs import ir
from treville.programs.operators import wrap

_MOST_THREADS = 50


class Step:
    """A state that is being changed. `asleep` are the writes that threads refuse to read next (-1: a thread
    waits for another seq_cst event), `events` counts what happened, `early` is an access that is not ordered
    after the allocation of its object."""

    __slots__ = (
        "ahead", "asleep", "early", "events", "knows", "log", "memory", "objects", "order", "parts",
        "threads", "views",
    )  # fmt: skip

    def __init__(
        self, parts: Parts, state: State, asleep: tuple[int, ...], log: list[Log] | None = None
    ) -> None:
        self.parts = parts
        self.threads, self.views, self.knows = list(state.threads), list(state.views), list(state.knows)
        self.memory, self.asleep = list(state.memory), list(asleep)
        self.objects, self.order = state.objects, state.order
        self.log, self.events = log, 0
        self.early: ir.Instruction | None = None
        self.look_ahead()

    def look_ahead(self) -> None:
        """Find out what threads may still do."""
        future = self.parts.future
        self.ahead = [future.of(thread, number) for number, thread in enumerate(self.threads)]

    def copy(self) -> Step:
        """The same once more."""
        other = Step.__new__(Step)
        other.parts = self.parts
        other.threads, other.views, other.knows = self.threads[:], self.views[:], self.knows[:]
        other.memory, other.asleep, other.ahead = self.memory[:], self.asleep[:], self.ahead[:]
        other.objects, other.order, other.events = self.objects, self.order, self.events
        other.log = None if self.log is None else self.log[:]
        other.early = self.early
        return other

    def state(self) -> State:
        """The state by now."""
        memory = self.memory
        while memory and not memory[-1]:
            memory.pop()
        return State(
            tuple(self.threads), tuple(self.views), tuple(self.knows), tuple(memory), self.objects, self.order
        )

    def action(self, number: int) -> Action:
        """What a thread does next."""
        return self.parts.threads.actions[self.threads[number]]

    def note(
        self, kind: str, number: int, action: Action, address: int, value: int = 0, place: int = 0
    ) -> None:
        """Note what happens, if somebody wants to know."""
        self.events += 1
        if self.log is not None:
            self.log.append(Log(kind, number, address, value, action.instruction, False, place))

    def goes_on(self, number: int, result: int = 0) -> None:
        """A thread after its action."""
        self.asleep[number] = 0
        thread = self.threads[number] = self.parts.threads.after(self.threads[number], result)
        self.ahead[number] = self.parts.future.of(thread, number)

    # -- memory --------------------------------------------------------------------------------------

    def lane(self, address: int) -> int:
        """The lane of a cell, which may be a new one."""
        lane = self.parts.lanes.get(address)
        if lane is None:
            lane = self.parts.future.cell(address)
            self.look_ahead()
        return lane

    def history(self, address: int) -> tuple[int, tuple[Message, ...]]:
        """The lane of a cell, and its writes."""
        lane = self.lane(address)
        found = self.memory[lane] if lane < len(self.memory) else UNTOUCHED
        if found:
            return lane, found
        if not self.parts.memories.inside_an_object(self.objects, address):
            raise TooManyStates("an access outside of all objects")
        return lane, (Message(self._initial(address)),)

    def _initial(self, address: int) -> int | None:
        try:
            return self.parts.memories.read(self.objects, address)
        except TooManyStates:
            return None

    def change_views(self, change: Change) -> None:
        """Change all views."""
        self.views = [change(view) for view in self.views]
        self.order = change(self.order)
        self.knows = [
            NOTHING if knows == NOTHING else Knows(
                change(knows.pending), change(knows.fenced),
                tuple([(lane, change(view)) for lane, view in knows.released]), change(knows.past),
            )
            for knows in self.knows
        ]  # fmt: skip
        for lane, history in enumerate(self.memory):
            for message in history:
                if message.view or message.past:
                    self.memory[lane] = tuple([
                        Message(value, change(view), updates, ordered, change(past))
                        for value, view, updates, ordered, past in history
                    ])  # fmt: skip
                    break

    def sleeps_at(self, number: int, lane: int) -> bool:
        """Does a thread refuse writes of this lane?"""
        if self.asleep[number] <= 0:
            return False
        return self.lane(self.action(number).address) == lane

    # -- accesses ------------------------------------------------------------------------------------

    def read(
        self, number: int, action: Action, lane: int, rank: int, message: Message, in_place: bool
    ) -> None:
        """Read a write, which has the rank; `in_place` as in `seq_cst`."""
        instruction, address = action.instruction, action.address
        assert isinstance(instruction, ir.Load)
        self.parts.future.note(number, instruction, address)
        self._look_for_beginning(number, instruction, address)
        if message.value is None and not instruction.zeroed:
            raise TooManyStates("a read of memory that was not written")
        value = wrap(message.value or 0, instruction.bits)
        self.note("R", number, action, address, value, rank)
        view, tags = self.views[number] | self.parts.lanes.upto(lane, rank), instruction.tags
        if message.view and tags & ATOMIC:
            gained = seq_cst.gained(self, message, address, tags)
            if tags & ACQUIRING:
                view |= gained
            else:
                knows = self.knows[number]
                self.knows[number] = knows._replace(pending=knows.pending | gained)
        if message.past:
            knows = self.knows[number]
            self.knows[number] = knows._replace(past=knows.past | message.past)
        self.views[number] = view
        if in_place:
            seq_cst.access(self, number, address)
        self.goes_on(number, value if instruction.register is not None else 0)

    def write(
        self, number: int, action: Action, lane: int, rank: int, in_place: bool, source: Message | None = None
    ) -> None:
        """Write, as the write of that rank; `source` is what an update read."""
        instruction, address = action.instruction, action.address
        assert isinstance(instruction, ir.Store)
        self.parts.future.note(number, instruction, address)
        self._look_for_beginning(number, instruction, address)
        if in_place and source is None:
            seq_cst.access(self, number, address)
        self.note("D", number, action, address, action.value, rank)
        self._make_room(address, lane, rank)
        own = self._own(address, lane, rank)
        self.views[number] |= own
        if in_place:
            self.order |= own
        released = self._released(number, lane, instruction.tags, source.view if source else 0)
        ordered, past = "SC" in instruction.tags, self.knows[number].past
        message = Message(action.value, released, source is not None, ordered, past)
        history = self.memory[lane]
        self.memory[lane] = (*history[:rank], message, *history[rank:])
        self.goes_on(number)

    def _own(self, address: int, lane: int, rank: int) -> int:
        """What a thread knows by its own write: also that it happens before what the thread does next."""
        lanes, future = self.parts.lanes, self.parts.future
        own = lanes.upto(lane, rank)
        return own | own << lanes.width if future.mixes and address in future.ordered else own

    def _make_room(self, address: int, lane: int, rank: int) -> None:
        """Let there be a place for a write."""
        history = self.history(address)[1]
        self.memory.extend([UNTOUCHED] * (lane + 1 - len(self.memory)))
        self.memory[lane] = history
        if rank == len(history):
            return
        self.change_views(self.parts.lanes.insertion(lane, rank))
        if self.parts.future.mixes and address in self.parts.future.ordered:
            self.change_views(self.parts.lanes.insertion(lane + 1, rank))
        for number, refused in enumerate(self.asleep):
            if self.sleeps_at(number, lane):
                self.asleep[number] = refused >> rank << rank + 1 | refused & ((1 << rank) - 1)

    def _released(self, number: int, lane: int, tags: frozenset[str], inherited: int) -> int:
        """The view that a write releases. A relaxed one goes on with what the thread released before: by a
        fence, or by a write of the same cell."""
        if not tags & ATOMIC:
            return 0
        knows = self.knows[number]
        if not tags & RELEASING:
            return inherited | knows.fenced | dict(knows.released).get(lane, 0)
        view = self.views[number]
        if self.parts.future.relaxes:
            released = {**dict(knows.released), lane: view}
            self.knows[number] = knows._replace(released=tuple(sorted(released.items())))
        return inherited | view

    def fence(self, number: int, action: Action) -> None:
        """A fence."""
        instruction = action.instruction
        assert isinstance(instruction, ir.Fence)
        tags = instruction.tags
        self.note("F", number, action, 0)
        knows = self.knows[number]
        if tags & ACQUIRING and knows.pending:
            self.views[number] |= knows.pending
            self.knows[number] = knows._replace(pending=0)
        if "SC" in tags:
            seq_cst.fence(self, number)
        if tags & RELEASING and self.parts.future.relaxes:
            self.knows[number] = self.knows[number]._replace(fenced=self.views[number])
        self.goes_on(number)

    # -- threads and objects -------------------------------------------------------------------------

    def allocate(self, number: int, action: Action) -> None:
        """A new object."""
        instruction, memories = action.instruction, self.parts.memories
        assert isinstance(instruction, ir.Allocate)
        address = memories.fresh(number, self.parts.threads.frames[self.threads[number]].objects)
        zeroed, heap = instruction.zeroed, instruction.heap
        self.objects = memories.allocate(self.objects, address, action.address, zeroed, heap)
        self.note("A", number, action, address)
        if instruction.begins:
            self._begin(number, address)
        self.goes_on(number, address)

    def _begin(self, number: int, start: int) -> None:
        """Who allocates an object knows of it, and so do those who learn from that thread. The lane holds
        something until all know that may still access objects."""
        lane = self.parts.future.beginning(start)
        self.look_ahead()
        self.memory.extend([UNTOUCHED] * (lane + 1 - len(self.memory)))
        self.memory[lane] = (Message(0),)
        self.views[number] |= self.parts.lanes.upto(lane, 1)

    def _look_for_beginning(self, number: int, instruction: ir.Instruction, address: int) -> None:
        """Does a thread know by happens-before that the object that it accesses was allocated?"""
        lane = self.parts.lanes.get(-start_of(address))
        if lane is None or lane >= len(self.memory) or not self.memory[lane]:
            return
        if not self.parts.lanes.rank(self.views[number], lane):
            self.early = self.early or instruction

    def spawn(self, number: int, action: Action) -> None:
        """A new thread knows what the one knows that starts it."""
        assert isinstance(action.instruction, ir.Spawn)
        started = len(self.threads)
        if started > _MOST_THREADS:
            raise TooManyStates("threads without end")
        self.note("S", number, action, started)
        thread = self.parts.threads.start(action.instruction.function, action.address, started)
        self.threads.append(thread)
        self.ahead.append(self.parts.future.of(thread, started))
        self.views.append(self.views[number])
        self.knows.append(self.knows[number])
        self.asleep.append(0)
        self.goes_on(number, started)

    def join(self, number: int, action: Action) -> bool:
        """Learn what a thread knew at its end; False if it has not ended."""
        other = action.address
        if not 0 <= other < len(self.threads) or self.action(other).does is not Does.END:
            return False
        self.note("J", number, action, other)
        self.views[number] |= self.views[other]
        mine, theirs = self.knows[number], self.knows[other]
        if theirs != NOTHING:
            released = dict(mine.released)
            for lane, view in theirs.released:
                released[lane] = released.get(lane, 0) | view
            self.knows[number] = Knows(
                mine.pending | theirs.pending, mine.fenced | theirs.fenced, tuple(sorted(released.items())),
                mine.past | theirs.past,
            )  # fmt: skip
        self.goes_on(number)
        return True
