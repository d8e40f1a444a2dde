"""RC11 beside a search through SC's states: is every execution that RC11 allows an interleaving anyway?

RC11 forbids cycles of program order and reads-from, so an execution that no interleaving explains has a
shortest beginning of that kind: an interleaving, and one more access to a cell whose last write precedes it
in every interleaving, but not by happens-before (O. Lahav, R. Margalit, Robustness against release/acquire
semantics, PLDI 2019). So for each state of SC, whatever the path to it, two things are kept of each thread:
the cells whose last write happens before what the thread does next (`view`, those that surely are such), and
the cells where the thread *lags*: the last write may precede in every interleaving without happening before.
If no thread ever accesses a cell where it lags, RC11 behaves as SC does. What is kept of happens-before is
never too much: the order of seq_cst events, and release sequences that go on with later stores of the same
thread, are left out.

Sets of cells are masks. Initially everybody knows all initial writes, so all bits are set; a write clears its
cell's bit everywhere but where the write itself is known.
"""

from __future__ import annotations

from collections import deque

from treville.machines.buffers.machine import Machine
from treville.machines.states import BETWEEN_LOOKS, Answer, Failed, LimitReached, Log, State
from treville.machines.threads import Does
from treville.programs import ir
from treville.records import NamedTuple
from treville.results.verdict import Verdict

_ALL = -1
_ATOMIC = frozenset(("RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC"))
_ACQUIRING = frozenset(("ACQ", "ACQ_REL", "SC"))
_RELEASING = frozenset(("REL", "ACQ_REL", "SC"))
_ACCESSES = (Does.LOAD, Does.STORE, Does.UPDATE)
_DEPTH_FIRST = 2_000


class NotRobust(Exception):
    """Perhaps RC11 allows more than interleavings."""


class Knows(NamedTuple):
    """A thread: cells whose last write surely happens before what it does next (`view`), those that an
    acquire fence would add and those that a relaxed store passes on; cells whose last write may precede in
    every interleaving (`order`), and those of them that may not happen before (`lag`)."""

    view: int
    acquirable: int
    released: int
    order: int
    lag: int


class Message(NamedTuple):
    """The last write of a cell: what it passes on to acquiring readers, the order that it brings to all
    readers and where those who acquire would lag; and the order that the next write gets from it and its
    readers."""

    view: int
    order: int
    lag: int
    overwriting: int


class Knowledge(NamedTuple):
    """All threads, the cells accessed so far, and the cells that were surely never written."""

    threads: tuple[Knows, ...] = (Knows(_ALL, _ALL, _ALL, _ALL, 0),)
    cells: tuple[Message, ...] = ()
    untouched: int = _ALL

    def cell(self, cell: int) -> Message:
        """The last write of a cell."""
        initial = Message(self.untouched, self.untouched, 0, self.untouched)
        return self.cells[cell] if cell < len(self.cells) else initial

    def changed(self, thread: int, knows: Knows) -> Knowledge:
        """With something else for a thread."""
        return self._replace(threads=(*self.threads[:thread], knows, *self.threads[thread + 1 :]))

    def wrote(self, cell: int, message: Message) -> Knowledge:
        """With something else for a cell."""
        cells = tuple([self.cell(number) for number in range(max(len(self.cells), cell + 1))])
        return self._replace(cells=(*cells[:cell], message, *cells[cell + 1 :]))


