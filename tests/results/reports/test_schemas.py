"""What commands print is what the shipped schemas say, and the schemas say what the types say."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from tests.snapshots.cases import families
from tests.snapshots.stored import read

from treville.results.reports.schemas import ERROR, FACTS, FOLDER, REPORTS, schema_of

jsonschema = pytest.importorskip("jsonschema")


@pytest.mark.parametrize("command", [*REPORTS, *FACTS, ERROR])
def test_the_shipped_schema_is_that_of_the_types(command: str) -> None:
    stored = json.loads((FOLDER / f"{command}.json").read_text(encoding="utf-8"))
    assert stored == schema_of(command), "run: python -m treville.results.reports.schemas"
    jsonschema.Draft202012Validator.check_schema(stored)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that an answer printed; times were taken out of them."""
    decoder = json.JSONDecoder()
    lines = "\n".join(line[2:] for line in text.splitlines() if line.startswith("  "))
    end = 0
    for found in re.finditer(r"^\{", lines, flags=re.MULTILINE):
        if found.start() < end:
            continue
        try:
            value, end = decoder.raw_decode(lines, found.start())
        except ValueError:
            continue
        yield _timed(value)


def _timed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: 0.0 if inner == "*" else _timed(inner) for key, inner in value.items()}
    return [_timed(inner) for inner in value] if isinstance(value, list) else value


@cache
def _validator(command: str) -> Any:
    return jsonschema.Draft202012Validator(schema_of(command))


def _schema_for(line: str) -> str:
    """The schema of what a command line prints; none for those that print no objects."""
    words = line.split()
    for word, schema in (("--complexity", "complexity"), ("--check", "strength")):
        if word in words and words[0] in ("history", "models"):
            return schema
    return words[0] if words and words[0] in (*REPORTS, *FACTS) else ""


@pytest.mark.parametrize("family", families())
def test_every_answer_and_every_error_is_valid(family: str) -> None:
    wrong, counts = [], Counter[str]()
    for line, answer in read(family).items():
        schema = _schema_for(line)
        if not schema or "--json" not in line:
            continue
        for found in _objects(answer.split("\n  file {out}")[0]):
            counts[schema] += 1
            validator = _validator(ERROR if found.get("file") == "" and "error" in found else schema)
            wrong += [f"{line}: {error.message[:200]}" for error in validator.iter_errors(found)]
    assert wrong == []


def test_errors_have_one_shape_in_all_commands() -> None:
    faults = [
        found["error"]
        for line, answer in read("wrong").items()
        if "--json" in line
        for found in _objects(answer)
        if "error" in found
    ]
    assert len(faults) > 8
    assert {fault["cause"] for fault in faults} == {"input"}
    assert all(fault["message"] for fault in faults)
    assert sum("place" in fault for fault in faults) > 5
