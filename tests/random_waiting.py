"""Random small programs whose threads wait: locks, spin loops, exchanges and comparisons in loops, joins.

Every loop either waits or runs a known number of times, so that no bound hides anything."""

from __future__ import annotations

from dataclasses import replace

from tests.seeds import generator

from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft

ATOMIC = frozenset({"SC", "A", "RMW"})
ORDERS = (frozenset({"RLX", "A"}), frozenset({"SC", "A"}), frozenset({"NA", "DATA"}))
FULL = frozenset({"SC", "MFENCE"})


class Waiting:
    """Draws one program; `m` and `n` are mutexes, `x` and `y` are data. With `conditions` it also waits for
    condition variables, which wake up at any time."""

    def __init__(self, seed: int | str, conditions: bool = False) -> None:
        self.conditions = conditions
        self.random = generator(seed)
        self.program = ProgramDraft()
        self.data = [ir.Const(self.program.location(name).address) for name in ("x", "y")]
        self.mutexes = [ir.Const(self.program.location(name).address) for name in ("m", "n")]
        self.fresh = 0

    def make(self) -> ProgramDraft:
        """Two or three threads, all joined by main."""
        for number in range(self.random.choice((2, 2, 2, 3))):
            thread = ThreadDraft(f"t{number}")
            for _ in range(self.random.choice((2, 3))):
                self._part(thread)
            for place, instruction in enumerate(thread.instructions):
                thread.instructions[place] = replace(instruction, index=instruction.index or place + 1000)
            self.program.functions[thread.name] = thread
        self._joined()
        return self.program

    def _joined(self) -> None:
        """The main thread."""
        names = list(self.program.functions)
        code: list[ir.Instruction] = [ir.Spawn(f"h{name}", name, ir.Const(0)) for name in names]
        code += [ir.Join(ir.Reg(f"h{name}")) for name in names]
        self.program.threads.append(ThreadDraft("main", code))

    def _part(self, thread: ThreadDraft) -> None:
        parts = (self._store, self._store, self._lock, self._unlock, self._unlock, self._spin, self._load,
                 self._exchange, self._compare, self._if)  # fmt: skip
        if self.conditions and self.random.random() < 0.4:
            self._condition(thread)
        else:
            self.random.choice(parts)(thread)

    def _name(self) -> str:
        self.fresh += 1
        return f"r{self.fresh}"

    def _store(self, thread: ThreadDraft) -> None:
        value = ir.Const(self.random.choice((0, 1, 1)))
        thread.instructions.append(ir.Store(self.random.choice(self.data), value, self.random.choice(ORDERS)))

    def _load(self, thread: ThreadDraft) -> None:
        thread.instructions.append(
            ir.Load(self._name(), self.random.choice(self.data), self.random.choice(ORDERS))
        )

    def _lock(self, thread: ThreadDraft) -> None:
        self.take(thread, self.random.choice(self.mutexes), ATOMIC)

    def take(self, thread: ThreadDraft, place: ir.Const, tags: frozenset[str]) -> None:
        word, index = self._name(), self.fresh
        free = ir.Op("eq", (ir.Reg(word), ir.Const(0)), 32)
        thread.instructions += [
            ir.Fence(FULL),
            ir.Load(word, place, ATOMIC, link=True, index=index),
            ir.Assume(free, waits=True, index=index),
            ir.Store(place, ir.Const(1), tags, link=True, index=index),
            ir.Fence(FULL),
        ]

    def _unlock(self, thread: ThreadDraft) -> None:
        place = self.random.choice(self.mutexes)
        store = ir.Store(place, ir.Const(0), frozenset({"SC", "A"}))
        thread.instructions += [ir.Fence(FULL), store, ir.Fence(FULL)]

    def _loop(self, thread: ThreadDraft, body: list[ir.Instruction], again: ir.Expr) -> None:
        label = f"l{self.fresh}"
        thread.labels[label] = len(thread.instructions)
        thread.instructions += [*body, ir.Branch(label, again)]

    def _spin(self, thread: ThreadDraft) -> None:
        """Wait for a value, looking at one or two places in each round, perhaps counting the rounds."""
        seen, wanted = self._name(), ir.Const(self.random.choice((0, 1)))
        first, second = self.random.sample(self.data, 2)
        body: list[ir.Instruction] = [ir.Load(seen, first, self.random.choice(ORDERS[:2]))]
        again: ir.Expr = ir.Op("ne", (ir.Reg(seen), wanted), 32)
        if self.random.random() < 0.3:
            other = self._name()
            body.append(ir.Load(other, second, self.random.choice(ORDERS[:2])))
            again = ir.Op("and", (again, ir.Op("eq", (ir.Reg(other), ir.Const(0)), 32)), 32)
        if self.random.random() < 0.2:
            count = self._name()
            body.append(ir.Local(count, ir.Op("add", (ir.Reg(count), ir.Const(1)), 32)))
        self._loop(thread, body, again)

    def _exchange(self, thread: ThreadDraft, place: ir.Const | None = None) -> None:
        """`while (exchange(x, 1));`"""
        seen, place, index = self._name(), place or self.random.choice(self.data), self.fresh
        body: list[ir.Instruction] = [
            ir.Load(seen, place, ATOMIC, link=True, index=index),
            ir.Store(place, ir.Const(1), ATOMIC, link=True, index=index),
        ]
        self._loop(thread, body, ir.Reg(seen))

    def _compare(self, thread: ThreadDraft, lock: ir.Const | None = None) -> None:
        """`while (!compare_exchange(x, a, b));`; a lock is taken that way."""
        seen, place, index = self._name(), lock or self.random.choice(self.data), self.fresh
        chosen = (0, 1) if lock else (self.random.choice((0, 1)), self.random.choice((0, 1)))
        wanted, new = map(ir.Const, chosen)
        equal = ir.Op("eq", (ir.Reg(seen), wanted), 32)
        body: list[ir.Instruction] = [
            ir.Load(seen, place, ATOMIC, link=True, index=index),
            ir.Store(place, new, ATOMIC, link=True, when=equal, index=index),
        ]
        self._loop(thread, body, ir.Op("lnot", (equal,)))

    def _condition(self, thread: ThreadDraft) -> None:
        """`lock(m); while (x != a) cond_wait(c, m); x = b; unlock(m);`, or parts of that."""
        place, mutex, tags = self.random.choice(self.data), self.random.choice(self.mutexes), ORDERS[2]
        if self.random.random() < 0.8:
            self.take(thread, mutex, ATOMIC)
        seen, head, done = self._name(), f"l{self.fresh}", f"done{self.fresh}"
        wanted = ir.Const(self.random.choice((0, 1)))
        thread.labels[head] = len(thread.instructions)
        thread.instructions += [
            ir.Load(seen, place, tags),
            ir.Branch(done, ir.Op("eq", (ir.Reg(seen), wanted), 32)),
            ir.Fence(FULL),
            ir.Store(mutex, ir.Const(0), frozenset({"SC", "A", "COND"})),
        ]
        self.take(thread, mutex, ATOMIC | {"COND"})
        thread.instructions.append(ir.Branch(head))
        thread.labels[done] = len(thread.instructions)
        if self.random.random() < 0.7:
            thread.instructions.append(ir.Store(place, ir.Const(self.random.choice((0, 1))), tags))
        if self.random.random() < 0.8:
            store = ir.Store(mutex, ir.Const(0), frozenset({"SC", "A"}))
            thread.instructions += [ir.Fence(FULL), store, ir.Fence(FULL)]

    def _if(self, thread: ThreadDraft) -> None:
        """The rest of the thread only if a value is there."""
        seen, label = self._name(), f"end{self.fresh}"
        thread.instructions.append(ir.Load(seen, self.random.choice(self.data), ORDERS[1]))
        thread.instructions.append(ir.Branch(label, ir.Reg(seen)))
        self._store(thread)
        thread.labels[label] = len(thread.instructions)


