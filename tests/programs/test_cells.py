"""The cells of objects are what accesses make of them, and initial values are made of the declared bytes."""

from __future__ import annotations

from treville.fences import PART
from treville.programs import ir
from treville.programs.cells import with_one_width_per_cell
from treville.programs.draft import ProgramDraft, ThreadDraft
from treville.programs.grids import COPY
from treville.programs.padding import PADDING

PLAIN = frozenset({"NA", "DATA"})
ATOMIC = frozenset({"SC", "A"})


def program(parts: tuple[tuple[int, int, int], ...], *code: ir.Instruction, starts: int = 0) -> ir.Program:
    """One thread over one object `x`; `starts` threads beside it run the same code."""
    draft = ProgramDraft()
    location = draft.location("x")
    location.initial, location.parts = [], parts
    spawns = [ir.Spawn(f"t{number}", "run", ir.Const(0)) for number in range(starts)]
    draft.threads.append(ThreadDraft("main", [*spawns, *code]))
    if starts:
        draft.functions["run"] = ThreadDraft("run", [*code])
    return with_one_width_per_cell(draft.finished())


def load(offset: int, bits: int, tags: frozenset[str] = PLAIN) -> ir.Load:
    """Read from `x`."""
    return ir.Load(f"r{offset}.{bits}", ir.Const(ir.LOCATION_BASE + offset), tags, bits)


def store(offset: int, bits: int, tags: frozenset[str] = PLAIN) -> ir.Store:
    """Write to `x`."""
    return ir.Store(ir.Const(ir.LOCATION_BASE + offset), ir.Reg("v"), tags, bits)


def accesses(made: ir.Program) -> list[tuple[str, int, int]]:
    """What the first thread accesses: kind, offset, bits."""
    found = []
    for access in made.threads[0].instructions:
        if isinstance(access, ir.Load | ir.Store):
            assert isinstance(access.address, ir.Const)
            place = access.address.value - ir.LOCATION_BASE
            found.append((type(access).__name__, place, access.bits))
    return found


def parts(made: ir.Program) -> int:
    """How many accesses are parts that may race."""
    return sum(PART in i.tags for i in made.instructions() if isinstance(i, ir.Load | ir.Store))


def test_what_nobody_writes_is_as_wide_as_it_is_read() -> None:
    made = program(((0, 32, 1), (4, 32, 2)), load(0, 64))
    assert accesses(made) == [("Load", 0, 64)]
    assert made.locations["x"].parts == ((0, 64, 0x2_0000_0001),)


def test_a_wide_read_goes_to_the_cells_that_are_written() -> None:
    made = program(((0, 32, 1), (4, 32, 2)), store(4, 32), load(0, 64))
    assert accesses(made) == [("Store", 4, 32), ("Load", 0, 32), ("Load", 4, 32)]


def test_a_narrow_read_goes_to_the_cell_around_it() -> None:
    made = program(((0, 32, 1),), store(0, 32), load(1, 8))
    assert accesses(made) == [("Store", 0, 32), ("Load", 0, 32)]
    (value,) = [i.value for i in made.threads[0].instructions if isinstance(i, ir.Local)]
    assert value == ir.Op("sext", (ir.Op("lshr", (ir.Reg("r1.8:1"), ir.Const(8)), 32),), 8)


def test_writes_that_overlap_are_cut_where_they_begin_and_end() -> None:
    made = program(((0, 64, 0),), store(0, 32), store(2, 32), store(0, 24))
    assert [access[1:] for access in accesses(made)] == [
        (0, 16),
        (2, 8),
        (3, 8),
        (2, 8),
        (3, 8),
        (4, 16),
        (0, 16),
        (2, 8),
    ]


def test_atomic_accesses_stay_whole_and_what_overlaps_them_is_left_to_be_refused() -> None:
    made = program(((0, 64, 0),), load(0, 64, ATOMIC), store(4, 32))
    assert accesses(made) == [("Load", 0, 64), ("Store", 4, 32)]
    made = program(((0, 64, 0),), load(0, 32, ATOMIC), store(0, 64))
    assert accesses(made) == [("Load", 0, 32), ("Store", 0, 32), ("Store", 4, 32)]
    made = program(((0, 32, 1), (4, 32, 2)), load(0, 64, ATOMIC))
    assert made.locations["x"].parts == ((0, 64, 0x2_0000_0001),)


def test_parts_are_marked_where_threads_may_race() -> None:
    code = store(4, 32), load(0, 64)
    declared = (0, 32, 1), (4, 32, 2)
    assert parts(program(declared, *code)) == 0
    assert parts(program(declared, *code, starts=2)) == 4
    assert parts(program(declared, load(0, 64), load(0, 32), starts=2)) == 0


def test_copies_have_no_width_of_their_own() -> None:
    copying = PLAIN | {COPY}
    made = program(((0, 32, 0), (4, 32, 0)), store(0, 64, copying), load(4, 32), starts=2)
    assert accesses(made) == [("Store", 0, 32), ("Store", 4, 32), ("Load", 4, 32)]
    assert not any(COPY in i.tags for i in made.instructions() if isinstance(i, ir.Store))
    assert parts(made) == 0


def test_an_index_stays_in_the_array_that_was_declared() -> None:
    index = ir.Op("add", (ir.Const(ir.LOCATION_BASE + 4), ir.Op("mul", (ir.Reg("i"), ir.Const(1)), 64)), 64)
    declared = ((0, 32, 0), *((4 + at, 8, 0) for at in range(8)), (12, 32, 0))
    code: tuple[ir.Instruction, ...] = (
        ir.Nondet("i", 64), store(0, 32), store(12, 32), ir.Store(index, ir.Reg("v"), PLAIN, 8),
    )  # fmt: skip
    assert program(declared, *code).locations["x"].parts == declared


def test_padding_is_copied_where_somebody_looks_at_it() -> None:
    declared = ((0, 8, 0), (1, 8, 7), (2, 16, 0), (4, 32, 0))
    register = f"{PADDING}~1"
    move = (
        ir.Load(register, ir.Const(ir.LOCATION_BASE + 1), PLAIN | {COPY}, 8),
        ir.Store(ir.Const(ir.LOCATION_BASE + 2), ir.Reg(register), PLAIN | {COPY}, 8),
    )
    assert accesses(program(declared, *move, load(4, 32))) == [("Load", 4, 32)]
    assert len(accesses(program(declared, *move, load(2, 8)))) == 3


def test_private_objects_have_cells_too() -> None:
    draft = ProgramDraft()
    thread = ThreadDraft("main", private={"x": ((0, 32), (4, 32))})
    thread.instructions += [
        ir.WritePrivate("x", ir.Const(2), ir.Const(-1), 16),
        ir.ReadPrivate("r", "x", ir.Const(0), 64),
    ]
    draft.threads.append(thread)
    made = with_one_width_per_cell(draft.finished()).threads[0]
    assert made.private["x"] == ((0, 16), (2, 16), (4, 32))
    assert [i.bits for i in made.instructions if isinstance(i, ir.ReadPrivate)] == [16, 16, 32]
