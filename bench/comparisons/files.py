"""Many random programs as one C file: compiled once, run natively once, and asked about one by one.

Names of a program begin with its prefix; `PREFIXmain` computes a number and ends in `CHECK(number)`, which
asserts that it is `expected`, or in `REACHED(number)`, which asserts that it is not.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from counting import verdict
from tests.native import native_output, one_of

from treville.engines.task import program_task
from treville.models.library import load_model
from treville.passes.program import Context
from treville.programs.c import Unit, read_unit
from treville.programs.ir import Program
from treville.programs.operators import wrap
from treville.results import Budget, Unsupported
from treville.results.defaults import BOUND
from treville.results.properties import Property

SECONDS = 5.0  # a question that takes so long is without an answer
HEAD = """\
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef NATIVE
#include <stdio.h>
#define CHECK(h) printf("%lu\\n", (unsigned long)(h))
#define REACHED(h) CHECK(h)
#else
unsigned long expected;
#define CHECK(h) assert((h) == expected)
#define REACHED(h) assert((h) != expected)
#endif
#define MIX(h, leaf) h = (h << 7 | h >> 57) ^ (unsigned long)(leaf)
"""


@dataclass(frozen=True)
class Written:
    """A program of a file; `always`: it computes the same number in every run."""

    prefix: str
    text: str
    always: bool = True


class Made:
    """A program of a file, read once for each depth of recursion."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self._programs: dict[tuple[int, bool], Program] = {}

    def program(self, recursion: int, signals: bool) -> Program:
        """What the front end makes of it."""
        asked = recursion, signals
        if asked not in self._programs:
            self._programs[asked] = self.unit.program(recursion, signals)
        return self._programs[asked]


@dataclass(frozen=True)
class Numbered:
    """A program in which the global `expected` begins with a number."""

    made: Made
    number: int

    def program(self, recursion: int = BOUND, signals: bool = False) -> Program:
        """See `passes.program.Source`."""
        made = self.made.program(recursion, signals)
        expected = replace(made.locations["expected"], parts=((0, 64, wrap(self.number, 64)),))
        return replace(made, locations={**made.locations, "expected": expected})

    def verdict(self, model: str, engine: str, bound: int | None = None) -> str:
        """What an engine says of it."""
        context = Context(load_model(model), Property.ASSERTION)
        try:
            task = program_task(self, context, bound, Budget(SECONDS))
        except Unsupported as error:
            return f"none: {error}"
        return verdict(task, engine)


def compiled(programs: Sequence[Written], native: bool = True) -> Iterator[tuple[Written, Made, int]]:
    """Each program as it was read, and the number that it computes natively (0 if it is not run)."""
    calls = " ".join(f"{each.prefix}main();" for each in programs)
    text = [HEAD, *(each.text for each in programs), f"int main(void) {{ {calls} return 0; }}", ""]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "programs.c"
        source.write_text("\n".join(text))
        numbers = native_output(source) if native else ["0"] * len(programs)
        unit = read_unit(source)
    for each, number in zip(programs, numbers, strict=True):
        yield each, Made(one_of(unit, each.prefix)), int(number)
