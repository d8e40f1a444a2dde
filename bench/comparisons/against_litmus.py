"""C against litmus: the same random C11 test as both, under ten models.

A final state that is listed for the litmus test must be one that the program can reach, and no other. The
program is spelled in several ways: globals, members or elements; functions of `<stdatomic.h>` or the
compiler's own.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from counting import Tally, asked
from files import Numbered, Written, compiled

from treville.api import load_test
from treville.engines.registry import AUTO

MODELS = ("sc", "tso", "pso", "power", "armv7", "aarch64", "riscv", "rc11", "c11", "imm")
BUFFERS = ("sc", "tso", "pso")
EVERYWHERE = (AUTO, "eager", "lazy")
QUESTIONS = 24
_ORDERS = (("relaxed", 0), ("acquire", 2), ("release", 3), ("acq_rel", 4), ("seq_cst", 5))


def engines_for(model: str) -> tuple[str, ...]:
    """Who answers for whole programs under a model."""
    if model in BUFFERS:
        return (*EVERYWHERE, "buffers", "graphs", "rounds", "clocks", "conflicts", "eager:sat")
    if model == "rc11":
        return (*EVERYWHERE, "views", "graphs", "robustness")
    return EVERYWHERE if model == "c11" else (*EVERYWHERE, "graphs")


def compare(seed: str, count: int) -> Tally:
    """So many random tests."""
    tally = Tally(count)
    tests = [Test(random.Random(f"{seed}/{number}"), f"p{number}_") for number in range(count)]
    written = {test.prefix: test for test in tests}
    for one, made, _ in compiled([Written(test.prefix, test.program()) for test in tests], native=False):
        test = written[one.prefix]
        parsed = load_test(test.litmus())
        states = {model: {test.number(s) for s in parsed.outcomes(model).states} for model in MODELS}
        for model, engine, given in _questions(test.rng, states):
            wanted = "FAIL" if given in states[model] else "PASS"
            what = f"{one.prefix} under {model}, state {given}"
            tally.add(engine, what, wanted, Numbered(made, given).verdict(model, engine))
    return tally


def _questions(rng: random.Random, states: Mapping[str, set[int]]) -> list[tuple[str, str, int]]:
    """Models, engines and states to ask for: states that models disagree about first, and a few more."""
    seen = sorted(set().union(*states.values()))
    disputed = [state for state in seen if any(state not in found for found in states.values())]
    chosen = []
    for number in range(QUESTIONS):
        model = MODELS[number % len(MODELS)]
        state = rng.choice(disputed if disputed and rng.random() < 0.7 else seen)
        if rng.random() < 0.1:
            state ^= 1 << rng.choice((0, 6, 12))
        chosen.append((model, rng.choice(asked(engines_for(model))), state))
    return chosen


@dataclass
class Test:
    """Two or three threads of a few accesses each, as a litmus test and as a program."""

    rng: random.Random
    prefix: str
    bodies: list[list[str]] = field(default_factory=list)
    registers: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
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
        return "\n".join([*lines, "REACHED(state); return 0; }", ""])

    def number(self, state: Mapping[str, int]) -> int:
        """What the program computes of a final state."""
        number = 0
        for name in [*(f"{thread}:{name}" for thread, name in self.registers), "x", "y"]:
            number = number << 6 | int(state[name]) & 63
        return number

    def _spelled(self, statement: str) -> str:
        """The same statement, as the compiler's own operations or as they are."""
        if self.rng.random() < 0.5:
            return statement
        for order, number in _ORDERS:
            statement = statement.replace(f"memory_order_{order}", str(number))
        statement = re.sub(r"atomic_(store|load|exchange)_explicit\(", r"__atomic_\1_n((int *)", statement)
        statement = re.sub(r"atomic_(fetch_\w+)_explicit\(", r"__atomic_\1((int *)", statement)
        return statement.replace("atomic_thread_fence", "__atomic_thread_fence")
