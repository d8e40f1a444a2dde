"""A file -> `Problem`: the reader follows the ending, the question follows the options."""

from __future__ import annotations

from pathlib import Path

from treville.petri import spec
from treville.petri.net import Box, Problem, as_coverability, as_reachability
from treville.results import disk
from treville.results.errors import InputError
from treville.results.source import Span

SUFFIXES = (".spec", ".pnml")
_MAX_BYTES = 100_000_000


def read_problem(
    path: str, targets: tuple[str, ...] = (), question: str = "file", text: str | None = None
) -> Problem:
    """The problem of a `.spec` or `.pnml` file, or of its text.

    `targets` replace those of the file, one disjunct each; `question` is "file" (as stated), "cover"
    (lower bounds only) or "reach" (the lower bounds as exact markings).
    """
    data = read_file(path) if text is None else text.encode()
    if Path(path).suffix.lower() == ".pnml" or data.lstrip()[:5] in (b"<?xml", b"<pnml"):
        from treville.petri import pnml

        problem = pnml.parse(data, path)
    else:
        problem = spec.parse(_decoded(data), path)
    given: tuple[Box, ...] = tuple(b for t in targets for b in spec.parse_target(t, problem.net.places))
    if given:
        problem = Problem(problem.name, problem.net, problem.initial, given, problem.weights)
    if not problem.targets:
        hint = "give one, for example --target 'p1 >= 1, p2 >= 1'"
        raise InputError("PNML states no target", Span(path, 1, 1), hint)
    if question == "cover":
        return as_coverability(problem)
    return as_reachability(problem) if question == "reach" else problem


def read_file(path: str) -> bytes:
    """The bytes of a net's file; what cannot be read, or is absurdly large, is an input error."""
    try:
        data = disk.read_bytes(path, _MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot read the file: {reason}", Span(path, 1, 1)) from None
    if len(data) > _MAX_BYTES:
        raise InputError(f"the file is larger than {_MAX_BYTES // 1_000_000} MB", Span(path, 1, 1))
    return data


def _decoded(data: bytes) -> str:
    """Old nets carry Latin-1 comments; everything that matters is ASCII."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
