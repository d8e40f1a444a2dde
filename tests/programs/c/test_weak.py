"""Weak compare-exchanges fail in vain only where that makes a difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.programs import ir
from treville.programs.c import load_program

pytest.importorskip("llvmlite")

HEAD = """
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int word; int plain;
struct node { struct node *next; };
_Atomic(struct node *) top;
"""
REPEATED = {
    "expected in a variable": "int old = word; while (!atomic_compare_exchange_weak(&word, &old, old + 1));",
    "expected read again": "int old; do old = word; while (!atomic_compare_exchange_weak(&word, &old, 1));",
    "a constant": "for (;;) { int no = 0; if (atomic_compare_exchange_weak(&word, &no, 1)) break; }",
    "expected in a node": """struct node *node = malloc(sizeof *node); node->next = top;
        while (!atomic_compare_exchange_weak(&top, &node->next, node));""",
    "with a yield": """int old = word;
        while (!atomic_compare_exchange_weak(&word, &old, old + 1)) sched_yield();""",
    "another way out": """for (;;) { struct node *node = top; if (!node) break;
        struct node *next = node->next; if (atomic_compare_exchange_weak(&top, &node, next)) break; }""",
}
DIFFERENT = {
    "tried once": "int no = 0; if (atomic_compare_exchange_weak(&word, &no, 1)) plain = 1;",
    "counted": """int old = word;
        while (!atomic_compare_exchange_weak(&word, &old, old + 1)) plain++;""",
    "counted in a register": """int old = word, tries = 0;
        while (!atomic_compare_exchange_weak(&word, &old, old + 1)) tries++; plain = tries;""",
    "a write in each round": """for (;;) { plain = 1; int old = word;
        if (atomic_compare_exchange_weak(&word, &old, 1)) break; }""",
    "another value next time": """int old = 0, more = 0;
        while (!atomic_compare_exchange_weak(&word, &old, more)) { more = 1; old = 0; }""",
}


def choices(tmp_path: Path, code: str) -> int:
    path = tmp_path / "program.c"
    path.write_text(f"{HEAD}int main(void) {{ {code} return 0; }}\n")
    code_of_main = load_program(path).threads[0].instructions
    return sum(isinstance(instruction, ir.Havoc) for instruction in code_of_main)


@pytest.mark.parametrize("code", REPEATED.values(), ids=REPEATED)
def test_a_loop_that_only_tries_again_chooses_nothing(tmp_path: Path, code: str) -> None:
    assert choices(tmp_path, code) == 0


@pytest.mark.parametrize("code", DIFFERENT.values(), ids=DIFFERENT)
def test_elsewhere_the_exchange_may_fail_in_vain(tmp_path: Path, code: str) -> None:
    assert choices(tmp_path, code) == 1
