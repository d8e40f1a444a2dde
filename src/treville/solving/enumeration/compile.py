"""A model -> Python functions over packed relations (see `packed`).

Nodes that do not depend on `rf` and `co` are static: `CompiledModel.prepare` evaluates the needed ones once
per set of event shapes. The rest becomes one generated function that computes axiom after axiom, cheapest
first, and returns at the first violated one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from treville.models.model import SET, Axiom, Model
from treville.solving.enumeration.packed import Kernel
from treville.solving.enumeration.shapes import OBSERVED_WRITES

DYNAMIC_BASES = frozenset({"rf", "co", "fr", "FW"})
_COST = {"seq": 4, "plus": 5, "star": 5, "inverse": 4, "fixpoint": 30, "domain": 3, "range": 3}


@dataclass(frozen=True, slots=True)
class CompiledModel:
    """`prepare(kernel, base)` gives the static values for one set of shapes, or None if a static axiom fails;
    `violated(statics, rf, co, fr)` is 0 for a consistent execution, else 1 + the index of a violated axiom;
    `flags(statics, rf, co, fr)` lists the names of the flags that it raises."""

    model: Model
    prepare: Callable[[Kernel, Mapping[str, int]], Any]
    violated: Callable[[Any, int, int, int], int]
    flags: Callable[[Any, int, int, int], list[str]] | None


class _Statics:
    """The code that computes static values; each is requested once and gets a slot."""

    def __init__(self, compiler: _Compiler) -> None:
        self.code = _Code(compiler, static=True)
        self.slots: dict[tuple[str, int], str] = {}
        self.names: list[str] = []

    def request(self, form: str, node: int) -> str:
        """The name under which dynamic code finds a static value in the given form."""
        key = (form, node)
        if key not in self.slots:
            value = self.code.value(node)
            name = f"{form[0]}{node}"
            wrapped = {
                "value": value,
                "rows": f"k.rows({value})",
                "columns": f"k.columns({value})",
                "left": f"columns_of(k, {value})",
                "table": f"rows_of(k, {value})",
            }[form]
            self.code.lines.append(f"{name} = {wrapped}")
            self.slots[key] = name
            self.names.append(name)
        return self.slots[key]


class _Code:
    """Straight-line code that computes nodes on demand."""

    def __init__(self, compiler: _Compiler, static: bool, indent: str = "") -> None:
        self.compiler = compiler
        self.static = static
        self.indent = indent
        self.lines: list[str] = []
        self.done: dict[int, str] = {}

    def emit(self, node: int, expression: str) -> str:
        name = f"v{node}"
        self.lines.append(f"{self.indent}{name} = {expression}")
        self.done[node] = name
        return name

    def value(self, node: int) -> str:
        """The name of the variable that holds the node's value, after emitting what computes it."""
        if node in self.done:
            return self.done[node]
        compiler = self.compiler
        if not self.static and not compiler.dynamic[node]:
            return compiler.statics.request("value", node)
        entry = compiler.model.nodes[node]
        if entry.op == "fixpoint":
            self._fixpoint(node)
            return self.done[node]
        return self.emit(node, self._expression(node))

    def _expression(self, node: int) -> str:
        entry = self.compiler.model.nodes[node]
        op, args = entry.op, entry.args
        if op == "base":
            return self._base(entry.name)
        if op == "empty":
            return "0"
        if op == "universe":
            return "k.row" if entry.kind == SET else "k.full"
        if op == "id":
            return "k.diagonal"
        if op == "seq":
            return self._sequence(*args)
        first = self.value(args[0])
        if op in ("union", "inter", "diff"):
            second = self.value(args[1])
            return {
                "union": f"{first} | {second}",
                "inter": f"{first} & {second}",
                "diff": f"{first} & ~{second}",
            }[op]
        if op == "product":
            return f"k.product({first}, {self.value(args[1])})"
        if op == "complement":
            return f"k.row ^ {first}" if entry.kind == SET else f"k.full ^ {first}"
        return {
            "opt": f"{first} | k.diagonal",
            "plus": f"plus({first})",
            "star": f"plus({first}) | k.diagonal",
            "inverse": f"k.inverse({first})",
            "identity": f"k.identity({first})",
            "domain": f"k.domain({first})",
            "range": f"k.range({first})",
        }[op]

    def _base(self, name: str) -> str:
        if name == "FW":
            writes = self.compiler.statics.request("value", self.compiler.node_of_base(OBSERVED_WRITES))
            return f"{writes} & ~k.domain(co)"
        if name in DYNAMIC_BASES:
            return name
        return f"base.get({name!r}, 0)"

    def _sequence(self, left: int, right: int) -> str:
        compiler, nodes = self.compiler, self.compiler.model.nodes
        if nodes[left].op == "identity":
            return f"{self.value(right)} & {self._restriction('rows', nodes[left].args[0])}"
        if nodes[right].op == "identity":
            return f"{self.value(left)} & {self._restriction('columns', nodes[right].args[0])}"
        if (
            nodes[left].op == "inverse"
            and compiler.is_base(nodes[left].args[0], "rf")
            and compiler.is_base(right, "co")
        ):
            return "fr"
        if not self.static and not compiler.dynamic[right]:
            return f"seq_table({self.value(left)}, {compiler.statics.request('table', right)}, column)"
        if not self.static and not compiler.dynamic[left]:
            return f"seq_left({compiler.statics.request('left', left)}, {self.value(right)}, row)"
        return f"seq({self.value(left)}, {self.value(right)})"

    def _restriction(self, form: str, members: int) -> str:
        if not self.static and not self.compiler.dynamic[members]:
            return self.compiler.statics.request(form, members)
        return f"k.{form}({self.value(members)})"

    def _fixpoint(self, node: int) -> None:
        """Iterate the node's whole group from empty relations; what does not depend on it comes before."""
        group = self.compiler.group_of[node]
        inside = self.compiler.depends_on_group[node]
        for body in group.bodies:
            self._hoist(body, inside, set())
        names = [f"v{variable}" for variable in group.variables]
        self.lines.append(f"{self.indent}{' = '.join(names)} = 0")
        self.lines.append(f"{self.indent}while True:")
        for variable, name in zip(group.variables, names, strict=True):
            self.done[variable] = name
        outer, self.indent = self.indent, self.indent + "    "
        news = [self.value(body) for body in group.bodies]
        same = " and ".join(f"{new} == {old}" for new, old in zip(news, names, strict=True))
        self.lines.append(f"{self.indent}if {same}: break")
        self.lines.append(f"{self.indent}{', '.join(names)} = {', '.join(news)}")
        self.indent = outer

    def _hoist(self, node: int, inside: set[int], seen: set[int]) -> None:
        if node in seen:
            return
        seen.add(node)
        if node not in inside:
            self.value(node)
            return
        for arg in self.compiler.model.nodes[node].args:
            self._hoist(arg, inside, seen)


