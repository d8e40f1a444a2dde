"""Random C programs: `treville check` against a native run, and against `treville litmus`.

    python bench/fuzz_c.py sequential [--count N] [--seed S] [--engines auto,eager]
    python bench/fuzz_c.py layouts [--count N] [--seed S] [--engines auto,eager] [--models sc] [--threads]
    python bench/fuzz_c.py concurrent [--count N] [--seed S] [--engines states,eager] [--models sc,tso]
                                      [--questions N]

*sequential*: one thread with integers of all widths, arrays, structures, bit fields, pointers, loops and
calls computes a checksum. The program is compiled and run (with the compiler of the `ziglang` package);
asserting that checksum must PASS, and any other must FAIL.

*layouts*: the same for programs about what memory holds (`tests/random_layouts.py`): structs by value,
unions, bit-fields, variable arguments, copies and views of other widths; many programs are compiled as one
file, and each is asked about under four of the models and engines, drawn at random. With `--threads` another
thread does the work.

*concurrent*: a small C11 litmus test and the same test as a program with pthreads, spelled in several ways; a
final state that the litmus engines find must FAIL as a forbidden one, and no other. Many programs are
compiled as one file; models, engines and states are drawn at random.

Prints what differs, how often there was no answer, and ends with 1 if anything differed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treville.api import load_test
from treville.programs.c import read_unit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # for tests.native

MODELS = ("sc", "tso", "pso", "power", "armv7", "aarch64", "riscv", "rc11", "c11", "imm")
PROGRAMS_OF_A_FILE = 25
OPERATIONAL = ("sc", "tso", "pso", "rc11")
TYPES = (
    "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long",
    "_Bool",
)  # fmt: skip
GLOBALS = ("gc", "guc", "gs", "gus", "gi", "gu", "gl", "gul", "gb")
CONSTANTS = (
    "0", "1", "2", "-1", "7", "255", "256", "-128", "32767", "65536", "2147483647", "(-2147483647-1)",
    "0xdeadbeefu", "123456789012L", "'a'", "-50", "13",
)  # fmt: skip
HEAD = """\
#include <assert.h>
#include <string.h>
#ifdef NATIVE
#include <stdio.h>
#endif
struct inner { signed char c; unsigned short d; };
struct outer { int a; struct inner in; unsigned b1 : 3; int b2 : 5; long l; };
signed char gc = 5; unsigned char guc; short gs = -3; unsigned short gus; int gi = 9; unsigned gu; long gl;
unsigned long gul = 77; _Bool gb;
int arr[4] = {1, 2, 3}, arr2[4]; short mat[2][2] = {{1}, {2, -3}}; int *ptr = &arr[1];
struct outer st = {1, {2, 3}, 1, -1, 4}, st2, *sp = &st;
"""
CONCURRENT_HEAD = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
unsigned long expected;
"""
FINAL = (
    *GLOBALS, "arr[0]", "arr[1]", "arr[2]", "arr[3]", "arr2[1]", "mat[0][0]", "mat[0][1]", "mat[1][0]",
    "mat[1][1]", "st.a", "st.in.c", "st.in.d", "st.b1", "st.b2", "st.l", "st2.a", "st2.in.d", "*ptr", "wide",
    "narrow",
)  # fmt: skip


