"""Dat3M's tests: tables inside its unit tests for LLVM IR, and lists of litmus tests with results.

A unit test is a Java class: rows `{"name", MODEL, RESULT}`, a folder, a bound and a property. UNKNOWN is
Dat3M's word for "nothing up to the bound", so such rows are asked with that bound. Rows of its tests for
inline assembly are `{"name", BOUND, RESULT}`, of assertions and of termination. In lists 1 means that the
condition of a litmus test holds, or that it has no race.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cases import Case, Expected

MODELS = {
    "TSO": "tso", "ARM7": "armv7", "ARM8": "aarch64", "POWER": "power", "RISCV": "riscv", "IMM": "imm",
    "LKMM": "lkmm", "C11": "c11",
}  # fmt: skip
# Models that are not shipped, and questions that are not asked here (progress models, mixed-size accesses).
_OTHERS = ("vmm", "c11-orig")
_ROW = re.compile(
    r'^\s*\{"([^"]+)",\s*(\w+),\s*(?:Result\.)?(PASS|FAIL|UNKNOWN)\s*(?:,\s*(\d+)\s*)?\}', re.MULTILINE
)
_FOLDER = re.compile(r'getTestResourcePath\(\s*(?:"([^"]*)"\s*\+\s*)?(?:name|file)\s*\+\s*"([^"]*)"')
_NAMED = re.compile(r'createWmmFromName\(\(\) -> "([^"]+)"')
_TARGET = re.compile(r"withTarget\(Arch\.(\w+)\)")
_BOUND = re.compile(r"getBoundProvider\(\) \{\s*return \(\) -> (\d+);")
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
    classes = (file for name in ("llvm/*Test.java", "Asm*Test.java") for file in (tests / "java").rglob(name))
    for java in sorted(classes):
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
    folder, named, bound = _FOLDER.search(text), _NAMED.search(text), _BOUND.search(text)
    target, everywhere = _TARGET.search(text), bound[1] if bound else "1"
    if "ProgressModel" in text or (named and named[1] in _OTHERS):
        return
    prefix, suffix = (folder[1] or "", folder[2]) if folder else ("", ".ll")
    for name, second, result, own in _ROW.findall(text):
        depth = second if target else own or everywhere
        model = named[1] if named else MODELS.get(target[1] if target else second)
        file, expected = resources / f"{prefix}{name}{suffix}", _RESULTS[result]
        if model and file.is_file():
            bounds = ("--bound", depth) if expected is Expected.SAFE_TO_BOUND else ()
            for wanted in _properties(text, name):
                arguments = ("check", "--model", model, "--property", wanted, *bounds)
                yield Case("dat3m", f"c/{java.stem.removesuffix('Test')}", file, arguments, expected)


def _properties(text: str, name: str) -> tuple[str, ...]:
    """The properties that a class asks for."""
    if "EnumSet.of(TERMINATION, PROGRAM_SPEC)" in text:
        return ("assertion", "liveness")
    if "TRACKABILITY" in text and name.startswith("memtrack"):
        return ("valid-memtrack",)
    return ("liveness",) if "Property.TERMINATION" in text else ("assertion",)
