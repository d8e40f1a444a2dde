"""Where cat files come from: the model's own folder and the shipped library, and nowhere else."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path, PurePosixPath

from treville.models.cat import syntax
from treville.models.cat.parser import parse
from treville.results import InputError, Source, Span, disk

LIBRARY = Path(__file__).resolve().parent.parent / "library"
MAX_BYTES = 1_000_000

# These compute orders or dependencies per execution in herd7; Treville has them natively, so the
# library's version is taken even where a model brings its own copy.
NATIVE = frozenset(
    {
        "stdlib.cat", "cos.cat", "cos-opt.cat", "cos-ok-opt.cat", "cos-no-opt.cat", "cross.cat", "lock.cat",
        "aarch64deps.cat", "aarch64-deps.cat", "enumerations.cat", "c11_cos.cat",
    }
)  # fmt: skip


def read_source(path: Path, span: Span | None = None) -> Source:
    """The text of a file, with every way to fail as an InputError."""
    try:
        data = disk.read_bytes(path, MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise InputError(f"{path} is larger than {MAX_BYTES} bytes", span)
        return Source(str(path), data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n"))
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise InputError(f"cannot read {path}: it is not text", span or Span(str(path), line, 1)) from None
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else "no such name"
        raise InputError(f"cannot read {path}: {reason}", span) from None


def find_include(name: str, folder: Path | None, span: Span) -> Path:
    """The file that `include "name"` means for a model in `folder`; never outside it and the library."""
    if len(name) > 200:
        raise InputError("include: no file has a name of this length", span)
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise InputError(
            f'include "{name}" leaves the model\'s folder',
            span,
            "a model can include files of its own folder and of the library",
        )
    places = [folder, LIBRARY] if name not in NATIVE else [LIBRARY, folder]
    for place in places:
        if place is None:
            continue
        candidate = place / name
        if disk.is_file(candidate) and disk.resolve(candidate).is_relative_to(disk.resolve(place)):
            return candidate
    where = "the library" if folder is None else "the model's folder or the library"
    raise InputError(f'include "{name}": there is no such file in {where}', span)


@lru_cache(maxsize=256)
def _parse_library(path: Path) -> tuple[Source, syntax.File]:
    source = read_source(path)
    return source, parse(source)


def parse_file(path: Path, span: Span | None = None) -> tuple[Source, syntax.File]:
    """Read and parse a file; those of the library are parsed once per process."""
    if path.parent == LIBRARY:
        return _parse_library(path)
    source = read_source(path, span)
    return source, parse(source)
