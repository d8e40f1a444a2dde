"""Random small C11 tests with accesses, updates and fences of all orders: as a litmus test, and as a whole
program whose main observes the same; and all that the machine with views finds for the latter."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.seeds import generator

from treville.machines.states import Answer
from treville.machines.views.search import ViewMachine
from treville.machines.views.trace import ViewTrace
from treville.models.evaluate import evaluate
from treville.models.model import Model
from treville.passes.program import Context, lower
from treville.programs import ir
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.litmus.test import CellOf, LitmusTest, Observable, RegisterOf

LOADS = ("RLX", "ACQ", "SC")
STORES = ("RLX", "REL", "SC")
UPDATES = ("RLX", "ACQ", "REL", "ACQ_REL", "SC")
FENCES = ("ACQ", "REL", "ACQ_REL", "SC")
FULL = ir.Fence(frozenset({"MFENCE"}))


@dataclass
class RandomTest:
    """Threads over x, y and z. `ordered`: may accesses be seq_cst? `plain`: may they be not atomic?"""

    seed: int | str
    ordered: bool = True
    plain: bool = False
    size: int = 7
    threads: list[ThreadDraft] = field(default_factory=list)
    observed: list[tuple[int, str]] = field(default_factory=list)
    used: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = generator(self.seed)
        self.places = ProgramDraft()
        self.cells = [self.places.location(name).address for name in "xyz"]
        count = self.rng.choice((2, 2, 3, 3, 4))
        sizes = [1] * count
        for _ in range(self.size - count):
            sizes[self.rng.randrange(count)] += 1
        for number, size in enumerate(sizes):
            self._thread(number, size)

    def _thread(self, number: int, size: int) -> None:
        thread = ThreadDraft(f"P{number}")
        known: list[str] = []
        for step in range(size):
            self._instruction(thread, number, step, known)
        self.threads.append(thread)
        self.observed += [(number, name) for name in known]

    def _instruction(self, thread: ThreadDraft, number: int, step: int, known: list[str]) -> None:
        pick, kind = self.rng.choice, self.rng.random()
        place = pick((0, 0, 0, 1, 1, 1, 2))
        self.used.append(place)
        address, register, index = ir.Const(self.cells[place]), f"r{step}", step + 1
        value: ir.Expr = ir.Const(pick((1, 2)))
        if known and self.rng.random() < 0.25:
            value = ir.Op("add", (ir.Reg(pick(known)), ir.Const(1)), 32)
        if kind < 0.38:
            thread.instructions.append(ir.Store(address, value, self._tags(STORES), index=index))
        elif kind < 0.52:
            thread.instructions.append(ir.Fence(frozenset({pick(FENCES)}), index=index))
        elif kind < 0.66:
            self._update(thread, address, register, index)
            known.append(register)
        else:
            thread.instructions.append(ir.Load(register, address, self._tags(LOADS), index=index))
            known.append(register)

    def _update(self, thread: ThreadDraft, address: ir.Const, register: str, index: int) -> None:
        """An addition, or a strong compare-and-exchange of 0."""
        order = self.rng.choice([order for order in UPDATES if self.ordered or order != "SC"])
        tags = frozenset({order, "A", "RMW"})
        code = thread.instructions
        code.append(ir.Load(register, address, tags, link=True, index=index))
        if self.rng.random() < 0.5:
            value: ir.Expr = ir.Op("add", (ir.Reg(register), ir.Const(1)), 32)
            code.append(ir.Store(address, value, tags, link=True, index=index))
        else:
            when = ir.Op("eq", (ir.Reg(register), ir.Const(0)), 32)
            code.append(ir.Store(address, ir.Const(2), tags, link=True, when=when, index=index))

    def _tags(self, orders: tuple[str, ...]) -> frozenset[str]:
        if self.plain and self.rng.random() < 0.25:
            return frozenset({"NA"})
        return frozenset({self.rng.choice([o for o in orders if self.ordered or o != "SC"]), "A"})

    def litmus(self) -> LitmusTest:
        """The litmus test that observes all registers and cells."""
        program = ProgramDraft(threads=self.threads, locations=self.places.locations)
        seen: list[Observable] = [
            RegisterOf(thread, name, f"{thread}:{name}") for thread, name in self.observed
        ]
        cells = zip(self.cells, "xyz", strict=True)
        return LitmusTest(
            "random", "C", program.finished(), observed=(*seen, *(CellOf(at, name) for at, name in cells))
        )

    def program(self, fences: bool, end: tuple[int, ...] | None = None) -> ir.Program:
        """The program, which asserts that it does not end with these values of what is observed; without
        them its last assertion always fails, so that all ends are seen."""
        program = ProgramDraft(locations=dict(self.places.locations))
        results = [program.location(f"result {thread}:{name}").address for thread, name in self.observed]
        for number, thread in enumerate(self.threads):
            code = list(thread.instructions)
            for (owner, name), at in zip(self.observed, results, strict=True):
                if owner == number:
                    code.append(ir.Store(ir.Const(at), ir.Reg(name), frozenset({"NA"})))
            program.functions[thread.name] = ThreadDraft(thread.name, code)
        main: list[ir.Instruction] = []
        between = [ir.Fence(frozenset({"SC"}))] if fences else []
        for name in program.functions:
            main += [*between, ir.Spawn(f"h{name}", name, ir.Const(0)), *between]
        for name in program.functions:
            main += [*between, ir.Join(ir.Reg(f"h{name}")), *between]
        registers = []
        for number, address in enumerate([*results, *self.cells]):
            main.append(ir.Load(f"v{number}", ir.Const(address), frozenset({"NA"})))
            registers.append(f"v{number}")
        same: ir.Expr = ir.Const(-1)
        for register, value in zip(registers, end or [-5] * len(registers), strict=True):
            same = ir.Op("and", (same, ir.Op("eq", (ir.Reg(register), ir.Const(value)), 32)), 32)
        asserted = same if end is None else ir.Op("eq", (same, ir.Const(0)), 32)
        program.threads.append(ThreadDraft("main", [*main, ir.Assert(asserted)]))
        return program.finished()

    def ends(self, model: Model, fences: bool = False) -> tuple[set[tuple[int, ...]], set[tuple[int, ...]]]:
        """All final states that the machine finds, and those of them whose run the model allows."""
        program, count = self.program(fences), len(self.observed) + len(self.cells)
        found: set[tuple[int, ...]] = set()
        allowed: set[tuple[int, ...]] = set()

        def judge(answer: Answer) -> bool:
            end = tuple(
                [entry.value for entry in answer.log if entry.kind == "R" and entry.thread == 0][-count:]
            )
            found.add(end)
            run = ViewTrace(program, answer).execution()
            if evaluate(model, len(run.events), run.sets, run.relations, everything=False).consistent:
                allowed.add(end)
            machine.refused_runs = 0
            return False

        machine = ViewMachine(program, accepts=judge)
        machine.explore()
        return found, allowed


def as_in_c(program: ir.Program, model: Model) -> ir.Program:
    """The program compiled for a model; what starts and joins threads is a full fence."""
    (main,) = program.threads
    code: list[ir.Instruction] = []
    for instruction in main.instructions:
        fenced = isinstance(instruction, ir.Spawn | ir.Join)
        code += [FULL, instruction, FULL] if fenced else [instruction]
    functions = {
        name: replace(
            thread,
            instructions=(FULL, *thread.instructions, FULL),
            labels={label: place + 1 for label, place in thread.labels.items()},
        )
        for name, thread in program.functions.items()
    }
    whole = replace(program, threads=(replace(main, instructions=tuple(code)),), functions=functions)
    return lower(whole, Context(model, None, "C"))
