"""The C that is written: it compiles, runs by lot, bounds what it is told to, and CBMC agrees with it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.sequential.test_rounds import unit_of

from treville.models.library import load_model
from treville.passes.program import Context
from treville.programs.c import Unit, read_unit
from treville.programs.litmus import parse
from treville.questions.sequentialisation import Wanted, sequentialised
from treville.results.properties import Property
from treville.sequential.dialects import Dialect
from treville.sequential.rounds import Bounds

ROOT = Path(__file__).resolve().parents[2]
GCC = shutil.which("gcc") or shutil.which("cc")
CBMC = shutil.which("cbmc")
needs_a_compiler = pytest.mark.skipif(GCC is None, reason="no C compiler")


def compiles(text: str, folder: Path) -> None:
    path = folder / "out.c"
    path.write_text(text)
    assert GCC is not None
    command = [GCC, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(path)]
    subprocess.run(command, check=True, timeout=60)


def ends_of(text: str, folder: Path, seeds: int) -> list[int]:
    """How the runs of the first seeds end."""
    path, program = folder / "out.c", folder / "out"
    path.write_text(text)
    assert GCC is not None
    subprocess.run([GCC, "-O1", "-o", str(program), str(path)], check=True, timeout=60)
    return [ends_with(program, seed) for seed in range(seeds)]


@needs_a_compiler
@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("sma", ["lists", "reference"])
def test_what_is_written_compiles_without_warnings(tmp_path: Path, dialect: Dialect, sma: str) -> None:
    for model in ("sc", "tso", "pso"):
        wanted = Wanted(Bounds(2, 3, 2), 1, 32, dialect, sma)
        made = sequentialised(unit_of(tmp_path), Context(load_model(model), Property.SAFETY), wanted, "sb.c")
        compiles(made.text, tmp_path)


@needs_a_compiler
@pytest.mark.parametrize(
    ("file", "defines"),
    [
        ("dekker.c", ("F=0",)),
        ("condition.c", ()),
        ("workers.c", ()),
        ("layouts.c", ()),
        ("stack.c", ("N=2",)),
        ("fresh_memory.c", ()),
        ("treiber_stack.c", ()),
    ],
)
def test_real_programs_compile_in_every_dialect(tmp_path: Path, file: str, defines: tuple[str, ...]) -> None:
    """Loops that are cut, joins in branches, condition variables, pointers, structs, fresh memory."""
    unit = read_unit(ROOT / "tests/c/safe" / file, defines)
    for dialect in Dialect:
        wanted = Wanted(Bounds(2, 3, 2), 1, 32, dialect)
        made = sequentialised(unit, Context(load_model("pso"), Property.SAFETY), wanted, file)
        compiles(made.text, tmp_path)


def asserting(folder: Path, condition: str) -> Unit:
    path = folder / "asserting.c"
    main = f"int main(void) {{ x++; assert({condition}); return 0; }}"
    path.write_text(f"#include <assert.h>\nint x;\n{main}\n")
    return read_unit(path)


@needs_a_compiler
@pytest.mark.parametrize("dialect", list(Dialect))
def test_messages_are_no_code(tmp_path: Path, dialect: Dialect) -> None:
    """What a source line says ends no comment, and is no trigraph."""
    unit = asserting(tmp_path, r'x == 1 && "**// what??/ \"a\" //** %d"')
    wanted = Wanted(Bounds(1, 1, 2), 1, 32, dialect)
    made = sequentialised(unit, Context(load_model("sc"), Property.SAFETY), wanted, "asserting.c")
    compiles(made.text, tmp_path)


def test_larger_macros_have_wider_numbers(tmp_path: Path) -> None:
    """CBMC's numbers have as many bits as the bounds need; macros may be set to more than these hold."""
    for sma, macros in (("lists", "K < 8 && N < 8"), ("reference", "N < 8")):
        wanted = Wanted(Bounds(2, 3, 2), 1, 32, Dialect.CBMC, sma)
        made = sequentialised(unit_of(tmp_path), Context(load_model("tso"), Property.SAFETY), wanted, "sb.c")
        assert f"typedef unsigned __CPROVER_bitvector[{macros} ? 4 : 32] uint;" in made.text


def ends_with(program: Path, seed: int) -> int:
    return subprocess.run([program, str(seed)], capture_output=True, check=False).returncode


@needs_a_compiler
def test_plain_c_runs_by_lot_and_the_same_way_each_time(tmp_path: Path) -> None:
    wanted = Wanted(Bounds(2, 3, 2), 1, 32, Dialect.C)
    ends = {}
    for fence in ("", "__sync_synchronize();"):
        unit = unit_of(tmp_path, fence)
        made = sequentialised(unit, Context(load_model("pso"), Property.SAFETY), wanted, "sb.c")
        codes = ends_of(made.text, tmp_path, 900)
        assert codes[:50] == [ends_with(tmp_path / "out", seed) for seed in range(50)]
        ends[fence] = set(codes)
    assert 1 in ends[""]
    assert 1 not in ends["__sync_synchronize();"]


