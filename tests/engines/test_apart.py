"""Races that the code rules out, and those that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.engines.decide.apart import Apart, may_race
from treville.engines.task import ready_task
from treville.models.library import load_model
from treville.programs.c import load_program
from treville.programs.ir import Branch, Const, Instruction, Load, Spawn, Thread
from treville.programs.starting import before_threads
from treville.results.properties import Property

pytest.importorskip("llvmlite")

HEAD = """
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int data, other;
int many[4];
"""
MAIN = """
int main(void) {
    pthread_t one, two;
    %s
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, %s, 0);
    return 0;
}
"""
SPINS = "static void *first(void *u) { for (;;) { x++; if (y) x--; } return 0; }"
APART = {
    "atomic for ever": SPINS + MAIN % ("", "first"),
    "written before": SPINS + MAIN % ("data = 1; for (int i = 0; i < 3; i++) other += i;", "first"),
    "data of one thread": "static void *first(void *u) { data++; return 0; }"
    "static void *second(void *u) { other = x; return 0; }" + MAIN % ("", "second"),
    "only read": "static void *first(void *u) { x = data; return 0; }" + MAIN % ("data = 2;", "first"),
}
TOGETHER = {
    "by two threads": "static void *first(void *u) { data++; return 0; }"
    "static void *second(void *u) { x = data; return 0; }" + MAIN % ("", "second"),
    "by a function that two threads run": "static void *first(void *u) { data = 1; return 0; }"
    + MAIN % ("", "first"),
    "after a thread was started": SPINS.replace("x++", "x = data")
    + MAIN.replace("return 0;", "data = 1; return 0;") % ("", "first"),
    "at a place that is not known": "static void *first(void *u) { many[x & 3] = 1; return 0; }"
    + MAIN % ("", "first"),
    "atomically and not": "static void *first(void *u) { x++; return 0; }"
    "static void *second(void *u) { *(int *)&x = 1; return 0; }" + MAIN % ("", "second"),
}


@pytest.mark.parametrize("name", [*APART, *TOGETHER])
def test_races_are_ruled_out_where_threads_share_nothing_but_atomics(name: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(HEAD + (APART | TOGETHER)[name])
    assert may_race(load_program(path)) == (name in TOGETHER)


def test_only_races_of_models_that_are_known_are_ruled_out(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(HEAD + APART["atomic for ever"])
    program = load_program(path)
    for model, goal, suits in (
        ("rc11", Property.RACE, True), ("rc11", Property.SAFETY, False), ("tso", Property.RACE, False),
    ):  # fmt: skip
        assert bool(Apart().suits(ready_task(program, load_model(model), goal))) == suits


def test_loops_around_starts_of_threads_are_not_before_them() -> None:
    """A jump back to before the start may be followed by another one, further back."""
    load: Instruction = Load("r", Const(0x4000_0000))
    code: tuple[Instruction, ...] = (
        load, load, load, Branch("outer", Const(1)),
        load, Spawn("t", "f", Const(0)), Branch("inner", Const(1)),
    )  # fmt: skip
    assert before_threads(Thread("main", code, {"outer": 1, "inner": 3})) == 1
    assert before_threads(Thread("main", code, {"outer": 1, "inner": 4})) == 4
