"""C programs as a native compiler and the machine have them, and as Treville answers for them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from treville.engines.contract import GaveUp, Proved
from treville.models.library import load_model
from treville.passes.program import Context
from treville.programs.c import Unit
from treville.programs.ir import Program
from treville.programs.operators import wrap
from treville.questions.reachability import reachability
from treville.results import Budget, BudgetExceeded, Unsupported
from treville.results.defaults import BOUND
from treville.results.properties import Property

_FLAGS = ("-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-DNATIVE", "-pthread")
_OTHERS = re.compile(r"\bp\d+_")


def native_compiler() -> list[str] | None:
    """A compiler for this machine."""
    if found := shutil.which("gcc") or shutil.which("clang"):
        return [found]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=undefined"]
    return None


def native_output(source: Path) -> list[str]:
    """The lines that a program prints when it is compiled and run."""
    compiler = native_compiler()
    if compiler is None:
        pytest.skip("there is no native C compiler")
    binary = source.with_suffix(".native")
    subprocess.run([*compiler, *_FLAGS, str(source), "-o", str(binary)], check=True, capture_output=True)
    done = subprocess.run([str(binary)], check=True, capture_output=True, text=True, timeout=20)
    return done.stdout.splitlines()


def one_of(unit: Unit, prefix: str) -> Unit:
    """The program of a file of many whose names begin with the prefix; its `main` is `PREFIXmain`."""
    module = unit.module

    def is_own(name: str) -> bool:
        return prefix in name or not _OTHERS.search(name)

    functions = {name: function for name, function in module.functions.items() if is_own(name)}
    functions["main"] = functions[f"{prefix}main"]
    variables = {name: variable for name, variable in module.globals.items() if is_own(name)}
    return Unit(replace(module, functions=functions, globals=variables), unit.source)


@dataclass(frozen=True)
class Expecting:
    """A program in which the global `expected` begins with a number."""

    unit: Unit
    number: int

    def program(self, recursion: int = BOUND, signals: bool = False) -> Program:
        """See `passes.program.Source`."""
        made = self.unit.program(recursion, signals)
        expected = replace(made.locations["expected"], parts=((0, 64, wrap(self.number, 64)),))
        locations: Mapping[str, object] = {**made.locations, "expected": expected}
        return replace(made, locations=locations)  # type: ignore[arg-type]


def verdict_of(
    source: Expecting, model: str, engine: str, bound: int | None = None, seconds: float = 60
) -> str:
    """PASS or FAIL, or why there is no answer."""
    context = Context(load_model(model), Property.ASSERTION)
    try:
        decision = reachability(source, context, bound, Budget(seconds), engine).decision
    except (BudgetExceeded, Unsupported) as error:
        return f"none: {error}"
    if isinstance(decision, GaveUp):
        return f"none: {decision.reason}"
    return "PASS" if isinstance(decision, Proved) else "FAIL"
