"""Loops that wait with their test in front are seen to wait; others stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reporting import Options, answers

from treville.programs.ir import Branch, Const, Load, Local, Op, Program, Reg, Thread
from treville.programs.rotation import with_tests_behind
from treville.programs.spin import spin_jumps
from treville.results.properties import Property

X = Const(1 << 30)
FLAG = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int busy = 1;
int letter;
void *write_letter(void *unused) {
  letter = 42;
  atomic_store_explicit(&busy, %s, memory_order_%s);
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, write_letter, 0);
  int waiting = atomic_load_explicit(&busy, memory_order_acquire);
  while (waiting)
    waiting = atomic_load_explicit(&busy, memory_order_acquire);
  assert(letter == 42);
  return 0;
}
"""


def waiting(before: list[Load | Local]) -> Program:
    """`v := x; while (v) { ...; v := x }`."""
    code = (
        Load("v", X),
        Branch("body", Op("ne", (Reg("v"), Const(0)), 32)),
        Branch("end"),
        *before,
        Load("v", X),
        Branch("head"),
    )
    return Program((Thread("main", code, {"head": 1, "body": 3, "end": len(code)}),))


def test_a_loop_with_its_test_in_front_only_waits_once_it_is_behind() -> None:
    program = waiting([])
    assert spin_jumps(program.threads[0]) == set()
    thread = with_tests_behind(program).threads[0]
    assert [type(instruction).__name__ for instruction in thread.instructions] == [
        "Load", "Branch", "Branch", "Load", "Branch", "Branch",
    ]  # fmt: skip
    assert spin_jumps(thread) == {4}
    assert thread.labels == {"head": 1, "body": 3, "end": 6}


def test_a_loop_that_counts_stays_as_it_is() -> None:
    program = waiting([Local("n", Op("add", (Reg("n"), Const(1)), 32))])
    before = program.threads[0].instructions
    assert with_tests_behind(program).threads[0].instructions == before


@pytest.mark.parametrize(
    ("value", "order", "prop", "verdict"),
    [
        ("0", "release", "assertion", "PASS"),
        ("0", "relaxed", "assertion", "FAIL"),
        ("0", "release", "liveness", "PASS"),
        ("2", "release", "liveness", "FAIL"),
    ],
)
def test_programs_that_wait_like_that_need_no_bound(
    tmp_path: Path, value: str, order: str, prop: str, verdict: str
) -> None:
    pytest.importorskip("llvmlite")
    path = tmp_path / "program.c"
    path.write_text(FLAG % (value, order))
    options = Options(bound=1, seconds=60, properties=(Property(prop),), engine="lazy")
    assert [report["verdict"] for report in answers(str(path), ["rc11"], options)] == [verdict]
