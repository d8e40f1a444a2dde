"""Every library function that has a meaning says what it writes, and writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from treville.programs import ir
from treville.programs.c import load_program
from treville.programs.c.library import known_functions
from treville.programs.c.library.effects import WRITES, is_refused
from treville.results import Unsupported

pytest.importorskip("llvmlite")

ARGUMENTS = 5
# They need arguments of other kinds; tests of their own are in test_library.py, and in tests/c.
SPECIAL = frozenset(
    ("memcpy", "memmove", "memset", "__memcpy_chk", "__memmove_chk", "__memset_chk", "free", "realloc",
     "pthread_create", "thrd_create", "pthread_once",
     "call_once", "pthread_key_create", "tss_create", "pthread_join", "thrd_join", "pthread_mutexattr_init",
     "pthread_mutexattr_settype", "sprintf", "snprintf", "scanf", "__isoc99_scanf", "sscanf",
     "__isoc99_sscanf", "fscanf", "__isoc99_fscanf", "pthread_barrier_wait",
     "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvmSt11align_val_t")
)  # fmt: skip
WRITERS = sorted(name for name, arguments in WRITES.items() if arguments and name not in SPECIAL)


def test_every_known_function_says_what_it_writes() -> None:
    assert set(WRITES) == known_functions()


def test_no_known_function_is_refused_by_name_alone() -> None:
    """A family may be refused as a whole, but what is known comes first; other names are in one table."""
    library = {name for name in known_functions() if "_" not in name}
    assert not {name for name in library if is_refused(name)}


def test_known_functions_write_where_they_say(tmp_path: Path) -> None:
    """All in one program: each call has objects of its own."""
    objects = [[f"{name}_{number}" for number in range(ARGUMENTS)] for name in WRITERS]
    code = [f"long {name}();" for name in WRITERS]
    code += [f"long {each}[8];" for row in objects for each in row]
    calls = [f"{name}({', '.join(row)});" for name, row in zip(WRITERS, objects, strict=True)]
    path = tmp_path / "program.c"
    path.write_text("\n".join([*code, "int main(void) {", *calls, "return 0; }"]))
    program = load_program(path)
    places = {location.address // ir.LOCATION_STRIDE: name for name, location in program.locations.items()}
    stores = (i for i in program.threads[0].instructions if isinstance(i, ir.Store))
    written = {
        places.get(store.address.value // ir.LOCATION_STRIDE)
        for store in stores
        if isinstance(store.address, ir.Const)
    }
    wanted = {f"{name}_{number}" for name in WRITERS for number in WRITES[name]}
    assert wanted <= written
    assert {name for name in written if name} - wanted == set()


@pytest.mark.parametrize(
    "call", ["strxfrm(b, b, 4)", "qsort_r(b, 4, 1, 0, 0)", "longjmp(b, 1)", "vsnprintf(b, 4, b, 0)",
             "read(0, b, 4)", "pthread_cancel(1)", "sem_open(b, 0)", "__VERIFIER_surprise(b)",
             "printf(\"%n\", b)", "fork()", "mmap(0, 4, 0, 0, 0, 0)"]
)  # fmt: skip
def test_functions_that_would_write_or_jump_are_refused_at_their_place(tmp_path: Path, call: str) -> None:
    path = tmp_path / "program.c"
    path.write_text(f"char b[8];\nint main(void) {{\n  {call};\n  return b[0];\n}}\n")
    with pytest.raises(Unsupported) as refused:
        load_program(path)
    assert refused.value.span is not None
    assert refused.value.span.line == 3