def random_waiting(seed: int | str) -> ir.Program:
    """The program of a seed."""
    return Waiting(seed).make().finished()


def random_outcome(seed: int | str, conditions: bool = False) -> ir.Program:
    """The program of a seed; its threads keep what they read, and main asserts that this was not certain
    values."""
    made = Waiting(seed, conditions)
    program, choose = made.make(), generator(seed)
    wanted: ir.Expr = ir.Const(1)
    main = program.threads[0]
    for thread in program.functions.values():
        loads = [i for i in thread.instructions if isinstance(i, ir.Load) and i.address in made.data]
        for load in loads[-1:]:
            place = ir.Const(program.location(f"seen by {thread.name}").address)
            thread.instructions.append(ir.Store(place, ir.Reg(load.register or ""), ORDERS[1], index=5000))
            main.instructions.append(ir.Load(f"s{thread.name}", place))
            equal = ir.Op("eq", (ir.Reg(f"s{thread.name}"), ir.Const(choose.choice((0, 1)))), 32)
            wanted = ir.Op("and", (wanted, equal), 32)
    for number, place in enumerate(made.data):
        main.instructions.append(ir.Load(f"d{number}", place))
        equal = ir.Op("eq", (ir.Reg(f"d{number}"), ir.Const(choose.choice((0, 1)))), 32)
        wanted = ir.Op("and", (wanted, equal), 32)
    main.instructions.append(ir.Assert(ir.Op("lnot", (wanted,))))
    return program.finished()


