"""The mutation runner: mutants are single valid mistakes, and what tests run is known."""

from __future__ import annotations

import ast
import importlib
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MUTATION = ROOT / "bench" / "mutation"


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(MUTATION))


def mutated(tmp_path: Path, text: str, name: str = "code.py") -> set[str]:
    """All texts that a file becomes."""
    from mutants import mutants_of

    path = tmp_path / name
    path.write_text(text)
    found = mutants_of(tmp_path, path)
    return {mutant.apply(text.encode()).decode() for mutant in found}


MISTAKES = (
    ("a < b", "(a <= b)"), ("a < b", "(a >= b)"), ("not b", "(b)"), ("a < b and not b", "(not b)"),
    ("a < b and not b", "(a < b or not b)"), ("a | b", "(a & b)"), ("a | b", "(b)"), ("~b", "(b)"),
    ("max", "min"), ("any", "all"), ("a -= 2", "pass"), ("a -= 2", "a += 2"), ("2", "(3)"),
    ("return max(a | b, ~b)", "pass"),
)  # fmt: skip


def test_operators_conditions_constants_and_statements_are_mutated(tmp_path: Path) -> None:
    body = """def f(a: int, b):
    if a < b and not b:
        return max(a | b, ~b)
    a -= 2
    return any(a)
"""
    found = mutated(tmp_path, body)
    for before, after in MISTAKES:
        assert body.replace(before, after, 1) in found, (before, after)
    assert all(ast.parse(text) for text in found)
    assert all("a: int" in text for text in found)


def test_texts_annotations_assertions_and_constants_of_modules_stay(tmp_path: Path) -> None:
    text = '"""What it is."""\nLIMIT = 7\nnames: dict[str, int | None] = {}\nassert LIMIT\n'
    text += "def f(x, y):\n    return zip(x, y, strict=True)\n"
    assert mutated(tmp_path, text) == set()


def test_cat_files_lose_axioms_and_operands(tmp_path: Path) -> None:
    text = "(* not | this *)\nlet com = rf | fr | (co; [W | R])\nacyclic po & ext | com as a\n"
    found = {"".join(other.split()) for other in mutated(tmp_path, text, "model.cat")}
    for left_out in ("rf |", "| fr", "W |", "| R", "po & ext |", "| com", "acyclic po & ext | com as a"):
        assert "".join(text.replace(left_out, "", 1).split()) in found, left_out
    assert all("not|this" in other for other in found)


def test_names_outside_ascii_do_not_move_the_mistake(tmp_path: Path) -> None:
    text = 'def f(x):\n    return ("Tréville", x + 1)\n'
    assert text.replace("x + 1", "(x - 1)") in mutated(tmp_path, text)


def test_each_statement_has_a_mark_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from marking import Marks

    text = '''"""Text."""
from __future__ import annotations
def f(x: int) -> int:
    if x > 2:
        return 1
    for y in range(x):
        x += y
    else:
        x -= 1
    return x
'''
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "marked_code.py").write_text(text)
    marks = Marks(tmp_path / "src")
    marks.write(tmp_path / "copy", tmp_path / "marks")
    monkeypatch.syspath_prepend(str(tmp_path / "copy"))
    monkeypatch.delitem(sys.modules, "statement_marks", raising=False)
    function = importlib.import_module("marked_code").f
    lines = {}
    for argument in (3, 2, 0):
        noted = importlib.import_module("statement_marks").marks
        noted[:] = bytes(marks.count)
        function(argument)
        lines[argument] = {n for n in range(3, 11) if noted[marks.at("marked_code.py", n).number]}
    assert lines == {3: {4, 5}, 2: {4, 6, 7, 9, 10, 8}, 0: {4, 6, 9, 10, 8}}
    assert not marks.at("marked_code.py", 3).in_function


def test_equivalent_mutants_exist_and_have_reasons() -> None:
    from mutants import mutants_of

    for entry in json.loads((MUTATION / "equivalent.json").read_text()):
        keys = {mutant.key for mutant in mutants_of(ROOT, ROOT / entry["file"])}
        assert tuple(entry[name] for name in ("file", "where", "text", "before", "after")) in keys, entry
        assert entry["reason"]
