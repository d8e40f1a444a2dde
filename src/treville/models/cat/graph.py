"""The DAG under construction: hash-consed, constant-folded nodes, and their compaction into a `Model`.

Every constructor returns the index of a node and simplifies as far as the laws of relation algebra make
the result smaller (`r | 0` is `r`, `[S] ; [T]` is `[S & T]`, `(r?)*` is `r*`, ...). Arguments always have
smaller indices than the node itself, so the list is in topological order.
"""

from __future__ import annotations

from collections.abc import Callable

from treville.models.model import RELATION, SET, FixpointGroup, Node

MAX_NODES = 20_000

_CLOSURES = ("opt", "plus", "star")
_CLOSURE_OF_CLOSURE = {
    ("opt", "opt"): "opt",
    ("plus", "plus"): "plus",
}


class GraphError(Exception):
    """The model cannot be represented; the message says why. The reader of the file adds the place."""


class Graph:
    """Nodes as parallel lists, and the table that makes equal ones the same."""

    def __init__(self) -> None:
        self.ops: list[str] = []
        self.args: list[tuple[int, ...]] = []
        self.kinds: list[str] = []
        self.names: list[str] = []
        self.bound: list[int] = []
        self.groups: list[FixpointGroup] = []
        self._known: dict[tuple[str, tuple[int, ...], str, str], int] = {}
        self._variables = 0

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
        if inner in _CLOSURES:
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

    # -- fixpoints -------------------------------------------------------------------------------

    def variable(self, name: str, kind: str) -> int:
        """A fresh name of a `let rec`."""
        node = self._node("fixpoint", (), kind, f"{name}#{self._variables}")
        self.names[node] = name
        self.bound[node] = 1 << self._variables
        self._variables += 1
        return node

    def close(self, variables: list[int], bodies: list[int]) -> list[int]:
        """The least solution of `variables = bodies`: what the names mean afterwards."""
        own = self._occurring(variables)
        if not self._is_monotone(own, bodies):
            return self._close_stepwise(variables, bodies)
        if self._has_inner_recursion(variables, own, bodies):
            self._add_group(variables, bodies, True)
            return variables
        open_bodies = dict(zip(variables, bodies, strict=True))
        solved: dict[int, int] = {}
        while (alone := self._self_contained(open_bodies)) is not None:
            body = open_bodies.pop(alone)
            value = self._close_one(alone, body)
            solved[alone] = value
            if value != alone:
                open_bodies = {v: self.substitute(b, {alone: value}) for v, b in open_bodies.items()}
        if open_bodies:
            self._add_group(list(open_bodies), list(open_bodies.values()), True)
        return [solved.get(variable, variable) for variable in variables]

    def _has_inner_recursion(self, variables: list[int], own: int, bodies: list[int]) -> bool:
        """Is there a recursion inside the bodies that depends on the names being defined?"""
        inside = self._between(own, bodies)
        return any(self.ops[node] == "fixpoint" and node not in variables for node in inside)

    def _between(self, own: int, nodes: list[int]) -> set[int]:
        """The nodes below the given ones that depend on the names in the mask `own`."""
        seen: set[int] = set()
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if node not in seen and self.bound[node] & own:
                seen.add(node)
                stack.extend(self.args[node])
        return seen

    def _self_contained(self, bodies: dict[int, int]) -> int | None:
        """A name whose body mentions no other name that is still open."""
        for variable, body in bodies.items():
            others = self._occurring([other for other in bodies if other != variable])
            if not self.bound[body] & others:
                return variable
        return None

    def _close_one(self, variable: int, body: int) -> int:
        if not self.bound[body] & self.bound[variable]:
            return body
        closed = self._solve(variable, body)
        if closed is None:
            self._add_group([variable], [body], True)
            return variable
        return closed

    def _occurring(self, nodes: list[int]) -> int:
        mask = 0
        for node in nodes:
            mask |= self.bound[node]
        return mask

    def _add_group(self, variables: list[int], bodies: list[int], monotone: bool) -> None:
        """Record a group. What its names depend on from outside is now part of what they mean."""
        occurring = self._occurring(bodies)
        self.groups.append(FixpointGroup(tuple(variables), tuple(bodies), monotone))
        for variable in variables:
            self.bound[variable] |= occurring

    def _is_monotone(self, own: int, bodies: list[int]) -> bool:
        """Does no name of the group occur below a complement or on the right of a difference?"""
        for node in self._between(own, bodies):
            negative = self.ops[node] in ("complement", "diff")
            if negative and self.bound[self.args[node][-1]] & own:
                return False
        return True

    def _close_stepwise(self, variables: list[int], bodies: list[int]) -> list[int]:
        """A recursion with differences, as herd7 runs it: one definition after the other, each with the new
        values of those before it, until nothing changes. Writing the earlier bodies into the later ones
        makes that the plain iteration of the names that are left."""
        replaced: dict[int, int] = {}
        for variable, body in zip(variables, bodies, strict=True):
            replaced[variable] = self.substitute(body, replaced)
        used = self._occurring(list(replaced.values()))
        kept = [variable for variable in variables if used & self.bound[variable]]
        if any(variable not in self.disjuncts(replaced[variable]) for variable in kept):
            # Such an iteration may go on for ever, and herd7 rejects it when it sees it shrink.
            raise GraphError("a name of this let rec occurs negatively, so it has no least solution")
        if kept:
            self._add_group(kept, [replaced[variable] for variable in kept], False)
        return [variable if variable in kept else replaced[variable] for variable in variables]

    def substitute(self, node: int, replacement: dict[int, int]) -> int:
        """The node with some variables replaced; oldest nodes first, so nothing recurses."""
        if not replacement:
            return node
        needed = self._between(self._occurring(list(replacement)), [node])
        place = dict(replacement)
        for current in sorted(needed - replacement.keys()):
            if self.ops[current] == "fixpoint":
                raise GraphError("a let rec inside another one that is not monotone")
            place[current] = self._rebuild(current, [place.get(a, a) for a in self.args[current]])
        return place.get(node, node)

    def _rebuild(self, node: int, args: list[int]) -> int:
        op = self.ops[node]
        if op in _CLOSURES:
            return self.closure(op, args[0])
        if not args:
            return node
        build: Callable[..., int] = getattr(self, op)
        return build(*args)

    def _solve(self, variable: int, body: int) -> int | None:
        """Closed forms: `x = a | x;x` is `a+`, `x = a | x;b` is `a;b*`, `x = a | b;x` is `b*;a`."""
        if self.kinds[variable] != RELATION:
            return None
        mine = self.bound[variable]
        start, before, after = self.empty(RELATION), self.empty(RELATION), self.empty(RELATION)
        square = False
        for part in self.disjuncts(body):
            if part == variable:
                continue
            if not self.bound[part] & mine:
                start = self.union(start, part)
            elif self.ops[part] != "seq":
                return None
            else:
                r, s = self.args[part]
                if r == s == variable:
                    square = True
                elif r == variable and not self.bound[s] & mine:
                    after = self.union(after, s)
                elif s == variable and not self.bound[r] & mine:
                    before = self.union(before, r)
                else:
                    return None
        if square:
            both = self.union(before, after)
            return self.closure("plus", start) if self.is_empty(both) else None
        return self.seq(self.closure("star", before), self.seq(start, self.closure("star", after)))

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

    # -- the finished DAG ------------------------------------------------------------------------

    def compact(self, roots: list[int]) -> tuple[list[Node], list[FixpointGroup], dict[int, int]]:
        """Nodes and groups that the roots need, and where each old index went."""
        groups = {variable: group for group in self.groups for variable in group.variables}
        needed: set[int] = set()
        stack = list(roots)
        while stack:
            current = stack.pop()
            if current in needed:
                continue
            needed.add(current)
            stack.extend(self.args[current])
            if self.ops[current] == "fixpoint":
                stack.extend(groups[current].variables)
                stack.extend(groups[current].bodies)
        place = {old: new for new, old in enumerate(sorted(needed))}
        nodes = [
            Node(self.ops[old], tuple(place[a] for a in self.args[old]), self.kinds[old], self.names[old])
            for old in sorted(needed)
        ]
        kept = [_moved(group, place) for group in self.groups if group.variables[0] in needed]
        return nodes, kept, place


def _moved(group: FixpointGroup, place: dict[int, int]) -> FixpointGroup:
    variables = tuple(place[variable] for variable in group.variables)
    return FixpointGroup(variables, tuple(place[body] for body in group.bodies), group.monotone)
