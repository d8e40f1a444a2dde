"""Imports point one way: no module imports one that imports it, and no package one that comes after it. And
starting is cheap: a command imports what it needs."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "treville"

# What each package may import, beside itself.
_PIPELINE = (
    "relations", "results", "programs", "models", "events", "analysis", "passes", "formulas", "encoding",
    "solving", "enumeration", "machines", "engines",
)  # fmt: skip
ALLOWED: dict[str, set[str]] = {
    "relations": set(),
    "results": set(),
    "drawing": set(),
    "formulas": {"results"},
    "programs": {"relations", "results"},
    "models": {"relations", "results"},
    "events": {"relations", "results", "programs", "models"},
    "analysis": set(_PIPELINE[:5]),
    "passes": set(_PIPELINE[:6]),
    "encoding": {*_PIPELINE[:6], "formulas"},
    "solving": {*_PIPELINE[:6], "formulas", "encoding"},
    "enumeration": set(_PIPELINE[:5]),
    "machines": set(_PIPELINE[:5]),
    "sequential": {*_PIPELINE[:-1]},
    "engines": {*_PIPELINE[:-1], "sequential"},
    "witness": {"relations", "results", "programs", "models", "events", "drawing"},
    "questions": {*_PIPELINE, "sequential", "witness"},
    "rendering": {"results", "drawing", "witness"},
    "histories": {"relations", "results", "formulas", "solving", "witness", "drawing"},
    "parameterised": {"relations", "results", "solving", "witness", "drawing"},
    "petri": {"relations", "results", "solving", "witness", "drawing"},
    "campaigns": {
        *_PIPELINE,
        "sequential",
        "witness",
        "questions",
        "rendering",
        "histories",
        "parameterised",
        "petri",
    },
}
# Modules that every package may import.
SHARED = ("fences",)
ALLOWED["cli"] = {*ALLOWED, "cli"}
ALLOWED["web"] = set(ALLOWED)
# Classes of data are what all packages are made of.
for allowed in ALLOWED.values():
    allowed.add("records")
ALLOWED["records"] = set()


class Saved(NamedTuple):
    """Milliseconds, and the command that would need so many more if the import stood at the top."""

    milliseconds: float
    command: str


# All imports inside functions: who -> what -> what this one saves (CPU time of the import after all that the
# command imports, best of twelve). What saves less than a millisecond belongs to the top of its module, but
# for what need not be installed.
EXTRA = Saved(0, "")
LATE: dict[str, dict[str, Saved]] = {
    # Commands of which one option needs much more than the others.
    "treville": {"treville.api": Saved(102, "--help")},
    "treville.cli.main": {
        "treville.rendering.style": Saved(8, "--help"),
        "treville.cli.terminal": Saved(9, "--help"),
        "treville.cli.meant": Saved(6.0, "--help"),
    },
    "treville.cli.check": {
        "treville.cli.check_dump": Saved(14, "check PASSING.c"),
        "treville.cli.dump_test": Saved(14, "check PASSING.c"),
    },
    "treville.cli.litmus": {"treville.cli.dump_test": Saved(20, "litmus FILE")},
    "treville.cli.batch": {
        "treville.campaigns.journal": Saved(1.2, "litmus FILE"),
        "treville.rendering.junit": Saved(3.0, "litmus FILE"),
        "treville.rendering.sarif": Saved(6.0, "litmus FILE"),
    },
    "treville.campaigns.history": {
        "treville.campaigns.history_model": Saved(37, "history FILE"),
        "treville.campaigns.model_keys": Saved(37, "history FILE --resume NEW"),
        "treville.campaigns.loading": Saved(37, "history FILE"),
        "treville.histories.timeline": Saved(3.1, "history FILE"),
    },
    "treville.campaigns.run": {
        "treville.campaigns.cluster.crew": Saved(38, "petri FILE"),
        "treville.campaigns.apart": Saved(12, "petri FILE"),
    },
    "treville.campaigns.cluster.crew": {"treville.campaigns.cluster.remote": EXTRA},
    "treville.campaigns.cluster.connection": {
        "dask": EXTRA,
        "distributed": EXTRA,
        "distributed.deploy": EXTRA,
    },
    "treville.campaigns.keys": {"hashlib": Saved(2.8, "petri FILE")},
    "treville.campaigns.outputs": {"hashlib": Saved(2.8, "petri FILE")},
    "treville.campaigns.workers": {"traceback": Saved(4.2, "litmus FILE")},
    "treville.results.temporary": {"shutil": Saved(3.3, "check PASSING.c")},
    "treville.cli.history": {"treville.campaigns.loading": Saved(37, "history FILE")},
    "treville.results.reports.schemas": {"msgspec": Saved(10, "litmus FILE")},
    "treville.campaigns.journal": {"msgspec": Saved(10, "litmus FILE --resume NEW")},
    "treville.petri.reading": {"treville.petri.pnml": Saved(1.9, "petri FILE")},
    "treville.cli.models": {"treville.campaigns.strength": Saved(36, "models")},
    "treville.models.identity": {"hashlib": Saved(2.8, "models")},
    "treville.records.making": {"dataclasses": Saved(9, "litmus FILE")},
    # Executions for people.
    "treville.campaigns.litmus": {"treville.campaigns.walk": Saved(10, "litmus FILE --no-explain")},
    "treville.campaigns.walk": {"treville.witness.svg": Saved(1.6, "litmus FILE")},
    "treville.campaigns.port": {"treville.witness.svg": Saved(1.7, "port FILE.litmus")},
    "treville.campaigns.compare": {"treville.witness.svg": Saved(1.7, "compare sc tso")},
    "treville.campaigns.repair": {"treville.witness.svg": Saved(1.7, "repair FILE.litmus")},
    "treville.campaigns.check": {
        "treville.campaigns.check_litmus": Saved(12, "check PASSING.c"),
        "treville.campaigns.check_witness": Saved(3.5, "check PASSING.c"),
    },
    "treville.campaigns.check_witness": {
        "treville.campaigns.check_pictures": Saved(5.0, "check FAILING.c --model power"),
    },
    # The front end of C.
    "treville.programs.c": {
        "treville.programs.c.cache": Saved(3.5, "check FILE.litmus"),
        "treville.programs.c.compile": Saved(10, "check PASSING.c"),  # again
        "treville.programs.c.reader": Saved(5.0, "check FILE.litmus"),
        "treville.programs.c.sandbox": Saved(2.4, "check FILE.litmus"),
        "treville.programs.c.sources": Saved(4.1, "check FILE.litmus"),
        "treville.programs.c.translate": Saved(11, "check FILE.litmus"),
    },
    "treville.programs.c.compile": {"llvmlite": EXTRA},
    "treville.programs.c.compilers": {"subprocess": Saved(2.4, "check PASSING.c")},
    "treville.programs.c.sandbox": {"subprocess": Saved(2.4, "check PASSING.c")},
    "treville.programs.c.library": {
        "treville.programs.c.library.assembly": Saved(5.5, "check PASSING.c"),
        "treville.programs.c.library.kernel": Saved(7.5, "check PASSING.c"),
    },
    "treville.programs.litmus": {"treville.programs.litmus.layout": Saved(1.6, "check PASSING.c")},
    "treville.programs.pts": {"treville.programs.pts.reader": Saved(6.2, "litmus FILE")},
    # Engines that are asked whether they suit before another one has the answer.
    "treville.engines.outcomes.symbolic": {
        "treville.engines.outcomes.symbolic_search": Saved(20, "litmus FILE"),
    },
    "treville.engines.decide.acyclicity": {
        "treville.analysis.relations": Saved(9.2, "check PASSING.c"),
        "treville.encoding.acyclicity": Saved(13, "check PASSING.c"),
        "treville.engines.session": Saved(13, "check PASSING.c"),
    },
    "treville.engines.decide.formulas": {
        "treville.engines.decide.at_bound": Saved(17, "check PASSING.c"),
    },
    "treville.engines.decide.by_states": {
        "treville.machines.buffers.trace": Saved(2.8, "check PASSING.c"),
    },
    "treville.engines.decide.graphs": {
        "treville.machines.graphs.witness": Saved(3.0, "check PASSING.c"),
    },
    "treville.engines.decide.views": {
        "treville.machines.views.trace": Saved(6.0, "check FAILING.c --model power"),
    },
    # Solvers, most of them optional.
    "treville.solving.back_ends.clasp": {
        "clingo": Saved(9.9, "litmus FILE"),
        "clingo._internal": Saved(9.4, "litmus FILE"),
    },
    "treville.solving.optimum": {"clingo": Saved(9.2, "synth --help")},
    "treville.solving.lazy.propagator": {"clingo": Saved(9.2, "port FILE.litmus")},
    "treville.solving.back_ends.by_name": {
        "treville.solving.back_ends.clasp": Saved(1.2, "litmus FILE"),
        "treville.solving.back_ends.sat": Saved(1.3, "litmus FILE"),
        "treville.solving.back_ends.z3": Saved(1.3, "litmus FILE"),
    },
    "treville.solving.back_ends.z3": {"z3": EXTRA},
    "treville.solving.back_ends.sat": {"pysat.solvers": EXTRA},
    "treville.solving.back_ends.cadical": {"pysat.solvers": EXTRA},
    "treville.parameterised.certificate.check": {"z3": Saved(32, "param FILE")},
    "treville.petri.synthesis": {"z3": Saved(25, "petri FILE")},
}

# What neither `treville --help` nor a small litmus test has to wait for.
HEAVY = (
    "dataclasses", "inspect",
    "clingo", "z3", "pysat", "llvmlite", "treville.programs.c", "treville.parameterised", "treville.petri",
    "treville.histories", "treville.campaigns.check", "treville.encoding", "treville.machines",
    "treville.drawing.svg",
)  # fmt: skip


class Import(NamedTuple):
    """An import of a module, or of a package outside Treville."""

    module: str
    in_function: bool
    for_types: bool


@cache
def _modules() -> dict[str, Path]:
    """Every module of Treville with its file."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def _imports(path: Path) -> tuple[Import, ...]:
    return tuple(_below(ast.parse(path.read_text()), in_function=False, for_types=False))


