"""Litmus tests: `parse(text, name)` finds the dialect of a file and lets its reader turn it into a test."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING

from treville.programs.litmus.test import LitmusTest
from treville.results import InputError, Source, Unsupported

if TYPE_CHECKING:
    from treville.programs.litmus.layout import Sections

DIALECTS: dict[str, str] = {
    "X86": "tso",
    "X86_64": "tso",
    "PPC": "power",
    "ARM": "armv7",
    "AArch64": "aarch64",
    "RISCV": "riscv",
    "C": "rc11",
    "LKMM": "lkmm",
    "PTS": "rc11",
}
"""Each dialect's own model, used where none is asked for."""

_READERS = {
    "X86": "x86.reader",
    "X86_64": "x86.reader",
    "PPC": "ppc.reader",
    "ARM": "arm.reader",
    "AArch64": "aarch64.reader",
    "RISCV": "riscv.reader",
    "C": "c.c11",
    "LKMM": "c.linux",
}
_SPELLINGS = {
    "X86": "X86",
    "X86_64": "X86_64",
    "PPC": "PPC",
    "ARM": "ARM",
    "AARCH64": "AArch64",
    "RISCV": "RISCV",
    "C": "C",
}
# No register is this wide, and Python refuses to convert numbers of thousands of digits.
_LONG_NUMBER = r"[0-9]{1000}"
_OTHER_LANGUAGES = frozenset(
    ("LISA", "BELL", "MIPS", "CPP", "JAVA", "ASL", "PTX", "KVM", "BPF", "ARM64", "LARGE", "SPARC", "IA64")
)
_KERNEL_WORD = (  # compiled where a test is in C
    r"\b(?:READ_ONCE|WRITE_ONCE|ACCESS_ONCE|__atomic_add_unless|smp_\w+|s?rcu_\w+|synchronize_s?rcu\w*|spin_\w+|spinlock_t|atomic_t"
    r"|cmpxchg\w*|xchg\w*|atomic_(?:set|read|inc|dec|add|sub|xchg|cmpxchg|andnot|fetch_(?:inc|dec|andnot)|try_cmpxchg"
    r"|long_\w+)\w*|lockless_dereference|srcu_struct|down|up|barrier|read_barrier_depends|rwlock_t)\b"
)
_STANDARD_WORD = (
    r"\bmemory_order|\batomic_(?:store|load|exchange|compare_exchange|thread_fence|int\b)|_Atomic\b"
)


def parse(text: str, name: str) -> LitmusTest:
    """Read a litmus test of any dialect; `name` is the file's name for messages."""
    if too_long := re.search(_LONG_NUMBER, text):
        raise InputError("a number of this length", Source(name, text).span(too_long.start()))
    from treville.programs.litmus import layout

    sections = layout.split(text.removeprefix("\ufeff"), name)
    return read_sections(sections, dialect_of(sections))


def read_sections(sections: Sections, dialect: str) -> LitmusTest:
    """Let the reader of a dialect read a test."""
    reader = import_module(f"treville.programs.litmus.{_READERS[dialect]}")
    test: LitmusTest = reader.read(sections, sections.source)
    return test


def dialect_of(sections: Sections) -> str:
    """The dialect of a test: its first word, for C also which library its program uses."""
    word = sections.dialect.upper()
    dialect = _SPELLINGS.get(word)
    if dialect is None:
        offset = sections.source.text.find(sections.dialect)
        span = sections.source.span(offset, len(sections.dialect))
        known = "supported: " + ", ".join(_SPELLINGS.values())
        if word in _OTHER_LANGUAGES:
            raise Unsupported(f"litmus tests in {sections.dialect}", span, known)
        raise InputError(f"unknown litmus dialect '{sections.dialect}'", span, known)
    return _c_dialect(sections) if dialect == "C" else dialect


def _c_dialect(sections: Sections) -> str:
    """C11 atomics or the Linux kernel's primitives."""
    program = sections.program.text
    if re.search(_STANDARD_WORD, program):
        return "C"
    if re.search(_KERNEL_WORD, f"{sections.initial.text}\n{program}"):
        return "LKMM"
    return "C"
