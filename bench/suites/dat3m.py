"""Dat3M's tests: tables inside its unit tests for LLVM IR, and lists of litmus tests with results.

A unit test is a Java class: rows `{"name", MODEL, RESULT}`, a folder, a bound and a property. UNKNOWN is
Dat3M's word for "nothing up to the bound". In lists 1 means that the condition of a litmus test holds, or
that it has no race.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cases import Case, Expected

MODELS = {
    "TSO": "tso", "ARM8": "aarch64", "POWER": "power", "RISCV": "riscv", "IMM": "imm", "LKMM": "lkmm",
    "C11": "c11",
}  # fmt: skip
# Models that are not shipped, and questions that are not asked here (progress models, mixed-size accesses).
_OTHERS = ("vmm", "c11-orig")
_ROW = re.compile(r'^\s*\{"([^"]+)",\s*(\w+),\s*(PASS|FAIL|UNKNOWN)\s*[,}]', re.MULTILINE)
_FOLDER = re.compile(r'getTestResourcePath\(\s*(?:"([^"]*)"\s*\+\s*)?name\s*\+\s*"([^"]*)"')
_NAMED = re.compile(r'createWmmFromName\(\(\) -> "([^"]+)"')
_RESULTS = {"PASS": Expected.SAFE, "FAIL": Expected.UNSAFE, "UNKNOWN": Expected.SAFE_TO_BOUND}
# list -> (model, property)
LITMUS = {
    "TSO": ("tso", "assertion"), "PPC": ("power", "assertion"), "ARM8": ("aarch64", "assertion"),
    "RISCV": ("riscv", "assertion"), "C11": ("c11", "assertion"), "RC11": ("rc11", "assertion"),
    "LKMM": ("lkmm", "assertion"), "LKMM-DR": ("lkmm", "race"),
}  # fmt: skip


def cases(root: Path) -> Iterator[Case]:
    """All rows of a checkout that ask what Treville answers."""
    tests = root / "dartagnan" / "src" / "test"
    for java in sorted((tests / "java").rglob("llvm/*Test.java")):
        yield from _rows(java, tests / "resources")
    for name, (model, wanted) in LITMUS.items():
        for line in (tests / "resources" / f"{name}-expected.csv").read_text().split():
            path, _, holds = line.partition(",")
            expected = Expected.SAFE if holds == "1" else Expected.UNSAFE
            arguments = ("check", "--model", model, "--property", wanted)
            if (root / path).is_file():
                yield Case("dat3m", f"litmus/{name}", root / path, arguments, expected)


def _rows(java: Path, resources: Path) -> Iterator[Case]:
    text = java.read_text()
    folder, named = _FOLDER.search(text), _NAMED.search(text)
    if "ProgressModel" in text or (named and named[1] in _OTHERS):
        return
    for name, target, result in _ROW.findall(text):
        model = MODELS.get(target)
        if named:
            model = named[1]
        prefix, suffix = (folder[1] or "", folder[2]) if folder else ("", ".ll")
        file = resources / f"{prefix}{name}{suffix}"
        if model and file.is_file():
            wanted = "liveness" if "Property.TERMINATION" in text else "assertion"
            arguments = ("check", "--model", model, "--property", wanted)
            yield Case("dat3m", f"c/{java.stem.removesuffix('Test')}", file, arguments, _RESULTS[result])
