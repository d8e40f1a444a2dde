"""A model -> Python functions over packed relations (see `packed`).

Nodes that do not depend on `rf` and `co` are static: `CompiledModel.prepare` evaluates the needed ones once
per set of event shapes. It also evaluates upper bounds of the others (the may sets of paper 004, section
4.6), and an axiom that even its upper bound satisfies is not looked at again: a test without RCU does not pay
for RCU. What is left becomes one generated function that computes axiom after axiom, cheapest first, and
returns at the first violated one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_never

from treville.enumeration.model_facts import Facts
from treville.enumeration.packed import Kernel
from treville.enumeration.shapes import OBSERVED_WRITES
from treville.models.model import SET, Axiom, AxiomKind, Model, NodeId, Operator, negative
from treville.models.recognise import is_from_read
from treville.records import dataclass

FIXED = ("k", "column", "row", "seq", "plus", "cyclic")


@dataclass(frozen=True, slots=True)
class CompiledModel:
    """`prepare(kernel, base)` gives the static values for one set of shapes, or None if a static axiom fails;
    `violated(statics, rf, co, fr)` is 0 for a consistent execution, else 1 + the index of a violated axiom;
    `flags(statics, rf, co, fr)` lists the names of the flags that it raises. In `prepare`, `base` also
    holds the upper bounds of rf, co and fr under the names `may rf`, `may co`, `may fr`."""

    model: Model
    prepare: Callable[[Kernel, Mapping[str, int]], Any]
    violated: Callable[[Any, int, int, int], int]
    flags: Callable[[Any, int, int, int], list[str]] | None


class _Code:
    """Code that computes nodes on demand, each once. Subclasses say where values come from."""

    prefix = ""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.nodes = facts.nodes
        self.done: dict[NodeId, str] = {}
        self.indent = ""
        self.loop: NodeId | None = None  # the recursive name whose iteration is being written

    def line(self, text: str, node: NodeId) -> None:
        """Append a line that belongs to the computation of a node."""
        raise NotImplementedError

    def elsewhere(self, node: NodeId) -> str | None:
        """The name of a value that other code computes, if it does."""
        raise NotImplementedError

    def base(self, name: str) -> str:
        """Python for a base set or relation."""
        raise NotImplementedError

    def value(self, node: NodeId) -> str:
        """The name of the variable that holds the node's value, after emitting what computes it."""
        if node in self.done:
            return self.done[node]
        known = self.elsewhere(node)
        if known is not None:
            return known
        if self.nodes[node].op is Operator.FIXPOINT:
            self._fixpoint(node)
        else:
            expression = self.expression(node)
            self.done[node] = f"{self.prefix}{node}"
            self.line(f"{self.prefix}{node} = {expression}", node)
        return self.done[node]

    def everything(self, node: NodeId) -> str:
        """Python for all events, or all pairs: whichever the node is about."""
        return "k.row" if self.nodes[node].kind is SET else "k.full"

    def expression(self, node: NodeId) -> str:
        """Python for a node's value, after emitting what computes its operands."""
        op, args = self.nodes[node].op, self.nodes[node].args
        match op:
            case Operator.BASE:
                return self.base(self.nodes[node].name)
            case Operator.EMPTY:
                return "0"
            case Operator.UNIVERSE:
                return self.everything(node)
            case Operator.ID:
                return "k.diagonal"
            case Operator.UNION:
                return f"{self.value(args[0])} | {self.value(args[1])}"
            case Operator.INTERSECTION:
                return f"{self.value(args[0])} & {self.value(args[1])}"
            case Operator.DIFFERENCE:
                return f"{self.value(args[0])} & ~{self.value(args[1])}"
            case Operator.COMPLEMENT:
                return f"{self.everything(node)} & ~{self.value(args[0])}"
            case Operator.COMPOSITION:
                return self.composition(node, *args)
            case Operator.PRODUCT:
                return f"k.product({self.value(args[0])}, {self.value(args[1])})"
            case Operator.INVERSE:
                return f"k.inverse({self.value(args[0])})"
            case Operator.OPTIONAL:
                return f"{self.value(args[0])} | k.diagonal"
            case Operator.PLUS:
                return f"plus({self.value(args[0])})"
            case Operator.STAR:
                return f"plus({self.value(args[0])}) | k.diagonal"
            case Operator.IDENTITY_ON:
                return f"k.identity({self.value(args[0])})"
            case Operator.DOMAIN:
                return f"k.domain({self.value(args[0])})"
            case Operator.RANGE:
                return f"k.range({self.value(args[0])})"
            case Operator.FIXPOINT:
                raise AssertionError("a recursive name is computed with its group")
            case _:
                assert_never(op)

    def composition(self, node: NodeId, left: NodeId, right: NodeId) -> str:
        """The node `left ; right`; with `[S]` on one side it is a restriction."""
        if self.nodes[left].op is Operator.IDENTITY_ON:
            return f"{self.value(right)} & {self.restriction('rows', self.nodes[left].args[0])}"
        if self.nodes[right].op is Operator.IDENTITY_ON:
            return f"{self.value(left)} & {self.restriction('columns', self.nodes[right].args[0])}"
        return f"seq({self.value(left)}, {self.value(right)})"

    def restriction(self, form: str, members: NodeId) -> str:
        """All pairs whose source (`rows`) or target (`columns`) is in a set."""
        return f"k.{form}({self.value(members)})"

    def _fixpoint(self, node: NodeId) -> None:
        """Iterate the node's whole group from empty relations; what does not depend on it comes before."""
        group, inside = self.facts.group_of[node], self.facts.inside_group[node]
        for body in group.bodies:
            self._hoist(body, inside, set())
        names = [f"{self.prefix}{variable}" for variable in group.variables]
        self.line(f"{' = '.join(names)} = 0", node)
        self.line("while True:", node)
        self.done.update(zip(group.variables, names, strict=True))
        outer, self.indent = self.indent, self.indent + "    "
        around, self.loop = self.loop, node if self.loop is None else self.loop
        news = [self.value(body) for body in group.bodies]
        same = " and ".join(f"{new} == {old}" for new, old in zip(news, names, strict=True))
        self.line(f"if {same}: break", node)
        self.line(f"{', '.join(names)} = {', '.join(news)}", node)
        self.indent, self.loop = outer, around

    def _hoist(self, node: NodeId, inside: set[NodeId], seen: set[NodeId]) -> None:
        if node in seen:
            return
        seen.add(node)
        if node not in inside:
            self.value(node)
            return
        for arg in self.nodes[node].args:
            self._hoist(arg, inside, seen)


