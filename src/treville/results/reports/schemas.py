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
from treville.results.reports.diff import DiffReport
from treville.results.reports.dump import DumpReport
from treville.results.reports.history import ComplexityReport, HistoryReport
from treville.results.reports.litmus import LitmusReport
from treville.results.reports.models import ModelEntry, StrengthReport
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
# What commands print that ask no questions about files, and the command lines that print it.
FACTS: dict[str, tuple[type, str]] = {
    "dump": (DumpReport, "treville check --dump STAGE --json"),
    "diff": (DiffReport, "treville diff --json"),
    "models": (ModelEntry, "treville models --json"),
    "strength": (StrengthReport, "treville models --check --json"),
    "complexity": (ComplexityReport, "treville history --complexity --json"),
}
# What a command prints where it cannot begin: no model, no list of files, wrong options.
ERROR = "error"
FOLDER = Path(__file__).parents[1] / "schemas"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(command: str) -> dict[str, Any]:
    """The JSON Schema of the objects that a command prints, or of one of `FACTS`; `error`: of what is wrong
    with any command."""
    import msgspec

    kind, line = _printed(command)
    _, definitions = msgspec.json.schema_components([kind])
    for part in _dataclasses(kind):
        _mend(definitions[part.__name__], part)
    root = definitions.pop(kind.__name__)
    version = {"schema": {"const": SCHEMA}}
    title = f"An answer of `{line}`" if line else "An error of any command"
    return {
        "$schema": _DRAFT,
        "$id": f"urn:treville:schema:{SCHEMA}:{command}",
        "title": title,
        **root,
        "properties": {**version, **root["properties"]},
        "required": ["schema", *root["required"]],
        "$defs": definitions,
    }


def _printed(name: str) -> tuple[type, str]:
    """The type of what is printed, and the command line that prints it."""
    if name in FACTS:
        return FACTS[name]
    return (Report, "") if name == ERROR else (REPORTS[name], f"treville {name} --json")


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
    for command in (*REPORTS, *FACTS, ERROR):
        text = json.dumps(schema_of(command), indent=1) + "\n"
        (FOLDER / f"{command}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
