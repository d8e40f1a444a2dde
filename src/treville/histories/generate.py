"""Random histories: consistent ones by running a machine of the level, and mutated ones.

A machine keeps for each process what it sees; writes travel to the others in the ways the level allows.
Levels without a machine of their own here are served by a stronger one, so the history is consistent
with the level in any case (`machine_for` says which).
"""

from __future__ import annotations

from collections import deque
from random import Random

from treville.histories.history import History, Operation, Value
from treville.histories.levels import Level
from treville.records import replace

_STRONGER = {
    "linearizability": "SC",
    "PC-G": "SC",
    "PC-D": "SC",
    "GAO": "SC",
    "GPO+GDO": "SC",
    "GWO": "causal",
}


class _Memory:
    """SC: one memory. Other machines override how a write spreads and what a read sees."""

    def __init__(self, random: Random, processes: int) -> None:
        self.random, self.processes = random, processes
        self.memory: dict[int, Value] = {}

    def write(self, process: int, key: int, value: Value) -> None:
        self.memory[key] = value

    def read(self, process: int, key: int) -> Value:
        return self.memory.get(key, 0)

    def step(self) -> None:
        """Something may happen inside the machine."""


class _Buffers(_Memory):
    """TSO and PSO: store buffers, drained at random."""

    by_location = False

    def __init__(self, random: Random, processes: int) -> None:
        super().__init__(random, processes)
        self.buffers: list[list[tuple[int, Value]]] = [[] for _ in range(processes)]

    def write(self, process: int, key: int, value: Value) -> None:
        self.buffers[process].append((key, value))

    def read(self, process: int, key: int) -> Value:
        own = [value for other, value in self.buffers[process] if other == key]
        return own[-1] if own else self.memory.get(key, 0)

    def step(self) -> None:
        buffer = self.random.choice(self.buffers)
        if buffer:
            first = 0
            if self.by_location:
                key = self.random.choice(buffer)[0]
                first = next(i for i, (other, _) in enumerate(buffer) if other == key)
            key, value = buffer.pop(first)
            self.memory[key] = value


class _LocationBuffers(_Buffers):
    by_location = True


class _Replicas(_Memory):
    """PRAM: a memory for each process and a queue of messages for each pair of processes."""

    def __init__(self, random: Random, processes: int) -> None:
        super().__init__(random, processes)
        self.copies: list[dict[int, Value]] = [{} for _ in range(processes)]
        self.channels: dict[tuple[int, int], deque[tuple[int, Value, tuple[int, ...]]]] = {
            (s, t): deque() for s in range(processes) for t in range(processes) if s != t
        }
        self.clocks = [[0] * processes for _ in range(processes)]

    def write(self, process: int, key: int, value: Value) -> None:
        self.copies[process][key] = value
        self.clocks[process][process] += 1
        stamp = tuple(self.clocks[process])
        for other in range(self.processes):
            if other != process:
                self.channels[process, other].append((key, value, stamp))

    def read(self, process: int, key: int) -> Value:
        return self.copies[process].get(key, 0)

    def step(self) -> None:
        """Deliver some messages, seldom while few are under way, so that processes lag behind."""
        full = [pair for pair, channel in self.channels.items() if channel]
        waiting = sum(len(self.channels[pair]) for pair in full)
        if waiting > 3 * self.processes**2 or self.random.random() < 0.1:
            self.random.shuffle(full)
            for sender, receiver in full[: self.random.randint(1, self.processes)]:
                self.deliver(sender, receiver)

    def deliver(self, sender: int, receiver: int) -> None:
        """Apply one message that may be applied now."""
        channel = self.channels[sender, receiver]
        at = self.choose(sender, receiver)
        if at is not None:
            key, value, _ = channel[at]
            del channel[at]
            self.copies[receiver][key] = value
            self.clocks[receiver][sender] += 1

    def choose(self, sender: int, receiver: int) -> int | None:
        """Which message of a channel that is not empty comes next, if any may."""
        return 0 if self.channels[sender, receiver] else None