@dataclass
class Sequential:
    """Makes a program of one thread."""

    rng: random.Random
    variables: tuple[str, ...] = GLOBALS
    functions: tuple[str, ...] = ()
    loops: int = 0

    def program(self) -> str:
        """The source; `NATIVE` prints the checksum, else it is asserted to be `HASH`."""
        lines = [HEAD]
        for name in ("f0", "f1"):
            self.variables = ("p", "gi", "gu", "gc")
            lines.append(f"static int {name}(int p) {{ {self.statement(0)} return {self.expression(2)}; }}")
        lines.append("static int f2(int n) { return n <= 0 ? gi : f2((n > 3 ? 3 : n) - 1) + n; }")
        lines.append("static int (*fp)(int) = f0;")
        self.functions = ("f0", "f1", "f2")
        fields = (
            "st.a",
            "st.in.c",
            "st.in.d",
            "st.l",
            "st2.a",
            "(*ptr)",
            "st.b1",
            "st.b2",
            "sp->a",
            "arr[0]",
        )
        self.variables = (*GLOBALS, *fields, "wide", "narrow")
        lines.append("int main(void) { long wide = 3; unsigned char narrow = 9;")
        lines += [f"  {self.statement(2)}" for _ in range(self.rng.randint(4, 10))]
        lines.append("  unsigned long h = 0;")
        lines += [f"  h = h * 31 + (unsigned long){name};" for name in FINAL]
        lines += ["#ifdef NATIVE", '  printf("%lu\\n", h);', "#else", "  assert(h == HASH);", "#endif"]
        return "\n".join([*lines, "  return 0; }", ""])

    def expression(self, depth: int = 3) -> str:
        """An expression without undefined behaviour, but for wrapping."""
        pick = self.rng.choice
        if depth == 0 or self.rng.random() < 0.2:
            return pick(self.variables) if self.rng.random() < 0.65 else pick(CONSTANTS)
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        shapes = [f"({left} {operator} {right})" for operator in ("+", "-", "*", "&", "|", "^", "&&", "||")]
        shapes += [f"({left} {operator} {right})" for operator in ("<", ">", "<=", ">=", "==", "!=")]
        shapes += [
            f"({left} {pick(('<<', '>>'))} ({right} & 7))",
            f"({left} {pick('/%')} (({right} & 15) + 1))",
        ]
        shapes += [f"({pick('-~!')} {left})", f"(({pick(TYPES)}){left})", f"arr[{left} & 3]"]
        shapes += [f"({left} ? {right} : {self.expression(depth - 1)})", f"mat[{left} & 1][{right} & 1]"]
        shapes += [f"{pick(self.functions)}({left})"] if self.functions else []
        return pick(shapes)

    def statement(self, depth: int) -> str:
        """A statement, with others inside up to the depth."""
        pick, some = self.rng.choice, self.expression
        assigns = [f"{pick(self.variables)} {pick(('=', '=', '+=', '-=', '*=', '&=', '|=', '^='))} {some()};"]
        if depth == 0:
            return assigns[0]
        shapes = [*assigns * 4, f"{pick(self.variables)}{pick(('++', '--'))};"]
        shapes += [f"arr[{some(2)} & 3] = {some()};", f"mat[{some(1)} & 1][{some(1)} & 1] += {some()};"]
        shapes += [f"ptr = &arr[{some(1)} & 3];", f"ptr = {some(1)} ? &gi : &arr[2];", f"*ptr = {some(2)};"]
        shapes += ["memset(&st, 0, sizeof st);", "st2 = st;", "memcpy(arr2, arr, sizeof arr);"]
        shapes += [f"fp = {some(1)} ? f0 : f1;", f"gu ^= fp({some(1)});", f"sp = {some(1)} ? &st : &st2;"]
        shapes += [f"{{ {pick(TYPES)} t = {some(2)}; {pick(self.variables)} = t; }}"]
        if self.rng.random() < 0.4:
            return self.compound(depth)
        return pick(shapes)

    def compound(self, depth: int) -> str:
        """A branch, a loop or a switch."""
        some, inner = self.expression, self.block
        self.loops += 1
        counter = f"i{self.loops}"
        leave = f"if ({some(1)}) {self.rng.choice(('break', 'continue'))};" if self.rng.random() < 0.4 else ""
        return self.rng.choice(
            (
                f"if ({some(2)}) {{ {inner(depth)} }} else {{ {inner(depth)} }}",
                f"for (int {counter} = 0; {counter} < {self.rng.randint(1, 4)}; {counter}++)"
                f" {{ {inner(depth)} {leave} {self.statement(0)} }}",
                f"{{ int {counter} = {self.rng.randint(0, 3)}; while ({counter}-- > 0)"
                f" {{ {leave} {inner(depth)} }} }}",
                f"switch ({some(1)} & 3) {{ case 0: {inner(depth)} case 1: {inner(depth)} break;"
                f" case 3: {inner(depth)} default: {self.statement(0)} }}",
            )
        )

    def block(self, depth: int) -> str:
        """A few statements."""
        return " ".join(self.statement(depth - 1) for _ in range(self.rng.randint(1, 3)))


