"""Small programs, each with a feature that makes the difference between PASS and FAIL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from treville.engines.features import Feature
from treville.models.cat.resolve import resolve_text
from treville.models.library import load_model
from treville.models.model import Model
from treville.programs import ir
from treville.programs.compile_to import compile_program, target_of
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.results.properties import Property

RLX = frozenset({"RLX", "A"})
SEQ = frozenset({"SC", "A"})
UPDATE = RLX | {"RMW"}
DATA = frozenset({"NA", "DATA"})
ONCE = frozenset({"Once", "ONCE"})
ONE, ZERO = ir.Const(1), ir.Const(0)


class Case(NamedTuple):
    """A question whose answer depends on a feature."""

    name: str
    feature: Feature
    program: ir.Program
    model: Model
    expected: str
    property: Property = Property.SAFETY


class Build:
    """A program of threads that main starts and joins before it runs what comes last."""

    def __init__(self) -> None:
        self.program = ProgramDraft()
        self.x, self.y, self.z = (ir.Const(self.program.location(name).address) for name in "xyz")

    def made(
        self,
        threads: list[list[ir.Instruction]],
        last: list[ir.Instruction] | None = None,
        labels: dict[str, int] | None = None,
        join: bool = True,
    ) -> ir.Program:
        """The program; `labels` are those of the first thread."""
        return self.drafted(threads, last, labels, join).finished()

    def drafted(
        self,
        threads: list[list[ir.Instruction]],
        last: list[ir.Instruction] | None = None,
        labels: dict[str, int] | None = None,
        join: bool = True,
    ) -> ProgramDraft:
        """The same, for those who have something to change."""
        main: list[ir.Instruction] = []
        for number, code in enumerate(threads):
            marks = labels if number == 0 and labels else {}
            thread = ThreadDraft(f"t{number}", _numbered(code), marks)
            self.program.functions[f"t{number}"] = thread
            main.append(ir.Spawn(f"h{number}", f"t{number}", ZERO))
        main += [ir.Join(ir.Reg(f"h{number}")) for number in range(len(threads)) if join]
        self.program.threads.append(ThreadDraft("main", _numbered([*main, *(last or [])])))
        return self.program


def _numbered(code: list[ir.Instruction]) -> list[ir.Instruction]:
    """Instructions of their own, but for the second half of an update."""
    index, found = 0, []
    for instruction in code:
        linked = isinstance(instruction, ir.Store) and instruction.link
        index += 0 if linked else 1
        found.append(replace(instruction, index=index))
    return found


def is_(register: str, number: int) -> ir.Expr:
    """Does a register hold the number?"""
    return ir.Op("eq", (ir.Reg(register), ir.Const(number)), 32)


def either(one: ir.Expr, other: ir.Expr) -> ir.Expr:
    """One of two conditions."""
    return ir.Op("or", (one, other), 32)


def add_one(address: ir.Expr, atomic: bool) -> list[ir.Instruction]:
    """An increment, in one step or not."""
    tags = UPDATE if atomic else RLX
    more = ir.Op("add", (ir.Reg("old"), ONE), 32)
    return [ir.Load("old", address, tags, link=atomic), ir.Store(address, more, tags, link=atomic)]


def loops(wrong: bool) -> ir.Program:
    """A thread counts to three in memory."""
    b = Build()
    count: list[ir.Instruction] = [
        ir.Load("r", b.x, RLX),
        ir.Store(b.x, ir.Op("add", (ir.Reg("r"), ONE), 32), RLX),
        ir.Local("n", ir.Op("add", (ir.Reg("n"), ONE), 32)),
        ir.Branch("again", ir.Op("ne", (ir.Reg("n"), ir.Const(3)), 32)),
    ]
    last: list[ir.Instruction] = [ir.Load("all", b.x, RLX), ir.Assert(is_("all", 2 if wrong else 3))]
    return b.made([count], last, {"again": 0})


def choices(wrong: bool) -> ir.Program:
    b = Build()
    code: list[ir.Instruction] = [ir.Havoc("r", (0, 1)), ir.Store(b.x, ir.Reg("r"), RLX)]
    good = is_("all", 0) if wrong else either(is_("all", 0), is_("all", 1))
    return b.made([code], [ir.Load("all", b.x, RLX), ir.Assert(good)])


def any_numbers(wrong: bool) -> ir.Program:
    b = Build()
    code: list[ir.Instruction] = [ir.Nondet("r", 32), ir.Assume(ir.Op("ne", (ir.Reg("r"), ir.Const(77)), 32))]
    check = ir.Assert(ir.Op("ne", (ir.Reg("r"), ir.Const(78 if wrong else 77)), 32))
    return b.made([[*code, check]])


def assumptions(wrong: bool) -> ir.Program:
    b = Build()
    code: list[ir.Instruction] = [ir.Havoc("r", (0, 1)), ir.Assume(ONE if wrong else ir.Reg("r"))]
    return b.made([[*code, ir.Assert(ir.Reg("r"))]])


def waiting(wrong: bool) -> ir.Program:
    b = Build()
    passed = ONE if wrong else ir.Reg("r")
    wait: list[ir.Instruction] = [ir.Load("r", b.x, SEQ), ir.Assume(passed, waits=True)]
    look: list[ir.Instruction] = [ir.Load("s", b.x, SEQ), ir.Assert(ir.Reg("s"))]
    return b.made([[ir.Store(b.x, ONE, SEQ)], [*wait, *look]])


def computed_addresses(wrong: bool) -> ir.Program:
    b = Build()
    b.program.locations["z"].initial = [(b.y if wrong else b.x).value]
    write: list[ir.Instruction] = [ir.Load("p", b.z, RLX), ir.Store(ir.Reg("p"), ONE, RLX)]
    return b.made([write], [ir.Load("all", b.y, RLX), ir.Assert(is_("all", 0))])


def updates(wrong: bool) -> ir.Program:
    b = Build()
    last: list[ir.Instruction] = [ir.Load("all", b.x, RLX), ir.Assert(is_("all", 2))]
    return b.made([add_one(b.x, not wrong), add_one(b.x, not wrong)], last)


def conditional_stores(wrong: bool) -> ir.Program:
    b = Build()
    write = ir.Store(b.x, ONE, RLX, when=ir.Reg("never") if not wrong else ONE)
    return b.made([[write]], [ir.Load("all", b.x, RLX), ir.Assert(is_("all", 0))])


def store_buffering(wrong: bool) -> ir.Program:
    b = Build()
    seen = ir.Const(b.program.location("seen").address)

    def thread(mine: ir.Const, others: ir.Const, result: ir.Const) -> list[ir.Instruction]:
        fence = [] if wrong else [ir.Fence(frozenset({"MFENCE"}))]
        return [ir.Store(mine, ONE), *fence, ir.Load("r", others), ir.Store(result, ir.Reg("r"))]

    one, other = thread(b.x, b.y, b.z), thread(b.y, b.x, seen)
    last: list[ir.Instruction] = [ir.Load("r", b.z), ir.Load("s", seen)]
    return b.made([one, other], [*last, ir.Assert(either(is_("r", 1), is_("s", 1)))])


def write_read_fences(wrong: bool) -> ir.Program:
    """Two writes change places, where the fence between them orders only later reads."""
    b = Build()
    fence = ir.Fence(frozenset({"Fence.w.r" if wrong else "Fence.w.rw"}))
    writer: list[ir.Instruction] = [ir.Store(b.x, ONE), fence, ir.Store(b.y, ONE)]
    reader: list[ir.Instruction] = [ir.Load("r", b.y), ir.Fence(frozenset({"MFENCE"})), ir.Load("s", b.x)]
    return b.made([writer, [*reader, ir.Assert(either(is_("r", 0), is_("s", 1)))]])


def read_copy_update(wrong: bool) -> ir.Program:
    return sections(wrong).finished()


def sections(wrong: bool) -> ProgramDraft:
    """A grace period orders what is before it with critical sections that saw what is behind it."""
    b = Build()

    def fence(kind: str) -> ir.Instruction:
        return ir.Fence(frozenset({kind}))

    bad = ir.Op("and", (is_("r", 1), is_("s", 0)), 32)
    reader: list[ir.Instruction] = [
        fence("Rcu-lock"), ir.Load("r", b.x, ONCE), ir.Load("s", b.y, ONCE), fence("Rcu-unlock"),
        ir.Assert(ir.Op("lnot", (bad,))),
    ]  # fmt: skip
    grace = [] if wrong else [fence("Sync-rcu")]
    writer: list[ir.Instruction] = [ir.Store(b.y, ONE, ONCE), *grace, ir.Store(b.x, ONE, ONCE)]
    return b.drafted([reader, writer])


def sleepable(wrong: bool) -> ir.Program:
    """The same with sections and grace periods of one location, or of different ones."""
    draft = sections(False)
    lock = ir.Const(draft.location("lock").address)
    other = ir.Const(draft.location("other").address)
    reader, writer = draft.functions["t0"].instructions, draft.functions["t1"].instructions
    reader[0] = ir.Load("section", lock, frozenset({"Srcu-lock"}), index=1)
    reader[3] = ir.Store(lock, ir.Reg("section"), frozenset({"Srcu-unlock"}), index=4)
    writer[1] = ir.Fence(frozenset({"Sync-srcu"}), other if wrong else lock, index=2)
    return draft.finished()


def exclusives(wrong: bool) -> ir.Program:
    b = Build()
    more = ir.Op("add", (ir.Reg("old"), ONE), 32)
    code: list[ir.Instruction] = [
        ir.Load("old", b.x, exclusive=True), ir.StoreExclusive("status", b.x, more),
        ir.Assume(is_("status", 0)),
    ]  # fmt: skip
    plain: list[ir.Instruction] = [ir.Load("old", b.x), ir.Store(b.x, more)]
    copies = [plain, list(plain)] if wrong else [code, list(code)]
    return b.made(copies, [ir.Load("all", b.x), ir.Assert(is_("all", 2))])


def computed_jumps(wrong: bool) -> ir.Program:
    b = Build()
    code: list[ir.Instruction] = [
        ir.IndirectBranch(ir.Const(ir.CODE_BASE)), ir.Assert(ZERO), ir.Store(b.x, ONE),
    ]  # fmt: skip
    draft = b.drafted([code], [], {"there": 1 if wrong else 2})
    draft.functions["t0"].code_addresses = {ir.CODE_BASE: "there"}
    return draft.finished()


def paired(wrong: bool) -> ir.Program:
    b = Build()
    code: list[ir.Instruction] = [ir.Load("r", b.x), ir.Load("s", b.y, parallel=True)]
    draft = b.drafted([code], [ir.Assert(ZERO if wrong else ONE)])
    pair = draft.functions["t0"].instructions
    pair[1] = replace(pair[1], index=1)
    return draft.finished()


def recursion(_wrong: bool) -> ir.Program:
    """What was cut might have failed."""
    b = Build()
    return b.made([[ir.Stop(cut=True, reason="recursion")]], [ir.Assert(ONE)])


def joins(wrong: bool) -> ir.Program:
    b = Build()
    last: list[ir.Instruction] = [ir.Load("all", b.x, RLX), ir.Assert(is_("all", 1))]
    return b.made([[ir.Store(b.x, ONE, RLX)]], last, join=not wrong)


def fresh_memory(wrong: bool) -> ir.Program:
    b = Build()
    code: list[ir.Instruction] = [
        ir.Allocate("p", ir.Const(4), "object", zeroed=not wrong, cells=((0, 32),), heap=True),
        ir.Load("r", ir.Reg("p"), DATA), ir.Assert(is_("r", 0)),
    ]  # fmt: skip
    return b.made([code])


def unset_contents(wrong: bool) -> ir.Program:
    b = Build()
    code: list[ir.Instruction] = [
        ir.Allocate("p", ir.Const(4), "object", cells=((0, 32),), heap=True),
        *([] if wrong else [ir.Store(ir.Reg("p"), ONE, DATA)]),
        ir.Allocate("q", ir.Const(4), "object", cells=((0, 32),), heap=True),
        ir.Local("unset", ZERO), ir.Load("r", ir.Reg("p"), DATA, blind=True, unset="unset"),
        ir.Store(ir.Reg("q"), ir.Reg("r"), DATA, unset=ir.Reg("unset")),
        ir.Load("s", ir.Reg("q"), DATA),
    ]  # fmt: skip
    return b.made([code])


def fresh_private(wrong: bool) -> ir.Program:
    b = Build()
    code: list[ir.Instruction] = [ir.ReadPrivate("r", "local", ZERO), ir.Assert(is_("r", 0))]
    draft = b.drafted([code])
    draft.functions["t0"].private = {"local": ((0, 32),)}
    draft.functions["t0"].unset = {"local"} if wrong else set()
    return draft.finished()


def private_objects(wrong: bool) -> ir.Program:
    b = Build()
    code: list[ir.Instruction] = [
        ir.WritePrivate("local", ZERO, ONE), ir.WritePrivate("local", ir.Const(4), ir.Const(2)),
        ir.ReadPrivate("r", "local", ir.Const(4 if wrong else 0)), ir.Assert(is_("r", 1)),
    ]  # fmt: skip
    draft = b.drafted([code])
    draft.functions["t0"].private = {"local": ((0, 32), (4, 32))}
    return draft.finished()


def frees(wrong: bool) -> ir.Program:
    """The second member of an object is used after its end."""
    b = Build()
    second = ir.Op("add", (ir.Reg("p"), ir.Const(4)), 64)
    code: list[ir.Instruction] = [
        ir.Allocate("p", ir.Const(8), "pair", zeroed=True, cells=((0, 32), (4, 32)), heap=True),
        ir.Store(second, ONE, DATA), ir.Free(ir.Reg("p")),
    ]  # fmt: skip
    use: list[ir.Instruction] = [ir.Load("r", second, DATA)]
    return b.made([[*code[:2], *use, code[2]] if not wrong else [*code, *use]])


def freed_twice(wrong: bool) -> ir.Program:
    b = Build()
    code: list[ir.Instruction] = [
        ir.Allocate("p", ir.Const(4), "object", zeroed=True, cells=((0, 32),), heap=True),
        ir.Free(ir.Reg("p")),
    ]  # fmt: skip
    return b.made([[*code, ir.Free(ir.Reg("p"))] if wrong else code])


def local_ends(wrong: bool) -> ir.Program:
    """A local variable that ends, and is read before that or afterwards."""
    b = Build()
    code: list[ir.Instruction] = [
        ir.Allocate("p", ir.Const(4), "local", zeroed=True, cells=((0, 32),)),
        ir.Load("r", ir.Reg("p"), DATA), ir.Free(ir.Reg("p"), local=True),
    ]  # fmt: skip
    return b.made([[code[0], code[2], code[1]] if wrong else code])


def beginnings(wrong: bool) -> ir.Program:
    """An object is handed on, and nothing but its memory order says that it was allocated."""
    b = Build()
    handed = RLX if wrong else frozenset({"REL", "A"})
    use: list[ir.Instruction] = [
        ir.Load("q", b.z, frozenset({"ACQ", "A"})), ir.Branch("end", is_("q", 0)),
        ir.Load("r", ir.Reg("q"), RLX),
    ]  # fmt: skip
    make: list[ir.Instruction] = [
        ir.Allocate("p", ir.Const(4), "object", zeroed=True, cells=((0, 32),), begins=True),
        ir.Store(b.z, ir.Reg("p"), handed),
    ]  # fmt: skip
    return b.made([use, make], labels={"end": 3})


def ends_at_errors(wrong: bool) -> ir.Program:
    """A thread goes no further than to a null pointer, and another one looks for what it would do then."""
    b = Build()
    code: list[ir.Instruction] = [
        ir.Load("p", b.z, RLX),
        ir.Load("r", ir.Reg("p"), RLX),
        ir.Store(b.x, ONE, RLX),
    ]
    if wrong:
        code = [code[2], *code[:2]]
    return b.made([code, [ir.Load("s", b.x, RLX), ir.Assert(is_("s", 0))]])


def leaks(wrong: bool) -> ir.Program:
    """Main loses what a thread allocated, or leaves it to a global that points to an object that does."""
    b = Build()
    b.program.locations["z"].bits = 64
    new = ir.Allocate("p", ir.Const(8), "inner", zeroed=True, cells=((0, 64),), heap=True)
    outer = ir.Allocate("q", ir.Const(8), "outer", zeroed=True, cells=((0, 64),), heap=True)
    keep: list[ir.Instruction] = [
        ir.Store(ir.Reg("q"), ir.Reg("p"), DATA, 64),
        ir.Store(b.z, ir.Reg("q"), DATA, 64),
    ]
    return b.made([[new, outer, keep[0]] if wrong else [new, outer, *keep]])


def atomic_blocks(wrong: bool) -> ir.Program:
    b = Build()
    write: list[ir.Instruction] = [ir.Store(b.x, ONE), ir.Store(b.y, ONE)]
    look: list[ir.Instruction] = [ir.Load("r", b.x), ir.Load("s", b.y)]
    check = ir.Assert(ir.Op("eq", (ir.Reg("r"), ir.Reg("s")), 32))

    def block(code: list[ir.Instruction]) -> list[ir.Instruction]:
        return code if wrong else [ir.AtomicBegin(), *code, ir.AtomicEnd()]

    return b.made([block(write), [*block(look), check]])


def races(wrong: bool) -> ir.Program:
    b = Build()
    tags = DATA if wrong else RLX
    return b.made([[ir.Store(b.x, ONE, tags)], [ir.Load("r", b.x, tags)]])


def stuck(wrong: bool) -> ir.Program:
    b = Build()
    spin: list[ir.Instruction] = [ir.Load("r", b.x, RLX), ir.Branch("again", ir.Op("lnot", (ir.Reg("r"),)))]
    return b.made([spin, [ir.Store(b.y if wrong else b.x, ONE, RLX)]], labels={"again": 0})


def message(_wrong: bool) -> ir.Program:
    """Fails where a read of another thread's write is possible, and only there."""
    b = Build()
    return b.made([[ir.Store(b.x, ONE)], [ir.Load("r", b.x), ir.Assert(is_("r", 0))]])


