"""A source file -> its mutants: the same text with one small mistake each.

A mutant replaces one piece of text by another. For Python the pieces are found with `ast`: comparisons,
conditions, arithmetic and set operators, constants, calls of `any`, `all`, `min` and `max`, statements that
can be left out. Of cat files axioms and operands of unions and intersections are left out. Annotations,
docstrings, what only checks (assertions, `strict` of `zip`) and what limits effort (constants of modules and
classes, looks at the budget and how much of it something takes) are not mutated.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """One mistake: the file's bytes from `start` to `end` become `after`.

    `where` names the function, `text` is what the line says."""

    file: str
    line: int
    where: str
    text: str
    start: int
    end: int
    before: str
    after: str

    @property
    def key(self) -> tuple[str, ...]:
        """What identifies it when lines have moved."""
        return self.file, self.where, self.text, self.before, self.after

    def apply(self, source: bytes) -> bytes:
        """The file with the mistake."""
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.where}: {self.before} -> {self.after.strip() or 'nothing'}"


def mutants_of(root: Path, file: Path) -> list[Mutant]:
    """All mutants of a file; names are relative to the root."""
    source, name = file.read_bytes(), file.relative_to(root).as_posix()
    if file.suffix == ".cat":
        return list(_of_cat(name, source.decode()))
    found: dict[tuple[int, int, str], Mutant] = {}
    for mutant in _Python(name, source).all():
        found.setdefault((mutant.start, mutant.end, mutant.after), mutant)
    return list(found.values())


# -- Python ----------------------------------------------------------------------------------------------

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add, ast.BitAnd), ast.Mult: (ast.Add,), ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,), ast.LShift: (ast.RShift,), ast.RShift: (ast.LShift,), ast.BitOr: (ast.BitAnd,),
    ast.BitAnd: (ast.BitOr,), ast.BitXor: (ast.BitOr,),
}  # fmt: skip
_CALLED = {"any": "all", "all": "any", "min": "max", "max": "min"}
_DROPPED = (ast.BitOr, ast.BitAnd)
_TABLES = (
    ast.Dict,
    ast.List,
    ast.Set,
    ast.Tuple,
    ast.Lambda,
)  # of modules and classes only these are mutated


class _Python(ast.NodeVisitor):
    def __init__(self, name: str, source: bytes) -> None:
        self.name, self.source = name, source
        self.lines = source.splitlines(keepends=True)
        lengths = [len(line) for line in self.lines]
        self.starts = [sum(lengths[:number]) for number in range(len(lengths) + 1)]
        self.path: list[str] = []
        self.in_function = False
        self.found: list[Mutant] = []

    def all(self) -> list[Mutant]:
        """All mutants, in the order of the file."""
        self.visit(ast.parse(self.source))
        return sorted(self.found, key=lambda mutant: mutant.start)

    def _add(self, node: ast.expr | ast.stmt, after: str) -> None:
        start = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        before = " ".join(self.source[start:end].decode().split())
        where = ".".join(self.path) or "module"
        text = self.lines[node.lineno - 1].decode().strip()
        self.found.append(Mutant(self.name, node.lineno, where, text, start, end, before, after))

    def _instead(self, node: ast.expr, other: ast.expr) -> None:
        """In brackets, which never change what is around."""
        self._add(node, f"({ast.unparse(other)})")

    # -- where not to look ---------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.path.append(node.name)
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        outside, self.in_function = self.in_function, True
        self._block(node.body, last=True)
        self.in_function = outside
        self.path.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.path.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self.path.pop()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and (self.in_function or isinstance(node.value, _TABLES)):
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        if self.in_function or isinstance(node.value, _TABLES):
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Texts for people."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """Assertions only check."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """Messages of errors are for people; `_block` leaves out the whole statement."""

    def visit_keyword(self, node: ast.keyword) -> None:
        """`strict` is an assertion, too."""
        if node.arg != "strict":
            self.visit(node.value)

    # -- statements ----------------------------------------------------------------------------------------

    def generic_visit(self, node: ast.AST) -> None:
        """Blocks of statements are looked at one by one, everything else as it comes."""
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self._block(value)
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, ast.AST):
                        self.visit(item)
            elif isinstance(value, ast.AST):
                self.visit(value)

    def _block(self, body: list[ast.stmt], last: bool = False) -> None:
        for number, statement in enumerate(body):
            at_end = last and number == len(body) - 1
            if self._can_be_left_out(statement, at_end):
                self._add(statement, "pass")
            self.visit(statement)

    def _can_be_left_out(self, statement: ast.stmt, at_end: bool) -> bool:
        if isinstance(statement, ast.Return):
            return not at_end
        if isinstance(statement, ast.Expr):
            asks_for_time = ast.unparse(statement).endswith("budget.check()")
            return isinstance(statement.value, ast.Call) and not asks_for_time
        return isinstance(statement, ast.Continue | ast.Break | ast.AugAssign | ast.Raise)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        for operator in _COMPUTED.get(type(node.op), ()):
            self._add(node, ast.unparse(ast.AugAssign(node.target, operator(), node.value)))
        self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._negate(test)
        self.generic_visit(node)

    def _negate(self, test: ast.expr) -> None:
        is_negated_anyway = isinstance(test, ast.Compare | ast.Constant) or (
            isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        )
        if not is_negated_anyway:
            self._instead(test, ast.UnaryOp(ast.Not(), test))

    # -- expressions ---------------------------------------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> None:
        for number, operator in enumerate(node.ops):
            for other in _COMPARED[type(operator)]:
                ops = [*node.ops[:number], other(), *node.ops[number + 1 :]]
                self._instead(node, ast.Compare(node.left, ops, node.comparators))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._instead(node, ast.BoolOp(other, node.values))
        for number in range(len(node.values)):
            kept = node.values[:number] + node.values[number + 1 :]
            self._instead(node, kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if not isinstance(node.operand, ast.Constant):
            self._instead(node, node.operand)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            return
        for operator in _COMPUTED.get(type(node.op), ()):
            numeric = any(isinstance(side, ast.Constant) for side in (node.left, node.right))
            if not (numeric and operator is ast.BitAnd and isinstance(node.op, ast.Sub)):
                self._instead(node, ast.BinOp(node.left, operator(), node.right))
        if isinstance(node.op, _DROPPED):
            self._instead(node, node.left)
            self._instead(node, node.right)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if ast.unparse(node.func).endswith("budget.spend"):
            return
        if isinstance(node.func, ast.Name) and node.func.id in _CALLED:
            self._add(node.func, _CALLED[node.func.id])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add(node, str(not node.value))
        elif isinstance(node.value, int):
            self._add(node, f"({node.value + 1})")
            self._add(node, f"({node.value - 1})")


# -- cat -------------------------------------------------------------------------------------------------

_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_STATEMENT = re.compile(r"^(let|acyclic|irreflexive|empty|~empty|flag)\b", re.MULTILINE)
_END = re.compile(r"^\s*$|^(?=\S)", re.MULTILINE)
_AXIOM = ("acyclic", "irreflexive", "empty")


def _of_cat(name: str, text: str) -> Iterator[Mutant]:
    """Axioms left out, and operands of unions and intersections."""
    blank = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    for found in _STATEMENT.finditer(blank):
        end = _END.search(blank, found.end())
        stop = end.start() if end is not None else len(blank)
        statement = blank[found.start() : stop].rstrip()
        place = found.start()
        if found.group(1) in _AXIOM:
            yield _cat_mutant(name, text, place, place + len(statement), "")
        body = statement.find("=") + 1 if found.group(1) == "let" else len(found.group(1))
        until = statement.rfind(" as ") if found.group(1) != "let" else -1
        yield from _without_operands(
            name, text, place, statement, body, until if until > 0 else len(statement)
        )


def _without_operands(
    name: str, text: str, place: int, statement: str, body: int, until: int
) -> Iterator[Mutant]:
    """Of the whole and of each pair of brackets: split at the operators outside of inner brackets."""
    for begin, stop in [(body, until), *_brackets(statement, body, until)]:
        cuts = _top_level(statement, begin, stop, "|") or _top_level(statement, begin, stop, "&")
        edges = [begin - 1, *cuts, stop]
        for one, other in pairwise(edges) if cuts else ():
            # The first operand goes with the operator behind it, others with the one before.
            first, last = (one + 1, other + 1) if one == begin - 1 else (one, other)
            yield _cat_mutant(name, text, place + first, place + last, " ")


def _brackets(statement: str, begin: int, stop: int) -> Iterator[tuple[int, int]]:
    """What is inside of each pair of brackets."""
    opened: list[int] = []
    for number in range(begin, stop):
        if statement[number] in "([":
            opened.append(number + 1)
        elif statement[number] in ")]" and opened:
            yield opened.pop(), number


def _top_level(statement: str, begin: int, stop: int, operator: str) -> list[int]:
    found, depth = [], 0
    for number in range(begin, stop):
        depth += (statement[number] in "([{") - (statement[number] in ")]}")
        if statement[number] == operator and depth == 0:
            found.append(number)
    return found


def _cat_mutant(name: str, text: str, start: int, end: int, after: str) -> Mutant:
    line = text.count("\n", 0, start) + 1
    first, last = len(text[:start].encode()), len(text[:end].encode())
    says = text[text.rfind("\n", 0, start) + 1 :].split("\n", 1)[0].strip()
    around = says.split("=")[0].strip()
    return Mutant(name, line, around, says, first, last, " ".join(text[start:end].split()), after)