class _Compiler:
    """Facts about the model's nodes that the code generator asks for."""

    def __init__(self, model: Model) -> None:
        self.model = Model(
            model.name,
            list(model.nodes),
            model.groups,
            model.axioms,
            model.definitions,
            model.shown,
            model.file,
        )
        self.group_of = {v: group for group in model.groups for v in group.variables}
        self.dynamic = self._find_dynamic()
        self.depends_on_group = self._find_dependents()
        self.statics = _Statics(self)

    def is_base(self, node: int, name: str) -> bool:
        entry = self.model.nodes[node]
        return entry.op == "base" and entry.name == name

    def node_of_base(self, name: str) -> int:
        """The base node of that name, appended when the model does not mention it."""
        from treville.models.model import Node

        for index, entry in enumerate(self.model.nodes):
            if entry.op == "base" and entry.name == name:
                return index
        self.model.nodes.append(Node("base", (), SET, name))
        self.dynamic.append(False)
        return len(self.model.nodes) - 1

    def _find_dynamic(self) -> list[bool]:
        nodes = self.model.nodes
        dynamic = [node.op == "base" and node.name in DYNAMIC_BASES for node in nodes]
        changed = True
        while changed:
            changed = False
            for index, node in enumerate(nodes):
                if not dynamic[index] and (
                    any(dynamic[arg] for arg in node.args)
                    or (node.op == "fixpoint" and any(dynamic[b] for b in self.group_of[index].bodies))
                ):
                    dynamic[index] = changed = True
        return dynamic

    def _find_dependents(self) -> dict[int, set[int]]:
        """For each fixpoint variable, the nodes that depend on some variable of its group."""
        out = {}
        for group in self.model.groups:
            inside = set(group.variables)
            changed = True
            while changed:
                changed = False
                for index, node in enumerate(self.model.nodes):
                    if index not in inside and inside.intersection(node.args):
                        inside.add(index)
                        changed = True
            out.update(dict.fromkeys(group.variables, inside))
        return out

    def cost(self, node: int, seen: set[int]) -> int:
        """A rough count of the work to compute a node, shared parts once."""
        if node in seen or not self.dynamic[node]:
            return 0
        seen.add(node)
        entry = self.model.nodes[node]
        total = _COST.get(entry.op, 1)
        children = self.group_of[node].bodies if entry.op == "fixpoint" else entry.args
        return total + sum(self.cost(child, seen) for child in children)


