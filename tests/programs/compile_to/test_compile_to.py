"""C11 operations become what compilers emit for them on each architecture."""

from __future__ import annotations

import pytest

from treville.models.library import load_model
from treville.programs import ir
from treville.programs.compile_to import TARGETS, compile_program, target_of
from treville.results import InputError, Unsupported

X, R = ir.Const(ir.LOCATION_BASE), ir.Reg("r")


def tagged(*tags: str) -> frozenset[str]:
    return frozenset(tags)


def compiled(target: str, *instructions: ir.Instruction, labels: dict[str, int] | None = None) -> ir.Thread:
    program = ir.Program((ir.Thread("main", instructions, labels or {}),))
    return compile_program(program, target).threads[0]


def shape(thread: ir.Thread) -> str:
    """`F[..] R[..] W[..]` for fences, reads and writes with their tags."""
    letters = {ir.Fence: "F", ir.Load: "R", ir.Store: "W"}
    return " ".join(
        f"{letters[type(i)]}[{' '.join(sorted(i.tags))}]"
        for i in thread.instructions
        if isinstance(i, ir.Fence | ir.Load | ir.Store)
    )


def load(order: str) -> ir.Load:
    return ir.Load("r", X, tagged(order, "A"))


def store(order: str) -> ir.Store:
    return ir.Store(X, ir.Const(1), tagged(order, "A"))


def update(order: str) -> list[ir.Instruction]:
    tags = tagged(order, "A", "RMW")
    read = ir.Load("r", X, tags, link=True)
    return [read, ir.Store(X, ir.Op("add", (R, ir.Const(1)), 32), tags, link=True)]


