"""Who looks at the numbers of addresses is told that these are fixed; who only uses pointers is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.programs.c import load_program
from treville.programs.c.address_numbers import TOLD

pytest.importorskip("llvmlite")

_HEAD = """#include <stdint.h>
#include <stdlib.h>
int x, y, many[9];
static int before(int *one, int *other) { return one < other; }
int main(void) {
    int *m = malloc(8), *n = malloc(8), sum = 0;
    int *who = (int *)(uintptr_t)3;
"""


def _lines(tmp_path: Path, code: str) -> list[int]:
    path = tmp_path / "addresses.c"
    path.write_text(_HEAD + code + "\n    return sum;\n}\n")
    program = load_program(path)
    return [each.span.line for each in program.notices if each.sentence == TOLD and each.span is not None]


@pytest.mark.parametrize(
    "code",
    [
        "sum = m < n;", "sum = (uintptr_t)&x > (uintptr_t)&y;", "sum = ((uintptr_t)m & 63) == 0;",
        "sum = ((uintptr_t)m >> 4) % 8;", "sum = (uintptr_t)m - (uintptr_t)n > 9;",
        "sum = (int)(uintptr_t)m;",
    ],
)  # fmt: skip
def test_numbers_matter(tmp_path: Path, code: str) -> None:
    assert set(_lines(tmp_path, code)) == {8}


def test_an_order_in_a_function_that_is_inlined(tmp_path: Path) -> None:
    assert _lines(tmp_path, "sum = before(m, n);") == [4]


@pytest.mark.parametrize(
    "code",
    [
        "for (int *p = many; p < many + 9; p++) sum += *p;", "sum = m == n;",
        "sum = before(&many[1], &many[2]);",
        "uintptr_t flagged = (uintptr_t)m | 1; sum = flagged & 1; m = (int *)(flagged & ~(uintptr_t)1);",
        "sum = (int)(uintptr_t)who % 2;", "sum = &many[7] - many;",
        "sum = *(int *)((char *)&many[1] - ((char *)&many[1] - (char *)many));",
    ],
)  # fmt: skip
def test_pointers_are_no_numbers(tmp_path: Path, code: str) -> None:
    assert _lines(tmp_path, code) == []
