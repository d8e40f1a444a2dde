"""Pictures and witness files of a batch: names that no two inputs share, and folders made where needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from treville.records import dataclass
from treville.results import InputError

_LONGEST = 120


@dataclass(frozen=True, slots=True)
class PictureName:
    """What the pictures of one file under one model are called; empty parts follow from file and model."""

    file: str = ""
    model: str = ""

    def stem(self, file: str, *models: str) -> str:
        """The name without ending of a picture of that file; `model` is how the last model is called."""
        *others, model = map(file_name, models)
        return "-".join([self.file or file_name(Path(file).stem), *others, self.model or model])


def picture_names(files: Sequence[str], models: Sequence[str]) -> dict[tuple[str, str], PictureName]:
    """Names for all files and models of a batch, each of which makes pictures of its own. Without models
    those of the files' own choice are meant."""
    of_file = distinct_names(files)
    of_model = distinct_names([model for model in models if model.endswith(".cat")])
    return {
        (file, model): PictureName(of_file[file], of_model.get(model, ""))
        for file in files
        for model in models or ("", "sc")
    }


def distinct_names(paths: Sequence[str]) -> dict[str, str]:
    """A file name for each path: its stem, and where others have the same, as many folders as it takes."""
    names: dict[str, str] = {}
    waiting = {path: _longer_and_longer(path) for path in paths}
    while waiting:
        tried = {path: next(candidates) for path, candidates in waiting.items()}
        shared = Counter([*names.values(), *tried.values()])
        for path, name in tried.items():
            if shared[name] == 1:
                names[path] = name
                del waiting[path]
    return {path: names[path] for path in paths}


def _longer_and_longer(path: str) -> Iterator[str]:
    """The stem, then with ever more folders before it, and if all else fails a digest of the path."""
    parts = [*Path(path).parts[:-1], Path(path).stem]
    for start in range(len(parts) - 1, -1, -1):
        yield file_name("-".join(parts[start:]))
    yield file_name(path)
    import hashlib

    yield f"{file_name(path)}-{hashlib.sha256(path.encode(errors='surrogateescape')).hexdigest()}"


def picture_path(where: str, name: str, ending: str, *, alone: bool) -> str:
    """Where the picture of a file goes: the given file if it is the only one, else a file in the given
    folder."""
    if not where:
        return ""
    path = Path(where)
    return str(path if alone and not path.is_dir() else path / f"{name}{ending}")


def file_name(name: str) -> str:
    """A name without what file systems or shells dislike."""
    return re.sub(r"[^\w.+\-]", "_", name).lstrip(".")[:_LONGEST] or "test"


def write_text(path: Path, text: str) -> None:
    """Write a file, and the folder that it belongs to."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot write {path}: {reason}") from None
