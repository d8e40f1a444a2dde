"""What objects hold is what a native run finds there, whatever the widths of accesses, models and engines."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.native import Expecting, native_output, one_of, verdict_of
from tests.random_layouts import Layouts, file_of
from tests.seeds import generator

from treville.programs.c import Unit, read_unit

pytest.importorskip("llvmlite")

HERE = Path(__file__).parent
OBJECTS = HERE / "objects" / "objects.c"
PROGRAMS = 11
RANDOM_PROGRAMS = 4
ASKED = (
    ("sc", "auto"),
    ("tso", "auto"),
    ("rc11", "auto"),
    ("power", "auto"),
    ("sc", "eager"),
    ("aarch64", "lazy"),
)


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    """The numbers that the programs compute on this machine."""
    source = tmp_path_factory.mktemp("native") / OBJECTS.name
    source.write_text(OBJECTS.read_text())
    return [int(line) for line in native_output(source)]


@pytest.fixture(scope="module")
def unit() -> Unit:
    """All programs as they were read."""
    return read_unit(OBJECTS)


@pytest.mark.parametrize("number", range(PROGRAMS))
def test_objects_hold_what_they_hold_natively(number: int, sums: list[int], unit: Unit) -> None:
    program = one_of(unit, f"p{number}_")
    for model, engine in ASKED[:4]:
        right, wrong = Expecting(program, sums[number]), Expecting(program, sums[number] + 1)
        assert (model, verdict_of(right, model, engine)) == (model, "PASS")
        assert (model, verdict_of(wrong, model, engine)) == (model, "FAIL")


@pytest.mark.parametrize("threads", [False, True])
def test_random_programs_compute_what_they_compute_natively(threads: bool, tmp_path: Path) -> None:
    rng = generator(f"layouts {threads}")
    seeds = [rng.randrange(1 << 30) for _ in range(RANDOM_PROGRAMS)]
    made = [
        (f"p{n}_", Layouts(random.Random(seed), f"p{n}_", threads).program()) for n, seed in enumerate(seeds)
    ]
    source = tmp_path / "layouts.c"
    source.write_text(file_of(made))
    sums, unit = native_output(source), read_unit(source)
    for number, ((prefix, _), computed) in enumerate(zip(made, sums, strict=True)):
        model, engine = ASKED[number % len(ASKED)]
        program = one_of(unit, prefix)
        answers = [verdict_of(Expecting(program, int(computed) + wrong), model, engine) for wrong in (0, 1)]
        assert (prefix, model, engine, answers) == (prefix, model, engine, ["PASS", "FAIL"])
