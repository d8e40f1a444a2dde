"""The shipped models: finding one by name or path, listing them, and which is stronger than which."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from treville.models.base import FENCES
from treville.models.cat.files import LIBRARY, parse_file, read_source
from treville.models.cat.resolve import resolve_file
from treville.models.identity import shipped_name
from treville.models.model import Model
from treville.records import NamedTuple, dataclass, replace
from treville.results import InputError, disk

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

_ASSEMBLY = frozenset({"X86", "X86_64", "PPC", "ARM", "AArch64", "RISCV"})
_ALL_TESTS = _ASSEMBLY | {"C", "LKMM", "PTS"}


class Order(NamedTuple):
    """Every execution of the stronger model is one of the weaker model, on tests of these dialects."""

    stronger: str
    weaker: str
    dialects: frozenset[str] = _ASSEMBLY


# Tests of C are compiled, and where a compiler puts fences differs: a seq_cst load is a plain one on x86 and
# has a full fence before it on Power; smp_rmb is a full fence on Alpha. To `power`, ARM's isb orders nothing
# and dmb st less than to `armv7`.
STRENGTH = (
    Order("sc", "tso", _ALL_TESTS),
    Order("tso", "pso", _ALL_TESTS),
    Order("pso", "rmo", _ASSEMBLY | {"LKMM"}),
    Order("pso", "alpha"),
    Order("sc", "power", _ALL_TESTS),
    Order("tso", "power", _ASSEMBLY | {"LKMM"}),
    Order("power", "armv7", _ASSEMBLY - {"ARM", "AArch64"}),
    Order("sc", "armv7", _ALL_TESTS),
    Order("sc", "aarch64", _ALL_TESTS),
    Order("sc", "riscv", _ALL_TESTS),
    Order("sc", "rc11", _ALL_TESTS),
    Order("svcomp", "sc", _ALL_TESTS),
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
    if path.suffix in (".cat", ".bell") and (disk.is_file(path) or "/" in name):
        if not disk.is_file(path):
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
    path = disk.resolve(find_model(str(name)))
    beside = path.with_suffix(".bell")
    if bell is None and beside != path and disk.is_file(beside):
        bell = beside
    annotations = None if bell is None else disk.resolve(Path(bell))
    chosen = tuple(sorted(variants))
    if path.parent != LIBRARY:
        return _load_own(path, _stamp(path), chosen, annotations)
    return _load_from_library(path, chosen, annotations)


def _stamp(path: Path) -> disk.Stamp:
    read_source(path)
    return disk.stamp(path)


@disk.cached
def _load_from_library(path: Path, variants: tuple[str, ...], bell: Path | None) -> Model:
    if variants or bell is not None or path.stem not in MODELS:
        return _identified(resolve_file(path, variants, bell))
    # What the file says is what the name means: nothing to be compared.
    return replace(resolve_file(path), shipped=path.stem)


@disk.cached
def _load_own(path: Path, _stamp: disk.Stamp, variants: tuple[str, ...], bell: Path | None) -> Model:
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