class RobustSearch:
    """Explores SC's states with what is known in each. `explore` raises `NotRobust`."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.known: list[Knowledge] = []
        self._numbers: dict[Knowledge, int] = {}
        self._cells: dict[int, int] = {}
        self._after: dict[tuple[int, int, int, str, int], int] = {}
        self._joined: dict[tuple[int, int], int] = {}
        self._before: dict[State, State | None] = {}
        self._known_in: dict[State, int] = {}
        self._following: dict[State, list[tuple[State, list[Log]]]] = {}
        self._waiting: deque[State] = deque()

    def _number(self, knowledge: Knowledge) -> int:
        found = self._numbers.get(knowledge)
        if found is None:
            found = self._numbers[knowledge] = len(self.known)
            self.known.append(knowledge)
        return found

    def explore(self) -> Answer:
        """All states, each again whenever less is known in it than before. At first depth first, which soon
        finds a thread that lags if there is one; then breadth first, so that fewer states come again. After
        `LimitReached` it can be asked again, with a larger limit of the machine, and goes on."""
        machine, following, waiting = self.machine, self._following, self._waiting
        current: State | None = None
        try:
            if not self._before:
                for state, log in machine.first(logging=True):
                    self._reach(state, self._follow(self._number(Knowledge()), log))
                    self._before.setdefault(state, None)
            while waiting:
                self._count(len(following))
                current = waiting.pop() if len(following) < _DEPTH_FIRST else waiting.popleft()
                self._look_at_next_accesses(current, self.known[self._known_in[current]])
                if current not in following:
                    following[current] = list(machine.successors(current, logging=True))
                for state, log in following[current]:
                    self._before.setdefault(state, current)
                    self._reach(state, self._follow(self._known_in[current], log))
        except Failed as failed:
            return machine.failure(failed, current, self._before)
        return Answer(Verdict.UNKNOWN if machine.threads.was_cut else Verdict.PASS, len(self._known_in))

    def _look_at_next_accesses(self, state: State, known: Knowledge) -> None:
        """A thread may not be about to access a cell where it lags, even if it has to wait before it can."""
        for thread, knows in zip(state.threads, known.threads, strict=True):
            action = self.machine.threads.actions[thread]
            cell = self._cells.get(action.address)
            if action.does in _ACCESSES and cell is not None and knows.lag >> cell & 1:
                raise NotRobust

    def _count(self, states: int) -> None:
        if states >= self.machine.limit:
            raise LimitReached("too many states")
        if states % BETWEEN_LOOKS == 0:
            self.machine.budget.look(states, "states")

    def _reach(self, state: State, number: int) -> None:
        """Note what is known in a state on one more path to it."""
        old = self._known_in.get(state)
        if old == number:
            return
        new = number if old is None else self._join(old, number)
        if new != old:
            self._known_in[state] = new
            self._waiting.append(state)

    def _join(self, one: int, other: int) -> int:
        key = (one, other)
        found = self._joined.get(key)
        if found is None:
            found = self._joined[key] = self._number(_on_either_path(self.known[one], self.known[other]))
        return found

    def _follow(self, number: int, log: list[Log]) -> int:
        for entry in log:
            key = (number, entry.thread, id(entry.instruction), entry.kind, entry.address)
            found = self._after.get(key)
            if found is None:
                found = self._after[key] = self._number(self._event(self.known[number], entry))
            number = found
        return number

    def _event(self, known: Knowledge, entry: Log) -> Knowledge:
        instruction, mine = entry.instruction, known.threads[entry.thread]
        if entry.kind in "AH" or isinstance(instruction, ir.Free):
            return known
        if entry.kind == "S":
            return known._replace(threads=(*known.threads, mine))
        if entry.kind == "J":
            return known.changed(entry.thread, _and(mine, known.threads[entry.address]))
        if isinstance(instruction, ir.Fence):
            return known.changed(entry.thread, _fenced(mine, instruction.tags))
        assert isinstance(instruction, ir.Load | ir.Store)
        cell = self._cells.setdefault(entry.address, len(self._cells))
        if mine.lag >> cell & 1:
            raise NotRobust
        if isinstance(instruction, ir.Load):
            return _read(known, entry.thread, cell, instruction.tags)
        return _written(known, entry.thread, cell, instruction.tags, instruction.link)


def _on_either_path(one: Knowledge, other: Knowledge) -> Knowledge:
    """What is known if either is."""
    threads = [
        Knows(a.view & b.view, a.acquirable & b.acquirable, a.released & b.released, a.order | b.order,
              a.lag | b.lag)
        for a, b in zip(one.threads, other.threads, strict=True)
    ]  # fmt: skip
    count = max(len(one.cells), len(other.cells))
    pairs = [(one.cell(number), other.cell(number)) for number in range(count)]
    cells = [
        Message(a.view & b.view, a.order | b.order, a.lag | b.lag, a.overwriting | b.overwriting)
        for a, b in pairs
    ]
    return Knowledge(tuple(threads), tuple(cells), one.untouched & other.untouched)


def _and(one: Knows, other: Knows) -> Knows:
    """What a thread knows who learns all that another knew."""
    lag = one.lag & ~other.view | other.lag & ~one.view
    return Knows(
        one.view | other.view, one.acquirable | other.acquirable, one.released | other.released,
        one.order | other.order, lag,
    )  # fmt: skip


def _fenced(mine: Knows, tags: frozenset[str]) -> Knows:
    if tags & _ACQUIRING:
        mine = mine._replace(view=mine.view | mine.acquirable, lag=mine.lag & ~mine.acquirable)
    if tags & _RELEASING:
        mine = mine._replace(released=mine.view)
    return mine


def _read(known: Knowledge, thread: int, cell: int, tags: frozenset[str]) -> Knowledge:
    """After a read of the cell's last write."""
    mine, message, bit = known.threads[thread], known.cell(cell), 1 << cell
    view, acquirable = mine.view | bit, mine.acquirable | bit
    lag = mine.lag | message.order & ~view
    if tags & _ATOMIC:
        acquirable |= message.view
    if tags & _ACQUIRING:
        lag = mine.lag & ~message.view | message.lag & ~view
        view |= message.view
    order = mine.order | message.order | bit
    known = known.changed(thread, Knows(view, acquirable, mine.released, order, lag & ~bit))
    return known.wrote(cell, message._replace(overwriting=message.overwriting | order))


def _written(known: Knowledge, thread: int, cell: int, tags: frozenset[str], update: bool) -> Knowledge:
    """After a write that is now the cell's last; an update passes on what the write it read passed on."""
    before, bit = known.cell(cell), 1 << cell
    keep = ~bit
    threads = tuple([Knows(*[mask & keep for mask in knows]) for knows in known.threads])
    cells = tuple([Message(*[mask & keep for mask in message]) for message in known.cells])
    mine = threads[thread]
    view, order = mine.view | bit, mine.order | before.overwriting | bit
    lag = (mine.lag | before.overwriting & ~view) & keep
    passed_on = before.view if update else 0
    if tags & _RELEASING:
        message = Message(view | passed_on, order, lag & ~passed_on, order)
    else:
        passed_on |= (mine.released if tags & _ATOMIC else 0) | bit
        message = Message(passed_on, order, order & ~passed_on, order)
    known = Knowledge(threads, cells, known.untouched & keep)
    known = known.changed(thread, Knows(view, mine.acquirable | bit, mine.released, order, lag))
    return known.wrote(cell, message)
