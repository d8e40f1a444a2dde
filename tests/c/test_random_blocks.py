"""Random programs with atomic blocks: the machine with store buffers and the solver agree."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.reporting import Options, answers
from tests.seeds import generator

pytest.importorskip("llvmlite")

MODELS = ["sc", "tso", "pso"]
HEADER = """#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
int x, y, seen[8];
"""


def program(choose: random.Random) -> str:
    """Two threads of accesses, some of them in blocks, and an assertion about what two reads saw."""
    reads = 0
    functions = []
    for thread in range(2):
        body = []
        for _ in range(choose.choice((2, 3))):
            accesses = []
            for _ in range(choose.choice((1, 1, 2, 3))):
                variable = choose.choice("xy")
                if choose.random() < 0.5 or reads == 8:
                    accesses.append(f"{variable} = {choose.choice((1, 2))};")
                else:
                    accesses.append(f"seen[{reads}] = {variable};")
                    reads += 1
            if len(accesses) > 1:
                accesses = ["__VERIFIER_atomic_begin();", *accesses, "__VERIFIER_atomic_end();"]
            body += accesses
        functions.append(f"void *t{thread}(void *unused) {{ {' '.join(body)} return 0; }}")
    wrong = " && ".join(f"seen[{choose.randrange(max(1, reads))}] == {choose.randrange(3)}" for _ in range(2))
    return "\n".join(
        [
            HEADER,
            *functions,
            "int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0);",
            f"pthread_join(a, 0); pthread_join(b, 0); assert(!({wrong})); return 0; }}",
        ]
    )


def verdicts(path: Path, engine: str) -> dict[str, str]:
    return {
        report["model"]: report["verdict"]
        for report in answers(str(path), MODELS, Options(seconds=60, engine=engine))
    }


def test_engines_agree_on_programs_with_atomic_blocks(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    found = set()
    for seed in range(14):
        path.write_text(program(generator(seed)))
        explored = verdicts(path, "states")
        assert verdicts(path, "lazy" if seed % 2 else "eager") == explored, seed
        found |= set(explored.values())
    assert found == {"PASS", "FAIL"}


@pytest.mark.parametrize("engine", ["lazy", "eager"])
def test_blocks_that_read_and_write_one_cell_follow_each_other(tmp_path: Path, engine: str) -> None:
    """So many that from-read goes through sources of reads: no way from a block through them to itself."""
    count = "__VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end();"
    path = tmp_path / "program.c"
    path.write_text(
        f"{HEADER}static void *work(void *unused) {{ {4 * count} return 0; }}\n"
        "int main(void) { pthread_t a, b; pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);\n"
        f"{4 * count} pthread_join(a, 0); pthread_join(b, 0); assert(x != 12); return 0; }}"
    )
    assert verdicts(path, engine) == dict.fromkeys(MODELS, "FAIL")
