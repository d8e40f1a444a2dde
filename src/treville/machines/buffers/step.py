"""One step of one thread of the machine with store buffers, and what can follow from it.

SC has no buffers, TSO one first-in first-out buffer for each thread, PSO one for each thread and location (a
store-store fence keeps what is before it in front). Fences, atomic instructions and atomic blocks wait for
the thread's own buffer to be empty (S. Owens, S. Sarkar, P. Sewell, TPHOLs 2009; paper 001, section 2).
"""

from __future__ import annotations

from collections.abc import Iterator

from treville.fences import orders
from treville.machines.memories import ENDED, FREED, Memories, slot_of, start_of
from treville.machines.states import (
    EMPTY,
    USUAL_ERRORS,
    Buffer,
    Disabled,
    Entry,
    Failed,
    Log,
    State,
    TooManyStates,
)
from treville.machines.threads import Action, Does, Threads
from treville.programs import ir
from treville.programs.operators import wrap
from treville.results.properties import NEVER_WRITTEN, Error

NULL_USED, OUTSIDE = "a null pointer is used", "an access to memory outside every object"
_LONGEST_BUFFER = 40
_SHORT_BUFFER = 12
_BLOCK_STEPS = 100_000
_MOST_THREADS = 50


class Step:
    """A state that is being changed. `log` None: nobody wants to know what happens. A thread goes no further
    than to an error that is not among `errors`."""

    __slots__ = ("buffered", "buffers", "errors", "in_block", "log", "memories", "memory", "threads", "what")

    def __init__(
        self,
        what: Threads,
        memories: Memories,
        buffered: bool,
        state: State,
        log: list[Log] | None,
        errors: frozenset[Error] = USUAL_ERRORS,
    ) -> None:
        self.what, self.memories, self.buffered = what, memories, buffered
        self.errors = errors
        self.threads, self.buffers = list(state.threads), list(state.buffers)
        self.memory = state.memory
        self.log = log
        self.in_block = False

    def state(self) -> State:
        """The state by now."""
        return State(tuple(self.threads), tuple(self.buffers), self.memory)

    def copy(self) -> Step:
        """The same once more."""
        log = None if self.log is None else list(self.log)
        other = Step(self.what, self.memories, self.buffered, self.state(), log, self.errors)
        other.in_block = self.in_block
        return other

    def _goes_on(self, number: int, result: int = 0) -> None:
        self.threads[number] = self.what.after(self.threads[number], result)

    def _note(self, kind: str, number: int, action: Action, address: int = 0, value: int = 0) -> None:
        if self.log is not None:
            self.log.append(Log(kind, number, address, value, action.instruction, self.in_block))

    # -- what nobody else sees ---------------------------------------------------------------------------

    def quietly(self, number: int) -> list[Step] | None:
        """Do what the thread does next if nobody else can see it; choices give several steps."""
        action = self.what.actions[self.threads[number]]
        does = action.does
        if does is Does.FAIL:
            assert action.instruction is not None
            raise Failed(action.instruction, self.log or [])
        if does is Does.CHOOSE:
            return self._choices(number, action)
        try:
            return [self] if self._done_quietly(number, action) else None
        except Disabled:
            return None

    def _done_quietly(self, number: int, action: Action) -> bool:
        """Do what nobody else can see, where nothing is chosen; False if others can see it. Raises `Disabled`
        where the thread goes no further."""
        does = action.does
        if does is Does.LOAD:
            done = self._is_private(number, action.address)
            if done:
                self._load(number, action)
        elif does is Does.FREE:
            done = self.buffered or self._is_private(number, action.address)
            if done:
                self._free(number, action)
        elif does is Does.STORE:
            done = self._waits_in_buffer(number, action) or self._is_private(number, action.address)
            if done:
                self._store(number, action, direct=False)
        else:
            done = self._does_quietly(number, action)
        return done

    def _choices(self, number: int, action: Action) -> list[Step]:
        found = []
        for value in self.what.choices(self.threads[number]):
            other = self.copy()
            other._note("H", number, action, 0, value)
            other._goes_on(number, value)
            found.append(other)
        return found

    def _does_quietly(self, number: int, action: Action) -> bool:
        does = action.does
        if does is Does.ALLOCATE:
            self._allocate(number, action)
        elif does is Does.FENCE:
            return self._fence(number, action)
        elif does is Does.SPAWN:
            return self._spawn(number, action)
        elif does is Does.JOIN:
            return self._join(number, action)
        elif does in (Does.END_BLOCK, Does.SKIP):
            self._goes_on(number)
        else:
            return False
        return True

    def _waits_in_buffer(self, number: int, action: Action) -> bool:
        """Nobody sees a store that goes to the buffer; it is visible when it gets to memory."""
        instruction = action.instruction
        assert isinstance(instruction, ir.Store)
        return self.buffered and not instruction.link and len(self.buffers[number].entries) < _SHORT_BUFFER

    def _is_private(self, number: int, address: int) -> bool:
        """Is it an access to an allocated object whose address no other thread has?"""
        slot = slot_of(address)
        if slot < self.memories.globals or slot in self.memories.pointed[self.memory]:
            return False
        for other, thread in enumerate(self.threads):
            entries = self.buffers[other].entries
            if slot in self.memories.allocated([entry.value for entry in entries]):
                return False
            if other != number and any(slot_of(abs(entry.address)) == slot for entry in entries):
                return False
            if other != number and slot in self.memories.allocated(self.what.values(thread)):
                return False
        return True

    def _allocate(self, number: int, action: Action) -> None:
        instruction = action.instruction
        assert isinstance(instruction, ir.Allocate)
        address = self.memories.fresh(number, self.what.frames[self.threads[number]].objects)
        kind = (instruction.zeroed, instruction.heap)
        self.memory = self.memories.allocate(self.memory, address, action.address, *kind)
        self._note("A", number, action, address)
        self._goes_on(number, address)

    def _free(self, number: int, action: Action) -> None:
        """The end of an object goes the way of a store."""
        address, buffer, memories = action.address, self.buffers[number], self.memories
        if not address:
            self._goes_on(number)
            return
        assert isinstance(action.instruction, ir.Free)
        if not action.instruction.local:
            self._refuse_freed(number, action, "double free")
        if not action.instruction.local and not memories.can_be_freed(self.memory, address):
            self._fail(action, "a free of what is not the start of an allocated object")
        to_memory, note = self.in_block or not self.buffered, ENDED if action.instruction.local else FREED
        self._note("D" if to_memory else "W", number, action, address)
        if to_memory:
            self.memory = memories.free(self.memory, address, note)
        else:
            entry = Entry(-address, note, buffer.epoch)
            self.buffers[number] = Buffer((*buffer.entries, entry), buffer.epoch)
        self._goes_on(number)

    def _refuse_freed(self, number: int, action: Action, message: str) -> None:
        """It fails to access, or to free, what was freed."""
        memories, address = self.memories, action.address
        if memories.frees and (
            memories.is_freed(self.memory, address)
            or any(entry.address == -start_of(address) for entry in self.buffers[number].entries)
        ):
            ended = memories.has_ended(self.memory, address)
            self._fail(action, "use of a local variable whose life has ended" if ended else message)

    def _refuse_outside(self, action: Action) -> None:
        """It fails to access what is no object."""
        if self.memories.is_outside(self.memory, action.address):
            null = 0 <= action.address < ir.NULL_PAGE
            self._fail(action, NULL_USED if null else OUTSIDE)

    def _fail(self, action: Action, message: str) -> None:
        assert action.instruction is not None
        if ir.error_of(action.instruction) not in self.errors:
            raise Disabled
        raise Failed(action.instruction, self.log or [], message)

    def _fence(self, number: int, action: Action) -> bool:
        instruction, buffer = action.instruction, self.buffers[number]
        assert isinstance(instruction, ir.Fence)
        full = orders(instruction.tags, "W", "R")
        if buffer.entries and full and not self.in_block:
            return False
        stores = orders(instruction.tags, "W", "W") or "MEMBAR.SS" in instruction.tags
        if buffer.entries and not full and stores:
            self.buffers[number] = Buffer(buffer.entries, buffer.epoch + 1)
        self._note("F", number, action)
        self._goes_on(number)
        return True

    def _spawn(self, number: int, action: Action) -> bool:
        if self.buffers[number].entries:
            return False
        assert isinstance(action.instruction, ir.Spawn)
        started = len(self.threads)
        if started > _MOST_THREADS and self.what.samples:
            self.what.sampled = True
            return False
        if started > _MOST_THREADS:
            raise TooManyStates("threads without end")
        self.threads.append(self.what.start(action.instruction.function, action.address, started))
        self.buffers.append(EMPTY)
        self._note("S", number, action, started)
        self._goes_on(number, started)
        return True

    def _join(self, number: int, action: Action) -> bool:
        other = action.address
        if not 0 <= other < len(self.threads) or self.buffers[other].entries:
            return False
        if self.what.actions[self.threads[other]].does is not Does.END:
            return False
        self._note("J", number, action, other)
        self._goes_on(number)
        return True

    # -- visible steps -----------------------------------------------------------------------------------

    def visibly(self, number: int) -> Iterator[Step]:
        """Do what the thread does next, which others can see."""
        action = self.what.actions[self.threads[number]]
        if action.does is Does.LOAD:
            self._load(number, action)
            yield self
        elif action.does is Does.STORE:
            self._store(number, action, direct=False)
            yield self
        elif action.does is Does.UPDATE:
            self._update(number, action)
            yield self
        elif action.does is Does.FREE:
            self._free(number, action)
            yield self
        elif action.does is Does.BEGIN:
            yield from self._block(number)

    def flush(self, number: int, place: int) -> None:
        """Let an entry of the thread's buffer get to memory."""
        entries = self.buffers[number].entries
        entry, rest = entries[place], entries[:place] + entries[place + 1 :]
        if self.log is not None:
            self.log.append(Log("C", number, place))
        if self.memories.is_freed(self.memory, abs(entry.address)):
            raise TooManyStates("a store that gets to memory after it was freed")
        if entry.address < 0:
            self.memory = self.memories.free(self.memory, -entry.address, entry.value)
        else:
            self.memory = self.memories.write(self.memory, entry.address, entry.value)
        least = min((e.epoch for e in rest), default=0)
        renumbered = tuple(Entry(e.address, e.value, e.epoch - least) for e in rest)
        self.buffers[number] = Buffer(renumbered, self.buffers[number].epoch - least) if rest else EMPTY

    def _load(self, number: int, action: Action) -> None:
        instruction, address = action.instruction, action.address
        assert isinstance(instruction, ir.Load)
        self._refuse_freed(number, action, "use after free")
        self._refuse_outside(action)
        self.memories.width(address, instruction.bits)
        own = [entry.value for entry in self.buffers[number].entries if entry.address == address]
        looks = Error.UNDEFINED in self.errors and not own and not instruction.blind
        if looks and self.memories.is_unset(self.memory, address):
            raise Failed(instruction, self.log or [], NEVER_WRITTEN)
        found = own[-1] if own else self._in_memory(instruction, address)
        value = wrap(found, instruction.bits)
        self._note("R", number, action, address, value)
        self._goes_on(number, value if instruction.register is not None else 0)

    def _in_memory(self, instruction: ir.Load, address: int) -> int:
        if instruction.zeroed and self.memories.is_unset(self.memory, address):
            return 0
        return self.memories.read(self.memory, address)

    def _store(self, number: int, action: Action, direct: bool) -> None:
        instruction, address, buffer = action.instruction, action.address, self.buffers[number]
        assert isinstance(instruction, ir.Store)
        self._refuse_freed(number, action, "use after free")
        self._refuse_outside(action)
        self.memories.width(address, instruction.bits)
        if not self.memories.inside_an_object(self.memory, address):
            raise TooManyStates("a write outside of all objects")
        to_memory = direct or self.in_block or not self.buffered
        self._note("D" if to_memory else "W", number, action, address, action.value)
        if to_memory:
            self.memory = self.memories.write(self.memory, address, action.value)
        elif len(buffer.entries) >= _LONGEST_BUFFER:
            raise TooManyStates("a buffer that grows and grows")
        else:
            entry = Entry(address, action.value, buffer.epoch)
            self.buffers[number] = Buffer((*buffer.entries, entry), buffer.epoch)
        self._goes_on(number)

    def _update(self, number: int, action: Action) -> None:
        """A read-modify-write in one step."""
        if self.buffers[number].entries:
            raise Disabled
        self._load(number, action)
        following = self.what.actions[self.threads[number]]
        if following.does is Does.STORE and isinstance(following.instruction, ir.Store):
            if following.instruction.link:
                return self._store(number, following, direct=True)
        elif following.does is Does.SKIP:
            return self._goes_on(number)
        elif following.does in (Does.BLOCKED, Does.CUT, Does.END):
            raise Disabled
        elif following.does is Does.FAIL and following.instruction is not None:
            raise Failed(following.instruction, self.log or [])
        raise TooManyStates(f"{following.does.value} inside a read-modify-write")

    def _block(self, number: int) -> Iterator[Step]:
        """A whole atomic block as one step; choices inside it give several."""
        if self.buffers[number].entries:
            raise Disabled
        self.in_block = True
        self._goes_on(number)
        pending = [self]
        while pending:
            step = pending.pop()
            try:
                if step._in_block(number, pending):
                    step.in_block = False
                    yield step
            except Disabled:
                continue

    def _in_block(self, number: int, pending: list[Step]) -> bool:
        """Run to the end of the block; False if it branched into the steps that are now pending."""
        for _ in range(_BLOCK_STEPS):
            action = self.what.actions[self.threads[number]]
            does = action.does
            if does is Does.END_BLOCK:
                self._goes_on(number)
                return True
            if does is Does.CHOOSE:
                pending.extend(self._choices(number, action))
                return False
            if does is Does.FAIL and action.instruction is not None:
                raise Failed(action.instruction, self.log or [])
            if does in (Does.LOAD, Does.UPDATE):
                self._load(number, action)
            elif does is Does.STORE:
                self._store(number, action, direct=True)
            elif does is Does.FREE:
                self._free(number, action)
            elif not self._does_quietly(number, action):
                raise Disabled
        raise TooManyStates("an atomic block that goes on for ever")