@dataclass
class Concurrent:
    """Makes a C11 litmus test and the same as a program, whose names begin with a prefix."""

    rng: random.Random
    prefix: str
    bodies: list[list[str]] = field(default_factory=list)
    registers: list[tuple[int, str]] = field(default_factory=list)

    def make(self) -> None:
        """Two or three threads of a few accesses each."""
        threads = self.rng.choice((2, 2, 3))
        for thread in range(threads):
            known: list[str] = []
            size = 2 if threads == 3 else self.rng.choice((2, 3))
            self.bodies.append([self._statement(known) for _ in range(size)])
            self.registers += [(thread, name) for name in known]

    def _statement(self, known: list[str]) -> str:
        pick = self.rng.choice
        place = pick(("x", "x", "x", "y", "y", "y", "z"))
        value = pick([*known, *(f"{name} + 1" for name in known), "1", "2"])
        kind = self.rng.random()
        order = pick(("relaxed", "release", "seq_cst"))
        store = f"atomic_store_explicit({place}, {value}, memory_order_{order});"
        if known and kind < 0.15:
            return f"if ({pick(known)} == {self.rng.randint(0, 2)}) {{ {store} }}"
        if kind < 0.5:
            return store
        if kind < 0.58:
            return f"atomic_thread_fence(memory_order_{pick(('acquire', 'release', 'acq_rel', 'seq_cst'))});"
        register = f"r{len(known)}"
        known.append(register)
        if kind < 0.68:
            order = pick(("relaxed", "acquire", "release", "acq_rel", "seq_cst"))
            update = pick(("fetch_add", "fetch_add", "exchange", "fetch_or", "fetch_xor", "fetch_and"))
            return f"int {register} = atomic_{update}_explicit({place}, 1, memory_order_{order});"
        order = pick(("relaxed", "acquire", "seq_cst"))
        return f"int {register} = atomic_load_explicit({place}, memory_order_{order});"

    def litmus(self) -> str:
        """The litmus test, which observes everything."""
        lines = ["C random", "{ }"]
        for thread, body in enumerate(self.bodies):
            lines += [f"P{thread} (atomic_int* x, atomic_int* y, atomic_int* z) {{", *body, "}"]
        observed = " ".join(f"{thread}:{name};" for thread, name in self.registers)
        return "\n".join([*lines, f"locations [x; y; {observed}]", "exists (x=0)", ""])

    def program(self) -> str:
        """The program: no final state is the one that has the number `expected`."""
        p, count = self.prefix, range(len(self.bodies))
        places, taken = self.rng.choice(
            (
                (f"atomic_int {p}x, {p}y, {p}z;", "&{p}{n}"),
                (f"struct {{ char c; atomic_int x, y; short s; atomic_int z; }} {p}s;", "&{p}s.{n}"),
                (f"atomic_int {p}a[4];", "&{p}a[{i}]"),
            )
        )
        where = {n: taken.format(p=p, n=n, i=i + 1) for i, n in enumerate("xyz")}
        lines = [places, *(f"int {p}out{thread}{name};" for thread, name in self.registers)]
        named = ", ".join(f"*{n} = {address}" for n, address in where.items())
        for thread, body in enumerate(self.bodies):
            lines += [f"void *{p}p{thread}(void *unused) {{ atomic_int {named};"]
            lines += [self._spelled(statement) for statement in body]
            lines += [f"{p}out{thread}{name} = {name};" for owner, name in self.registers if owner == thread]
            lines.append("return 0; }")
        lines.append(f"int {p}main(void) {{ pthread_t " + ", ".join(f"t{thread}" for thread in count) + ";")
        lines += [f"pthread_create(&t{thread}, 0, {p}p{thread}, 0);" for thread in count]
        lines += [f"pthread_join(t{thread}, 0);" for thread in count]
        observed = [f"{p}out{thread}{name}" for thread, name in self.registers]
        observed += [f"atomic_load({where[name]})" for name in "xy"]
        lines.append("unsigned long state = 0;")
        lines += [f"state = state << 6 | ({value} & 63);" for value in observed]
        return "\n".join([*lines, "assert(state != expected); return 0; }", ""])

    def number(self, state: dict[str, Any]) -> int:
        """What the program computes of a final state."""
        number = 0
        for name in [*(f"{thread}:{name}" for thread, name in self.registers), "x", "y"]:
            number = number << 6 | int(state[name]) & 63
        return number

    def _spelled(self, statement: str) -> str:
        """The same statement, as the compiler's own operations or as they are."""
        if self.rng.random() < 0.5:
            return statement
        for order, number in (
            ("relaxed", 0), ("acquire", 2), ("release", 3), ("acq_rel", 4), ("seq_cst", 5),
        ):  # fmt: skip
            statement = statement.replace(f"memory_order_{order}", str(number))
        statement = re.sub(r"atomic_(store|load|exchange)_explicit\(", r"__atomic_\1_n((int *)", statement)
        statement = re.sub(r"atomic_(fetch_\w+)_explicit\(", r"__atomic_\1((int *)", statement)
        return statement.replace("atomic_thread_fence", "__atomic_thread_fence")


