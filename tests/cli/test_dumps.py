"""`--dump` is answered as questions are: within the limits, as JSON, and one bad input does not end it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from treville.cli.main import main
from treville.results.reports.schemas import schema_of

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
LITMUS = str(Path(__file__).resolve().parents[2] / "examples" / "litmus" / "SB.litmus")


@pytest.mark.parametrize("command", ["litmus", "check"])
def test_an_input_that_never_ends_is_given_up(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    pipe = tmp_path / "pipe.litmus"
    os.mkfifo(pipe)  # nobody writes to it
    (tmp_path / "bad.litmus").write_text("nonsense")
    inputs = [str(pipe), str(tmp_path / "bad.litmus"), LITMUS]
    assert main([command, *inputs, "--dump", "program", "--timeout", "0.1", "--json"]) == 2
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for report in reports:
        jsonschema.validate(report, schema_of("dump"))
    assert [(report["status"], report.get("limit")) for report in reports] == [
        ("unknown", "time"), ("error", None), ("done", None),
    ]  # fmt: skip
    assert "P0():" in reports[2]["text"]
