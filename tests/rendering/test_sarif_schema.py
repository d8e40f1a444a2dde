"""SARIF is valid against the schema that OASIS published, where that is at hand.

`SARIF_SCHEMA` names the file `sarif-schema-2.1.0.json`; without it, a package that is installed may bring it.
"""

from __future__ import annotations

import json
import os
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

from treville.cli.main import main

jsonschema = pytest.importorskip("jsonschema")
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
_NAME = "sarif-schema-2.1.0.json"


@cache
def _schema() -> Any:
    named = os.environ.get("SARIF_SCHEMA")
    found = [Path(named)] if named else []
    found += [
        Path(str(file.locate()))
        for package in distributions()
        for file in package.files or ()
        if file.name == _NAME
    ]
    return json.loads(found[0].read_text(encoding="utf-8")) if found else None


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
    if _schema() is None:
        pytest.skip(f"no package brings {_NAME}: SARIF_SCHEMA can name it")
    if ".c " in command:
        pytest.importorskip("llvmlite")
        pytest.importorskip("ziglang")
    path = tmp_path / "treville.sarif"
    main([*command.split(), "--quiet", "--sarif", str(path)])
    content = json.loads(path.read_text(encoding="utf-8"))
    validator = jsonschema.Draft7Validator(_schema(), format_checker=jsonschema.FormatChecker())
    assert [error.message for error in validator.iter_errors(content)] == []
    assert content["version"] == "2.1.0"
