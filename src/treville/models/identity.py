"""A resolved model -> which shipped model it is, by its content: the one answer to "is this SC, TSO, ...?".

The fingerprint of a model is a hash of its axioms and of the definitions that they need. It does not depend
on what files and definitions are called, nor on the order in which they are written; so a copy of `tso.cat`
is `tso` to every engine that knows TSO, whatever its name, and a file called `sc.cat` is `sc` only if it says
what `sc` says. The few definitions that derived models look up by their names (`recognise.GLOBAL_ORDERS`,
happens-before) count with these names, and so do flags, whose names are reported.

`library/fingerprints.txt` has the fingerprints of the shipped models (`models.fingerprints` renews it).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from treville.models.cat.files import LIBRARY
from treville.models.model import Axiom, FixpointGroup, Model, Node, NodeId, Operator
from treville.models.recognise import GLOBAL_ORDERS, HAPPENS_BEFORE

FINGERPRINTS = LIBRARY / "fingerprints.txt"
_ROLES = (*GLOBAL_ORDERS, HAPPENS_BEFORE)
_Parts = tuple[bytes, ...]


def shipped_name(model: Model) -> str | None:
    """The shipped model that has the same content."""
    return _shipped().get(fingerprint(model))


def fingerprint(model: Model) -> str:
    """A hash of what the model says."""
    roles = {name: model.definitions[name] for name in _ROLES if name in model.definitions}
    digests = _Digests(model, [*(axiom.node for axiom in model.axioms), *roles.values()])
    axioms = sorted({digests.axiom(axiom) for axiom in model.axioms})
    named = sorted((name, digests.of[node]) for name, node in roles.items())
    return _hash(axioms, named).hex()


@lru_cache(maxsize=64)
def added_axioms(model: Model, shipped: Model) -> tuple[Axiom, ...]:
    """What a model that was derived from a shipped one demands beyond that."""
    own = _Digests(shipped, [axiom.node for axiom in shipped.axioms])
    known = {own.axiom(axiom) for axiom in shipped.axioms}
    digests = _Digests(model, [axiom.node for axiom in model.axioms])
    return tuple(axiom for axiom in model.axioms if digests.axiom(axiom) not in known)


class _Digests:
    """A hash of each definition that the roots need: of its operator and the hashes of its arguments. Chains
    of unions and intersections count as sets of operands, chains of compositions as lists."""

    def __init__(self, model: Model, roots: Iterable[NodeId]) -> None:
        self.model = model
        self.of: dict[NodeId, bytes] = {}
        self._chains: dict[NodeId, _Parts] = {}
        self._needed = sorted(model.below(roots))
        self._groups = {group.variables[0]: group for group in model.groups}
        self._members = {variable for group in model.groups for variable in group.variables}
        self._run(self._needed)

    def axiom(self, axiom: Axiom) -> bytes:
        """A hash of what an axiom demands; the names of those that are no constraints are reported."""
        name = "" if axiom.is_constraint else axiom.name
        return _hash(axiom.kind.value, axiom.negated, axiom.flag, axiom.undefined, name, self.of[axiom.node])

    def _run(self, nodes: list[NodeId]) -> None:
        for number in nodes:
            if number in self._groups:
                self._group(self._groups[number])
            elif number not in self._members:
                self.of[number] = self._node(number, self.model.nodes[number])

    def _group(self, group: FixpointGroup) -> None:
        """Names of a recursion differ if their definitions, unfolded, do: after as many rounds as two
        recursions of this size have names, what has not been told apart is the same."""
        size, stop = len(group.variables), max(group.bodies)
        for variable in group.variables:
            self.of[variable] = _hash(
                "recursive", self.model.nodes[variable].kind.value, size, group.monotone
            )
        inside = [number for number in self._needed if group.variables[0] < number <= stop]
        self._run(inside)
        inside = self._depending(inside)
        for _ in range(2 * size):
            self._run(inside)
            for variable, body in zip(group.variables, [self.of[body] for body in group.bodies], strict=True):
                self.of[variable] = _hash("recursive", body)

    def _depending(self, nodes: list[NodeId]) -> list[NodeId]:
        """Those of the nodes that a recursive name occurs in."""
        found = set(self._members)
        for number in nodes:
            if not found.isdisjoint(self.model.nodes[number].args):
                found.add(number)
        return [number for number in nodes if number in found]

    def _node(self, number: NodeId, node: Node) -> bytes:
        parts: _Parts = tuple(self.of[argument] for argument in node.args)
        if node.op in (Operator.UNION, Operator.INTERSECTION, Operator.COMPOSITION):
            parts = tuple(part for argument in node.args for part in self._chain(node.op, argument))
            if node.op is not Operator.COMPOSITION:
                parts = tuple(sorted(set(parts)))
            self._chains[number] = parts
        name = node.name if node.op is Operator.BASE else ""
        return _hash(node.op.value, node.kind.value, name, parts)

    def _chain(self, op: Operator, argument: NodeId) -> _Parts:
        return self._chains[argument] if self.model.nodes[argument].op is op else (self.of[argument],)


def _hash(*content: object) -> bytes:
    from hashlib import blake2b  # loads OpenSSL, which takes as long as reading a model

    return blake2b(repr(content).encode(), digest_size=16).digest()


@lru_cache(maxsize=1)
def _shipped() -> dict[str, str]:
    lines = FINGERPRINTS.read_text(encoding="utf-8").splitlines()
    return {value: name for name, value in (line.split() for line in lines)}
