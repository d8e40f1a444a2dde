"""Accesses of C programs that overlap in parts are refused."""

from pathlib import Path

import pytest

from treville.campaigns.check import Options, answers

pytest.importorskip("llvmlite")

HEADER = "#include <assert.h>\n#include <stdlib.h>\n"


def verdict(tmp_path: Path, code: str) -> str:
    path = tmp_path / "program.c"
    path.write_text(HEADER + code)
    (report,) = answers(str(path), ["sc"], Options(seconds=60, engine="lazy"))
    return report["reason"] if report["status"] == "error" else report["verdict"]


@pytest.mark.parametrize(
    "code",
    [
        "int main(void) { int *p = malloc(8); p[0] = 1; p[1] = 2; assert(*(long *)p); return 0; }",
        "int main(void) { long *p = malloc(8); *p = 1; assert(!((int *)p)[1]); return 0; }",
        "union { int i; char c[4]; } u; int main(void) { u.i = 1; assert(!u.c[1]); return 0; }",
        "struct { int a, b; } s; int main(void) { s.a = 1; assert(*(long *)&s); return 0; }",
    ],
)
def test_reading_pieces_of_several_writes_is_refused_with_its_place(tmp_path: Path, code: str) -> None:
    found = verdict(tmp_path, code)
    assert "mixed-size" in found
    assert ":3:" in found


@pytest.mark.parametrize(
    "code",
    [
        "int main(void) { int *p = malloc(8); p[0] = 1; p[1] = 2; assert(p[0] + p[1] == 3); return 0; }",
        "int main(void) { long *p = malloc(8); *p = 1L << 32 | 7; assert(*(int *)p == 7); return 0; }",
        "struct { char c; short s; int i; } s; int main(void) { s.s = 1; s.i = 2; assert(!s.c); return 0; }",
    ],
)
def test_whole_cells_and_their_lower_parts_can_be_read(tmp_path: Path, code: str) -> None:
    assert verdict(tmp_path, code) == "PASS"
