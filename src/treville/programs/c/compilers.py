"""Which compiler turns C into LLVM IR: one whose IR the LLVM here can read, whatever comes first on PATH.

Compilers before 15 write pointers with types, and those after LLVM's own version may write what it does not
know. `TREVILLE_CLANG` names one that is taken as it is; else a suitable `clang` (or `clang-17`, the newest
first), else the one inside the `ziglang` package.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec

from treville.records import dataclass
from treville.results import InputError

OLDEST, NEWEST = 15, 22  # llvmlite's LLVM is the newest whose text is sure to be read
INSTALL_HINT = "install the C front end: pip install 'treville[c]'"
_VERSION = re.compile(r"clang version (\d+)")
_SECONDS = 20
_BUNDLED = ("-fno-sanitize=undefined",)
_HOME = ("-target", "x86_64-linux-musl")


@dataclass(frozen=True, slots=True)
class Compiler:
    """A command, and the options with which it compiles for the machine that is usual here."""

    command: tuple[str, ...]
    home: tuple[str, ...] = ()


def compiler() -> Compiler:
    """The compiler to use."""
    if own := os.environ.get("TREVILLE_CLANG"):
        return Compiler((own,))
    found = _suitable(os.environ.get("PATH", ""))
    if found is not None:
        return Compiler((found,))
    if find_spec("ziglang") is not None:
        return Compiler((sys.executable, "-m", "ziglang", "cc", *_BUNDLED), _HOME)
    if other := shutil.which("clang"):
        what = f"{other} is no clang of version {OLDEST} to {NEWEST}"
        raise InputError(f"{what}, and no other was found", hint=INSTALL_HINT)
    raise InputError("no C compiler that writes LLVM IR was found", hint=INSTALL_HINT)


@cache
def _suitable(path: str) -> str | None:
    """The first clang that will do."""
    names = ("clang", *(f"clang-{version}" for version in range(NEWEST, OLDEST - 1, -1)))
    commands = (shutil.which(name, path=path) for name in names)
    return next((c for c in commands if c and OLDEST <= version_of(c) <= NEWEST), None)


def version_of(command: str) -> int:
    """The version of a clang; 0 if it tells none."""
    try:
        done = subprocess.run(
            [command, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = _VERSION.search(done.stdout)
    return int(match.group(1)) if match else 0
