"""Nodes of the DAG under construction: hash-consed and constant-folded.

Every constructor returns the index of a node and simplifies as far as the laws of relation algebra make
the result smaller (`r | 0` is `r`, `[S] ; [T]` is `[S & T]`, `(r?)*` is `r*`, ...). Arguments always have
smaller indices than the node itself, so the list is in topological order.
"""

from __future__ import annotations

from treville.models.model import RELATION, SET, ClosureOperator, Kind, NodeId, Operator, ProjectionOperator

MAX_NODES = 20_000

# Every constructor looks for these, and members of an enum are slow to look up in Python 3.11.
_EMPTY, _UNIVERSE, _ID, _IDENTITY_ON = Operator.EMPTY, Operator.UNIVERSE, Operator.ID, Operator.IDENTITY_ON

CLOSURES = (Operator.OPTIONAL, Operator.PLUS, Operator.STAR)
_CLOSURE_OF_CLOSURE: dict[tuple[Operator, Operator], Operator] = {
    (Operator.OPTIONAL, Operator.OPTIONAL): Operator.OPTIONAL,
    (Operator.PLUS, Operator.PLUS): Operator.PLUS,
}


class GraphError(Exception):
    """The model cannot be represented; the message says why. The reader of the file adds the place."""


class Algebra:
    """Nodes as parallel lists, and the table that makes equal ones the same. `bound` is the mask of the
    recursive names that a node mentions."""

    def __init__(self) -> None:
        self.ops: list[Operator] = []
        self.args: list[tuple[NodeId, ...]] = []
        self.kinds: list[Kind] = []
        self.names: list[str] = []
        self.bound: list[int] = []
        self._known: dict[tuple[Operator, tuple[NodeId, ...], Kind, str], NodeId] = {}

    def _node(self, op: Operator, args: tuple[NodeId, ...], kind: Kind, name: str = "") -> NodeId:
        key = (op, args, kind, name)
        found = self._known.get(key)
        if found is None:
            if len(self.ops) >= MAX_NODES:
                raise GraphError("the model has too many relations")
            found = self._known[key] = NodeId(len(self.ops))
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

    def base(self, name: str, kind: Kind) -> NodeId:
        """A set or relation that the execution gives."""
        return self._node(Operator.BASE, (), kind, name)

    def empty(self, kind: Kind) -> NodeId:
        """The empty set or relation."""
        return self._node(Operator.EMPTY, (), kind)

    def universe(self, kind: Kind) -> NodeId:
        """All events or all pairs."""
        return self._node(Operator.UNIVERSE, (), kind)

    def id(self) -> NodeId:
        """The identity."""
        return self._node(Operator.ID, (), RELATION)

    def is_empty(self, node: NodeId) -> bool:
        """Is it the constant empty set or relation?"""
        return self.ops[node] is _EMPTY

    # -- Boolean operators -----------------------------------------------------------------------

    def union(self, a: NodeId, b: NodeId) -> NodeId:
        """`a | b` of one kind."""
        ops = self.ops
        if a == b or ops[b] is _EMPTY or ops[a] is _UNIVERSE:
            return a
        if ops[a] is _EMPTY or ops[b] is _UNIVERSE:
            return b
        return self._node(Operator.UNION, (a, b) if a < b else (b, a), self.kinds[a])

    def inter(self, a: NodeId, b: NodeId) -> NodeId:
        """`a & b` of one kind."""
        ops = self.ops
        if a == b or ops[a] is _EMPTY or ops[b] is _UNIVERSE:
            return a
        if ops[b] is _EMPTY or ops[a] is _UNIVERSE:
            return b
        if ops[a] is ops[b] is _IDENTITY_ON:
            return self.identity(self.inter(self.args[a][0], self.args[b][0]))
        return self._node(Operator.INTERSECTION, (a, b) if a < b else (b, a), self.kinds[a])

    def diff(self, a: NodeId, b: NodeId) -> NodeId:
        """`a \\ b` of one kind."""
        ops = self.ops
        if a == b or ops[b] is _UNIVERSE:
            return self.empty(self.kinds[a])
        if ops[a] is _EMPTY or ops[b] is _EMPTY:
            return a
        if ops[a] is _UNIVERSE:
            return self.complement(b)
        return self._node(Operator.DIFFERENCE, (a, b), self.kinds[a])

    def complement(self, a: NodeId) -> NodeId:
        """`~a`."""
        op = self.ops[a]
        if op is _EMPTY:
            return self.universe(self.kinds[a])
        if op is _UNIVERSE:
            return self.empty(self.kinds[a])
        if op is Operator.COMPLEMENT:
            return self.args[a][0]
        return self._node(Operator.COMPLEMENT, (a,), self.kinds[a])

    # -- relational operators --------------------------------------------------------------------

    def seq(self, r: NodeId, s: NodeId) -> NodeId:
        """`r ; s`."""
        ops = self.ops
        if ops[r] is _EMPTY or ops[s] is _ID:
            return r
        if ops[s] is _EMPTY or ops[r] is _ID:
            return s
        if ops[r] is ops[s] is _IDENTITY_ON:
            return self.identity(self.inter(self.args[r][0], self.args[s][0]))
        return self._node(Operator.COMPOSITION, (r, s), RELATION)

    def product(self, sources: NodeId, targets: NodeId) -> NodeId:
        """`S * T`."""
        ops = self.ops
        if ops[sources] is _EMPTY or ops[targets] is _EMPTY:
            return self.empty(RELATION)
        if ops[sources] is ops[targets] is _UNIVERSE:
            return self.universe(RELATION)
        return self._node(Operator.PRODUCT, (sources, targets), RELATION)

    def identity(self, members: NodeId) -> NodeId:
        """`[S]`."""
        op = self.ops[members]
        if op is _EMPTY:
            return self.empty(RELATION)
        if op is _UNIVERSE:
            return self.id()
        return self._node(Operator.IDENTITY_ON, (members,), RELATION)

    def inverse(self, r: NodeId) -> NodeId:
        """`r^-1`."""
        op = self.ops[r]
        if op in (_EMPTY, _UNIVERSE, _ID, _IDENTITY_ON):
            return r
        if op is Operator.INVERSE:
            return self.args[r][0]
        if op is Operator.PRODUCT:
            return self.product(self.args[r][1], self.args[r][0])
        return self._node(Operator.INVERSE, (r,), RELATION)

    def closure(self, op: ClosureOperator, r: NodeId) -> NodeId:
        """`r?`, `r+` or `r*`."""
        inner = self.ops[r]
        if inner is _EMPTY:
            return r if op is Operator.PLUS else self.id()
        if inner in (_UNIVERSE, _ID):
            return r
        if inner is _IDENTITY_ON:
            return r if op is Operator.PLUS else self.id()
        if inner in CLOSURES:
            merged = _CLOSURE_OF_CLOSURE.get((op, inner), Operator.STAR)
            return self._node(merged, self.args[r], RELATION)
        return self._node(op, (r,), RELATION)

    def domain(self, r: NodeId) -> NodeId:
        """The set of sources."""
        return self._side(Operator.DOMAIN, r)

    def range(self, r: NodeId) -> NodeId:
        """The set of targets."""
        return self._side(Operator.RANGE, r)

    def _side(self, op: ProjectionOperator, r: NodeId) -> NodeId:
        inner = self.ops[r]
        if inner is _EMPTY:
            return self.empty(SET)
        if inner in (Operator.UNIVERSE, Operator.ID, Operator.OPTIONAL, Operator.STAR):
            return self.universe(SET)
        if inner is _IDENTITY_ON:
            return self.args[r][0]
        if inner is Operator.PLUS:
            return self._side(op, self.args[r][0])
        return self._node(op, (r,), SET)

    # -- asking -----------------------------------------------------------------------------------

    def disjuncts(self, node: NodeId) -> list[NodeId]:
        """The operands of a nest of unions."""
        return self._flatten(Operator.UNION, node)

    def conjuncts(self, node: NodeId) -> list[NodeId]:
        """The operands of a nest of intersections."""
        return self._flatten(Operator.INTERSECTION, node)

    def _flatten(self, op: Operator, node: NodeId) -> list[NodeId]:
        found = []
        stack = [node]
        while stack:
            current = stack.pop()
            if self.ops[current] == op:
                stack.extend(reversed(self.args[current]))
            else:
                found.append(current)
        return found
