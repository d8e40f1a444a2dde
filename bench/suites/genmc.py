"""GenMC's tests: `correct/` must pass and `wrong/` must fail, under RC11 with its default properties.

A test is a folder with programs in `variants/`. `args.rc11.mo.in` has GenMC's options, a bar, and the
compiler's; each line is a run of its own. Left out are file systems, RCU and comparisons with specifications,
which are other questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cases import Case, Expected

ANOTHER_QUESTION = ("fs", "lkmm", "relinche", "helper")
# Sets the kind of errors that are looked for; all others tune GenMC's search.
_LIVENESS, _NO_RACES = "-check-liveness", "-disable-race-detection"
_BOUND = "-unroll="


def cases(root: Path) -> Iterator[Case]:
    """All programs of a checkout, each under RC11."""
    for expected, folder in ((Expected.SAFE, "correct"), (Expected.UNSAFE, "wrong")):
        for variants in sorted((root / "tests" / folder).rglob("variants")):
            family = variants.relative_to(root / "tests" / folder).parts[0]
            if family not in ANOTHER_QUESTION:
                yield from _runs(root, variants, f"{folder}/{family}", expected)


def _runs(root: Path, variants: Path, family: str, expected: Expected) -> Iterator[Case]:
    for line in _lines(variants.parent / "args.rc11.mo.in") or [""]:
        own, _, compiler = line.partition("|")
        flags = [*own.split(), *" ".join(_lines(variants.parent / "genmc.rc11.mo.in")).split()]
        bound = [
            word for flag in flags if flag.startswith(_BOUND) for word in ("--bound", flag[len(_BOUND) :])
        ]
        wanted = Expected.SAFE_TO_BOUND if bound and expected is Expected.SAFE else expected
        asked = ("check", "--model", "rc11", *bound)
        arguments = (*asked, *_properties(flags, family), *_macros(root, own, compiler))
        for file in sorted([*variants.glob("*.c"), *variants.glob("*.cpp")]):
            yield Case("genmc", family, file, arguments, wanted)


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text().splitlines() if line.strip()] if file.exists() else []


def _properties(flags: list[str], family: str) -> list[str]:
    if _LIVENESS in flags or family.endswith("liveness"):
        return ["--property", "liveness"]
    return ["--property", "assertion,memory"] if _NO_RACES in flags else []


def _macros(root: Path, *texts: str) -> list[str]:
    """Macros and folders of headers; the latter are given from where GenMC's tests are started."""
    words = [word for text in texts for word in text.split()]
    folders = [f"-I{root / word[2:]}" for word in words if word.startswith("-I")]
    return [word for word in words if word.startswith("-D")] + folders
