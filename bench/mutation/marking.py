"""The sources -> a copy that notes in a file which statements ran.

A byte of the file belongs to each statement, and `marks[number] = 1` stands before it: that costs little, and
subprocesses note in the same file. Models are data: the byte of a cat file is set when the file is opened.
"""

from __future__ import annotations

import ast
import compileall
import shutil
from dataclasses import dataclass
from pathlib import Path

MODULE = "statement_marks"
_HEAD = """\
import mmap, sys

with open({path!r}, "r+b") as file:
    marks = mmap.mmap(file.fileno(), 0)
MODELS = {models!r}

def note(event, arguments):
    if event == "open" and (number := MODELS.get(str(arguments[0]).rpartition("/")[2])) is not None:
        marks[number] = 1

sys.addaudithook(note)
"""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a file, which has the mark of this number. Some run when the file is imported."""

    number: int
    first: int
    last: int
    in_function: bool


class Marks:
    """The numbers of all statements below `sources`, always the same for the same sources."""

    def __init__(self, sources: Path) -> None:
        self.sources = sources
        self.statements: dict[str, list[Statement]] = {}
        self.trees: dict[str, ast.Module] = {}
        self.models: dict[str, int] = {}
        self.count = 0
        for path in sorted(sources.rglob("*.py")):
            self.name = path.relative_to(sources).as_posix()
            self.trees[self.name] = tree = ast.parse(path.read_bytes())
            self.statements[self.name] = []
            self._mark(tree, in_function=False)
            _import_marks(tree)
        for path in sorted(sources.rglob("*.cat")):
            self.models[path.relative_to(sources).as_posix()] = self.count
            self.count += 1

    def _mark(self, node: ast.AST, in_function: bool) -> None:
        """Put a mark before each statement inside the node, except where something else must come first."""
        inside = in_function or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for _, value in ast.iter_fields(node):
            if not isinstance(value, list):
                continue
            marked: list[ast.stmt] = []
            for item in value:
                if isinstance(item, ast.stmt) and not _comes_first(item):
                    marked.append(self._statement(item, inside))
                if isinstance(item, ast.stmt):
                    marked.append(item)
                if isinstance(item, ast.stmt | ast.ExceptHandler | ast.match_case):
                    self._mark(item, inside)
            if marked:
                value[:] = marked

    def _statement(self, node: ast.stmt, in_function: bool) -> ast.stmt:
        found = Statement(self.count, node.lineno, node.end_lineno or node.lineno, in_function)
        self.statements[self.name].append(found)
        self.count += 1
        (mark,) = ast.parse(f"marks_[{found.number}] = 1").body
        return ast.fix_missing_locations(ast.copy_location(mark, node))

    def at(self, name: str, line: int) -> Statement:
        """The innermost statement of a line."""
        around = [found for found in self.statements[name] if found.first <= line <= found.last]
        return max(around, key=lambda found: found.first)

    def write(self, copy: Path, marks: Path) -> None:
        """Make the copy of the sources, and the file that it notes in."""
        shutil.copytree(self.sources, copy, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        for name, tree in self.trees.items():
            (copy / name).write_text(ast.unparse(tree))
        models = {Path(name).name: number for name, number in self.models.items()}
        (copy / f"{MODULE}.py").write_text(_HEAD.format(path=str(marks), models=models))
        marks.write_bytes(bytes(self.count))
        compileall.compile_dir(copy, quiet=1)


def _comes_first(node: ast.stmt) -> bool:
    """Docstrings, and imports from the future."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _import_marks(tree: ast.Module) -> None:
    place = next((n for n, node in enumerate(tree.body) if not _comes_first(node)), len(tree.body))
    tree.body[place:place] = ast.parse(f"from {MODULE} import marks as marks_").body