def _below(node: ast.AST, in_function: bool, for_types: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        for name in _named(child):
            yield Import(name, in_function, for_types)
        yield from _below(
            child,
            in_function or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda),
            for_types or (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"),
        )


def _named(node: ast.AST) -> Iterator[str]:
    """The modules that an import statement names; what is imported from a package may be a module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        assert node.module is not None
        for alias in node.names:
            inside = f"{node.module}.{alias.name}"
            yield inside if inside in _modules() else node.module


def _by_name(path: Path) -> Iterator[str]:
    """The modules that a call of `import_module` may mean: all of the package that it names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module":
            (argument,) = node.args
            assert isinstance(argument, ast.JoinedStr)
            assert isinstance(argument.values[0], ast.Constant)
            package = argument.values[0].value
            assert isinstance(package, str)
            yield from (name for name in _modules() if name.startswith(package))


def _packages() -> list[str]:
    return sorted(path.name for path in SOURCE.iterdir() if (path / "__init__.py").is_file())


def _packages_imported(path: Path) -> set[str]:
    """The packages of Treville that a file imports, at its top or inside functions."""
    return {each.module.split(".")[1] for each in _imports(path) if each.module.startswith("treville.")}


def test_modules_import_in_no_circle() -> None:
    """Also where an import inside a function, or by name, would hide it."""
    graph = {
        module: {each.module for each in _imports(path) if not each.for_types} | set(_by_name(path))
        for module, path in _modules().items()
    }
    graph = {module: imported & set(graph) - {module} for module, imported in graph.items()}
    assert len(graph) > 300
    assert "treville.engines.contract" in graph["treville.engines.decide.buffers"]
    assert "treville.cli.litmus" in graph["treville.cli.main"]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_imports_inside_functions_are_those_of_the_table() -> None:
    found = {
        (module, each.module)
        for module, path in _modules().items()
        for each in _imports(path)
        if each.in_function
    }
    table = {(module, imported) for module, saves in LATE.items() for imported in saves}
    assert sorted(found - table) == [], "write these at the top, or in the table with what they save"
    assert sorted(table - found) == [], "these are in the table only"
    assert all(
        saved.milliseconds >= 1 or saved is EXTRA for saves in LATE.values() for saved in saves.values()
    )
    extras = {imported for saves in LATE.values() for imported, saved in saves.items() if saved is EXTRA}
    optional = {"llvmlite", "pysat.solvers", "z3", "dask", "distributed", "distributed.deploy"}
    assert extras == {*optional, "treville.campaigns.cluster.remote"}


@pytest.mark.parametrize("command", ["--help", "litmus examples/litmus/SB.litmus"])
def test_starting_is_cheap(command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "treville", *command.split()],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in ran.stderr.splitlines()}
    assert "treville.cli.main" in imported
    if command == "--help":
        commands = {path.stem for path in (SOURCE / "cli").glob("*.py")} - {"__init__", "main"}
        assert not {f"treville.cli.{name}" for name in commands} & imported
    heavy = {name for name in imported if any(name == each or name.startswith(f"{each}.") for each in HEAVY)}
    assert heavy == set()