class _Causal(_Replicas):
    """Causal: a message waits until everything its writer had seen has arrived."""

    def choose(self, sender: int, receiver: int) -> int | None:
        stamp, clock = self.channels[sender, receiver][0][2], self.clocks[receiver]
        ready = all(stamp[p] <= clock[p] for p in range(self.processes) if p != sender)
        return 0 if ready else None


class _Slow(_Replicas):
    """SLOW: messages about one location keep their order, others do not."""

    def choose(self, sender: int, receiver: int) -> int | None:
        channel = self.channels[sender, receiver]
        wanted = self.random.choice(channel)[0]
        return next(i for i, (key, _, _) in enumerate(channel) if key == wanted)


class _Local(_Replicas):
    """LOCAL: messages arrive in any order."""

    def choose(self, sender: int, receiver: int) -> int | None:
        return self.random.randrange(len(self.channels[sender, receiver]))


class _Caches(_Memory):
    """CC: for each location a log of its writes; every process moves along each log on its own."""

    def __init__(self, random: Random, processes: int) -> None:
        super().__init__(random, processes)
        self.logs: dict[int, list[Value]] = {}
        self.places: dict[tuple[int, int], int] = {}

    def write(self, process: int, key: int, value: Value) -> None:
        log = self.logs.setdefault(key, [0])
        log.append(value)
        self.places[process, key] = len(log) - 1

    def read(self, process: int, key: int) -> Value:
        log = self.logs.setdefault(key, [0])
        place = self.random.randint(self.places.get((process, key), 0), len(log) - 1)
        self.places[process, key] = place
        return log[place]


_MACHINES: dict[str, type[_Memory]] = {
    "SC": _Memory,
    "TSO": _Buffers,
    "PSO": _LocationBuffers,
    "causal": _Causal,
    "PRAM": _Replicas,
    "PRAM-M": _Replicas,
    "SLOW": _Slow,
    "LOCAL": _Local,
    "CC": _Caches,
}


def machine_for(level: Level) -> str:
    """The level whose machine makes the histories of this level."""
    return _STRONGER.get(level.name, level.name)


def generate(
    level: Level,
    operations: int,
    processes: int,
    keys: int,
    seed: int,
    values: int | None = None,
    timed: bool = False,
) -> History:
    """A random history that the level allows; `values` per key, or unique ones when None.

    With `timed` every operation carries start and end around the moment at which it took effect.
    """
    random = Random(seed)
    machine = _MACHINES[machine_for(level)](random, processes)
    written: dict[int, int] = {}
    made: list[Operation] = []
    last_end = [0.0] * processes
    for moment in range(1, operations + 1):
        process, key = random.randrange(processes), random.randrange(keys)
        is_write = random.random() < 0.5
        if is_write:
            written[key] = written.get(key, 0) + 1
            value: Value = written[key] if values is None else random.randint(1, values)
            machine.write(process, key, value)
        else:
            value = machine.read(process, key)
        machine.step()
        start, end = None, None
        if timed:
            start = max(last_end[process] + 1e-6, moment - random.random() * processes)
            end = last_end[process] = moment + random.random() * 0.9
        made.append(Operation(f"P{process}", is_write, f"k{key}", value, start, end))
    return History(f"{level.name}-{seed}", tuple(made))


def mutate(history: History, seed: int, changes: int = 1) -> History:
    """The history with some read values replaced by others written to the same key: often inconsistent."""
    random = Random(seed)
    operations = list(history.operations)
    written: dict[str, list[Value]] = {}
    for operation in operations:
        if operation.is_write:
            written.setdefault(operation.key, []).append(operation.value)
    reads = [i for i, o in enumerate(operations) if not o.is_write and o.key in written]
    for index in random.sample(reads, min(changes, len(reads))):
        values = [*written[operations[index].key], history.initial_value(operations[index].key)]
        operations[index] = replace(operations[index], value=random.choice(values))
    return History(f"{history.name}-mutated", tuple(operations), history.initial, history.default_initial)
