"""What must be the same on all machines of a campaign for answers to mean the same."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from treville import __version__

_SHIPPED = Path(__file__).resolve().parents[2]
_ENDINGS = (".py", ".cat", ".bell", ".c", ".h")
_PACKAGES = ("clingo", "msgspec", "z3-solver", "python-sat")


@cache
def versions() -> dict[str, str]:
    """Names and versions: of Treville with a digest of its files, of Python, and of what answers."""
    python = ".".join(map(str, sys.version_info[:2]))
    return {"treville": f"{__version__} ({_digest()})", "python": python, **dict(map(_package, _PACKAGES))}


def _digest() -> str:
    found = hashlib.sha256()
    for path in sorted(path for path in _SHIPPED.rglob("*") if path.suffix in _ENDINGS):
        found.update(f"{path.relative_to(_SHIPPED)}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


def _package(name: str) -> tuple[str, str]:
    try:
        return name, version(name)
    except PackageNotFoundError:
        return name, "none"


def difference(expected: dict[str, str]) -> str:
    """How this machine differs; nothing if it does not."""
    here = versions()
    return ", ".join(
        f"{name} is {here.get(name)} there and {wanted} here"
        for name, wanted in expected.items()
        if here.get(name) != wanted
    )
