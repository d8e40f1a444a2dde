"""Stored answers <-> files that people read: `$ treville ARGUMENTS`, then the answer, then an empty line."""

from __future__ import annotations

from pathlib import Path

from tests.snapshots.cases import HERE

_PROMPT = "$ treville "


def path_of(family: str) -> Path:
    """The file that holds the answers of a family."""
    return HERE / "expected" / f"{family}.txt"


def read(family: str) -> dict[str, str]:
    """The stored answers of a family by their command lines."""
    path = path_of(family)
    if not path.exists():
        return {}
    blocks = f"\n{path.read_text(encoding='utf-8')}".split(f"\n{_PROMPT}")[1:]
    return {line: answer.strip("\n") for line, _, answer in (block.partition("\n") for block in blocks)}


def write(family: str, answers: dict[str, str]) -> None:
    """Store the answers of a family."""
    blocks = [f"{_PROMPT}{line}\n{answer}\n" for line, answer in answers.items()]
    path_of(family).parent.mkdir(exist_ok=True)
    path_of(family).write_text("\n".join(blocks), encoding="utf-8")
