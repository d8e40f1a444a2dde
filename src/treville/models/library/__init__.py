"""The shipped models: finding one by name or path, listing them, and which is stronger than which."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from treville.models.base import FENCES
from treville.models.cat.files import LIBRARY, parse_file, read_source
from treville.models.cat.resolve import resolve_file
from treville.models.identity import shipped_name
from treville.models.model import Model
from treville.records import dataclass, replace
from treville.results import InputError

# Shipped models in the order in which they are listed.
MODELS = (
    "sc", "tso", "pso", "rmo", "alpha", "power", "armv7", "aarch64", "riscv", "c11", "rc11", "imm", "lkmm",
    "svcomp", "power2012",
)  # fmt: skip

# herd7's names for the same models.
ALIASES = {
    "x86tso": "tso",
    "x86": "tso",
    "x86-tso": "tso",
    "ppc": "power",
    "arm": "armv7",
    "c11_partialsc": "c11",
    "linux-kernel": "lkmm",
    "linux": "lkmm",
    "risc-v": "riscv",
    "armv8": "aarch64",
}

# (stronger, weaker): every execution of the stronger model is one of the weaker model, on tests whose
# fences and annotations both models understand.
STRENGTH = (
    ("sc", "tso"),
    ("tso", "pso"),
    ("pso", "rmo"),
    ("pso", "alpha"),
    ("sc", "power"),
    ("tso", "power"),
    ("power", "armv7"),
    ("sc", "armv7"),
    ("sc", "aarch64"),
    ("sc", "riscv"),
    ("sc", "rc11"),
    ("svcomp", "sc"),
)


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A line of the list of models. `citation` is the comment at the head of its file."""

    name: str
    title: str
    summary: str
    citation: str
    file: str
    aliases: tuple[str, ...]


def list_models() -> list[ModelInfo]:
    """All shipped models."""
    return [_info(name) for name in MODELS if (LIBRARY / f"{name}.cat").is_file()]


def _info(name: str) -> ModelInfo:
    path = LIBRARY / f"{name}.cat"
    source, file = parse_file(path)
    comment = header_comment(source.text)
    summary = comment.split("\n\n")[0].replace("\n", " ")
    aliases = tuple(alias for alias, target in ALIASES.items() if target == name)
    return ModelInfo(name, file.title or name, summary, comment, str(path), aliases)


def header_comment(text: str) -> str:
    """The first comment of a cat file without its brackets and indentation."""
    found = re.search(r"\(\*(.*?)\*\)", text, re.DOTALL)
    if not found:
        return ""
    return "\n".join(line.strip().removeprefix("* ") for line in found.group(1).strip().splitlines())


def find_model(name: str) -> Path:
    """The file of a shipped model (or alias) or of a path ending in `.cat`."""
    key = name.lower().removesuffix(".cat")
    path = Path(name)
    if path.suffix in (".cat", ".bell") and (path.is_file() or "/" in name):
        if not path.is_file():
            raise InputError(f"there is no model file {name}")
        return path
    key = ALIASES.get(key, key)
    if key in MODELS and (LIBRARY / f"{key}.cat").is_file():
        return LIBRARY / f"{key}.cat"
    known = ", ".join(info for info in MODELS if (LIBRARY / f"{info}.cat").is_file())
    raise InputError(f"there is no model {name!r}", None, f"shipped models: {known}; or give a .cat file")


def load_model(name: str | Path, variants: Iterable[str] = (), bell: str | Path | None = None) -> Model:
    """The resolved model of that name or path; resolved models are kept.

    `bell` is a file of annotations to read first; by default the one beside the model with its name."""
    path = find_model(str(name)).resolve()
    beside = path.with_suffix(".bell")
    if bell is None and beside != path and beside.is_file():
        bell = beside
    annotations = None if bell is None else Path(bell).resolve()
    chosen = tuple(sorted(variants))
    if path.parent != LIBRARY:
        return _load_own(path, _stamp(path), chosen, annotations)
    return _load_from_library(path, chosen, annotations)


def _stamp(path: Path) -> tuple[int, int]:
    read_source(path)
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _load_from_library(path: Path, variants: tuple[str, ...], bell: Path | None) -> Model:
    if variants or bell is not None or path.stem not in MODELS:
        return _identified(resolve_file(path, variants, bell))
    # What the file says is what the name means: nothing to be compared.
    return replace(resolve_file(path), shipped=path.stem)


@lru_cache(maxsize=64)
def _load_own(path: Path, _stamp: tuple[int, int], variants: tuple[str, ...], bell: Path | None) -> Model:
    return _identified(resolve_file(path, variants, bell))


def _identified(model: Model) -> Model:
    return replace(model, shipped=shipped_name(model))


def accepted_fences(model: Model) -> frozenset[str] | None:
    """The fence tags that a model understands: those that it mentions. `fullfences.cat` mentions the full
    fences of every architecture.

    None means every fence: a model that speaks of no fence at all, such as `sc`, orders or leaves alone all
    accesses whatever fences stand between them."""
    bases = model.base_names()
    mentioned = bases & FENCES
    if not mentioned and "F" not in bases:
        return None
    return frozenset(mentioned)
