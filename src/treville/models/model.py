"""A memory model after resolution: a DAG of set and relation definitions, and axioms over it.

The cat front end (`models.cat`) produces it; the evaluators, the relation analysis and the encoders
consume it. Nodes are hash-consed and stored in topological order, so one pass over `nodes`
evaluates everything; the members of a `let rec` group are the one exception (see `FixpointGroup`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from treville.results import Span

SET = "set"
RELATION = "relation"

# op            arguments            meaning
# base          (name)               a set or relation given by the execution (`po`, `rf`, `W`, ...)
# empty         ()                   the empty set or relation
# universe      ()                   all events, or all pairs
# id            ()                   the identity
# union inter diff   (a, b)          of two sets or of two relations
# complement    (a)                  of a set or relation
# seq           (r, s)               composition
# product       (S, T)               S * T
# inverse opt plus star  (r)
# identity      (S)                  [S]
# domain range  (r)                  the set of sources / of targets
# fixpoint      ()                   a name bound by `let rec`; its body is in the group


@dataclass(frozen=True, slots=True)
class Node:
    """One definition: operator, argument nodes (indices into `Model.nodes`), and its kind.

    `name` is the base name for `base`, else the first cat name that was bound to it (for people)."""

    op: str
    args: tuple[int, ...]
    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class FixpointGroup:
    """The members of one `let rec ... and ...`: `variables[i]` is the `fixpoint` node that stands for the
    name inside the bodies, `bodies[i]` the node of its right-hand side. The value is what iteration from the
    empty sets and relations ends in: the least fixpoint where the group is `monotone`, that is, where no name
    occurs below a complement or on the right of a difference."""

    variables: tuple[int, ...]
    bodies: tuple[int, ...]
    monotone: bool = True


@dataclass(frozen=True, slots=True)
class Axiom:
    """`kind` is `acyclic`, `irreflexive` or `empty`; with `negated` the opposite is required. A `flag`
    axiom does not forbid the execution but reports its name when it holds; `undefined` marks
    `undefined_unless`: where it does not hold the program has undefined behaviour."""

    kind: str
    negated: bool
    node: int
    name: str
    flag: bool = False
    undefined: bool = False
    span: Span | None = None


@dataclass(slots=True, eq=False)
class Model:
    """A resolved model. `shown` lists the names that `show` asks for in pictures and `drawn` maps them to
    their nodes; `definitions` maps every top-level cat name to its node, so that users can ask for any
    relation. `title` is the name that the file gives itself."""

    name: str
    nodes: list[Node] = field(default_factory=list)
    groups: list[FixpointGroup] = field(default_factory=list)
    axioms: list[Axiom] = field(default_factory=list)
    definitions: dict[str, int] = field(default_factory=dict)
    shown: list[str] = field(default_factory=list)
    file: str = ""
    title: str = ""
    drawn: dict[str, int] = field(default_factory=dict)

    def needed(self) -> set[int]:
        """The nodes that the axioms depend on, members of recursive definitions included."""
        groups = {variable: group for group in self.groups for variable in group.variables}
        found: set[int] = set()
        stack = [axiom.node for axiom in self.axioms]
        while stack:
            current = stack.pop()
            if current not in found:
                found.add(current)
                stack.extend(self.nodes[current].args)
                if group := groups.get(current):
                    stack.extend(group.variables + group.bodies)
        return found

    def base_names(self) -> set[str]:
        """The base sets and relations that the model reads."""
        return {node.name for node in self.nodes if node.op == "base"}
