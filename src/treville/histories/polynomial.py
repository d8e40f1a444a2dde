"""The polynomial testing algorithms of paper 004, section 3.4.

LOCAL has one for every history (Algorithm 1); CC and SLOW have one for a fixed number of threads
(Algorithm 2 in its corrected form, determinised over sets of pointer configurations); PRAM has one for a
fixed thread size (Algorithm 3). They build the views themselves; the source of a read is then the last
write before it, which is well defined because every read belongs to exactly one view of these levels.
They expect histories without uncertain writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from treville.histories.history import Events
from treville.histories.levels import Level, Scope, find_level
from treville.histories.views import Execution, Instance, instances
from treville.results import Budget, TooLarge

MOST_CONFIGURATIONS = 2_000_000


def assemble(level: Level, events: Events, orders: dict[Instance, tuple[int, ...]]) -> Execution:
    """The execution that constructive serial views define (Lemma 2)."""
    sources: dict[int, int] = {}
    chosen = []
    for instance in instances(level, events):
        order = orders[instance]
        last: dict[int, int] = {}
        for event in order:
            location = events.location_of[event]
            if events.is_write[event]:
                last[location] = event
            else:
                sources[event] = last.get(location, events.initial(location))
        chosen.append((instance, order))
    return Execution(sources, tuple(chosen))


# -- Algorithm 1: LOCAL --------------------------------------------------------------------------


def local(events: Events) -> Execution | int:
    """Algorithm 1: an execution, or the read that no view of its thread can satisfy. Linear."""
    level = find_level("LOCAL")
    orders: dict[Instance, tuple[int, ...]] = {}
    for instance in instances(level, events):
        found = _local_view(events, instance)
        if isinstance(found, int):
            return found
        orders[instance] = found
    return assemble(level, events, orders)


def _local_view(events: Events, instance: Instance) -> tuple[int, ...] | int:
    assert instance.thread is not None
    available: dict[tuple[int, object], list[int]] = {}
    for write in reversed(events.writes):
        if events.thread_of[write] != instance.thread:
            available.setdefault((events.location_of[write], events.values[write]), []).append(write)
    history = events.history
    last = {x: history.initial_value(key) for x, key in enumerate(events.locations)}
    order: list[int] = []
    for event in events.threads[instance.thread]:
        location, value = events.location_of[event], events.values[event]
        if not events.is_write[event] and last[location] != value:
            stock = available.get((location, value))
            if not stock:
                return event
            order.append(stock.pop())
        last[location] = value
        order.append(event)
    used = set(order)
    order.extend(event for event in instance.events if event not in used)
    return tuple(order)


# -- Algorithm 2: CC and SLOW --------------------------------------------------------------------


def by_location(
    level: Level, events: Events, budget: Budget, most: int = MOST_CONFIGURATIONS
) -> Execution | Instance:
    """Algorithm 2 for every view: an execution, or the view that does not exist.

    Raises `TooLarge` when a view needs more than `most` configurations."""
    orders: dict[Instance, tuple[int, ...]] = {}
    for instance in instances(level, events):
        found = _location_view(events, instance, budget, most)
        if found is None:
            return instance
        orders[instance] = found
    return assemble(level, events, orders)


def configurations(level: Level, events: Events) -> int:
    """An upper bound of the pointer configurations that Algorithm 2 may visit in its largest view."""
    largest = 0
    for instance in instances(level, events):
        number = 1
        for sequence in _sequences(events, instance):
            number *= len(sequence) + 1
        largest = max(largest, number)
    return largest


def _sequences(events: Events, instance: Instance) -> list[list[int]]:
    by_thread: dict[int, list[int]] = {}
    for event in instance.events:
        by_thread.setdefault(events.thread_of[event], []).append(event)
    return [sorted(found, key=events.index_in_thread.__getitem__) for found in by_thread.values()]


def _location_view(events: Events, instance: Instance, budget: Budget, most: int) -> tuple[int, ...] | None:
    sequences, followers = _without_trivial_reads(events, _sequences(events, instance))
    search = _PointerSearch(events, sequences, budget, most)
    order = search.run()
    if order is None:
        return None
    complete: list[int] = []
    for event in order:
        complete.append(event)
        complete.extend(followers.get(event, ()))
    return tuple(complete)


def _without_trivial_reads(
    events: Events, sequences: list[list[int]]
) -> tuple[list[list[int]], dict[int, list[int]]]:
    """Reads that repeat the value of their predecessor stand right behind it."""
    kept: list[list[int]] = []
    followers: dict[int, list[int]] = {}
    for sequence in sequences:
        short: list[int] = []
        for event in sequence:
            if short and not events.is_write[event] and events.values[event] == events.values[short[-1]]:
                followers.setdefault(short[-1], []).append(event)
            else:
                short.append(event)
        kept.append(short)
    return kept, followers


class _PointerSearch:
    """All configurations that the non-deterministic Algorithm 2 can reach; one pointer for each thread."""

    def __init__(self, events: Events, sequences: list[list[int]], budget: Budget, most: int) -> None:
        self.events, self.sequences, self.budget, self.most = events, sequences, budget, most
        self.next_read = [self._next_reads(sequence) for sequence in sequences]

    def _next_reads(self, sequence: list[int]) -> list[int]:
        """For each position the position of the next read, or the length."""
        found = [len(sequence)] * (len(sequence) + 1)
        for i in range(len(sequence) - 1, -1, -1):
            found[i] = found[i + 1] if self.events.is_write[sequence[i]] else i
        return found

    def run(self) -> list[int] | None:
        start, opening = self._start()
        parents: dict[tuple[int, ...], tuple[tuple[int, ...], list[int]] | None] = {start: None}
        frontier = [start]
        while frontier:
            configuration = frontier.pop()
            if self._only_writes_left(configuration):
                rest = [e for s, at in zip(self.sequences, configuration, strict=True) for e in s[at:]]
                return opening + self._trace(parents, configuration) + rest
            for following, output in self._steps(configuration):
                if following not in parents:
                    parents[following] = (configuration, output)
                    frontier.append(following)
            self.budget.check()
            if len(parents) > self.most:
                raise TooLarge("too many pointer configurations", "use --algorithm sat")
        return None

    def _start(self) -> tuple[tuple[int, ...], list[int]]:
        """Threads that begin by reading the initial value do so at once; that never hurts."""
        pointers, opening = [], []
        for sequence in self.sequences:
            first = sequence[0] if sequence else None
            initial = first is not None and self._reads_initial(first)
            pointers.append(1 if initial else 0)
            if initial:
                assert first is not None
                opening.append(first)
        return tuple(pointers), opening

    def _reads_initial(self, event: int) -> bool:
        key = self.events.locations[self.events.location_of[event]]
        initial = self.events.history.initial_value(key)
        return not self.events.is_write[event] and self.events.values[event] == initial

    def _only_writes_left(self, configuration: tuple[int, ...]) -> bool:
        return all(
            reads[at] == len(sequence)
            for reads, at, sequence in zip(self.next_read, configuration, self.sequences, strict=True)
        )

    def _trace(
        self,
        parents: dict[tuple[int, ...], tuple[tuple[int, ...], list[int]] | None],
        configuration: tuple[int, ...],
    ) -> list[int]:
        pieces = []
        while (step := parents[configuration]) is not None:
            configuration, output = step
            pieces.append(output)
        return [event for output in reversed(pieces) for event in output]

    def _steps(self, configuration: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], list[int]]]:
        """Choose a writer q and readers p1 .. pn of one value: a1 .. an, q's writes, r1 .. rn."""
        values = self.events.values
        waiting: dict[object, list[int]] = {}
        for thread, at in enumerate(configuration):
            read = self.next_read[thread][at]
            if read < len(self.sequences[thread]):
                waiting.setdefault(values[self.sequences[thread][read]], []).append(thread)
        for value, readers in waiting.items():
            for writer, at in enumerate(configuration):
                end = self._first_write(writer, at, value)
                if end is not None:
                    others = [thread for thread in readers if thread != writer]
                    yield from self._joint_steps(configuration, writer, end, others)

    def _first_write(self, thread: int, at: int, value: object) -> int | None:
        for i in range(at, self.next_read[thread][at]):
            if self.events.values[self.sequences[thread][i]] == value:
                return i
        return None

    def _joint_steps(
        self, configuration: tuple[int, ...], writer: int, end: int, readers: list[int]
    ) -> Iterator[tuple[tuple[int, ...], list[int]]]:
        free = [t for t in readers if self.next_read[t][configuration[t]] == configuration[t]]
        costly = [t for t in readers if t not in free]
        for size in range(len(costly) + 1):
            for chosen in combinations(costly, size):
                if free or chosen:
                    yield self._joint_step(configuration, writer, end, (*free, *chosen))

    def _joint_step(
        self, configuration: tuple[int, ...], writer: int, end: int, readers: Sequence[int]
    ) -> tuple[tuple[int, ...], list[int]]:
        pointers = list(configuration)
        output: list[int] = []
        reads: list[int] = []
        for thread in readers:
            read = self.next_read[thread][configuration[thread]]
            output += self.sequences[thread][configuration[thread] : read]
            reads.append(self.sequences[thread][read])
            pointers[thread] = read + 1
        output += self.sequences[writer][configuration[writer] : end + 1]
        pointers[writer] = end + 1
        return tuple(pointers), output + reads


