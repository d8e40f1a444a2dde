"""Nodes of the DAG under construction: hash-consed and constant-folded.

Every constructor returns the index of a node and simplifies as far as the laws of relation algebra make
the result smaller (`r | 0` is `r`, `[S] ; [T]` is `[S & T]`, `(r?)*` is `r*`, ...). Arguments always have
smaller indices than the node itself, so the list is in topological order.
"""

from __future__ import annotations

from treville.models.model import RELATION, SET

MAX_NODES = 20_000

CLOSURES = ("opt", "plus", "star")
_CLOSURE_OF_CLOSURE = {
    ("opt", "opt"): "opt",
    ("plus", "plus"): "plus",
}


class GraphError(Exception):
    """The model cannot be represented; the message says why. The reader of the file adds the place."""


class Algebra:
    """Nodes as parallel lists, and the table that makes equal ones the same. `bound` is the mask of the
    recursive names that a node mentions."""

    def __init__(self) -> None:
        self.ops: list[str] = []
        self.args: list[tuple[int, ...]] = []
        self.kinds: list[str] = []
        self.names: list[str] = []
        self.bound: list[int] = []
        self._known: dict[tuple[str, tuple[int, ...], str, str], int] = {}

    def _node(self, op: str, args: tuple[int, ...], kind: str, name: str = "") -> int:
        key = (op, args, kind, name)
        found = self._known.get(key)
        if found is None:
            if len(self.ops) >= MAX_NODES:
                raise GraphError("the model has too many relations")
            found = self._known[key] = len(self.ops)
            mask = 0
            for argument in args:
                mask |= self.bound[argument]
            self.ops.append(op)
            self.args.append(args)
            self.kinds.append(kind)
            self.names.append(name)
            self.bound.append(mask)
        return found

    # -- leaves ----------------------------------------------------------------------------------

    def base(self, name: str, kind: str) -> int:
        """A set or relation that the execution gives."""
        return self._node("base", (), kind, name)

    def empty(self, kind: str) -> int:
        """The empty set or relation."""
        return self._node("empty", (), kind)

    def universe(self, kind: str) -> int:
        """All events or all pairs."""
        return self._node("universe", (), kind)

    def id(self) -> int:
        """The identity."""
        return self._node("id", (), RELATION)

    def is_empty(self, node: int) -> bool:
        """Is it the constant empty set or relation?"""
        return self.ops[node] == "empty"

    # -- Boolean operators -----------------------------------------------------------------------

    def union(self, a: int, b: int) -> int:
        """`a | b` of one kind."""
        ops = self.ops
        if a == b or ops[b] == "empty" or ops[a] == "universe":
            return a
        if ops[a] == "empty" or ops[b] == "universe":
            return b
        return self._node("union", (a, b) if a < b else (b, a), self.kinds[a])

    def inter(self, a: int, b: int) -> int:
        """`a & b` of one kind."""
        ops = self.ops
        if a == b or ops[a] == "empty" or ops[b] == "universe":
            return a
        if ops[b] == "empty" or ops[a] == "universe":
            return b
        if ops[a] == ops[b] == "identity":
            return self.identity(self.inter(self.args[a][0], self.args[b][0]))
        return self._node("inter", (a, b) if a < b else (b, a), self.kinds[a])

    def diff(self, a: int, b: int) -> int:
        """`a \\ b` of one kind."""
        ops = self.ops
        if a == b or ops[b] == "universe":
            return self.empty(self.kinds[a])
        if ops[a] == "empty" or ops[b] == "empty":
            return a
        if ops[a] == "universe":
            return self.complement(b)
        return self._node("diff", (a, b), self.kinds[a])

    def complement(self, a: int) -> int:
        """`~a`."""
        op = self.ops[a]
        if op == "empty":
            return self.universe(self.kinds[a])
        if op == "universe":
            return self.empty(self.kinds[a])
        if op == "complement":
            return self.args[a][0]
        return self._node("complement", (a,), self.kinds[a])

    # -- relational operators --------------------------------------------------------------------

    def seq(self, r: int, s: int) -> int:
        """`r ; s`."""
        ops = self.ops
        if ops[r] == "empty" or ops[s] == "id":
            return r
        if ops[s] == "empty" or ops[r] == "id":
            return s
        if ops[r] == ops[s] == "identity":
            return self.identity(self.inter(self.args[r][0], self.args[s][0]))
        return self._node("seq", (r, s), RELATION)

    def product(self, sources: int, targets: int) -> int:
        """`S * T`."""
        ops = self.ops
        if ops[sources] == "empty" or ops[targets] == "empty":
            return self.empty(RELATION)
        if ops[sources] == ops[targets] == "universe":
            return self.universe(RELATION)
        return self._node("product", (sources, targets), RELATION)

    def identity(self, members: int) -> int:
        """`[S]`."""
        op = self.ops[members]
        if op == "empty":
            return self.empty(RELATION)
        if op == "universe":
            return self.id()
        return self._node("identity", (members,), RELATION)

    def inverse(self, r: int) -> int:
        """`r^-1`."""
        op = self.ops[r]
        if op in ("empty", "universe", "id", "identity"):
            return r
        if op == "inverse":
            return self.args[r][0]
        if op == "product":
            return self.product(self.args[r][1], self.args[r][0])
        return self._node("inverse", (r,), RELATION)

    def closure(self, op: str, r: int) -> int:
        """`r?`, `r+` or `r*` (op is `opt`, `plus` or `star`)."""
        inner = self.ops[r]
        if inner == "empty":
            return r if op == "plus" else self.id()
        if inner in ("universe", "id"):
            return r
        if inner == "identity":
            return r if op == "plus" else self.id()
        if inner in CLOSURES:
            merged = _CLOSURE_OF_CLOSURE.get((op, inner), "star")
            return self._node(merged, self.args[r], RELATION)
        return self._node(op, (r,), RELATION)

    def domain(self, r: int) -> int:
        """The set of sources."""
        return self._side("domain", r)

    def range(self, r: int) -> int:
        """The set of targets."""
        return self._side("range", r)

    def _side(self, op: str, r: int) -> int:
        inner = self.ops[r]
        if inner == "empty":
            return self.empty(SET)
        if inner in ("universe", "id", "opt", "star"):
            return self.universe(SET)
        if inner == "identity":
            return self.args[r][0]
        if inner == "plus":
            return self._side(op, self.args[r][0])
        return self._node(op, (r,), SET)

    # -- asking -----------------------------------------------------------------------------------

    def disjuncts(self, node: int) -> list[int]:
        """The operands of a nest of unions."""
        return self._flatten("union", node)

    def conjuncts(self, node: int) -> list[int]:
        """The operands of a nest of intersections."""
        return self._flatten("inter", node)

    def _flatten(self, op: str, node: int) -> list[int]:
        found = []
        stack = [node]
        while stack:
            current = stack.pop()
            if self.ops[current] == op:
                stack.extend(reversed(self.args[current]))
            else:
                found.append(current)
        return found
