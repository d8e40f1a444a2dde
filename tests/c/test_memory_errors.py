"""An access outside every object is a failure, not a run that does not count."""

from pathlib import Path

import pytest
from tests.asking import reach, reach_failure

from treville.models.library import load_model
from treville.programs.c import load_program
from treville.programs.ir import Load, Store
from treville.results import Budget

PUBLISHED_LATE = """
#include <pthread.h>
int *p; int x;
void *publish(void *unused) { p = &x; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, publish, 0);
  %s
  int v = *p;
  pthread_join(t, 0);
  return v;
}
"""


def failed(tmp_path: Path, code: str) -> list[type]:
    path = tmp_path / "program.c"
    path.write_text(code)
    program, model = load_program(path), load_model("sc")
    found = reach_failure(program, model, 2, Budget(60)).failed
    for encoding in ("clocks", "conflicts"):
        assert reach(program, model, 2, Budget(60), encoding).failed == found
    return [type(instruction) for instruction in found]


def test_a_null_pointer_is_not_written_through(tmp_path: Path) -> None:
    assert failed(tmp_path, "int main(void) { int *p = 0; *p = 1; return 0; }") == [Store]


def test_an_array_is_not_written_behind_its_end(tmp_path: Path) -> None:
    assert failed(tmp_path, "int a[2]; int main(void) { a[5] = 1; return 0; }") == [Store]
    assert failed(tmp_path, "int a[2]; int main(void) { a[1] = 1; return 0; }") == []


@pytest.mark.parametrize(("waits", "fails"), [("", [Load]), ("if (!p) return 0;", [])])
def test_a_pointer_read_before_its_publication_fails(tmp_path: Path, waits: str, fails: list[type]) -> None:
    assert failed(tmp_path, PUBLISHED_LATE % waits) == fails


def test_what_follows_an_access_outside_objects_does_not_hide_it(tmp_path: Path) -> None:
    code = """
    #include <assert.h>
    int array[4] = {1, 2, 3}, *p, seen;
    int main(void) {
      p = &array[3];
      p++;
      seen = *p;
      p = &array[array[seen & 3] & 3];
      seen = *p;
      assert(seen == 77);
      return 0;
    }
    """
    assert failed(tmp_path, code)[0] is Load


PUBLISHED_WITHOUT_ORDER = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int *_Atomic where; };
struct node *_Atomic published;
int target;
void *publish(void *unused) {
  struct node *node = malloc(sizeof *node);
  atomic_store_explicit(&node->where, &target, memory_order_relaxed);
  atomic_store_explicit(&published, node, memory_order_%s);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, publish, 0);
  struct node *node = atomic_load_explicit(&published, memory_order_acquire);
  return node ? *atomic_load_explicit(&node->where, memory_order_relaxed) : 0;
}
"""


@pytest.mark.parametrize(("order", "fails"), [("relaxed", [Load]), ("release", [])])
def test_a_pointer_in_fresh_memory_is_not_followed(tmp_path: Path, order: str, fails: list[type]) -> None:
    path = tmp_path / "program.c"
    path.write_text(PUBLISHED_WITHOUT_ORDER % order)
    found = reach_failure(load_program(path), load_model("rc11"), 1, Budget(60))
    assert {type(instruction) for instruction in found.failed} == set(fails)