class _Static(_Code):
    """The body of `prepare`: static values, some of them in forms that dynamic code asks for."""

    prefix = "v"

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self.lines: list[str] = []
        self.slots: dict[tuple[str, NodeId], str] = {}

    def line(self, text: str, node: NodeId) -> None:
        self.lines.append(f"    {self.indent}{text}")

    def elsewhere(self, node: NodeId) -> str | None:
        return None

    def base(self, name: str) -> str:
        return f"base.get({name!r}, 0)"

    def request(self, form: str, node: NodeId) -> str:
        """The name under which dynamic code finds a static value in the given form."""
        key = (form, node)
        if key not in self.slots:
            value = self.value(node)
            if form == "value":
                self.slots[key] = value
            else:
                self.slots[key] = f"{form}{node}"
                call = f"k.{form}({value})" if form in ("rows", "columns") else f"{form}(k, {value})"
                self.line(f"{form}{node} = {call}", node)
        return self.slots[key]


class _Upper(_Code):
    """Upper bounds of dynamic nodes, computed in `prepare` after the static values."""

    prefix = "u"

    def __init__(self, static: _Static) -> None:
        super().__init__(static.facts)
        self.static = static

    def line(self, text: str, node: NodeId) -> None:
        self.static.lines.append(f"    {self.indent}{text}")

    def elsewhere(self, node: NodeId) -> str | None:
        if not self.facts.dynamic[node]:
            return self.static.value(node)
        group = self.facts.group_of.get(node)
        if group is not None and not group.monotone:
            return self.everything(node)
        return None

    def base(self, name: str) -> str:
        if name == "FW":
            return f"base.get({OBSERVED_WRITES!r}, 0)"
        return f"base['may {name}']"

    def expression(self, node: NodeId) -> str:
        """Of what a dynamic operand takes away nothing is surely gone."""
        entry = self.nodes[node]
        if any(self.facts.dynamic[operand] for operand in negative(entry.op, entry.args)):
            return self.value(entry.args[0]) if entry.op is Operator.DIFFERENCE else self.everything(node)
        return super().expression(node)


