"""The DAG under construction: the algebra of nodes, recursive definitions, and compaction into a `Model`.

A `let rec` is solved where it has a closed form, split where its names do not depend on each other, and
kept as a `FixpointGroup` otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from treville.models.cat.algebra import Algebra, GraphError
from treville.models.model import RELATION, FixpointGroup, Kind, Node, NodeId, Operator, negative


class Graph(Algebra):
    """Nodes, and the groups of recursive definitions among them.

    Each name of a `let rec` has a bit (`_bits`); `bound` is the mask of those that a node mentions."""

    def __init__(self) -> None:
        super().__init__()
        self.groups: list[FixpointGroup] = []
        self._bits: dict[NodeId, int] = {}

    def variable(self, name: str, kind: Kind) -> NodeId:
        """A fresh name of a `let rec`."""
        node = self._node(Operator.FIXPOINT, (), kind, f"{name}#{len(self._bits)}")
        self.names[node] = name
        self.bound[node] = self._bits[node] = 1 << len(self._bits)
        return node

    def close(self, variables: list[NodeId], bodies: list[NodeId]) -> list[NodeId]:
        """The least solution of `variables = bodies`: what the names mean afterwards."""
        inner = self._inner_groups(self._bits_of(variables))
        names = self._bits_of([*variables, *(v for group in inner for v in group.variables)])
        if not self._is_monotone(names, [*bodies, *(b for group in inner for b in group.bodies)]):
            if inner:
                raise GraphError("a recursion inside another one, not both monotone")
            return self._close_stepwise(variables, bodies)
        open_bodies = dict(zip(variables, bodies, strict=True))
        for group in inner:
            # Nested least fixpoints are those of all definitions together (Bekic).
            self.groups.remove(group)
            open_bodies |= dict(zip(group.variables, group.bodies, strict=True))
        solved = self._split(open_bodies)
        return [solved.get(variable, variable) for variable in variables]

    def _inner_groups(self, names: int) -> list[FixpointGroup]:
        """The groups, made inside the bodies that are being closed, that depend on the names in the mask."""
        found: list[FixpointGroup] = []
        while True:
            more = [g for g in self.groups if g not in found and self._occurring(g.bodies) & names]
            if not more:
                return found
            found += more
            names |= self._bits_of(variable for group in more for variable in group.variables)

    def _split(self, open_bodies: dict[NodeId, NodeId]) -> dict[NodeId, NodeId]:
        """Solve one name after the other as long as one depends on no other; the rest is a group."""
        solved: dict[NodeId, NodeId] = {}
        while (alone := self._self_contained(open_bodies)) is not None:
            value = self._close_one(alone, open_bodies.pop(alone))
            solved[alone] = value
            if value != alone:
                open_bodies = {v: self.substitute(b, {alone: value}) for v, b in open_bodies.items()}
        if open_bodies:
            left = sorted(open_bodies)
            self._add_group(left, [open_bodies[variable] for variable in left], True)
        return solved

    def _bits_of(self, variables: Iterable[NodeId]) -> int:
        mask = 0
        for variable in variables:
            mask |= self._bits[variable]
        return mask

    def _between(self, names: int, nodes: list[NodeId]) -> set[NodeId]:
        """The nodes below the given ones that mention names in the mask."""
        seen: set[NodeId] = set()
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if node not in seen and self.bound[node] & names:
                seen.add(node)
                stack.extend(self.args[node])
        return seen

    def _self_contained(self, bodies: dict[NodeId, NodeId]) -> NodeId | None:
        """A name whose body mentions no other name that is still open."""
        for variable, body in bodies.items():
            others = self._bits_of(other for other in bodies if other != variable)
            if not self.bound[body] & others:
                return variable
        return None

    def _close_one(self, variable: NodeId, body: NodeId) -> NodeId:
        if not self.bound[body] & self._bits[variable]:
            return body
        closed = self._solve(variable, body)
        if closed is None:
            self._add_group([variable], [body], True)
            return variable
        return closed

    def _occurring(self, nodes: Iterable[NodeId]) -> int:
        mask = 0
        for node in nodes:
            mask |= self.bound[node]
        return mask

    def _add_group(self, variables: list[NodeId], bodies: list[NodeId], monotone: bool) -> None:
        self.groups.append(FixpointGroup(tuple(variables), tuple(bodies), monotone))

    def _is_monotone(self, own: int, bodies: list[NodeId]) -> bool:
        """Does no name of the group occur below a complement or on the right of a difference?"""
        return not any(
            self._occurring(negative(self.ops[node], self.args[node])) & own
            for node in self._between(own, bodies)
        )

    def _close_stepwise(self, variables: list[NodeId], bodies: list[NodeId]) -> list[NodeId]:
        """A recursion with differences, as herd7 runs it: one definition after the other, each with the new
        values of those before it, until nothing changes. Writing the earlier bodies into the later ones
        makes that the plain iteration of the names that are left."""
        replaced: dict[NodeId, NodeId] = {}
        for variable, body in zip(variables, bodies, strict=True):
            replaced[variable] = self.substitute(body, replaced)
        used = self._occurring(replaced.values())
        kept = [variable for variable in variables if used & self._bits[variable]]
        if any(variable not in self.disjuncts(replaced[variable]) for variable in kept):
            # Such an iteration may go on for ever, and herd7 rejects it when it sees it shrink.
            raise GraphError("a name of this let rec occurs negatively, so it has no least solution")
        if kept:
            self._add_group(kept, [replaced[variable] for variable in kept], False)
        return [variable if variable in kept else replaced[variable] for variable in variables]

    def substitute(self, node: NodeId, replacement: dict[NodeId, NodeId]) -> NodeId:
        """The node with some variables replaced; oldest nodes first, so nothing recurses."""
        if not replacement:
            return node
        needed = self._between(self._bits_of(replacement), [node])
        place = dict(replacement)
        for current in sorted(needed - replacement.keys()):
            place[current] = self._rebuild(current, [place.get(a, a) for a in self.args[current]])
        return place.get(node, node)

    def _rebuild(self, node: NodeId, args: list[NodeId]) -> NodeId:
        op = self.ops[node]
        match op:
            case Operator.BASE | Operator.EMPTY | Operator.UNIVERSE | Operator.ID | Operator.FIXPOINT:
                return node
            case Operator.UNION:
                return self.union(*args)
            case Operator.INTERSECTION:
                return self.inter(*args)
            case Operator.DIFFERENCE:
                return self.diff(*args)
            case Operator.COMPLEMENT:
                return self.complement(*args)
            case Operator.COMPOSITION:
                return self.seq(*args)
            case Operator.PRODUCT:
                return self.product(*args)
            case Operator.INVERSE:
                return self.inverse(*args)
            case Operator.OPTIONAL | Operator.PLUS | Operator.STAR:
                return self.closure(op, *args)
            case Operator.IDENTITY_ON:
                return self.identity(*args)
            case Operator.DOMAIN:
                return self.domain(*args)
            case Operator.RANGE:
                return self.range(*args)
            case _:
                assert_never(op)

    def _solve(self, variable: NodeId, body: NodeId) -> NodeId | None:
        """Closed forms: `x = a | x;x` is `a+`, `x = a | x;b` is `a;b*`, `x = a | b;x` is `b*;a`."""
        if self.kinds[variable] is not RELATION:
            return None
        mine = self._bits[variable]
        start, before, after = self.empty(RELATION), self.empty(RELATION), self.empty(RELATION)
        square = False
        for part in self.disjuncts(body):
            if part == variable:
                continue
            if not self.bound[part] & mine:
                start = self.union(start, part)
            elif self.ops[part] is not Operator.COMPOSITION:
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
            return self.closure(Operator.PLUS, start) if self.is_empty(both) else None
        return self.seq(
            self.closure(Operator.STAR, before), self.seq(start, self.closure(Operator.STAR, after))
        )

    # -- the finished DAG ------------------------------------------------------------------------

    def compact(
        self, roots: list[NodeId]
    ) -> tuple[tuple[Node, ...], tuple[FixpointGroup, ...], dict[NodeId, NodeId]]:
        """Nodes and groups that the roots need, and where each old index went."""
        groups = {variable: group for group in self.groups for variable in group.variables}
        needed: set[NodeId] = set()
        stack = list(roots)
        while stack:
            current = stack.pop()
            if current in needed:
                continue
            needed.add(current)
            stack.extend(self.args[current])
            if self.ops[current] is Operator.FIXPOINT:
                stack.extend(groups[current].variables)
                stack.extend(groups[current].bodies)
        place = {old: NodeId(new) for new, old in enumerate(sorted(needed))}
        nodes = [
            Node(self.ops[old], tuple(place[a] for a in self.args[old]), self.kinds[old], self.names[old])
            for old in place
        ]
        kept = [_moved(group, place) for group in self.groups if group.variables[0] in needed]
        return tuple(nodes), tuple(kept), place


def _moved(group: FixpointGroup, place: dict[NodeId, NodeId]) -> FixpointGroup:
    variables = tuple(place[variable] for variable in group.variables)
    return FixpointGroup(variables, tuple(place[body] for body in group.bodies), group.monotone)
