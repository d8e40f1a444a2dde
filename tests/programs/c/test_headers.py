"""Programs that were annotated for other tools compile, and their annotations change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reporting import Options, answers

pytest.importorskip("llvmlite")

GENMC = """
#include <assert.h>
#include <genmc.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { int value; struct node *_Atomic next; };
struct node *_Atomic top;

static void *push(void *value) {
  struct node *node = malloc(sizeof *node);
  struct node *old;
  node->value = (int)(intptr_t)value;
  do {
    old = __VERIFIER_speculative_read(atomic_load_explicit(&top, memory_order_relaxed));
    __VERIFIER_local_write(atomic_store_explicit(&node->next, old, memory_order_relaxed));
  } while (!__VERIFIER_confirming_CAS(atomic_compare_exchange_strong_explicit(
      &top, &old, node, memory_order_release, memory_order_relaxed)));
  return value;
}

int main(void) {
  __VERIFIER_thread_t one = __VERIFIER_spawn(push, (void *)1);
  __VERIFIER_thread_t two = __VERIFIER_spawn_symmetric(push, (void *)2, one);
  __VERIFIER_hp_t *hazard = __VERIFIER_hp_alloc();
  struct node *seen = __VERIFIER_hp_protect(hazard, &top);
  if (seen)
    assert(seen->value == 1 || seen->value == 2);
  __VERIFIER_hp_free(hazard);
  assert(__VERIFIER_join(one) == (void *)1);
  __VERIFIER_join_symmetric(two);
  __VERIFIER_optional(while (!top););
  assert(top->value + top->next->value == %d);
  return 0;
}
"""

DAT3M = """
#include <assert.h>
#include <dat3m.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready;
int letter;

static void *write_letter(void *unused) {
  letter = __VERIFIER_nondet_uint();
  __VERIFIER_assume(letter > 40 && letter < 43);
  atomic_store_explicit(&ready, 1, memory_order_release);
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, write_letter, 0);
  await_while (!atomic_load_explicit(&ready, memory_order_acquire)) { }
  assert(letter == 41 || letter == %d);
  return 0;
}
"""


@pytest.mark.parametrize(
    ("code", "number", "verdict"),
    [(GENMC, 3, "PASS"), (GENMC, 4, "FAIL"), (DAT3M, 42, "PASS"), (DAT3M, 43, "FAIL")],
)
def test_annotated_programs_are_checked(tmp_path: Path, code: str, number: int, verdict: str) -> None:
    path = tmp_path / "program.c"
    path.write_text(code % number)
    for report in answers(str(path), ["sc", "rc11"], Options(seconds=60)):
        assert report["verdict"] == verdict, report["reason"]