class _Dynamic(_Code):
    """What is computed for every candidate; lines are guarded by the axioms that need them."""

    prefix = "v"

    def __init__(self, static: _Static, axioms: list[Axiom]) -> None:
        super().__init__(static.facts)
        self.static = static
        self.users = self.facts.users(axioms)
        self.guarded: list[tuple[int, str]] = []

    def line(self, text: str, node: NodeId) -> None:
        mask = self.users[node if self.loop is None else self.loop]
        self.guarded.append((mask, f"{self.indent}{text}"))

    def elsewhere(self, node: NodeId) -> str | None:
        return None if self.facts.dynamic[node] else self.static.request("value", node)

    def base(self, name: str) -> str:
        if name == "FW":
            writes = self.static.request("value", self.facts.node_of_base(OBSERVED_WRITES))
            return f"{writes} & ~k.domain(co)"
        return name

    def composition(self, node: NodeId, left: NodeId, right: NodeId) -> str:
        facts, nodes = self.facts, self.nodes
        if Operator.IDENTITY_ON in (nodes[left].op, nodes[right].op):
            return super().composition(node, left, right)
        if is_from_read(facts.model, node):
            return "fr"
        if not facts.dynamic[right]:
            return f"seq_table({self.value(left)}, {self.static.request('rows_of', right)}, column)"
        if not facts.dynamic[left]:
            return f"seq_left({self.static.request('columns_of', left)}, {self.value(right)}, row)"
        return super().composition(node, left, right)

    def restriction(self, form: str, members: NodeId) -> str:
        if not self.facts.dynamic[members]:
            return self.static.request(form, members)
        return super().restriction(form, members)

    def source(self) -> list[str]:
        """The lines, consecutive ones with equal guards under one `if`."""
        out: list[str] = []
        previous = None
        for mask, text in self.guarded:
            if mask != previous:
                out.append(f"    if active & {mask}:")
                previous = mask
            out.append(f"        {text}")
        return out


def _broken(axiom: Axiom, value: str) -> str:
    """Python for `the axiom does not hold`, negation aside."""
    match axiom.kind:
        case AxiomKind.ACYCLIC:
            return f"cyclic({value})"
        case AxiomKind.IRREFLEXIVE:
            return f"{value} & k.diagonal"
        case AxiomKind.EMPTY:
            return value
        case _:
            assert_never(axiom.kind)


def _reports(axiom: Axiom, value: str) -> str:
    """Python for `the axiom forbids the execution` or `the flag is raised`: a flag reports that its test
    succeeds, `undefined_unless` that it fails."""
    fails = f"not ({_broken(axiom, value)})" if axiom.negated else f"({_broken(axiom, value)})"
    return f"not {fails}" if axiom.flag and not axiom.undefined else fails


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
    facts = Facts(model)
    static = _Static(facts)
    numbered = list(enumerate(model.axioms))
    forbidding = [(i, a) for i, a in numbered if a.is_constraint]
    checks = [(i, a) for i, a in forbidding if facts.dynamic[a.node]]
    checks.sort(key=lambda entry: facts.cost(entry[1].node))
    flagging = [(i, a) for i, a in numbered if not a.is_constraint]
    for _, axiom in forbidding:
        if not facts.dynamic[axiom.node]:
            static.line(f"if {_reports(axiom, static.value(axiom.node))}: return None", axiom.node)
    checking = _function(static, checks, "return {index}")
    flags = _function(static, flagging, "found.append({name!r})")
    upper = _Upper(static)
    active = _activity(upper, "active", checks) + _activity(upper, "flagging", flagging)
    names = ", ".join(dict.fromkeys(static.slots.values()))
    values = f"k, k.column, k.row, k.seq, k.plus, k.cyclic, {names}"
    unpack = f"    active, flagging, {', '.join(FIXED)}, {names} = statics"
    source = [
        "def prepare(k, base):",
        "    seq, plus, cyclic = k.seq, k.plus, k.cyclic",
        *static.lines,
        *active,
        f"    return (active, flagging, {values})",
        "def violated(statics, rf, co, fr):",
        unpack,
        *checking,
        "    return 0",
        "def flags(statics, rf, co, fr):",
        unpack,
        "    active, found = flagging, []",
        *flags,
        "    return found",
    ]
    scope: dict[str, Any] = {f.__name__: f for f in (columns_of, rows_of, seq_table, seq_left)}
    exec(compile("\n".join(source), f"<compiled {model.name}>", "exec"), scope)
    return CompiledModel(model, scope["prepare"], scope["violated"], scope["flags"] if flagging else None)


def _function(static: _Static, axioms: list[tuple[int, Axiom]], action: str) -> list[str]:
    """The body that computes the axioms' nodes and acts where one reports."""
    code = _Dynamic(static, [axiom for _, axiom in axioms])
    for position, (index, axiom) in enumerate(axioms):
        value = code.value(axiom.node)
        act = action.format(index=index + 1, name=axiom.name)
        code.guarded.append((1 << position, f"if {_reports(axiom, value)}: {act}"))
    return code.source()


def _activity(upper: _Upper, name: str, axioms: list[tuple[int, Axiom]]) -> list[str]:
    """Lines of `prepare` that set the bits of the axioms that could report."""
    lines = [f"    {name} = 0"]
    for position, (_, axiom) in enumerate(axioms):
        # Only a test that grows with its relation can be excluded by an upper bound.
        grows = axiom.negated if axiom.flag and not axiom.undefined else not axiom.negated
        bit = f"{name} |= {1 << position}"
        lines.append(f"    if {_broken(axiom, upper.value(axiom.node))}: {bit}" if grows else f"    {bit}")
    return lines