class Locking(Waiting):
    """Likewise, with critical sections: locks that are taken are given back, in whatever order."""

    def _part(self, thread: ThreadDraft) -> None:
        if self.random.random() < 0.3:
            super()._part(thread)
        else:
            self.critical_section(thread, self.random.sample(self.mutexes, self.random.choice((1, 1, 1, 2))))

    def critical_section(self, thread: ThreadDraft, places: list[ir.Const]) -> None:
        """Take locks, do something perhaps, and give them back."""
        for place in places:
            self.random.choice((self._mutex, self._mutex, self._exchange, self._compare))(thread, place)
        if self.random.random() < 0.5:
            self.random.choice((self._store, self._load))(thread)
        for place in self.random.sample(places, len(places)):
            thread.instructions.append(ir.Store(place, ir.Const(0), frozenset({"SC", "A"})))

    def _mutex(self, thread: ThreadDraft, place: ir.Const) -> None:
        self.take(thread, place, ATOMIC)


class Spinning(Waiting):
    """One or two of four short threads wait for a value; others write it, and others."""

    def make(self) -> ProgramDraft:
        """All of them joined by main."""
        waiting = self.random.choice((1, 1, 2))
        for number in self.random.sample(range(4), 4):
            thread = ThreadDraft(f"t{number}")
            if number < waiting:
                self._wait_for_one(thread)
            else:
                for _ in range(self.random.choice((1, 2))):
                    self._access(thread)
            for place, instruction in enumerate(thread.instructions):
                thread.instructions[place] = replace(instruction, index=place + 1000)
            self.program.functions[thread.name] = thread
        self._joined()
        return self.program

    def _wait_for_one(self, thread: ThreadDraft) -> None:
        seen = self._name()
        again = ir.Op("ne", (ir.Reg(seen), ir.Const(1)), 32)
        self._loop(thread, [ir.Load(seen, self.data[0], self.random.choice(ORDERS[:2]))], again)
        if self.random.random() < 0.3:
            self._access(thread)

    def _access(self, thread: ThreadDraft) -> None:
        place, order = self.random.choice(self.data), self.random.choice(ORDERS[:2])
        if self.random.random() < 0.3:
            thread.instructions.append(ir.Load(self._name(), place, order))
        else:
            value = ir.Const(self.random.choice((0, 1, 1, 2)))
            thread.instructions.append(ir.Store(place, value, order))
