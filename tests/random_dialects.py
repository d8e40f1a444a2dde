"""Random litmus tests as text, in C11, the kernel's C, Power's and AArch64's assembly: accesses with orders,
fences, dependencies, branches that meet again, read-modify-writes, locks. Every register is observed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from tests.seeds import generator

PLACES = ("x", "y")


class Dialect(NamedTuple):
    """How tests of a dialect are written, and the models that take them."""

    write: Callable[[random.Random, int], str]
    models: tuple[str, ...]


def random_text(seed: int | str, name: str, size: int = 5) -> str:
    """A test of that dialect with about so many accesses."""
    return DIALECTS[name].write(generator(f"{name} {seed}"), size)


# -- C -----------------------------------------------------------------------------------------------


class _C:
    """Writes a test in C, of statements that a dialect has."""

    def __init__(self, rng: random.Random, size: int) -> None:
        self.rng, self.size = rng, size
        self.registers: list[tuple[int, str]] = []
        self.known: list[str] = []
        self.left = 0
        self.locked = False

    def text(self, header: str, place: str) -> str:
        """The whole test."""
        count = self.rng.choice((2, 2, 3))
        threads = [self._thread(number, max(1, -(-self.size // count))) for number in range(count)]
        parameters = ", ".join(f"{place}{name}" for name in PLACES) + self.more()
        bodies = "\n".join(f"P{n}({parameters})\n{{\n{body}}}" for n, body in enumerate(threads))
        seen = [f"{thread}:{register}=0" for thread, register in self.registers]
        condition = " /\\ ".join([*seen, *(f"{name}=0" for name in PLACES)])
        return f"{header}\n{{}}\n{bodies}\nexists ({condition})\n"

    def more(self) -> str:
        """Further parameters."""
        return ""

    def _thread(self, number: int, accesses: int) -> str:
        self.known, self.left = [], accesses
        lines: list[str] = []
        self.locked = False
        while self.left > 0:
            lines += self.statement(number)
        used = [register for thread, register in self.registers if thread == number]
        return "".join(f"\tint {name} = 0;\n" for name in used) + "".join(f"\t{line}\n" for line in lines)

    def register(self, number: int) -> str:
        """A register that was not used yet."""
        name = f"r{number}{len(self.registers)}"
        self.registers.append((number, name))
        self.left -= 1
        return name

    def value(self) -> str:
        """A number, often with a dependency."""
        number = self.rng.choice(("1", "2"))
        if self.known and self.rng.random() < 0.4:
            return f"{number} + ({self.rng.choice(self.known)} & 128)"
        return number

    def statement(self, number: int) -> list[str]:
        """An access, a fence, or a branch around some."""
        draw = self.rng.random()
        if draw < 0.3 and self.known:
            condition, left = self.rng.choice(self.known), self.left
            inside = self.access(number) if draw < 0.25 else self.fence()
            after = ["} else {", *self.access(number)] if draw < 0.05 else []
            self.left = left - (draw < 0.1)  # most branches are followed by something
            return [f"if ({condition}) {{", *inside, *after, "}"]
        return self.fence() if draw < 0.45 else self.access(number)

    def access(self, number: int) -> list[str]:
        """A read, a write or both."""
        raise NotImplementedError

    def fence(self) -> list[str]:
        """A fence."""
        raise NotImplementedError

    def read(self, number: int, text: str) -> list[str]:
        """A read into a fresh register, which is known from then on."""
        name = self.register(number)
        self.known.append(name)
        return [f"{name} = {text};"]

    def wrote(self, text: str) -> list[str]:
        """A write."""
        self.left -= 1
        return [text]


class _C11(_C):
    def access(self, number: int) -> list[str]:
        place, draw = self.rng.choice(PLACES), self.rng.random()
        if draw < 0.4:
            order = self.rng.choice(("relaxed", "relaxed", "acquire", "seq_cst"))
            return self.read(number, f"atomic_load_explicit({place}, memory_order_{order})")
        if draw < 0.55:
            order = self.rng.choice(("relaxed", "acquire", "release", "acq_rel", "seq_cst"))
            verb = self.rng.choice(("fetch_add", "exchange"))
            return self.read(number, f"atomic_{verb}_explicit({place}, {self.value()}, memory_order_{order})")
        order = self.rng.choice(("relaxed", "relaxed", "release", "seq_cst"))
        return self.wrote(f"atomic_store_explicit({place}, {self.value()}, memory_order_{order});")

    def fence(self) -> list[str]:
        order = self.rng.choice(("acquire", "release", "acq_rel", "seq_cst"))
        return [f"atomic_thread_fence(memory_order_{order});"]


class _Kernel(_C):
    def more(self) -> str:
        return ", spinlock_t *l"

    def access(self, number: int) -> list[str]:
        place, draw = self.rng.choice(PLACES), self.rng.random()
        if draw < 0.4:
            choice = self.rng.choice((f"READ_ONCE(*{place})", f"smp_load_acquire({place})"))
            return self.read(number, choice)
        if draw < 0.5:
            order = self.rng.choice(("", "_relaxed", "_acquire", "_release"))
            return self.read(number, f"xchg{order}({place}, {self.value()})")
        if draw < 0.6:
            return self.wrote(f"atomic_add(1, {place});")
        if draw < 0.7 and not self.locked:
            self.locked = True  # one critical section for each thread
            return ["spin_lock(l);", *self.access(number), *self.access(number), "spin_unlock(l);"]
        choices = (f"WRITE_ONCE(*{place}, {self.value()});", f"smp_store_release({place}, {self.value()});")
        return self.wrote(self.rng.choice(choices))

    def fence(self) -> list[str]:
        names = ("mb", "wmb", "rmb", "mb__after_atomic", "mb__before_atomic", "acquire__after_ctrl_dep")
        return [f"smp_{self.rng.choice(names)}();"]


def _c11(rng: random.Random, size: int) -> str:
    return _C11(rng, size).text("C random", "atomic_int *")


def _kernel(rng: random.Random, size: int) -> str:
    return _Kernel(rng, size).text("C random", "int *")


# -- assembly ----------------------------------------------------------------------------------------


def _assembly(rng: random.Random, size: int, dialect: str, words: dict[str, tuple[str, ...]]) -> str:
    """Threads of reads and writes with what `words` has between them; r1 and r2 hold x and y."""
    count = rng.choice((2, 2, 3))
    columns, seen = [], []
    for thread in range(count):
        lines: list[str] = []
        known: list[int] = []
        for step in range(max(1, size // count)):
            target, place = 10 + step, rng.choice((1, 2))
            if lines and rng.random() < 0.6:
                lines += [line.format(n=f"{thread}{step}") for line in _between(rng, words, known)]
            lines += _access(rng, words, target, place, known)
            if known and known[-1] == target:
                seen.append(f"{thread}:{words['register'][0]}{target}=0")
        columns.append(lines)
    rows = max(map(len, columns))
    body = "".join(
        " " + " | ".join(code[row] if row < len(code) else "" for code in columns) + " ;\n"
        for row in range(rows)
    )
    prefix = words["register"][0]
    places = "".join(f"{n}:{prefix}1=x; {n}:{prefix}2=y; " for n in range(count))
    head = " " + " | ".join(f"P{n}" for n in range(count)) + " ;\n"
    condition = " /\\ ".join([*seen, "x=0", "y=0"])
    return f"{dialect} random\n{{ {places}}}\n{head}{body}exists ({condition})\n"


def _between(rng: random.Random, words: dict[str, tuple[str, ...]], known: list[int]) -> list[str]:
    if known and rng.random() < 0.3:
        return [line.replace("%a", str(known[-1])) for line in words["branch"]]
    return [rng.choice(words["fences"])]


def _access(
    rng: random.Random, words: dict[str, tuple[str, ...]], target: int, place: int, known: list[int]
) -> list[str]:
    depends = bool(known) and rng.random() < 0.4
    kind = ("read" if rng.random() < 0.5 else "write") + (" address" if depends else "")
    source = str(known[-1]) if known else "0"
    if kind.startswith("read"):
        known.append(target)
    number = str(rng.choice((1, 2)))
    return [
        line.replace("%t", str(target)).replace("%p", str(place)).replace("%a", source).replace("%v", number)
        for line in words[kind]
    ]


_POWER = {
    "register": ("r",),
    "read": ("lwz r%t,0(r%p)",),
    "read address": ("xor r5,r%a,r%a", "lwzx r%t,r5,r%p"),
    "write": ("li r6,%v", "stw r6,0(r%p)"),
    "write address": ("xor r6,r%a,r%a", "addi r6,r6,%v", "stw r6,0(r%p)"),
    "branch": ("cmpw r%a,r%a", "beq L{n}", "L{n}:"),
    "fences": ("sync", "lwsync", "eieio", "isync"),
}
_AARCH64 = {
    "register": ("X",),
    "read": ("LDR W%t,[X%p]",),
    "read address": ("EOR W5,W%a,W%a", "LDR W%t,[X%p,W5,SXTW]"),
    "write": ("MOV W6,#%v", "STR W6,[X%p]"),
    "write address": ("EOR W6,W%a,W%a", "ADD W6,W6,#%v", "STR W6,[X%p]"),
    "branch": ("CBNZ W%a,L{n}", "L{n}:"),
    "fences": ("DMB SY", "DMB LD", "DMB ST", "ISB"),
}
_HARDWARE = ("sc", "tso", "pso", "rmo", "alpha", "power", "armv7", "aarch64", "riscv", "power2012")
DIALECTS = {
    "C11": Dialect(_c11, (*_HARDWARE, "rc11", "c11", "imm")),
    "LKMM": Dialect(_kernel, (*_HARDWARE, "lkmm", "lkmm", "lkmm")),
    "PPC": Dialect(lambda rng, size: _assembly(rng, size, "PPC", _POWER), _HARDWARE),
    "AArch64": Dialect(lambda rng, size: _assembly(rng, size, "AArch64", _AARCH64), _HARDWARE),
}
