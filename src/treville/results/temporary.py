"""Folders for temporary files, which nobody else may look into. (`tempfile` takes long to import.)"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_ATTEMPTS = 500
_PAUSE = 0.01  # seconds between attempts


def name_of_folder() -> str:
    """Where a new folder may be."""
    named = [Path(p) for p in map(os.environ.get, ("TMPDIR", "TEMP", "TMP")) if p]
    parent = next((p for p in named if p.is_dir()), Path("/tmp")).absolute()
    return str(parent / f"treville-{os.urandom(8).hex()}")


@contextmanager
def folder() -> Iterator[str]:
    """A new folder, which is removed in the end."""
    made = name_of_folder()
    os.mkdir(made, 0o700)  # noqa: PTH102 - quicker
    try:
        yield made
    finally:
        remove(made)


def remove(made: str, *expected: str) -> None:
    """Remove a folder with what is in it: in most cases only what is expected there. A compiler that was
    killed may still be about to make a file: then it is tried again."""
    for name in expected:
        with suppress(OSError):
            os.unlink(f"{made}/{name}")  # noqa: PTH108 - quicker
    try:
        os.rmdir(made)  # noqa: PTH106 - quicker
    except FileNotFoundError:
        return
    except OSError:
        import shutil

        for _ in range(_ATTEMPTS):
            shutil.rmtree(made, ignore_errors=True)
            if not Path(made).exists():
                return
            time.sleep(_PAUSE)
