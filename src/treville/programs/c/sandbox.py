"""What a C file that nobody trusts may read: headers that come with the compiler, and its own folder.

The compiler gets a file system of its own making (`-ivfsoverlay`, which all suitable compilers know): what is
not listed there does not exist, for `#include`, `#embed`, `__has_include` and whatever else a file may say.
Files of the own folder that are links to elsewhere are not listed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from treville.programs.c.compilers import Compiler
from treville.records import dataclass
from treville.results import InputError

_MOST_FILES = 20_000
_SECONDS = 20
_SYSTEM = ("/usr/include", "/usr/local/include", "/usr/lib/gcc")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Folders of which everything may be read."""

    folders: tuple[Path, ...]

    def allows(self, path: Path) -> bool:
        """Whether a file, links followed, is in one of the folders."""
        with suppress(OSError, ValueError, RuntimeError):
            found = path.resolve()
            return any(found.is_relative_to(folder) for folder in self.folders)
        return False

    def options(self, used: Compiler, runtime: Path, folder: Path) -> list[str]:
        """The options that make a compiler see nothing else; `folder` is for temporary files."""
        listed = [
            {"type": "file", "name": str(seen), "external-contents": str(real)}
            for seen, real in self._files()
        ]
        remapped = [
            {"type": "directory-remap", "name": str(each), "external-contents": str(each)}
            for each in (*_shipped(used), runtime, folder)
        ]
        overlay = folder / "files.yaml"
        content = {"version": 0, "redirecting-with": "redirect-only", "roots": [*remapped, *listed]}
        overlay.write_text(json.dumps(content), encoding="utf-8", errors="surrogateescape")
        return ["-ivfsoverlay", str(overlay)]

    def _files(self) -> Iterator[tuple[Path, Path]]:
        """The files of the folders, by the names that they have there, and what they are."""
        count = 0
        for top in self.folders:
            for place, _, names in os.walk(top):
                for name in names:
                    seen = Path(place) / name
                    if self.allows(seen) and seen.is_file():
                        count += 1
                        yield seen, seen.resolve()
                if count > _MOST_FILES:
                    raise InputError(
                        f"{top} has more than {_MOST_FILES} files", hint="--sandbox needs a folder of its own"
                    )


def sandbox_of(files: Iterable[Path], includes: Iterable[str]) -> Sandbox:
    """The folders of the given files, and those that options name."""
    given = list(files)
    folders = [*(file.absolute().parent for file in given), *map(Path, includes)]
    found = Sandbox(tuple(dict.fromkeys(folder.resolve() for folder in folders)))
    for file in given:
        if not found.allows(file):
            raise InputError(f"{file}: a link to a file outside of its folder", hint="not with --sandbox")
    return found


def _shipped(used: Compiler) -> list[Path]:
    """Where the headers are that come with a compiler and its system."""
    if used.package is not None:
        return [used.package]
    found = [_resource_folder(used.command), *map(Path, _SYSTEM)]
    return [folder for folder in found if folder.is_dir()]


@cache
def _resource_folder(command: tuple[str, ...]) -> Path:
    """Where a clang keeps the headers of its own."""
    import subprocess

    try:
        done = subprocess.run(
            [*command, "-print-resource-dir"], capture_output=True, text=True, timeout=_SECONDS, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return Path(sys.prefix) / "nowhere"
    return Path(done.stdout.strip() or "/nowhere")