CELLS = """
#include <assert.h>
int a[4], both;
int __VERIFIER_nondet_int(void);
int main(void) {
    int i = __VERIFIER_nondet_int() & 3, j = __VERIFIER_nondet_int() & 3;
    a[i] = 1;
    a[j] += 2;
    assert(a[i] != 1 || a[j] != 2);
    return 0;
}
"""
OBJECTS = """
#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int *p = malloc(sizeof *p), *q = p;
    *p = 1;
    if (__VERIFIER_nondet_int()) {
        q = malloc(sizeof *q);
        *q = 2;
    }
    assert(*q == 1);
    return 0;
}
"""


@needs_a_compiler
@pytest.mark.parametrize(("source", "option"), [(CELLS, "addresses"), (OBJECTS, "blocks")])
def test_fewer_locations_and_objects_are_fewer_runs(tmp_path: Path, source: str, option: str) -> None:
    """The assertions fail only where two cells, or two objects, are used."""
    path = tmp_path / "program.c"
    path.write_text(source)
    unit, ends = read_unit(path), {}
    for most in (1, 2, 3, 0):
        addresses, blocks = (most, 0) if option == "addresses" else (0, most)
        for model in ("sc", "tso"):
            wanted = Wanted(Bounds(1, 2, 2), 1, 32, Dialect.C, "lists", addresses, blocks)
            made = sequentialised(unit, Context(load_model(model), Property.SAFETY), wanted, "program.c")
            compiles(made.text, tmp_path)
            ends[most, model] = set(ends_of(made.text, tmp_path, 200))
    assert {key: 1 in codes for key, codes in ends.items()} == {key: key[0] != 1 for key in ends}
    assert all(0 in codes for codes in ends.values())


@needs_a_compiler
def test_what_is_freed_is_an_object(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(
        "#include <stdlib.h>\nint main(void) { char *p = malloc(4); free(0); free(p + OFFSET); return 0; }\n"
    )
    ends = {}
    for offset in (0, 1):
        wanted = Wanted(Bounds(1, 1, 2), 1, 32, Dialect.C)
        context = Context(load_model("sc"), Property.SAFETY)
        made = sequentialised(read_unit(path, (f"OFFSET={offset}",)), context, wanted, "program.c")
        ends[offset] = 1 in ends_of(made.text, tmp_path, 40)
    assert ends == {0: False, 1: True}


@needs_a_compiler
def test_a_location_that_is_chosen_is_there_once(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(CELLS.replace("a[i] != 1 || a[j] != 2", "i != j || a[i] == 3"))
    wanted = Wanted(Bounds(1, 2, 2), 1, 32, Dialect.C, addresses=3)
    context = Context(load_model("sc"), Property.SAFETY)
    made = sequentialised(read_unit(path), context, wanted, "program.c")
    assert set(ends_of(made.text, tmp_path, 300)) <= {0, 2}


@needs_a_compiler
def test_litmus_tests_become_programs(tmp_path: Path) -> None:
    test = parse((ROOT / "examples/litmus/SB.litmus").read_text(), "SB.litmus")
    ends = {}
    for model in ("sc", "tso", "pso"):
        wanted = Wanted(Bounds(1, 2, 2), 1, 32, Dialect.C)
        made = sequentialised(test, Context(load_model(model), Property.SAFETY), wanted, "SB.litmus")
        assert "the state of exists" in made.text
        compiles(made.text, tmp_path)
        ends[model] = 1 in ends_of(made.text, tmp_path, 600)
    assert ends == {"sc": False, "tso": True, "pso": True}


@pytest.mark.skipif(CBMC is None, reason="no CBMC")
def test_cbmc_says_the_same(tmp_path: Path) -> None:
    for model in ("sc", "tso", "pso"):
        for fence, wrong in (("", model != "sc"), ("__sync_synchronize();", False)):
            context = Context(load_model(model), Property.SAFETY)
            wanted = Wanted(Bounds(2, 2, 2), 1, 32, Dialect.CBMC)
            path = tmp_path / "out.c"
            path.write_text(sequentialised(unit_of(tmp_path, fence), context, wanted, "sb.c").text)
            assert CBMC is not None
            for macros in ((), ("-DK=17", "-DN=5")):
                command = [CBMC, "--unwind", "20", *macros, str(path)]
                run = subprocess.run(command, capture_output=True, timeout=120, check=False)
                assert (run.returncode == 10) == wrong