PROGRAMS = (
    (Feature.LOOPS, loops, "sc tso rc11 power"),
    (Feature.CHOICES, choices, "sc pso rc11 power"),
    (Feature.ANY_NUMBERS, any_numbers, "sc tso rc11 power"),
    (Feature.ASSUMPTIONS, assumptions, "sc tso rc11 power"),
    (Feature.WAITING_FOR_VALUES, waiting, "sc tso rc11 aarch64"),
    (Feature.COMPUTED_ADDRESSES, computed_addresses, "sc tso rc11 power"),
    (Feature.UPDATES, updates, "sc tso pso rc11 power"),
    (Feature.CONDITIONAL_STORES, conditional_stores, "sc tso rc11 power"),
    (Feature.FENCES, store_buffering, "tso pso power"),
    (Feature.WRITE_READ_FENCES, write_read_fences, "pso rmo alpha riscv aarch64 power2012"),
    (Feature.READ_COPY_UPDATE, read_copy_update, "lkmm"),
    (Feature.LOCATED_FENCES, sleepable, "lkmm"),
    (Feature.EXCLUSIVES, exclusives, "aarch64 tso"),
    (Feature.COMPUTED_JUMPS, computed_jumps, "sc power"),
    (Feature.PAIRED_ACCESSES, paired, "sc aarch64"),
    (Feature.JOINS, joins, "sc tso rc11 power"),
    (Feature.THREADS, joins, "svcomp"),
    (Feature.ASSERTIONS, joins, "imm"),
    (Feature.FRESH_MEMORY, fresh_memory, "sc tso pso rc11 power"),
    (Feature.FRESH_MEMORY, fresh_private, "sc rc11 power"),
    (Feature.UNSET_CONTENTS, unset_contents, "sc tso pso rc11 power"),
    (Feature.ALLOCATION, fresh_memory, "rmo alpha"),
    (Feature.PRIVATE_OBJECTS, private_objects, "sc tso rc11 power"),
    (Feature.FREES, frees, "sc tso pso rc11 power"),
    (Feature.FREES, freed_twice, "sc tso rc11 power"),
    (Feature.FREES, local_ends, "sc tso pso rc11 power"),
    (Feature.BEGINNINGS, beginnings, "rc11 c11"),
    (Feature.ATOMIC_BLOCKS, atomic_blocks, "sc svcomp tso pso rc11 power"),
    (Feature.FAILURES, store_buffering, "rmo"),
)
PROPERTIES = (
    (Feature.RACES, races, Property.RACE, "sc tso rc11 power"),
    (Feature.DEADLOCKS, stuck, Property.DEADLOCK, "sc tso pso power"),
    (Feature.LIVENESS, stuck, Property.LIVENESS, "sc tso pso power"),
    (Feature.ENDS_AT_ERRORS, ends_at_errors, Property.ASSERTION, "sc tso pso rc11"),
    (Feature.LEAKS, leaks, Property.VALID_MEMSAFETY, "sc tso pso"),
)
NOT_PROVED = (
    (Feature.ENDS_AT_ERRORS, ends_at_errors, Property.ASSERTION, "power"),
    (Feature.LEAKS, leaks, Property.VALID_MEMSAFETY, "rc11 power"),
)
MODELS = (
    (Feature.REQUIRED_BEHAVIOUR, "acyclic po | rf | co | fr\n~empty rfe", "FAIL"),
    (Feature.REQUIRED_BEHAVIOUR, "acyclic po | rf | co | fr\n~empty fre", "PASS"),
    (Feature.RECURSIVE_RELATIONS, "let rec r = rfe \\ (IW * R) | (r; r; r)\nempty r", "PASS"),
    (Feature.NEGATIVE_RECURSION, "let rec r = r | ((rfe \\ (IW * R)) \\ r)\nempty r", "PASS"),
    (Feature.FLAGS, "acyclic po | rf | co | fr\nflag ~empty rfe as seen", "FAIL"),
)


