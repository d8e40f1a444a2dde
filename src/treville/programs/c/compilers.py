"""Which compiler turns C into LLVM IR: one whose IR the LLVM here can read, whatever comes first on PATH.

Compilers before 15 write pointers with types, and those after LLVM's own version may write what it does not
know. `TREVILLE_CLANG` names one that is taken as it is; else a suitable `clang` (or `clang-17`, the newest
first), else the one inside the `ziglang` package. That one is started as the clang that it contains, and told
where its headers are: its own front (`zig cc`), and the Python that finds it, take three times as long as
the compiler.
"""

from __future__ import annotations

import os
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from treville.records import dataclass
from treville.results import InputError

OLDEST, NEWEST = 15, 22  # llvmlite's LLVM is the newest whose text is sure to be read
INSTALL_HINT = "install the C front end: pip install 'treville[c]'"
_VERSION = re.compile(r"clang version (\d+)")
_SECONDS = 20
_ENDING = ".exe" if os.name == "nt" else ""
_HOME = "x86_64-linux-musl"
# Where the bundled compiler keeps the headers of an architecture, of its C library and of its kernel.
_HEADERS = {
    "x86_64": ("x86_64-linux-musl", "x86-linux-any"),
    "aarch64": ("aarch64-linux-musl", "aarch64-linux-any"),
    "powerpc64le": ("powerpc64-linux-musl", "powerpc-linux-any"),
    "riscv64": ("riscv64-linux-musl", "riscv-linux-any"),
}


@dataclass(frozen=True, slots=True)
class Compiler:
    """A command; the folder of the package that it comes with, if it is the bundled one."""

    command: tuple[str, ...]
    package: Path | None = None

    def compiling_for(self, target: str) -> list[str]:
        """The options with which it compiles for a machine, or for the one that is usual here."""
        if self.package is None:
            return ["-target", target] if target else []
        target = target or _HOME
        library, kernel = _HEADERS[target.partition("-")[0]]
        of_target = (f"libc/include/{name}" for name in (library, "generic-musl", kernel, "any-linux-any"))
        folders = (str(self.package / "lib" / folder) for folder in ("include", *of_target))
        headers = [word for folder in folders for word in ("-isystem", folder)]
        return ["-target", target, "-fno-pie", "-gdwarf-4", "-nostdinc", *headers]


def compiler() -> Compiler:
    """The compiler to use."""
    if own := os.environ.get("TREVILLE_CLANG"):
        return Compiler((own,))
    found = _suitable(os.environ.get("PATH", ""))
    if found is not None:
        return Compiler((found,))
    if (package := find_spec("ziglang")) is not None and package.origin is not None:
        folder = Path(package.origin).parent.resolve()
        return Compiler((str(folder / f"zig{_ENDING}"), "clang"), folder)
    if other := _found("clang", os.environ.get("PATH", "")):
        what = f"{other} is no clang of version {OLDEST} to {NEWEST}"
        raise InputError(f"{what}, and no other was found", hint=INSTALL_HINT)
    raise InputError("no C compiler that writes LLVM IR was found", hint=INSTALL_HINT)


@cache
def _suitable(path: str) -> str | None:
    """The first clang that will do."""
    names = ("clang", *(f"clang-{version}" for version in range(NEWEST, OLDEST - 1, -1)))
    commands = (_found(name, path) for name in names)
    return next((c for c in commands if c and OLDEST <= version_of(c) <= NEWEST), None)


def _found(name: str, path: str) -> str | None:
    """The first command of that name in the folders of a path. (`shutil` takes long to import.)"""
    files = (f"{folder or '.'}/{name}{_ENDING}" for folder in path.split(os.pathsep))
    return next((f for f in files if os.access(f, os.X_OK) and not os.path.isdir(f)), None)  # noqa: PTH112


def version_of(command: str) -> int:
    """The version of a clang; 0 if it tells none."""
    import subprocess

    try:
        done = subprocess.run(
            [command, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = _VERSION.search(done.stdout)
    return int(match.group(1)) if match else 0
