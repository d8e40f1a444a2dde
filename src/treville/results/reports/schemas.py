"""Types of reports -> JSON Schemas of what `--json` prints, which are shipped in `results/schemas`.

python -m treville.results.reports.schemas        writes the shipped files anew
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from treville.records import fields, is_dataclass
from treville.results.reports.check import CheckReport
from treville.results.reports.compare import CompareReport
from treville.results.reports.history import HistoryReport
from treville.results.reports.litmus import LitmusReport
from treville.results.reports.param import ParamReport
from treville.results.reports.petri import PetriReport
from treville.results.reports.port import PortReport
from treville.results.reports.repair import RepairReport
from treville.results.reports.report import SCHEMA, Report
from treville.results.reports.sequentialise import SequentialiseReport
from treville.results.reports.synth import SynthReport

REPORTS: dict[str, type[Report]] = {
    "litmus": LitmusReport,
    "check": CheckReport,
    "port": PortReport,
    "repair": RepairReport,
    "compare": CompareReport,
    "history": HistoryReport,
    "param": ParamReport,
    "petri": PetriReport,
    "synth": SynthReport,
    "sequentialise": SequentialiseReport,
}
# What a command prints where it cannot begin: no model, no list of files, wrong options.
ERROR = "error"
FOLDER = Path(__file__).parents[1] / "schemas"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(command: str) -> dict[str, Any]:
    """The JSON Schema of the objects that a command prints; `error`: of what is wrong with any command."""
    import msgspec

    kind = Report if command == ERROR else REPORTS[command]
    _, definitions = msgspec.json.schema_components([kind])
    for part in _dataclasses(kind):
        _mend(definitions[part.__name__], part)
    root = definitions.pop(kind.__name__)
    version = {"schema": {"const": SCHEMA}}
    title = "An error of any command" if command == ERROR else f"An answer of `treville {command} --json`"
    return {
        "$schema": _DRAFT,
        "$id": f"urn:treville:schema:{SCHEMA}:{command}",
        "title": title,
        **root,
        "properties": {**version, **root["properties"]},
        "required": ["schema", *root["required"]],
        "$defs": definitions,
    }


def _dataclasses(kind: type) -> list[type]:
    """A class and those in its fields."""
    import msgspec

    found: dict[type, None] = {}

    def visit(node: Any) -> None:
        if isinstance(node, msgspec.inspect.DataclassType) and node.cls not in found:
            found[node.cls] = None
            for each in node.fields:
                visit(each.type)
        for name in ("types", "item_type", "item_types", "value_type"):
            inner = getattr(node, name, None)
            for each in inner if isinstance(inner, tuple) else () if inner is None else (inner,):
                visit(each)

    visit(msgspec.inspect.type_info(kind))
    return list(found)


def _mend(schema: dict[str, Any], kind: type) -> None:
    """Private fields are not printed; those that are not optional are always there."""
    assert is_dataclass(kind)
    shown = [each for each in fields(kind) if "private" not in each.metadata]
    schema["properties"] = {each.name: schema["properties"][each.name] for each in shown}
    for part in schema["properties"].values():
        part.pop("default", None)
    schema["required"] = [each.name for each in shown if not each.metadata]
    schema["additionalProperties"] = False
    schema.pop("title", None)


def main() -> None:
    """Write the shipped files."""
    for command in (*REPORTS, ERROR):
        text = json.dumps(schema_of(command), indent=1) + "\n"
        (FOLDER / f"{command}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
