"""Bounds that programs give to their own loops."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reporting import Options, answers

from treville.programs import ir
from treville.programs.c import load_program
from treville.results.properties import Property

pytest.importorskip("llvmlite")

HEAD = "#include <assert.h>\n#include <dat3m.h>\nvolatile int x;\n"


def load(folder: Path, body: str) -> ir.Program:
    file = folder / "program.c"
    file.write_text(f"{HEAD}int main(void) {{\n{body}\nreturn 0; }}\n")
    return load_program(file)


def bounds(program: ir.Program) -> dict[int, int]:
    """Bounds by line, counted from the first one of the body."""
    return {line - 4: bound for (_, line), bound in program.loop_bounds.items()}


def test_an_annotation_bounds_the_next_loop_and_no_other(tmp_path: Path) -> None:
    loops = "while (x < 3) x++;\n"
    assert bounds(load(tmp_path, f"{loops}__VERIFIER_loop_bound(5);\n{loops}{loops}")) == {3: 5}


def test_in_a_loop_it_bounds_the_inner_one(tmp_path: Path) -> None:
    body = "while (x) {\n__VERIFIER_loop_bound(7);\nwhile (x < 3) x++;\n}"
    assert bounds(load(tmp_path, body)) == {3: 7}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("__VERIFIER_loop_bound(3);\nx = 1;", "left no loop"),
        ("__VERIFIER_loop_bound(x);\nwhile (x < 3) x++;", "no positive constant"),
        ("__VERIFIER_loop_bound(0);\nwhile (x < 3) x++;", "no positive constant"),
        ("__VERIFIER_loop_bound(2);\n__VERIFIER_loop_bound(3);\nwhile (x < 3) x++;", "left no loop"),
    ],
)
def test_one_that_bounds_nothing_is_told(tmp_path: Path, body: str, why: str) -> None:
    program = load(tmp_path, body)
    (notice,) = program.notices
    assert why in notice.sentence
    assert notice.span is not None


@pytest.mark.parametrize(("bound", "verdict"), [(2, "UNKNOWN"), (6, "FAIL")])
def test_the_solver_goes_as_far_as_the_program_says(tmp_path: Path, bound: int, verdict: str) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        f"{HEAD}int main(void) {{\n__VERIFIER_loop_bound({bound});\nwhile (x < 5) x++;\nassert(x != 5);\n}}\n"
    )
    options = Options(seconds=60, properties=(Property.ASSERTION,), engine="lazy")
    (report,) = answers(str(file), ["aarch64"], options)
    assert report["verdict"] == verdict


def test_a_bound_on_the_command_line_is_stronger(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        f"{HEAD}int main(void) {{\n__VERIFIER_loop_bound(2);\nwhile (x < 5) x++;\nassert(x != 5);\n}}\n"
    )
    options = Options(seconds=60, properties=(Property.ASSERTION,), engine="lazy", loops=("6=6",))
    (report,) = answers(str(file), ["aarch64"], options)
    assert report["verdict"] == "FAIL"
