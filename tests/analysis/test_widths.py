"""Accesses that overlap in parts are refused."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.asking import reach_failure
from tests.byte_memory import random_accesses
from tests.reporting import Options, answers
from tests.seeds import conclusive

from treville.models.library import load_model
from treville.programs import ir
from treville.programs.cells import with_one_width_per_cell
from treville.results import Budget, Unsupported

pytest.importorskip("llvmlite")

HEADER = "#include <assert.h>\n#include <stdlib.h>\n"


def verdict(tmp_path: Path, code: str) -> str:
    path = tmp_path / "program.c"
    path.write_text(HEADER + code)
    (report,) = answers(str(path), ["sc"], Options(seconds=60, engine="lazy"))
    return str(report["reason"] if report["status"] == "error" else report["verdict"])


RACE = """#include <pthread.h>
#include <stdatomic.h>
%s
void *run(void *unused) { %s return unused; }
int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); %s return 0; }"""


@pytest.mark.parametrize(
    "code",
    [
        RACE % ("union { int i; char c[4]; } u;", "u.i = 1;", "assert(!u.c[1]);"),
        RACE % ("struct { int a, b; } s;", "s.a = 1;", "assert(*(long *)&s >= 0);"),
        RACE % ("union { atomic_int i; atomic_char c; } u;", "u.i = 1;", "u.c = 2; assert(u.i);"),
    ],
)
def test_racing_accesses_of_different_sizes_are_refused_with_their_place(tmp_path: Path, code: str) -> None:
    found = verdict(tmp_path, code)
    assert "mixed-size" in found
    assert ":6:" in found or ":7:" in found


@pytest.mark.parametrize(
    "code",
    [
        "int main(void) { int *p = malloc(8); p[0] = 1; p[1] = 2; assert(p[0] + p[1] == 3); return 0; }",
        "int main(void) { long *p = malloc(8); *p = 1L << 32 | 7; assert(*(int *)p == 7); return 0; }",
        "struct { char c; short s; int i; } s; int main(void) { s.s = 1; s.i = 2; assert(!s.c); return 0; }",
        "int main(void) { int *p = malloc(8); p[0] = 1; p[1] = 2; assert(*(long *)p >> 31 == 4); return 0; }",
        "int main(void) { long *p = malloc(8); *p = 1; assert(!((int *)p)[1]); return 0; }",
        "union { int i; char c[4]; } u; int main(void) { u.i = 256; assert(u.c[1] == 1); return 0; }",
        "struct { int a, b; } s = {0, 2}; int main(void) { s.a = 1; assert(*(long *)&s == (2L << 32 | 1)); }",
        RACE % ("union { int i; char c[4]; } u;", "u.i = 1;", "pthread_join(t, 0); assert(u.c[0]);"),
    ],
)
def test_whole_cells_and_their_parts_can_be_read(tmp_path: Path, code: str) -> None:
    assert verdict(tmp_path, code) == "PASS"


def test_a_load_finds_the_bytes_of_memory_or_is_refused() -> None:
    """Random accesses that overlap in any way: no answer is wrong, and what does not overlap is answered."""
    model, answered, refused = load_model("sc"), 0, 0
    for seed in range(150):
        program, apart = random_accesses(seed)
        try:
            found = reach_failure(program, model, 1, Budget())
        except Unsupported:
            found = None
        assert found is not None or not apart, seed
        assert found is None or found.execution is None, seed
        answered, refused = answered + (found is not None), refused + (found is None)
    assert conclusive(min(answered, refused) > 20)


def plain(thread: ir.Thread) -> ir.Thread:
    """The thread with accesses that are not atomic."""
    accesses = ir.Load | ir.Store
    code = [replace(i, tags=frozenset({"NA"})) if isinstance(i, accesses) else i for i in thread.instructions]
    return replace(thread, instructions=tuple(code))


def test_once_cells_are_made_every_load_finds_the_bytes_of_memory() -> None:
    model = load_model("sc")
    for seed in range(60):
        program = with_one_width_per_cell(random_accesses(seed).program.rewritten(plain))
        found = reach_failure(program, model, 1, Budget())
        assert found.execution is None, seed


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_a_wide_read_of_a_narrow_write_is_refused(bits: int) -> None:
    """Nothing else is accessed there, so the read alone shows it."""
    code = (
        ir.Allocate("p", ir.Const(8), zeroed=True, heap=True),
        ir.Store(ir.Reg("p"), ir.Const(1), bits=bits),
        ir.Load("r", ir.Reg("p"), bits=2 * bits),
    )
    with pytest.raises(Unsupported, match="mixed-size"):
        reach_failure(ir.Program((ir.Thread("main", code),)), load_model("sc"), 1, Budget())


def test_the_lower_part_of_any_number_can_be_read(tmp_path: Path) -> None:
    code = """extern long __VERIFIER_nondet_long(void);
    int main(void) {
        long v = __VERIFIER_nondet_long(), *p = malloc(8);
        *p = v;
        int low = *(int *)p;
        if (v == (5L << 32 | 7)) assert(low != 7);
        return 0;
    }"""
    assert verdict(tmp_path, code) == "FAIL"