def test_classes_of_data_are_records() -> None:
    """`dataclasses` takes half a millisecond for each class, and what it imports; `typing` half of that."""
    importing = [
        module
        for module, path in _modules().items()
        for each in _imports(path)
        if each.module == "dataclasses" and not each.for_types
    ]
    assert importing == ["treville.records.making"]
    theirs = re.compile(r"^ *from typing import .*\bNamedTuple", re.MULTILINE)
    assert [module for module, path in _modules().items() if theirs.search(path.read_text())] == [
        "treville.records"
    ]


def test_every_package_has_its_place_in_the_order() -> None:
    packages = _packages()
    assert len(packages) > 10
    assert set(packages) <= set(ALLOWED)


@pytest.mark.parametrize("package", _packages())
def test_imports_point_one_way(package: str) -> None:
    wrong = []
    for path in sorted((SOURCE / package).rglob("*.py")):
        others = _packages_imported(path) & set(_packages())
        wrong += [
            f"{path.relative_to(SOURCE)} imports {name}" for name in others - ALLOWED[package] - {package}
        ]
    assert wrong == []


def test_what_every_package_may_import_imports_nothing() -> None:
    """Modules beside the packages hold facts that packages share which may not see each other: what they are
    made of is all that they import."""
    for name in SHARED:
        assert _packages_imported(SOURCE / f"{name}.py") <= {"records"}


def test_only_the_command_line_prints() -> None:
    offenders = []
    for path in SOURCE.rglob("*.py"):
        if "cli" in path.parts or "web" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                offenders.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert offenders == []