# paper 004, Table 2.1
TABLE = [
    ("tso", "R[]", "R[]", "R[]", "W[]", "W[]", "W[] F[MFENCE]"),
    ("power", "R[]", "R[] F[LWSYNC]", "F[SYNC] R[] F[LWSYNC]", "W[]", "F[LWSYNC] W[]", "F[SYNC] W[]"),
    (
        "armv7",
        "R[]",
        "R[] F[DMB.ISH]",
        "R[] F[DMB.ISH]",
        "W[]",
        "F[DMB.ISH] W[]",
        "F[DMB.ISH] W[] F[DMB.ISH]",
    ),
    ("aarch64", "R[]", "R[A]", "R[A]", "W[]", "W[L]", "W[L]"),
    (
        "riscv",
        "R[]",
        "R[] F[Fence.r.rw]",
        "F[Fence.rw.rw] R[] F[Fence.r.rw]",
        "W[]",
        "F[Fence.rw.w] W[]",
        "F[Fence.rw.w] W[]",
    ),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_loads_and_stores_follow_the_table(row: tuple[str, ...]) -> None:
    target, *expected = row
    operations = (load("RLX"), load("ACQ"), load("SC"), store("RLX"), store("REL"), store("SC"))
    assert [shape(compiled(target, operation)) for operation in operations] == expected


@pytest.mark.parametrize(
    ("target", "relaxed", "both", "sequential"),
    [
        ("sc", "R[X] W[X]", "R[X] W[X]", "R[X] W[X]"),
        ("tso", "R[X] W[X]", "R[X] W[X]", "R[X] W[X]"),
        ("pso", *["F[MFENCE] R[X] W[X] F[MFENCE]"] * 3),
        ("power", "R[X] W[X]", "F[LWSYNC] R[X] W[X] F[LWSYNC]", "F[SYNC] R[X] W[X] F[LWSYNC]"),
        ("armv7", "R[X] W[X]", *["F[DMB.ISH] R[X] W[X] F[DMB.ISH]"] * 2),
        ("aarch64", "R[X] W[X]", "R[A X] W[L X]", "R[A X] W[L X]"),
        ("riscv", "R[AMO X] W[AMO X]", *["R[AMO AcqRel X] W[AMO AcqRel X]"] * 2),
    ],
)
def test_read_modify_writes_are_fenced_outside_their_two_halves(
    target: str, relaxed: str, both: str, sequential: str
) -> None:
    orders = ("RLX", "ACQ_REL", "SC")
    assert [shape(compiled(target, *update(order))) for order in orders] == [relaxed, both, sequential]


@pytest.mark.parametrize(
    ("target", "acquire", "release", "both", "sequential"),
    [
        ("sc", "", "", "", ""),
        ("tso", "", "", "", "F[MFENCE]"),
        ("pso", "", "F[MEMBAR.SS]", "F[MEMBAR.SS]", "F[MFENCE]"),
        ("power", "F[LWSYNC]", "F[LWSYNC]", "F[LWSYNC]", "F[SYNC]"),
        ("aarch64", "F[DMB.ISHLD]", "F[DMB.ISH]", "F[DMB.ISH]", "F[DMB.ISH]"),
        ("riscv", "F[Fence.r.rw]", "F[Fence.rw.w]", "F[Fence.tso]", "F[Fence.rw.rw]"),
    ],
)
def test_fences_of_the_language_become_those_of_the_target(
    target: str, acquire: str, release: str, both: str, sequential: str
) -> None:
    tags = [("ACQ",), ("REL",), ("ACQ_REL",), ("SC", "MFENCE")]
    found = [shape(compiled(target, ir.Fence(tagged(*names)))) for names in tags]
    assert found == [acquire, release, both, sequential]


@pytest.mark.parametrize("target", ["tso", "pso", "power", "armv7", "aarch64", "riscv"])
def test_plain_accesses_stay_plain(target: str) -> None:
    plain = tagged("NA")
    thread = compiled(target, ir.Load("r", X, plain), ir.Store(X, R, plain))
    assert shape(thread) == "R[] W[]"


def test_fences_of_inline_assembly_are_left_alone() -> None:
    assert shape(compiled("power", ir.Fence(tagged("LWSYNC")), ir.Fence(tagged("MFENCE")))) == (
        "F[LWSYNC] F[MFENCE]"
    )


def test_store_barriers_of_any_domain_mean_something_on_armv7() -> None:
    assert {"DMB.ISHST", "DSB.OSHST"} <= load_model("armv7").base_names()
    assert shape(compiled("aarch64", ir.Fence(tagged("DMB.ISHST")))) == "F[DMB.ISHST]"


def test_a_fence_next_to_a_full_one_is_not_doubled() -> None:
    full = ir.Fence(tagged("SC", "MFENCE"))
    assert shape(compiled("armv7", full, store("SC"), full)) == "F[DMB.ISH] W[] F[DMB.ISH]"


def test_a_fence_before_a_label_does_not_serve_who_jumps_there() -> None:
    full = ir.Fence(tagged("SC", "MFENCE"))
    thread = compiled("power", full, store("SC"), labels={"again": 1, "end": 2})
    assert shape(thread) == "F[SYNC] F[SYNC] W[]"
    assert thread.labels == {"again": 1, "end": 3}


def test_atomic_blocks_stand_between_full_fences() -> None:
    block = (ir.AtomicBegin(), ir.Store(X, R, tagged("NA")), ir.AtomicEnd())
    assert shape(compiled("tso", *block)) == "F[MFENCE] W[] F[MFENCE]"
    assert shape(compiled("sc", *block)) == "W[]"


@pytest.mark.parametrize("target", ["c11", "rc11", "imm"])
def test_language_models_take_the_program_as_it_is(target: str) -> None:
    thread = compiled(target, load("ACQ"), *update("SC"), ir.Fence(tagged("REL")), ir.Fence(tagged("DMB.SY")))
    assert shape(thread) == "R[A ACQ] R[A RMW SC] W[A RMW SC] F[REL] F[SC]"


def test_a_partial_fence_of_hardware_is_refused_by_language_models() -> None:
    with pytest.raises(Unsupported, match="LWSYNC"):
        compiled("rc11", ir.Fence(tagged("LWSYNC")))


def test_the_kernel_model_refuses_atomics_of_c() -> None:
    with pytest.raises(Unsupported, match="Linux"):
        compiled("lkmm", store("REL"))
    locked = [ir.Fence(tagged("SC", "MFENCE")), *update("SC"), ir.Fence(tagged("SC", "MFENCE"))]
    assert shape(compiled("lkmm", *locked)) == "F[MB Mb] R[ONCE Once RMW] W[ONCE Once RMW] F[MB Mb]"
    assert shape(compiled("lkmm", ir.Load("r", X, tagged("Once")))) == "R[Once]"


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(InputError, match="vax"):
        compiled("vax")


def test_the_given_program_is_not_changed() -> None:
    thread = ir.Thread("main", (store("SC"),))
    compile_program(ir.Program((thread,)), "armv7")
    assert len(thread.instructions) == 1
    assert thread.instructions[0] == store("SC")


@pytest.mark.parametrize("name", TARGETS)
def test_a_shipped_model_is_its_own_target(name: str) -> None:
    assert target_of(name, load_model(name).base_names()) == name


@pytest.mark.parametrize(
    "name", ["tso", "pso", "rmo", "alpha", "power", "armv7", "aarch64", "riscv", "rc11", "lkmm"]
)
def test_the_target_of_a_model_under_another_name_follows_from_what_it_mentions(name: str) -> None:
    assert target_of("mine", load_model(name).base_names()) == name