def _test(axiom: Axiom, value: str) -> str:
    """Python for `the axiom does not hold`."""
    broken = {
        "acyclic": f"cyclic({value})",
        "irreflexive": f"{value} & k.diagonal",
        "empty": value,
    }[axiom.kind]
    return f"not ({broken})" if axiom.negated else broken


def columns_of(kernel: Kernel, relation: int) -> list[tuple[int, int]]:
    """A static left factor: (shift of row k, sources of column k) for every used k."""
    found = [(k * kernel.n, (relation >> k) & kernel.column) for k in range(kernel.n)]
    return [entry for entry in found if entry[1]]


def rows_of(kernel: Kernel, relation: int) -> list[tuple[int, int]]:
    """A static right factor: (k, targets of row k) for every used k."""
    found = [(k, (relation >> (k * kernel.n)) & kernel.row) for k in range(kernel.n)]
    return [entry for entry in found if entry[1]]


def seq_table(left: int, table: list[tuple[int, int]], column: int) -> int:
    """`left ; right` for a static right side."""
    out = 0
    if left:
        for k, targets in table:
            sources = (left >> k) & column
            if sources:
                out |= sources * targets
    return out


def seq_left(table: list[tuple[int, int]], right: int, row: int) -> int:
    """`left ; right` for a static left side."""
    out = 0
    if right:
        for at, sources in table:
            targets = (right >> at) & row
            if targets:
                out |= sources * targets
    return out


def compile_model(model: Model) -> CompiledModel:
    """Generate and compile the functions of a model."""
    compiler = _Compiler(model)
    axioms = list(enumerate(model.axioms))
    forbidding = [(i, a) for i, a in axioms if not a.flag and not a.undefined]
    static_checks = [(i, a) for i, a in forbidding if not compiler.dynamic[a.node]]
    dynamic_checks = [(i, a) for i, a in forbidding if compiler.dynamic[a.node]]
    dynamic_checks.sort(key=lambda entry: compiler.cost(entry[1].node, set()))
    code = _Code(compiler, static=False, indent="    ")
    for index, axiom in dynamic_checks:
        value = code.value(axiom.node)
        code.lines.append(f"    if {_test(axiom, value)}: return {index + 1}")
    flagging = [a for _, a in axioms if a.flag or a.undefined]
    flag_code = _Code(compiler, static=False, indent="    ")
    for axiom in flagging:
        value = flag_code.value(axiom.node)
        # A flag reports that its test succeeds, `undefined_unless` that it fails.
        test = _test(axiom, value) if axiom.undefined else f"not ({_test(axiom, value)})"
        flag_code.lines.append(f"    if {test}: found.append({axiom.name!r})")
    for _, axiom in static_checks:
        value = compiler.statics.code.value(axiom.node)
        compiler.statics.code.lines.append(f"if {_test(axiom, value)}: return None")
    static_lines = compiler.statics.code.lines
    names = "".join(f"{name}, " for name in compiler.statics.names)
    unpack = f"    k, column, row, seq, plus, cyclic, {names}= statics"
    source = "\n".join(
        [
            "def prepare(k, base):",
            "    seq, plus, cyclic = k.seq, k.plus, k.cyclic",
            *(f"    {line}" for line in static_lines),
            f"    return (k, k.column, k.row, k.seq, k.plus, k.cyclic, {names})",
            "def violated(statics, rf, co, fr):",
            unpack,
            *code.lines,
            "    return 0",
            "def flags(statics, rf, co, fr):",
            unpack,
            "    found = []",
            *flag_code.lines,
            "    return found",
        ]
    )
    scope: dict[str, Any] = {
        "columns_of": columns_of,
        "rows_of": rows_of,
        "seq_table": seq_table,
        "seq_left": seq_left,
    }
    exec(compile(source, f"<compiled {model.name}>", "exec"), scope)
    return CompiledModel(model, scope["prepare"], scope["violated"], scope["flags"] if flagging else None)
