"""An access outside every object is a failure, not a run that does not count."""

from pathlib import Path

import pytest

from treville.models.library import load_model
from treville.programs.c import load_program
from treville.programs.ir import Load, Store
from treville.results import Budget
from treville.solving.reachability import reach_failure
from treville.solving.siblings import reach

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