# -- asking ----------------------------------------------------------------------------------------------


def treville(*arguments: str) -> list[dict[str, Any]]:
    """The JSON lines of a command."""
    command = [sys.executable, "-m", "treville", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return found or [{"verdict": "error", "model": "", "reason": done.stderr[-200:], "status": "error"}]


def check(file: Path, engine: str, define: str, models: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """The verdict and reason under each model."""
    asked = [part for model in models for part in ("--model", model)]
    found = treville(
        "check", str(file), "--engine", engine, "--bound", "6", "--timeout", "60", "-D", define, *asked
    )
    return {report["model"]: (report["verdict"], report["reason"]) for report in found}


@dataclass
class Tally:
    """What was compared."""

    compared: int = 0
    unknown: int = 0
    wrong: int = 0

    def add(self, what: str, expected: str, found: dict[str, tuple[str, str]]) -> None:
        """Count answers, and print those that differ."""
        for model, (verdict, reason) in found.items():
            self.compared += 1
            if verdict == "UNKNOWN" and "internal error" not in reason:
                self.unknown += 1
                print(f"{what} {model}: no answer: {reason}", flush=True)
            elif verdict != expected:
                self.wrong += 1
                print(f"{what} {model}: {verdict} instead of {expected}: {reason}", flush=True)


def sequential(seed: int, engines: list[str], folder: Path, tally: Tally) -> None:
    """One program of one thread."""
    source, binary = folder / f"sequential{seed}.c", folder / "program"
    source.write_text(Sequential(random.Random(seed)).program())
    flags = ["-w", "-O0", "-fwrapv", "-fno-sanitize=undefined", "-DNATIVE"]
    command = [sys.executable, "-m", "ziglang", "cc", *flags, str(source), "-o", str(binary)]
    subprocess.run(command, check=True, capture_output=True)
    checksum = int(
        subprocess.run([str(binary)], check=True, capture_output=True, text=True, timeout=10).stdout
    )
    for engine in engines:
        for number, expected in ((checksum, "PASS"), (checksum ^ 1, "FAIL")):
            found = check(source, engine, f"HASH={number}ul", ("sc",))
            tally.add(f"{source} HASH={number}ul {engine}", expected, found)


def layouts(options: argparse.Namespace, folder: Path, tally: Tally) -> None:
    """Programs about layouts, a file of them at a time."""
    from tests.native import Expecting, native_output, one_of, verdict_of
    from tests.random_layouts import Layouts, file_of

    asked = [(m, e) for m in options.models.split(",") for e in options.engines.split(",")]
    for first in range(options.seed, options.seed + options.count, PROGRAMS_OF_A_FILE):
        numbers = range(first, min(first + PROGRAMS_OF_A_FILE, options.seed + options.count))
        made = [(f"p{n}_", Layouts(random.Random(n), f"p{n}_", options.threads).program()) for n in numbers]
        source = folder / f"layouts{first}.c"
        source.write_text(file_of(made))
        sums, unit = native_output(source), read_unit(source)
        for number, (prefix, _), checksum in zip(numbers, made, sums, strict=True):
            program = one_of(unit, prefix)
            for model, engine in random.Random(number).sample(asked, min(4, len(asked))):
                for given, expected in ((int(checksum), "PASS"), (int(checksum) ^ 1, "FAIL")):
                    found = verdict_of(Expecting(program, given), model, engine)
                    answer = ("UNKNOWN", found) if found.startswith("none") else (found, "")
                    tally.add(f"{source} {prefix} {given} {engine}", expected, {model: answer})


def concurrent(options: argparse.Namespace, folder: Path, tally: Tally) -> None:
    """Litmus tests and their programs, a file of them at a time: states that are reached, and others."""
    from tests.native import Expecting, one_of, verdict_of

    models, engines = options.models.split(","), options.engines.split(",")
    asked = [(m, e) for m in models for e in engines if e != "states" or m in OPERATIONAL]
    for first in range(options.seed, options.seed + options.count, PROGRAMS_OF_A_FILE):
        numbers = range(first, min(first + PROGRAMS_OF_A_FILE, options.seed + options.count))
        tests = [Concurrent(random.Random(number), f"p{number}_") for number in numbers]
        for test in tests:
            test.make()
        source = folder / f"concurrent{first}.c"
        mains = " ".join(f"{test.prefix}main();" for test in tests)
        source.write_text("\n".join([CONCURRENT_HEAD, *(test.program() for test in tests),
                                     f"int main(void) {{ {mains} return 0; }}", ""]))  # fmt: skip
        unit = read_unit(source)
        for test in tests:
            program, parsed = one_of(unit, test.prefix), load_test(test.litmus())
            states = {model: {test.number(s) for s in parsed.outcomes(model).states} for model in models}
            for model, engine, given in _questions(test.rng, states, asked, options.questions):
                found = verdict_of(Expecting(program, given), model, engine, 6)
                answer = ("UNKNOWN", found) if found.startswith("none") else (found, "")
                wanted = "FAIL" if given in states[model] else "PASS"
                tally.add(f"{source} {test.prefix} {given} {engine}", wanted, {model: answer})


def _questions(
    rng: random.Random, states: dict[str, set[int]], asked: list[tuple[str, str]], count: int
) -> list[tuple[str, str, int]]:
    """Models, engines and states to ask for: states that models disagree about first, and a few more."""
    seen = sorted(set().union(*states.values()))
    disputed = [state for state in seen if any(state not in found for found in states.values())]
    chosen = []
    for _ in range(count):
        state = rng.choice(disputed if disputed and rng.random() < 0.7 else seen)
        if rng.random() < 0.1:
            state ^= 1 << rng.choice((0, 6, 12))
        chosen.append((*rng.choice(asked), state))
    return chosen


def main() -> int:
    """Compare as many programs as asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("sequential", "layouts", "concurrent"))
    parser.add_argument("--threads", action="store_true", help="layouts: another thread does the work")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engines", default="auto,eager")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--questions", type=int, default=12, help="concurrent: about each program")
    parser.add_argument("--keep", type=Path, help="a folder for the programs")
    options = parser.parse_args()
    engines, tally = options.engines.split(","), Tally()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if options.kind == "layouts":
            layouts(options, folder, tally)
        elif options.kind == "concurrent":
            concurrent(options, folder, tally)
        for seed in range(options.seed, options.seed + options.count) if options.kind == "sequential" else ():
            sequential(seed, engines, folder, tally)
    print(f"{tally.compared} compared, {tally.unknown} unknown, {tally.wrong} wrong")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