# -- Algorithm 3: PRAM ---------------------------------------------------------------------------


def pram(events: Events, budget: Budget) -> Execution | int:
    """Algorithm 3: an execution, or the thread without a view. Polynomial for a fixed thread size."""
    level = find_level("PRAM")
    orders: dict[Instance, tuple[int, ...]] = {}
    for instance in instances(level, events):
        assert instance.view.scope is Scope.PROCESS
        assert instance.thread is not None
        found = _pram_view(events, instance.thread, budget)
        if found is None:
            return instance.thread
        there = set(found)
        rest = [e for t in events.threads for e in t if events.is_write[e] and e not in there]
        orders[instance] = (*found, *rest)
    return assemble(level, events, orders)


def pram_executions(events: Events) -> int:
    """The most partial executions that Algorithm 3 tries for one thread."""
    most = 0
    for thread in events.threads:
        number = 1
        for event in thread:
            number *= len(events.candidates[event]) if event in events.candidates else 1
        most = max(most, number)
    return most


def _pram_view(events: Events, thread: int, budget: Budget) -> list[int] | None:
    reads = [e for e in events.threads[thread] if not events.is_write[e]]
    for choice in product(*(events.candidates[read] for read in reads)):
        budget.check()
        sources = dict(zip(reads, choice, strict=True))
        involved = {events.thread_of[w] for w in choice if not events.is_initial(w)} | {thread}
        sequences = [
            [e for e in events.threads[t] if t == thread or events.is_write[e]] for t in sorted(involved)
        ]
        order = _interleave(events, sequences, sources)
        if order is not None:
            return order
    return None


def _interleave(events: Events, sequences: list[list[int]], sources: dict[int, int]) -> list[int] | None:
    """A total order of the sequences in which every read sees its source; depth first, states once."""
    start = (tuple(0 for _ in sequences), ())
    stack: list[tuple[tuple[int, ...], tuple[tuple[int, int], ...], list[int]]] = [(*start, [])]
    seen = set()
    while stack:
        pointers, memory, order = stack.pop()
        if all(at == len(s) for at, s in zip(pointers, sequences, strict=True)):
            return order
        if (pointers, memory) in seen:
            continue
        seen.add((pointers, memory))
        for i, sequence in enumerate(sequences):
            if pointers[i] == len(sequence):
                continue
            event = sequence[pointers[i]]
            state = dict(memory)
            location = events.location_of[event]
            if events.is_write[event]:
                state[location] = event
            elif state.get(location, events.initial(location)) != sources[event]:
                continue
            moved = (*pointers[:i], pointers[i] + 1, *pointers[i + 1 :])
            stack.append((moved, tuple(sorted(state.items())), [*order, event]))
    return None