def cases() -> Iterator[Case]:
    """Every feature with an answer that depends on it."""
    for feature, make, names in PROGRAMS:
        for name in names.split():
            for wrong in (False, True):
                yield _case(feature, make.__name__, make(wrong), name, "FAIL" if wrong else "PASS")
    for name in ("sc", "tso", "rc11", "power"):
        yield _case(Feature.RECURSION, "recursion", recursion(False), name, "UNKNOWN")
    for feature, make, prop, names in PROPERTIES:
        for name in names.split():
            for wrong in (False, True):
                found = _case(feature, make.__name__, make(wrong), name, "FAIL" if wrong else "PASS")
                yield found._replace(property=prop)
    for feature, make, prop, names in NOT_PROVED:
        for name in names.split():
            for wrong in (False, True):
                found = _case(feature, make.__name__, make(wrong), name, "FAIL" if wrong else "UNKNOWN")
                yield found._replace(property=prop)
    for feature, text, expected in MODELS:
        prop = Property.RACE if feature is Feature.FLAGS else Property.SAFETY
        model = resolve_text(f'"own"\n{text}\n')
        yield Case(f"{feature.name.lower()} {expected}", feature, message(True), model, expected, prop)


def _case(feature: Feature, what: str, program: ir.Program, name: str, expected: str) -> Case:
    model = load_model(name)
    compiled = compile_program(program, target_of(model.shipped, model.base_names()))
    return Case(f"{what} {expected} {name}", feature, compiled, model, expected)
